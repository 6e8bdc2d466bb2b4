//! The standard's own examples of what the book makes: locations, arrivals, sets of animals, test
//! days and lists of words follow from the book. They are made there, by its own ways, and come out with
//! the members of the example; what is changed is stated.

use super::examples::examples;
use super::stage::{FARM, Stage};
use crate::support::fixture::number;
use serde_json::{Value, json};

/// The one member of a list that has a value at a place.
fn one<'v>(page: &'v Value, at: &str, value: &Value) -> &'v Value {
    let members = page["member"].as_array().unwrap();
    let found: Vec<&Value> = (members.iter())
        .filter(|m| m.pointer(at) == Some(value))
        .collect();
    assert_eq!(found.len(), 1, "{at} {value}: {page}");
    found[0]
}

fn day(value: &Value) -> &str {
    &value.as_str().unwrap()[..10]
}

#[tokio::test]
async fn what_the_exchange_only_serves_comes_out_like_the_examples() {
    let Some(folder) = test_support::official() else {
        return;
    };
    let all = examples(&folder);
    let example = |name: &str| &all.iter().find(|(one, _)| one == name).unwrap().1;
    for s in Stage::each().await {
        // A location: its identifier is that of the book.
        let place = &example("locations")[0];
        update!(s.f, "organizations", 1, {"name": place["name"]});
        let herd = json!({"name": "Main", "organization": 1, "timeZone": place["timeZoneId"]});
        s.f.fill("herds", 1, herd).await;
        let (_, page) = s.get("/ade/v1/locations").await;
        let told = one(&page, "/name", &place["name"]);
        assert_eq!(told["timeZoneId"], place["timeZoneId"]);

        // An arrival with the animal. Numbers are those of the book; the colour is a word of
        // its dictionary; of the parents' numbers the book has its own.
        let arrival = &example("arrival")[0];
        let animal = &arrival["animalDetail"];
        for (at, (id, parent)) in [("female", 41), ("male", 42)]
            .into_iter()
            .zip([0, 1])
            .map(|((sex, id), n)| (sex, (id, n)))
        {
            let name = &animal["parentage"][parent]["officialName"];
            let row = json!({"identNumber": number(id), "sex": at, "owner": 2, "name": name, "birthDate": "2005-01-01"});
            s.f.fill("animals", id, row).await;
        }
        fill!(s.f, "coat-colors", 1, {"name": animal["coatColor"], "code": "RB"});
        fill!(s.f, "animals", 43, {
            "identNumber": number(43), "sex": "female", "owner": 2, "name": animal["name"],
            "birthDate": day(&animal["birthDate"]), "coatColor": 1, "mother": 41, "father": 42,
            "altIds": {"inventoryNumber": animal["managementTag"]},
        });
        ask!(s.f, s.expert, "POST /api/movements",
            {"animal": 43, "from": 2, "to": 1, "kind": "sale", "date": day(&arrival["eventDateTime"])} => 201);
        let (_, page) = s.get(&format!("{FARM}/arrivals")).await;
        let told = one(&page, "/animal/id", &number(43).into());
        assert_eq!(day(&told["eventDateTime"]), day(&arrival["eventDateTime"]));
        // The list of animals has what the example states about the animal in the arrival.
        let (_, page) = s.get(&format!("{FARM}/animals")).await;
        let detail = one(&page, "/identifier/id", &number(43).into());
        for member in [
            "specie",
            "gender",
            "coatColor",
            "managementTag",
            "name",
            "productionPurpose",
            "status",
        ] {
            assert_eq!(detail[member], animal[member], "{member}: {detail}");
        }
        assert_eq!(day(&detail["birthDate"]), day(&animal["birthDate"]));
        for parent in animal["parentage"].as_array().unwrap() {
            let list = json!({"member": detail["parentage"]});
            let told = one(&list, "/gender", &parent["gender"]);
            assert_eq!(told["officialName"], parent["officialName"]);
            assert_eq!(told["relation"], parent["relation"]);
        }

        // A set of animals: its id and its members are those of the book.
        let set = &example("animal-sets")[0];
        let purpose = set["purpose"].as_str().unwrap().to_lowercase();
        let row = json!({"name": set["name"], "place": "herd", "query": "q", "adeSet": true,
            "adePurpose": purpose, "members": [11, 12]});
        ask!(s.f, s.farm, "POST /api/saved-searches", row => 201);
        let (_, page) = s.get(&format!("{FARM}/animal-sets")).await;
        let told = one(&page, "/name", &set["name"]);
        assert_eq!(told["purpose"], set["purpose"]);
        assert_eq!(told["member"].as_array().unwrap().len(), 2);

        // A test day: it lasts from midnight to midnight.
        let days = &example("exampleTestDayResourceCollection.json")[0];
        let begin = days["begin-date"].clone();
        fill!(s.f, "milk-tests", 1, {"animal": 11, "date": day(&begin), "milkYield": 20.0});
        let (_, page) = s.get(&format!("{FARM}/test-days")).await;
        assert_eq!(day(&page["member"][0]["beginDate"]), day(&begin), "{page}");

        // Lists of words. A code occurs once; the scheme is named as the book names it.
        let (_, page) = s.get(&format!("{FARM}/schemata?pageSize=200")).await;
        for word in example("schemata") {
            one(&page, "/name", &word["name"]);
        }
        let mut words: Vec<&Value> = Vec::new();
        for word in example("schemata-breeds-interbull") {
            if words.iter().all(|known| known["id"] != word["id"]) {
                words.push(word);
            }
        }
        for (n, word) in (1..).zip(&words) {
            fill!(s.f, "breeds", n, {"name": word["name"], "code": word["id"], "whffCode": word["id"]});
        }
        let (_, page) = s
            .get(&format!("{FARM}/schemata/breeds/icar.breed-3?pageSize=200"))
            .await;
        assert_eq!(page["view"]["totalItems"], words.len(), "{page}");
        for word in words {
            assert_eq!(one(&page, "/id", &word["id"]), word);
        }
        for list in ["schemata-breeds", "schemata-locations"] {
            let kind = list.strip_prefix("schemata-").unwrap();
            let (_, page) = s.get(&format!("{FARM}/schemata/{kind}")).await;
            let told = page["member"].as_array().unwrap();
            // The book decides which schemes there are; each is returned as in the example.
            let members = |word: &Value| {
                word.as_object()
                    .unwrap()
                    .keys()
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert!(!told.is_empty());
            assert!(
                told.iter()
                    .all(|word| members(word) == members(&example(list)[0])),
                "{page}"
            );
        }
    }
}
