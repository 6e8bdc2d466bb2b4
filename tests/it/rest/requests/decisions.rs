//! Verification requests: who may request them, and the effects of a decision (docs/states.md,
//! *verification-requests · status*).

use crate::rest::animals::states::force;
use crate::rest::world::World;
use model::record::Value;
use serde_json::{Value as Json, json};

pub(crate) async fn request(w: &World<'_>, body: Json) -> i64 {
    w.made("alpha", "verification-requests", body).await
}

pub(crate) async fn to(w: &World<'_>, who: &str, id: i64, status: &str) -> Json {
    changed!(w, who, "verification-requests", id, {"status": status})
}

pub(crate) async fn of(w: &World<'_>, animal: i64, path: &str) -> Json {
    let doc = w.doc("animals", animal).await;
    path.split('.').fold(doc, |place, step| place[step].clone())
}

#[test_with(World::each)]
async fn trust_is_asked_for_and_given_by_somebody_else(w: &World<'_>) {
    let id = request(w, json!({"animals": [2, 4]})).await;
    holds!(w.doc("verification-requests", id).await, {"number": "В-2026-001", "requestedBy": 11});
    assert_eq!(of(w, 2, "trustLevel").await, 1);
    holds!(to(w, "expert", id, "checking").await, {"review.assignee": 2});
    changed!(w, "expert", "verification-requests", id, {
        "review": {"findings": [{"animal": 4, "text": "No chip."}, {"animal": 2, "text": "Fine.", "severity": "note"}]},
    });
    let doc = to(w, "expert", id, "approved").await;
    holds!(doc, {"review.approvedCount": 1, "review.heldCount": 1, "review.decidedBy": 2});
    assert_eq!((of(w, 2, "trustLevel").await, of(w, 4, "trustLevel").await), (json!(3), json!(1)));

    let own = made!(w, "expert", "verification-requests", {"animals": [2], "organization": 1});
    holds!(w.doc("verification-requests", own).await, {"number": "В-2026-002"});
    to(w, "expert", own, "checking").await;
    let path = format!("/api/verification-requests/{own}");
    refused!(w, "expert", "PATCH {path}", {"status": "approved"} => 403 ["status"]);
    to(w, "admin", own, "approved").await;
}

#[test_with(World::each)]
async fn a_request_names_own_animals_and_what_it_is_for(w: &World<'_>) {
    force(w, "organizations", 1, &[("membership", "none".into())]).await;
    for (body, path) in [
        (json!({}), "animals"),
        (json!({"animals": []}), "animals"),
        (json!({"animals": [2, 3]}), "animals"),
        (json!({"purpose": "membership", "animals": [2]}), "animals"),
        (json!({"animals": [2], "proposed": [{"animal": 2, "path": "name", "value": "x"}]}), "proposed"),
        (json!({"purpose": "correction", "animals": [2]}), "proposed"),
        (
            json!({"purpose": "correction", "animals": [2], "proposed": [{"animal": 4, "path": "name"}]}),
            "proposed.0.animal",
        ),
        (
            json!({"purpose": "correction", "animals": [2], "proposed": [{"animal": 2, "path": "owner", "value": 2}]}),
            "proposed.0.path",
        ),
        (
            json!({"purpose": "correction", "animals": [2], "proposed": [{"animal": 2, "path": "trustLevel"}]}),
            "proposed.0.path",
        ),
        (
            json!({"purpose": "correction", "animals": [2],
                "proposed": [{"animal": 2, "path": "birthDate", "value": "soon"}]}),
            "proposed.0.value",
        ),
    ] {
        refused!(w, "alpha", "POST /api/verification-requests", body => 400 [path]);
    }
    assert_eq!(post!(w, "viewer", "verification-requests", {"animals": [2]}).status, 403);
    assert_eq!(post!(w, "delta", "verification-requests", {"animals": [5]}).status, 403, "suspended");
}

#[test_with(World::each)]
async fn a_request_has_200_animals_at_most(w: &World<'_>) {
    let many =
        (0..198).map(|n| json!({"identNumber": format!("97000000{n:04}"), "sex": "female", "name": "One of many"}));
    let many: Vec<Json> = many.collect();
    let made = ask!(w, "alpha", "POST /api/animals?depth=0", many => 201).json();
    let made = made["results"].as_array().unwrap().iter();
    let mut animals = vec![1, 2, 4];
    animals.extend(made.map(|one| one["doc"]["id"].as_i64().unwrap()));
    refused!(w, "alpha", "POST /api/verification-requests", {"animals": animals} => 400 ["animals"]);
    animals.pop();
    request(w, json!({"animals": animals})).await;
}

#[test_with(World::each)]
async fn registration_gives_numbers_by_category_and_year(w: &World<'_>) {
    let category = made!(w, "admin", "breeding-categories", {"code": "A", "name": "Main section"});
    let ask = json!({"purpose": "registration", "animals": [1, 2, 4]});
    let id = request(w, ask.clone()).await;
    assert_eq!(of(w, 1, "registration.status").await, "applied");
    to(w, "expert", id, "checking").await;
    let path = format!("/api/verification-requests/{id}");
    refused!(w, "expert", "PATCH {path}", {"status": "approved"} => 400 ["animals"]);
    for animal in [1, 2] {
        changed!(w, "alpha", "animals", animal, {"category": category});
    }
    let held = json!({"status": "approved", "review": {"findings": [{"animal": 4, "text": "Wait."}]}});
    w.changed("expert", "verification-requests", id, held).await;
    let mut numbers = vec![of(w, 1, "registration.number").await, of(w, 2, "registration.number").await];
    numbers.sort_by_key(ToString::to_string);
    assert_eq!(numbers, ["A-2026-0000001", "A-2026-0000002"]);
    assert!(of(w, 1, "registration.registeredAt").await.is_string());
    assert_eq!(of(w, 4, "registration.status").await, "none", "held back");

    refused!(w, "alpha", "POST /api/verification-requests", ask => 400 ["animals"]);
    let number = of(w, 1, "registration.number").await;
    for status in ["withdrawn", "registered"] {
        changed!(w, "expert", "animals", 1, {"registration": {"status": status}});
        assert_eq!(of(w, 1, "registration.status").await, status);
        assert_eq!(of(w, 1, "registration.number").await, number);
    }
    // The identity of a registered animal is locked for its farm.
    patch!(w, "alpha", "animals", 1, {"sex": "female"}).assert_faulty(403, &["sex"]);

    let id = request(w, json!({"purpose": "registration", "animals": [4]})).await;
    to(w, "expert", id, "checking").await;
    to(w, "expert", id, "rejected").await;
    assert_eq!(of(w, 4, "registration.status").await, "refused");
    let id = request(w, json!({"purpose": "registration", "animals": [4]})).await;
    assert_eq!(of(w, 4, "registration.status").await, "applied");
    to(w, "alpha", id, "cancelled").await;
    assert_eq!(of(w, 4, "registration.status").await, "none");
}

#[test_with(World::each)]
async fn a_correction_writes_what_is_locked_and_tells_faults_where_they_were_proposed(w: &World<'_>) {
    force(w, "animals", 2, &[("trustLevel", Value::Int(3))]).await;
    let proposed = |date: &str| {
        json!({"purpose": "correction", "animals": [2], "proposed": [
            {"animal": 2, "path": "name", "value": "Renamed"},
            {"animal": 2, "path": "birthDate", "value": date}]})
    };
    let bad = request(w, proposed("2026-12-01")).await;
    to(w, "expert", bad, "checking").await;
    let path = format!("/api/verification-requests/{bad}");
    refused!(w, "expert", "PATCH {path}", {"status": "approved"} => 400 ["proposed.1.value"]);
    assert_eq!(of(w, 2, "name").await, "Animal 2");
    let good = request(w, proposed("2020-01-20")).await;
    holds!(w.doc("verification-requests", bad).await, {"status": "cancelled", "withdrawnFor": "В-2026-002"});
    to(w, "expert", good, "checking").await;
    to(w, "expert", good, "approved").await;
    assert_eq!(of(w, 2, "name").await, "Renamed");
    assert_eq!(of(w, 2, "birthDate").await, "2020-01-20T00:00:00.000Z");
    assert_eq!(of(w, 2, "trustLevel").await, 3);
}

#[test_with(World::each)]
async fn membership_is_asked_for_without_animals(w: &World<'_>) {
    force(w, "organizations", 1, &[("membership", "none".into())]).await;
    let stands = async || w.doc("organizations", 1).await["membership"].clone();
    let id = request(w, json!({"purpose": "membership", "animals": []})).await;
    assert_eq!(stands().await, "pending");
    to(w, "alpha", id, "cancelled").await;
    assert_eq!(stands().await, "none");
    let id = request(w, json!({"purpose": "membership"})).await;
    to(w, "expert", id, "checking").await;
    to(w, "expert", id, "approved").await;
    assert_eq!(stands().await, "member");
    refused!(w, "alpha", "POST /api/verification-requests", {"purpose": "membership"} => 400 ["purpose"]);
}

#[test_with(World::each)]
async fn who_asks_again_withdraws_what_the_new_request_covers(w: &World<'_>) {
    let one = request(w, json!({"animals": [2]})).await;
    let two = request(w, json!({"animals": [1, 4]})).await;
    let other = request(w, json!({"animals": [2], "purpose": "certificate"})).await;
    let new = request(w, json!({"animals": [2, 4]})).await;
    let status = async |id| w.doc("verification-requests", id).await["status"].clone();
    assert_eq!(status(one).await, "cancelled");
    assert_eq!(status(two).await, "new", "animal 1 is not in the new one");
    assert_eq!(status(other).await, "new", "another purpose");
    assert_eq!(status(new).await, "new");
    let doc = w.doc("verification-requests", one).await;
    assert!(doc["withdrawnAt"].is_string());
}

#[test_with(World::each)]
async fn animals_of_open_requests_and_issued_documents_stay(w: &World<'_>) {
    let id = request(w, json!({"animals": [4]})).await;
    refused!(w, "admin", "DELETE /api/animals/4" => 400 ["id"]);
    to(w, "alpha", id, "cancelled").await;
    let body = json!({"title": "Report", "type": "other", "animal": 4, "issuedAt": "2026-02-01"});
    let document = w.made("expert", "documents", body).await;
    refused!(w, "admin", "DELETE /api/animals/4" => 400 ["id"]);
    changed!(w, "expert", "documents", document, {"revoked": {"at": "2026-02-02", "reason": "Wrong."}});
    w.gone("admin", "animals", 4).await;
    assert_eq!(w.doc("documents", document).await["animal"], Json::Null);
    holds!(w.doc("verification-requests", id).await, {"animals": []});
}

#[test_with(World::each)]
async fn refusals_call_animals_by_name_and_number_where_the_caller_reads_them(w: &World<'_>) {
    let number = of(w, 3, "identNumber").await;
    let number = number.as_str().unwrap();
    let body = json!({"purpose": "registration", "animals": [2, 3]});
    let message_in = async |language: &str| {
        let headers = [("content-type", "application/json"), ("accept-language", language)];
        let path = "/api/verification-requests";
        let body = body.to_string();
        let answer = w.send("alpha", "POST", path, &headers, body).await;
        answer.assert_faulty(400, &["animals"]);
        answer.json()["errors"][0]["data"]["errors"][0]["message"].clone()
    };
    // Of an animal that is closed to them they learn nothing: it is as one that is not there.
    changed!(w, "beta", "animals", 3, {"publicVisible": false, "publicDetails": false});
    let closed = message_in("en").await.to_string();
    assert!(!closed.contains(number) && !closed.contains("organisation"), "{closed}");
    changed!(w, "beta", "animals", 3, {"publicVisible": true});
    let open = format!("Not animals of the organisation: Animal 3 {number}.");
    assert_eq!(message_in("en").await, open);
    let open = format!("Не животные этой организации: Animal 3 {number}.");
    assert_eq!(message_in("ru").await, open);
}
