//! Rows that a caller does not see reveal nothing when the caller writes (`interference`); of what contradicts them their
//! owner and the Association are informed.

use crate::rest::world::World;
use serde_json::{Value, json};

/// Beta's cow.
const HERS: i64 = 3;

fn calf(number: &str) -> Value {
    json!({"identNumber": number, "sex": "female", "birthDate": "2025-01-10"})
}

async fn clarifications(w: &World<'_>, who: &str) -> Vec<Value> {
    let list = w.get(who, "/api/clarifications?depth=0&sort=id").await;
    list.json()["docs"].as_array().unwrap().clone()
}

/// The number of Beta's cow.
async fn number(w: &World<'_>) -> Value {
    w.doc("animals", HERS).await["identNumber"].clone()
}

#[test_with(World::both)]
async fn what_is_unseen_is_named_only_where_it_stands_already(w: &World<'_>) {
    // A value that is stored already may be sent back unchanged, alone and with others.
    changed!(w, "admin", "animals", 4, {"mother": HERS});
    let doc = changed!(w, "alpha", "animals", 4, {"mother": HERS, "name": "Star"});
    assert_eq!((&doc["mother"], &doc["name"]), (&json!(HERS), &json!("Star")));
    refused!(w, "alpha", "PATCH /api/animals/2", {"mother": 3} => 400 ["mother"]);
    // A caller that sees the animal may name it.
    changed!(w, "admin", "animals", HERS, {"publicVisible": true});
    let mut named = calf("96000000000004");
    named["mother"] = HERS.into();
    w.made("alpha", "animals", named).await;
}

#[test_with(World::both)]
async fn births_of_what_is_unseen_refuse_nothing(w: &World<'_>) {
    changed!(w, "admin", "animals", 4, {"mother": HERS});
    // Beta's cow was born in 2019. Each of these used to reveal on which side of it a date lies.
    for birth in ["2018-01-01", "2019-12-31", "2016-05-05"] {
        let doc = changed!(w, "alpha", "animals", 4, {"birthDate": birth});
        assert!(doc["birthDate"].as_str().unwrap().starts_with(birth));
    }
    let questions = clarifications(w, "admin").await;
    let kinds: Vec<&Value> = questions.iter().map(|row| &row["kind"]).collect();
    assert_eq!(kinds, ["age"]);
    holds!(questions[0], {"recordId": 4, "animal": HERS, "owner": null});
    assert_eq!(clarifications(w, "alpha").await, Vec::<Value>::new());
    assert_eq!(clarifications(w, "beta").await, Vec::<Value>::new());
    // A visible row is reported: the father is Alpha's own, of 2015.
    refused!(w, "alpha", "PATCH /api/animals/4", {"birthDate": "2014-01-01"} => 400 ["father"]);
    // A calf of another owner does not restrict its mother's owner.
    changed!(w, "beta", "animals", HERS, {"birthDate": "2025-06-01"});
    // The Association sees both.
    refused!(w, "admin", "PATCH /api/animals/4", {"birthDate": "2018-06-01"} => 400 ["mother"]);
}

#[test_with(World::both)]
async fn a_parent_is_named_by_its_number_and_confirmed_by_its_owner(w: &World<'_>) {
    let number = number(w).await;
    let named = |own: &str, mother: &Value| {
        let mut body = calf(own);
        body["pedigreeText"] = json!({"motherId": mother});
        body
    };
    let doc = w.post("alpha", "animals", named("96000000000001", &number)).await.json()["doc"].clone();
    let id = doc["id"].as_i64().unwrap();
    holds!(doc, {"mother": null, "pedigreeDepth": 0});
    for who in ["alpha", "operator", "delta", "viewer"] {
        assert_eq!(clarifications(w, who).await, Vec::<Value>::new(), "{who}");
    }
    let questions = clarifications(w, "beta").await;
    assert_eq!(questions.len(), 1);
    let row = &questions[0];
    holds!(row, {
        "kind": "parent", "animal": HERS, "recordId": id, "organization": 1, "statedBy": "96000000000001",
        "status": "open",
    });
    // It blocks no caller, and is removed with the text.
    let question = row["id"].as_i64().unwrap();
    changed!(w, "alpha", "animals", id, {"pedigreeText": {"motherId": "1"}});
    assert_eq!(clarifications(w, "beta").await, Vec::<Value>::new());
    changed!(w, "alpha", "animals", id, {"pedigreeText": {"motherId": number}});
    let second = clarifications(w, "beta").await[0]["id"].as_i64().unwrap();
    assert_ne!(second, question);
    let path = format!("/api/clarifications/{second}");
    for who in ["alpha", "delta", "viewer"] {
        refused!(w, who, "PATCH {path}", {"status": "confirmed"} => 403);
    }
    changed!(w, "beta", "clarifications", second, {"status": "confirmed"});
    assert_eq!(w.doc("animals", id).await["mother"], HERS);
    refused!(w, "beta", "PATCH {path}", {"status": "refused"} => 400);
}

#[test_with(World::each)]
async fn a_parent_that_comes_later_is_found_and_can_be_refused(w: &World<'_>) {
    let mut body = calf("96000000000001");
    body["pedigreeText"] = json!({"motherId": "96000000000077"});
    let child = w.made("alpha", "animals", body).await;
    assert_eq!(clarifications(w, "admin").await, Vec::<Value>::new());
    let mut mother = calf("96000000000077");
    mother["birthDate"] = "2024-12-31".into();
    let late = w.made("beta", "animals", mother).await;
    // Any user could give an animal a number that others name: the Association decides.
    assert_eq!(clarifications(w, "beta").await, Vec::<Value>::new());
    let questions = clarifications(w, "admin").await;
    assert_eq!((questions.len(), &questions[0]["recordId"], &questions[0]["animal"]), (1, &json!(child), &json!(late)));
    let id = questions[0]["id"].as_i64().unwrap();
    let path = format!("/api/clarifications/{id}");
    refused!(w, "beta", "PATCH {path}", {"status": "confirmed"} => 403);
    changed!(w, "admin", "clarifications", id, {"status": "refused", "response": "No"});
    assert_eq!(w.doc("animals", child).await["mother"], Value::Null);
    // A conflict is not reported to a farm that does not see the other animal.
    let mut body = calf("96000000000002");
    body["pedigreeText"] = json!({"motherId": "96000000000077"});
    body["birthDate"] = "2020-01-01".into();
    w.made("alpha", "animals", body).await;
    let id = clarifications(w, "beta").await[0]["id"].as_i64().unwrap();
    changed!(w, "beta", "clarifications", id, {"status": "confirmed"});
    let kinds: Vec<Value> = clarifications(w, "admin").await.iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, ["parent", "parent", "age"]);
}

#[test_with(World::both)]
async fn whoever_buys_an_animal_is_asked_in_place_of_its_owner_before(w: &World<'_>) {
    let mut body = calf("96000000000078");
    body["pedigreeText"] = json!({"motherId": number(w).await});
    let child = w.made("alpha", "animals", body).await;
    assert_eq!(clarifications(w, "beta").await.len(), 1);
    assert_eq!(clarifications(w, "alpha").await.len(), 0);
    made!(w, "beta", "movements", {"animal": HERS, "date": "2025-06-01", "kind": "sale", "to": 1});
    assert_eq!(clarifications(w, "beta").await.len(), 0);
    let questions = clarifications(w, "alpha").await;
    assert_eq!(questions.len(), 1, "{questions:?}");
    let id = questions[0]["id"].as_i64().unwrap();
    changed!(w, "alpha", "clarifications", id, {"status": "confirmed"});
    assert_eq!(w.doc("animals", child).await["mother"], HERS);
}

#[test_with(World::both)]
async fn a_number_that_another_has_is_taken_as_if_it_were_free(w: &World<'_>) {
    let number = number(w).await;
    let mut body = calf("x");
    body["identNumber"] = number.clone();
    let id = w.made("alpha", "animals", body.clone()).await;
    let questions = clarifications(w, "admin").await;
    let row = &questions[0];
    assert_eq!(
        (questions.len(), &row["kind"], &row["recordId"], &row["number"], &row["path"]),
        (1, &json!("sharedNumber"), &json!(id), &number, &json!("identNumber")),
    );
    for who in ["alpha", "beta"] {
        assert_eq!(clarifications(w, who).await, Vec::<Value>::new(), "{who}");
    }
    // A caller that sees one of them is refused.
    for who in ["alpha", "beta", "admin"] {
        let mut body = body.clone();
        body["owner"] = if who == "beta" { 2 } else { 1 }.into();
        refused!(w, who, "POST /api/animals", body => 400 ["identNumber"]);
    }
    // Both go on as they are.
    changed!(w, "alpha", "animals", id, {"name": "One"});
    changed!(w, "beta", "animals", HERS, {"name": "Other"});
    changed!(w, "alpha", "animals", id, {"identNumber": "96000000000009"});

    let paper = json!({"title": "Paper", "type": "other", "number": "A-1"});
    w.made("beta", "documents", paper.clone()).await;
    w.made("alpha", "documents", paper.clone()).await;
    refused!(w, "alpha", "POST /api/documents", paper => 400 ["number"]);
}

#[test_with(World::both)]
async fn a_course_that_is_unseen_refuses_nothing(w: &World<'_>) {
    // Delta sold the cow to Beta in 2025; everybody reads that she is Beta's.
    made!(w, "admin", "movements", {"animal": 5, "date": "2025-05-01", "kind": "sale", "from": 4, "to": 2});
    changed!(w, "admin", "animals", 5, {"publicVisible": true});
    let receipt = |date: &str| json!({"animal": 5, "date": date, "kind": "sale", "to": 1});
    let before = w.post("alpha", "movements", receipt("2025-04-01")).await;
    let after = w.post("alpha", "movements", receipt("2025-06-01")).await;
    for answer in [&before, &after] {
        let doc = &answer.json()["doc"];
        assert_eq!((answer.status, &doc["from"], &doc["confirmation"]), (201, &json!(2), &json!("pending")));
    }
    let wrong = json!({"animal": 5, "date": "2025-04-01", "kind": "sale", "from": 4, "to": 1});
    refused!(w, "alpha", "POST /api/movements", wrong => 400 ["from"]);
    // The seller sees the sold animal, and gets the reason of the refusal.
    let id = before.json()["doc"]["id"].as_i64().unwrap();
    let path = format!("/api/movements/{id}");
    refused!(w, "beta", "PATCH {path}", {"confirmation": "confirmed"} => 400 ["from"]);
}

/// Statements about an animal of another owner never cause a refusal for its owner, even if they are public.
#[test_with(World::both)]
async fn what_others_say_of_an_animal_holds_its_owner_back_in_nothing(w: &World<'_>) {
    let public = json!({"publicVisible": true});
    w.changed("admin", "animals", 2, public.clone()).await;
    let mut foreign = calf("96000000000001");
    foreign["birthDate"] = "2022-06-06".into();
    foreign["mother"] = 2.into();
    foreign["publicVisible"] = true.into();
    foreign["publicDetails"] = true.into();
    let foreign = w.made("beta", "animals", foreign).await;
    changed!(w, "alpha", "animals", 2, {"birthDate": "2023-01-01"});
    let questions = clarifications(w, "admin").await;
    assert_eq!((questions.len(), &questions[0]["kind"], &questions[0]["animal"]), (1, &json!("age"), &json!(foreign)));
    // A conflict with an own child is reported.
    refused!(w, "alpha", "PATCH /api/animals/2", {"birthDate": "2024-06-01"} => 400 ["birthDate"]);

    // Beta's cow is the mother of one of Alpha, whose card is closed; then Alpha's becomes that cow's mother.
    changed!(w, "admin", "animals", HERS, {"publicVisible": true, "publicDetails": true, "birthDate": null});
    let mut mine = json!({"identNumber": "96000000000002", "sex": "female"});
    mine["mother"] = HERS.into();
    mine["publicVisible"] = true.into();
    let mine = w.made("alpha", "animals", mine).await;
    let depth = w.doc("animals", mine).await["pedigreeDepth"].clone();
    changed!(w, "beta", "animals", HERS, {"mother": mine});
    changed!(w, "alpha", "animals", mine, {"birthDate": "2023-01-01"});
    changed!(w, "alpha", "animals", mine, {"father": 1});
    let doc = w.doc("animals", mine).await;
    assert_eq!((&depth, &doc["pedigreeDepth"]), (&json!(0.5), &json!(1)));
    let mut grandchild = calf("96000000000003");
    grandchild["mother"] = mine.into();
    let grandchild = w.made("alpha", "animals", grandchild).await;
    holds!(w.doc("animals", grandchild).await, {"pedigreeDepth": 1});
    let kinds = clarifications(w, "admin").await;
    assert!(kinds.iter().any(|row| row["kind"] == "descent"), "{kinds:?}");
    // A caller that closes a visible circle is refused.
    let path = format!("/api/animals/{mine}");
    refused!(w, "alpha", "PATCH {path}", {"mother": grandchild} => 400 ["mother"]);
}

/// A copy of an animal has no key of its own that would be too long.
#[test_with(World::each)]
async fn a_copy_draws_keys_that_cannot_get_longer(w: &World<'_>) {
    let body = json!({"identNumber": "96000000000001"}).to_string();
    let answer =
        w.send("alpha", "POST", "/api/animals/2/duplicate", &[("content-type", "application/json")], body).await;
    let original = w.doc("animals", 2).await;
    let copy = &answer.json()["doc"];
    assert_eq!((answer.status, &copy["name"]), (200, &original["name"]), "{}", answer.text);
    assert_ne!(copy["uuid"], original["uuid"]);
    assert_eq!(copy["uuid"].as_str().unwrap().len(), 36);
}
