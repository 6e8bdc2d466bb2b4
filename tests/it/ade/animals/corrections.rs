//! Corrections of animals that partners send (docs/exchange.md, *Corrections of animals*): open
//! fields are written, locked ones proposed to the Association, and all else is named with its reason.

use crate::ade::stage::{FARM, OTHER, Stage, codes, gone, keys, outcomes, words};
use crate::rest::world::{World, fill};
use crate::support::fixture::number;
use crate::support::words::merged;
use serde_json::{Value, json};

const TYPE: &str = "icarAnimalCoreResource";
const ANIMALS: &str = "/ade/v1/locations/org.herdbook.orgid/1/animals";
const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/animals";
const PUSH: &str = "/ade/v1/datasets/animals/resources";
const REQUESTS: &str = "/api/verification-requests";

/// What a farm program says of an animal, on a day of February.
fn said(animal: i64, day: u32, more: Value) -> Value {
    merged(
        json!({
            "resourceType": TYPE,
            "meta": {"source": "barn.example", "sourceId": format!("a{animal}"),
                "modified": format!("2026-02-{day:02}T00:00:00Z")},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "identifier": {"scheme": "org.herdbook.animal", "id": number(animal)},
            "specie": "Cattle",
            "gender": "Female",
        }),
        &more,
    )
}

/// The same by another program.
fn by_another(mut doc: Value) -> Value {
    doc["meta"]["source"] = "robot.example".into();
    doc
}

/// What a batch says of its elements: outcome or errors, and warnings, with their places.
async fn batch(s: &Stage, who: &str, docs: &[Value]) -> Vec<Vec<[String; 2]>> {
    outcomes(&ask!(s.f, who, "POST {BATCH}", docs => 200))
}

async fn outcome(s: &Stage, doc: Value) -> Vec<[String; 2]> {
    batch(s, &s.farm, &[doc]).await.remove(0)
}

/// The row, as its owner reads it.
async fn row(s: &Stage, animal: i64) -> Value {
    s.get(&format!("/api/animals/{animal}?depth=0")).await.1
}

/// The requests of the farm, the first one first.
async fn requests(s: &Stage) -> Vec<Value> {
    let (_, page) = s.get(&format!("{REQUESTS}?depth=0&sort=id")).await;
    page["docs"].as_array().unwrap().clone()
}

/// Paths and values that a request proposes.
fn proposed(request: &Value) -> Vec<(String, Value)> {
    let all = request["proposed"].as_array().unwrap().iter();
    all.map(|one| (one["path"].as_str().unwrap().to_owned(), one["value"].clone())).collect()
}

async fn decide(s: &Stage, request: &Value, status: &str) {
    let path = format!("{REQUESTS}/{}", request["id"]);
    for status in ["checking", status] {
        let body = json!({"status": status});
        ask!(s.f, s.expert, "PATCH {path}", body => 200);
    }
}

async fn verified(s: &Stage, animal: i64) {
    s.f.update("animals", animal, json!({"trustLevel": 3})).await;
}

#[tokio::test]
async fn open_members_are_written_as_by_rest() {
    let s = Stage::plain().await;
    s.f.fill("breeds", 1, json!({"name": "Holstein", "code": "1", "whffCode": "HOL"})).await;
    let document = said(
        11,
        1,
        json!({
            "name": "Zorka", "managementTag": "204", "gender": "Freemartin",
            "primaryBreed": {"scheme": "icar.breed-3", "id": "HOL"},
            "alternativeIdentifiers": [
                {"scheme": "std.iso.11785", "id": "643000000000123"},
                {"scheme": "xx.barn", "id": "7"}],
        }),
    );
    let (headers, made) = ask!(s.f, s.farm, "POST {ANIMALS}", document => 200 with headers);
    assert_eq!(ade::validate(TYPE, &made), []);
    holds!(made, {"name": "Zorka", "officialName": "Zorka", "managementTag": "204",
        "gender": "Freemartin", "birthDate": "2020-01-01T00:00:00.000Z",
        "primaryBreed.id": "HOL", "meta.source": "org.herdbook"});
    // The identifier of the program has no field: it is named, with what is stored.
    let text = headers["x-icar-ade-messages"].to_str().unwrap();
    assert!(text.contains("stored-otherwise") && text.contains("/alternativeIdentifiers"), "{text}");
    assert!(!text.contains("/name"), "{text}");
    let made = row(&s, 11).await;
    holds!(made, {"name": "Zorka", "altIds.inventoryNumber": "204", "sex": "female",
        "sexStatus": "freemartin", "breed": 1, "altIds.chipNumber": "643000000000123",
        "birthDate": "2020-01-01T00:00:00.000Z"});
    let (_, feed) = s.get("/ade/v1/datasets/animals/changes").await;
    let mine = feed.as_array().unwrap().iter().find(|one| one["name"] == "Zorka");
    assert!(mine.is_some(), "{feed}");
    // Neither another animal nor a request was made.
    assert_eq!(keys(&s.get(ANIMALS).await.1).len(), 3);
    assert_eq!(requests(&s).await, [] as [Value; 0]);
    // Sent again, nothing changes.
    let before = s.rows().await;
    let second = words(&[["unchanged", ""], ["stored-otherwise", "/alternativeIdentifiers"]]);
    assert_eq!(outcome(&s, document).await, second);
    assert_eq!(s.rows().await, before);
    // The official name alone is the name; one that repeats what is served is none.
    let officially = said(12, 1, json!({"officialName": "Ночка"}));
    assert_eq!(outcome(&s, officially).await, words(&[["updated", ""], ["stored-otherwise", "/officialName"]]));
    holds!(row(&s, 12).await, {"name": "Ночка", "nameLatin": "Nochka"});
    let latin = said(12, 2, json!({"officialName": "Nochka"}));
    assert_eq!(outcome(&s, latin).await, words(&[["unchanged", ""]]));
    holds!(row(&s, 12).await, {"name": "Ночка"});
    // An open birth date is written too, by the day of the sender.
    let born = said(12, 3, json!({"birthDate": "2020-01-09T00:00:00+03:00"}));
    assert_eq!(outcome(&s, born).await[0], ["updated", ""]);
    holds!(row(&s, 12).await, {"birthDate": "2020-01-09T00:00:00.000Z"});
}

#[test_each(Stage::each())]
async fn locked_members_are_asked_of_the_association_once(s: Stage) {
    verified(&s, 11).await;
    let document = said(11, 1, json!({"name": "Zorka", "birthDate": "2020-01-05T00:00:00Z"}));
    let (status, headers, made) = s.f.post(ANIMALS, &s.farm, document.clone()).await;
    assert_eq!(status, 200, "{made}");
    holds!(made, {"name": "Zorka", "birthDate": "2020-01-01T00:00:00.000Z"});
    let all = requests(&s).await;
    assert_eq!(all.len(), 1);
    holds!(all[0], {"purpose": "correction", "status": "new", "organization": 1,
        "animals": [11], "requestedBy": 1});
    let born = ("birthDate".to_owned(), json!("2020-01-05T00:00:00.000Z"));
    assert_eq!(proposed(&all[0]), std::slice::from_ref(&born));
    let text = headers["x-icar-ade-messages"].to_str().unwrap();
    let number = all[0]["number"].as_str().unwrap().split_once('-').unwrap().1;
    assert!(text.contains("correction-requested") && text.contains(number), "{text}");
    // Whoever says the same asks for nothing more.
    let correction = words(&[["unchanged", ""], ["correction-requested", "/birthDate"]]);
    let before = s.rows().await;
    assert_eq!(outcome(&s, document.clone()).await, correction);
    assert_eq!(s.rows().await, before);
    let later = said(11, 2, json!({"birthDate": "2020-01-05T12:00:00Z"}));
    assert_eq!(outcome(&s, later.clone()).await, correction);
    assert_eq!(outcome(&s, by_another(later.clone())).await, correction);
    assert_eq!(requests(&s).await.len(), 1);
    // A further value replaces the request by one for both.
    let male = said(11, 3, json!({"gender": "Male"}));
    let text = words(&[["unchanged", ""], ["correction-requested", "/gender"]]);
    assert_eq!(outcome(&s, male).await, text);
    let all = requests(&s).await;
    assert_eq!(all.len(), 2);
    holds!(all[0], {"status": "cancelled"});
    assert_eq!(proposed(&all[1]), [born.clone(), ("sex".to_owned(), json!("male"))]);
    // What the Association declined is not requested again.
    decide(&s, &all[1], "rejected").await;
    let declined = words(&[["unchanged", ""], ["correction-declined", "/birthDate"]]);
    let second = said(11, 4, json!({"birthDate": "2020-01-05T00:00:00Z"}));
    assert_eq!(outcome(&s, second).await, declined);
    assert_eq!(outcome(&s, by_another(said(11, 4, json!({"birthDate": "2020-01-05T00:00:00Z"})))).await, declined);
    assert_eq!(requests(&s).await.len(), 2);
    // What it approved is the book's value.
    let other = said(11, 5, json!({"birthDate": "2020-01-07T00:00:00Z"}));
    assert_eq!(outcome(&s, other.clone()).await, correction);
    let all = requests(&s).await;
    assert_eq!(all.len(), 3);
    decide(&s, &all[2], "approved").await;
    holds!(row(&s, 11).await, {"birthDate": "2020-01-07T00:00:00.000Z"});
    assert_eq!(outcome(&s, other).await, words(&[["unchanged", ""]]));
    // The Association writes itself.
    let day = said(11, 6, json!({"birthDate": "2020-01-08T00:00:00Z"}));
    assert_eq!(batch(&s, &s.expert, &[day]).await[0][0], ["updated", ""]);
    holds!(row(&s, 11).await, {"birthDate": "2020-01-08T00:00:00.000Z"});
    assert_eq!(requests(&s).await.len(), 3);
}

/// What the book never takes is refused for a verified animal as for any other, and the Association is not asked.
#[test_each(Stage::each())]
async fn what_can_never_be_approved_is_not_requested(s: Stage) {
    s.f.update("animals", 13, json!({"birthDate": "2015-01-01"})).await;
    for cow in [11, 12] {
        s.f.update("animals", cow, json!({"mother": 13})).await;
    }
    verified(&s, 11).await;
    let mother = |of: i64, mother: i64| {
        let identifier = |id: i64| json!({"scheme": "org.herdbook.animal", "id": number(id)});
        json!({"parentage": [{"parentOf": identifier(of), "gender": "Female", "relation": "Genetic",
            "identifier": identifier(mother)}]})
    };
    let born = |day: &str| json!({"birthDate": format!("{day}T00:00:00Z")});
    let itself = |cow: i64| mother(cow, cow);
    let cases: [(&str, &dyn Fn(i64) -> Value); 3] = [
        ("birth-in-future", &|_| born("2027-01-01")),
        ("parent-younger", &|_| born("2014-12-31")),
        ("self-parent", &itself),
    ];
    for (code, more) in cases {
        let before = s.rows().await;
        let closed = outcome(&s, said(11, 1, more(11))).await;
        assert_eq!(closed[0][0], code);
        assert_eq!(closed, outcome(&s, said(12, 1, more(12))).await);
        assert_eq!(s.rows().await, before, "{code}");
    }
    assert_eq!(requests(&s).await, Vec::<Value>::new());
    // What may be approved is asked for as before.
    let asked = words(&[["unchanged", ""], ["correction-requested", "/birthDate"]]);
    assert_eq!(outcome(&s, said(11, 1, born("2020-01-05"))).await, asked);
}

#[test_each(Stage::each())]
async fn an_echo_undoes_nothing(s: Stage) {
    assert_eq!(outcome(&s, said(11, 1, json!({"name": "Zorka", "managementTag": "1"}))).await[0], ["updated", ""]);
    ask!(s.f, s.farm, "PATCH /api/animals/11", {"name": "Zarya"} => 200);
    // The sender repeats its name, beside a new number.
    let echo = said(11, 2, json!({"name": "Zorka", "managementTag": "2"}));
    assert_eq!(outcome(&s, echo).await, words(&[["updated", ""], ["corrected-since", "/name"]]));
    holds!(row(&s, 11).await, {"name": "Zarya", "altIds.inventoryNumber": "2"});
    // Another program that says so for the first time is no echo, nor is another name.
    assert_eq!(outcome(&s, by_another(said(11, 3, json!({"name": "Zima"})))).await[0], ["updated", ""]);
    holds!(row(&s, 11).await, {"name": "Zima"});
    assert_eq!(outcome(&s, said(11, 4, json!({"name": "Zvezda"}))).await[0], ["updated", ""]);
    holds!(row(&s, 11).await, {"name": "Zvezda"});
    // What it said as the book had it, in another form, is said too.
    let born = |day| said(11, day, json!({"birthDate": "2020-01-01T00:00:00Z"}));
    assert_eq!(outcome(&s, born(4)).await, words(&[["unchanged", ""]]));
    update!(s.f, "animals", 11, {"birthDate": "2020-01-02"});
    let since = words(&[["unchanged", ""], ["corrected-since", "/birthDate"]]);
    assert_eq!(outcome(&s, born(4)).await, since);
    // A colour that the book does not know yet is taken when it does.
    let colour = |day| said(11, day, json!({"coatColor": "Blue"}));
    let unknown = words(&[["unchanged", ""], ["unknown-relation", "/coatColor"]]);
    assert_eq!(outcome(&s, colour(4)).await, unknown);
    fill!(s.f, "coat-colors", 1, {"name": "Blue", "code": "b"});
    assert_eq!(outcome(&s, colour(4)).await, words(&[["updated", ""]]));
    holds!(row(&s, 11).await, {"coatColor": 1});
    // Said of another animal, it is no repetition.
    let mut other = said(12, 4, json!({"name": "Zvezda"}));
    other["meta"]["sourceId"] = "a11".into();
    assert_eq!(outcome(&s, other).await[0], ["updated", ""]);
    holds!(row(&s, 12).await, {"name": "Zvezda"});
    // An older state changes nothing.
    let stale = outcome(&s, said(11, 3, json!({"name": "Zlata"}))).await;
    assert_eq!(stale, words(&[["unchanged", ""], ["stale", "/meta/modified"]]));
    holds!(row(&s, 11).await, {"name": "Zvezda"});
}

#[tokio::test]
async fn what_corrects_nothing_is_named_with_the_reason() {
    let s = Stage::plain().await;
    let document = said(
        11,
        1,
        json!({
            "status": "Dead", "lactationStatus": "Lactating", "productionPurpose": "Meat",
            "specie": "Buffalo", "coatColor": "Blue",
            "breedFractions": {"denominator": 4, "fractions": []},
            "identifier": {"scheme": "org.herdbook.animal", "id": number(11)},
            "parentage": [{"parentOf": {"scheme": "org.herdbook.animal", "id": number(11)},
                "gender": "Male", "relation": "Genetic",
                "identifier": {"scheme": "org.herdbook.animal", "id": number(999)}}],
            "x-barn": 4,
        }),
    );
    let before = s.tally().await;
    let path = format!("{ANIMALS}?validate=only");
    let (status, _, _) = s.f.post(&path, &s.farm, document.clone()).await;
    assert_eq!(status, 200);
    assert_eq!(s.tally().await, before);
    let (_, _, results) = s.f.post(BATCH, &s.farm, json!([document])).await;
    let messages = results[0]["messages"].as_array().unwrap();
    let at = |name: &str| {
        let name = format!("/{name}");
        let found = messages.iter().find(|m| m["instance"] == name.as_str());
        let found = found.unwrap_or_else(|| panic!("{name}: {results}"));
        ["type", "detail"].map(|part| found[part].as_str().unwrap().to_owned())
    };
    assert_eq!(messages[0]["type"], "unchanged");
    for (name, code, reason) in table![
        "status", "stored-otherwise", "send departures and deaths. The book has \"Alive\" here";
        "lactationStatus", "stored-otherwise", "It follows from events";
        "productionPurpose", "stored-otherwise", "The book has \"Milk\" here";
        "specie", "stored-otherwise", "The book has \"Cattle\" here";
        "breedFractions", "stored-otherwise", "The book has nothing here";
        "x-barn", "stored-otherwise", "The book has no field for it. The book has nothing here";
        "coatColor", "unknown-relation", "not in the book";
        "parentage/0/identifier", "unknown-relation", "not in the book";
    ] {
        let [kind, detail] = at(name);
        assert_eq!(kind, code, "{name}: {detail}");
        assert!(detail.contains(reason), "{name}: {detail}");
    }
    assert_eq!(messages.len(), 9, "{results}");
}

#[test_each(Stage::each())]
async fn nobody_learns_of_animals_elsewhere_and_nothing_is_left_of_a_refusal(s: Stage) {
    let before = s.tally().await;
    let mut answers = Vec::new();
    for animal in [21, 999] {
        let doc = said(animal, 1, json!({"name": "Zorka"}));
        let (status, _, body) = s.f.post(ANIMALS, &s.farm, doc).await;
        let text = body["errors"][0].to_string().replace(&number(animal), "N");
        let text = text.split("\"id\":").next().unwrap().to_owned();
        answers.push((status, codes(&body).join(","), text));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!((answers[0].0, answers[0].1.as_str()), (422, "animal-not-found"));
    let gone = gone(&said(11, 1, json!({})));
    let (status, _, body) = s.f.post(ANIMALS, &s.farm, gone).await;
    assert_eq!((status, body["errors"][0]["type"].as_str()), (400, Some("not-deleted")), "{body}");
    // A value that the book refuses, beside one that it would take, and one that it would ask for.
    verified(&s, 12).await;
    let before_all = s.tally().await;
    let bad = said(
        12,
        1,
        json!({"name": "Zorka", "birthDate": "2020-02-05T00:00:00Z",
        "alternativeIdentifiers": [{"scheme": "std.iso.11785", "id": "643"}]}),
    );
    let (status, _, body) = s.f.post(ANIMALS, &s.farm, bad.clone()).await;
    assert_eq!((status, body["errors"][0]["instance"].as_str()), (400, Some("/alternativeIdentifiers/0")), "{body}");
    assert_eq!(s.tally().await, before_all);
    let own = json!({"parentage": [{"parentOf": {"scheme": "org.herdbook.animal", "id": number(11)},
        "gender": "Female", "relation": "Genetic",
        "identifier": {"scheme": "org.herdbook.animal", "id": number(11)}}]});
    let (status, _, body) = s.f.post(ANIMALS, &s.farm, said(11, 1, own)).await;
    let first = &body["errors"][0];
    assert_eq!((status, &first["instance"]), (400, &json!("/parentage")), "{body}");
    assert_eq!(s.tally().await, before_all);
    // A push is stored as a whole, or not at all; of a batch the others are.
    let good = said(13, 1, json!({"name": "Zima", "birthDate": "2020-03-05T00:00:00Z"}));
    ask!(s.f, s.farm, "POST {PUSH}", [good, bad] => 400);
    assert_eq!(s.tally().await, before_all);
    let all = batch(&s, &s.farm, &[bad, good]).await;
    assert_eq!([&all[0][0][1], &all[1][0][0]], ["/alternativeIdentifiers/0", "updated"]);
    holds!(row(&s, 13).await, {"name": "Zima", "birthDate": "2020-03-05T00:00:00.000Z"});
    holds!(row(&s, 12).await, {"name": null});
    // Others, and those who only read, send nothing here.
    let viewer = s.f.user(7, "farmer", Some(1), "viewer").await;
    let doc = said(11, 1, json!({"name": "Zorka"}));
    for (who, expected) in [(&viewer, 403), (&s.other, 404), (&String::new(), 401)] {
        let (status, _, body) = s.f.post(ANIMALS, who, doc.clone()).await;
        assert_eq!(status, expected, "{body}");
    }
    ask!(s.f, s.farm, "POST {OTHER}/animals", doc => 404);
    holds!(row(&s, 11).await, {"name": null});
    assert_ne!(s.tally().await, before);
}

#[test_with(World::each)]
async fn a_document_whose_request_is_refused_writes_nothing(w: &World<'_>) {
    let cows = [901, 902, 903].map(|id| {
        json!({"id": id, "identNumber": number(id), "sex": "female", "owner": 1,
            "birthDate": "2020-01-01", "trustLevel": 3})
    });
    fill(w.stage, "animals", cows.into()).await;
    let open = w.list("verification-requests", "where[organization][equals]=1").await.len();
    made!(w, "admin", "quotas", {"organization": 1, "records": open + 1});
    let doc = |animal| said(animal, 1, json!({"name": "Zorka", "birthDate": "2020-01-05T00:00:00Z"}));
    let plain = said(903, 1, json!({"name": "Zima"}));
    let headers = [("content-type", "application/json")];
    let send = async |docs: Value| {
        let answer = w.send("alpha", "POST", BATCH, &headers, docs.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    };
    let all = send(json!([doc(901), doc(902), plain])).await;
    holds!(all, {"0.messages.0.type": "updated", "0.messages.1.type": "correction-requested",
        "1.messages.0.type": "quota", "1.messages.0.instance": "/birthDate",
        "1.messages.1": null, "2.messages.0.type": "updated"});
    for (id, name) in [(901, json!("Zorka")), (902, Value::Null), (903, json!("Zima"))] {
        holds!(w.doc("animals", id).await, {"name": name}, "{id}");
    }
    // It is no repetition when it is sent again.
    holds!(send(json!([doc(902)])).await, {"0.messages.0.type": "quota"});
    w.stage.assert_sound().await;
}

#[test_each(Stage::each())]
async fn documents_of_one_animal_are_taken_one_after_another(s: Stage) {
    verified(&s, 11).await;
    let one = said(11, 1, json!({"name": "Zorka", "birthDate": "2020-01-05T00:00:00Z"}));
    let two = by_another(said(11, 1, json!({"name": "Zima", "gender": "Male"})));
    let same = by_another(said(11, 2, json!({"birthDate": "2020-01-05T00:00:00Z", "gender": "Male"})));
    let all = batch(&s, &s.farm, &[one, two, same]).await;
    let first = [["updated", ""], ["correction-requested", "/birthDate"], ["stored-otherwise", "/name"]];
    assert_eq!(all[0], words(&first), "the second one has another name");
    assert_eq!(all[1], words(&[["updated", ""], ["correction-requested", "/gender"]]));
    let both = [["unchanged", ""], ["correction-requested", "/gender"], ["correction-requested", "/birthDate"]];
    let mut expected = all[2].clone();
    expected.sort();
    let mut both = words(&both);
    both.sort();
    assert_eq!(expected, both);
    holds!(row(&s, 11).await, {"name": "Zima"});
    let open: Vec<Value> = requests(&s).await.into_iter().filter(|r| r["status"] == "new").collect();
    assert_eq!(open.len(), 1);
    assert_eq!(proposed(&open[0]).len(), 2);
    let (_, described) = s.get(&format!("{FARM}/animals?meta-modified-from=2026-01-01T00:00:00Z")).await;
    assert_eq!(keys(&described).len(), 3, "{described}");
}

#[test_each(Stage::each())]
async fn requests_of_a_former_owner_are_its_own(s: Stage) {
    verified(&s, 11).await;
    // The farm that sold the animal requested the same value, which was declined, and for another.
    let one = json!({"animal": 11, "path": "birthDate", "value": "2020-01-05"});
    let two = json!({"animal": 11, "path": "sex", "value": "male"});
    for (id, status, proposed) in [(90, "rejected", one), (91, "new", two)] {
        let data = json!({"number": format!("В-2025-{id}"), "purpose": "correction",
            "organization": 2, "animals": [11], "proposed": [proposed], "status": status});
        s.f.fill("verification-requests", id, data).await;
    }
    let both = said(11, 1, json!({"birthDate": "2020-01-05T00:00:00Z", "gender": "Male"}));
    let (status, _, results) = s.f.post(BATCH, &s.farm, json!([both])).await;
    assert_eq!(status, 200);
    assert!(!results.to_string().contains("В-2025"), "{results}");
    let all = requests(&s).await;
    assert_eq!(all.len(), 1, "{results}");
    assert_eq!(proposed(&all[0]).len(), 2);
    let (_, _, other) = s.f.get("/api/verification-requests/91?depth=0", &s.other).await;
    holds!(other, {"status": "new"});
}
