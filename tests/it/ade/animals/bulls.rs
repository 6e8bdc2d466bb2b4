//! Bulls by any of their numbers, for callers who may read them.

use crate::ade::stage::Stage;
use crate::support::fixture::number;
use crate::support::words::merged;
use serde_json::{Value, json};

const SIRES: &str = "/ade/v1/service-sires";

async fn bull(s: &Stage, id: i64, owner: i64, more: Value) {
    let data = json!({
        "identNumber": number(id), "sex": "male", "owner": owner, "birthDate": "2019-01-01",
        "name": format!("Bull {id}"),
    });
    s.f.fill("animals", id, merged(data, &more)).await;
}

/// The main numbers of the bulls that are found.
async fn found(s: &Stage, who: &str, query: &str) -> Vec<String> {
    let page = ask!(s.f, who, "GET {SIRES}?{query}" => 200, "{query}");
    let members = page["member"].as_array().unwrap();
    let id = |m: &Value| m["identifier"]["id"].as_str().unwrap().to_owned();
    members.iter().map(id).collect()
}

fn by(scheme: &str, id: &str) -> String {
    format!("identifier-scheme={scheme}&identifier-id={id}")
}

#[test_each(Stage::each())]
async fn a_bull_is_found_by_each_number_by_whom_the_model_lets_read_it(s: Stage) {
    let numbers = json!({"internationalId": "HOLRUSM000000000051", "chipNumber": "643000000000051"});
    bull(&s, 51, 2, json!({"altIds": numbers, "publicVisible": true})).await;
    bull(&s, 52, 2, json!({"altIds": {"internationalId": "HOLRUSM000000000052"}})).await;
    let (public, private) = (vec![number(51)], vec![number(52)]);
    let none: Vec<String> = Vec::new();
    let main = |id| by("org.herdbook.animal", &number(id));
    let whole = by("icar.Interbull", "HOLRUSM000000000051");
    // A stranger: the public one by open numbers, never by one that the stranger does not see.
    assert_eq!(found(&s, &s.farm, &main(51)).await, public);
    assert_eq!(found(&s, &s.farm, &whole).await, public);
    let chip = by("std.iso.11785", "643000000000051");
    assert_eq!(found(&s, &s.farm, &chip).await, none);
    for hidden in [main(52), by("icar.Interbull", "HOLRUSM000000000052")] {
        assert_eq!(found(&s, &s.farm, &hidden).await, none);
        assert_eq!(found(&s, &s.other, &hidden).await, private);
        assert_eq!(found(&s, &s.expert, &hidden).await, private);
    }
    assert_eq!(found(&s, &s.other, &chip).await, public);
    // Cows are no bulls, and unknown schemes and numbers match no animal.
    assert_eq!(found(&s, &s.farm, &main(11)).await, none);
    assert_eq!(found(&s, &s.farm, &by("no.such", "1")).await, none);
    assert_eq!(found(&s, &s.farm, &main(999)).await, none);
    let several = format!("{}&identifier-id={}", main(51), number(52));
    assert_eq!(found(&s, &s.farm, &several).await, public);
    assert_eq!(found(&s, &s.expert, &several).await, [number(51), number(52)]);

    // Once the card is open its numbers are, too.
    update!(s.f, "animals", 51, {"publicDetails": true});
    assert_eq!(found(&s, &s.farm, &chip).await, public);

    ask!(s.f, "", "GET {SIRES}" => 401 ["unauthorized"]);
    let body = ask!(s.f, s.farm, "GET {SIRES}?identifier-id=1" => 400);
    assert_eq!(body["errors"][0]["meta"]["parameter"], "identifier-scheme");
}

#[test_each(Stage::each())]
async fn a_stranger_learns_no_more_of_a_bull_than_its_row_tells(s: Stage) {
    bull(&s, 53, 2, json!({"birthDate": "2010-01-01"})).await;
    let chip = json!({"chipNumber": "643000000000954"});
    let more = json!({"publicVisible": true, "father": 53, "altIds": chip});
    bull(&s, 54, 2, more).await;
    let query = by("org.herdbook.animal", &number(54));
    let path = format!("{SIRES}?{query}");
    let (_, _, own) = s.f.get(&path, &s.other).await;
    let (_, _, page) = s.f.get(&path, &s.farm).await;
    let (own, seen) = (&own["member"][0], &page["member"][0]);
    assert_eq!(own["parentage"][0]["identifier"]["id"], number(53));
    assert!(own.to_string().contains("643000000000954"), "{own}");
    assert!(seen["parentage"].is_null(), "{seen}");
    for hidden in [number(53), "643000000000954".to_owned(), "Bull 53".to_owned()] {
        assert!(!seen.to_string().contains(&hidden), "{seen}");
    }
    assert_eq!(seen["officialName"], "Bull 54");
    for document in [own, seen] {
        let faults = ade::validate("icarAnimalCoreResource", document);
        assert_eq!(faults, [], "{document}");
    }
    // With the card open the father is still hidden: it is not public.
    update!(s.f, "animals", 54, {"publicDetails": true});
    let (_, _, page) = s.f.get(&path, &s.farm).await;
    let seen = page["member"][0].to_string();
    assert!(seen.contains("643000000000954"), "{seen}");
    assert!(!seen.contains(&number(53)), "{seen}");
    update!(s.f, "animals", 53, {"publicVisible": true});
    let (_, _, page) = s.f.get(&path, &s.farm).await;
    let father = &page["member"][0]["parentage"][0]["identifier"]["id"];
    assert_eq!(*father, number(53));
}

#[test_each(Stage::each())]
async fn all_bulls_are_read_page_by_page(s: Stage) {
    for id in 60..67 {
        bull(&s, id, 2, json!({"publicVisible": id != 63})).await;
    }
    let mut at = format!("{SIRES}?pageSize=2");
    let mut seen = Vec::new();
    loop {
        let (headers, page) = ask!(s.f, s.farm, "GET {at}" => 200 with headers);
        let members = page["member"].as_array().unwrap();
        assert!(members.len() <= 2);
        let ids = members.iter().map(|m| m["identifier"]["id"].clone());
        seen.extend(ids);
        let Some(next) = page["view"]["next"].as_str() else {
            break;
        };
        assert!(headers["link"].to_str().unwrap().contains("rel=\"next\""));
        at = next.strip_prefix("http://book.example").unwrap().to_owned();
    }
    let all = [60, 61, 62, 64, 65, 66].map(|id| Value::from(number(id)));
    assert_eq!(seen, all);
}
