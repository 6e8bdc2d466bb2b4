//! Rows that an intake names are looked up with the rights of its caller.

use crate::ade::events::rows::{event, rows, send};
use crate::ade::stage::{FARM, OTHER, Stage, weight};
use crate::support::fixture::number;
use serde_json::{Value, json};

async fn patched(s: &Stage, path: &str, body: Value) {
    ask!(s.f, s.expert, "PATCH {path}", body => 200);
}

#[test_each(Stage::both())]
async fn a_bull_that_is_unseen_is_a_number_and_no_more(s: Stage) {
    patched(&s, "/api/animals/21", json!({"sex": "male"})).await;
    let service = |key: &str, day: &str, bull: &str| {
        let sire = json!([{"scheme": "org.herdbook.animal", "id": bull}]);
        let own = json!({"inseminationType": "Insemination", "sireIdentifiers": sire});
        event(key, "icarReproInseminationEventResource", day, own)
    };
    let nowhere = number(99);
    let there = service("a", "2026-02-01", &number(21));
    let (status, there) = send(&s, "inseminations", &there).await;
    let (other, absent) = send(&s, "inseminations", &service("b", "2026-02-02", &nowhere)).await;
    assert_eq!((status, other), (201, 201), "{there} {absent}");
    let all = rows(&s, "inseminations").await;
    let bulls: Vec<_> = all.iter().map(|row| (&row["bull"], &row["bullText"])).collect();
    let text = [json!(number(21)), json!(nowhere)];
    assert_eq!(bulls, [(&Value::Null, &text[0]), (&Value::Null, &text[1])]);

    patched(&s, "/api/animals/21", json!({"publicVisible": true})).await;
    send(&s, "inseminations", &service("c", "2026-02-03", &number(21))).await;
    assert_eq!(rows(&s, "inseminations").await[2]["bull"], 21);
}

#[test_each(Stage::both())]
async fn a_number_that_two_have_means_the_own_animal_at_each_location(s: Stage) {
    let body = json!({"identNumber": number(21), "sex": "female", "birthDate": "2020-01-01"});
    let made = ask!(s.f, s.farm, "POST /api/animals?depth=0", body => 201);
    let own = made["doc"]["id"].as_i64().unwrap();
    for (place, token, animal) in [(FARM, &s.farm, own), (OTHER, &s.other, 21)] {
        ask!(s.f, token, "POST {place}/weights", weight(1, 21) => 201, "{place}");
        let path = format!("/api/weighings?where[animal][equals]={animal}&depth=0");
        let (_, _, list) = s.f.get(&path, token).await;
        assert_eq!(list["totalDocs"], 1, "{place}");
    }
    // A number still names its animal after its owner bought another one with the same number.
    ask!(s.f, s.farm, "POST /api/movements", {"animal": own, "date": "2026-01-15", "kind": "sale", "to": 2} => 201);
    ask!(s.f, s.other, "POST {OTHER}/weights", weight(2, 21) => 201);
    let path = "/api/weighings?where[animal][equals]=21&depth=0";
    let (_, _, list) = s.f.get(path, &s.other).await;
    assert_eq!(list["totalDocs"], 2, "{list}");
}

/// A chip belongs to the card: a caller who does not read the card cannot find out whose it is.
#[test_each(Stage::both())]
async fn an_animal_is_found_by_a_number_of_it_that_is_read(s: Stage) {
    let chip = "643096001000420";
    let bull = json!({"sex": "male", "publicVisible": true, "altIds": {"chipNumber": chip}});
    patched(&s, "/api/animals/21", bull).await;
    let service = async |key: &str, day: &str| {
        let sire = json!([{"scheme": "std.iso.11785", "id": chip}]);
        let own = json!({"inseminationType": "Insemination", "sireIdentifiers": sire});
        let service = event(key, "icarReproInseminationEventResource", day, own);
        let (status, answer) = send(&s, "inseminations", &service).await;
        assert_eq!(status, 201, "{answer}");
        rows(&s, "inseminations").await.pop().unwrap()["bull"].clone()
    };
    assert_eq!(service("a", "2026-02-01").await, Value::Null);
    patched(&s, "/api/animals/21", json!({"publicDetails": true})).await;
    assert_eq!(service("b", "2026-02-02").await, 21);
}
