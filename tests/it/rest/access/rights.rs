//! Rights of writing (docs/design/access.md, *Access*): 403, 404 or nothing at all.

use crate::rest::world::{FORBIDDEN, World, paths};
use model::record::Value as Cell;
use serde_json::{Value, json};
use store::{Sql, Ty};

const DAY: i64 = 86_400;

fn weighing(animal: i64) -> Value {
    json!({"animal": animal, "date": "2025-01-10", "weight": 500})
}

fn heifer(owner: i64) -> Value {
    json!({"identNumber": format!("96000000200{owner}"), "sex": "female", "birthDate": "2025-01-10", "owner": owner})
}

#[test_with(World::each)]
async fn a_row_goes_to_no_animal_of_another_owner(w: &World<'_>) {
    // The row as it would be written is not the writer's own.
    let foreign = w.made("beta", "weighings", weighing(3)).await;
    assert_eq!(w.doc("weighings", foreign).await["ownerOrg"], 2);
    let own = w.made("alpha", "weighings", weighing(2)).await;
    refused!(w, "beta", "PATCH /api/weighings/{foreign}", {"animal": 2} => FORBIDDEN);
    refused!(w, "alpha", "PATCH /api/weighings/{own}", {"animal": 3} => FORBIDDEN);
    let other = json!({"animal": 2, "date": "2025-02-10", "weight": 5, "ownerOrg": 2});
    refused!(w, "alpha", "POST /api/weighings", other => 403 ["ownerOrg"]);
}

#[test_with(World::each)]
async fn who_may_write_at_all_hears_what_is_missing(w: &World<'_>) {
    for (slug, missing) in [
        ("milk-tests", vec!["animal", "date", "milkYield"]),
        ("weighings", vec!["animal", "date", "weight"]),
        ("movements", vec!["animal", "date", "kind"]),
        ("herds", vec!["name"]),
    ] {
        let answer = w.refused("alpha", "POST", &format!("/api/{slug}"), "{}").await;
        assert_eq!((answer.status, paths(&answer)), (400, missing.iter().map(ToString::to_string).collect()), "{slug}");
        refused!(w, "viewer", "POST /api/{slug}", {} => FORBIDDEN);
    }
    refused!(w, "alpha", "POST /api/movements", {"animal": 2} => 400 ["date", "kind"]);
}

#[test_with(World::each)]
async fn owners_come_from_the_session(w: &World<'_>) {
    let mut body = heifer(2);
    refused!(w, "alpha", "POST /api/animals",
        body => (403, r#"{"errors":[{"name":"Forbidden","data":{"errors":[{"message":"This comes from your organisation.","path":"owner"}]},"message":"You are not allowed to perform this action."}]}"#));
    body.as_object_mut().unwrap().remove("owner");
    let id = w.made("alpha", "animals", body).await;
    assert_eq!(w.doc("animals", id).await["owner"], 1);
    for (who, owner) in [("alpha", json!(2)), ("admin", json!(2)), ("alpha", Value::Null)] {
        let path = format!("/api/animals/{id}");
        let answer = w.refused(who, "PATCH", &path, &json!({"owner": owner}).to_string()).await;
        assert!(paths(&answer) == ["owner"], "{who} {owner} {}", answer.text);
    }
    let doc = changed!(w, "alpha", "animals", id, {"owner": 1, "name": "N"});
    assert_eq!((&doc["owner"], &doc["name"]), (&json!(1), &json!("N")));
    refused!(w, "alpha", "POST /api/herds", {"name": "H", "organization": 2} => 403 ["organization"]);
    let herd = made!(w, "alpha", "herds", {"name": "H"});
    assert_eq!(w.doc("herds", herd).await["organization"], 1);
}

#[test_with(World::each)]
async fn marks_of_fields_are_kept(w: &World<'_>) {
    // ~ is ignored.
    let doc = changed!(w, "alpha", "animals", 2, {
        "nameLatin": "X", "trustLevel": 3, "inbreeding": 7, "createdAt": "2001-01-01",
        "registration": {"status": "registered"}, "current": {"parity": 9}, "pastOwners": [2],
    });
    holds!(doc, {"nameLatin": "Animal 2", "trustLevel": 0, "pastOwners": [], "createdAt": "2026-03-01T12:00:00.000Z"});
    // @A: equal is ignored, different is 403.
    let own = w.doc("organizations", 1).await;
    let doc = w.changed("alpha", "organizations", 1, own.clone()).await;
    assert_eq!(doc, own);
    for (path, body) in table![
        "membership", json!({"membership": "none"});
        "activities", json!({"activities": ["laboratory"]});
        "membershipReview.comment", json!({"membershipReview": {"comment": "x"}});
    ] {
        refused!(w, "alpha", "PATCH /api/organizations/1", body => 403 [path]);
    }
    let body = json!({"activities": ["laboratory"], "membershipReview": {"comment": "x"}});
    let doc = w.changed("expert", "organizations", 1, body).await;
    assert_eq!(doc["activities"], json!(["laboratory"]));
    // @1: written once, equal is ignored.
    let uuid = w.doc("animals", 2).await["uuid"].clone();
    changed!(w, "alpha", "animals", 2, {"uuid": uuid});
    let body = json!({"uuid": "7d1f6b2e-0000-4000-8000-000000000001"}).to_string();
    for who in ["alpha", "admin"] {
        let answer = w.refused(who, "PATCH", "/api/animals/2", &body).await;
        answer.assert_faulty(403, &["uuid"]);
    }
}

#[test_with(World::each)]
async fn several_forbidden_fields_are_told_at_once(w: &World<'_>) {
    let body = json!({"membership": "none", "activities": ["laboratory"], "name": ""});
    let answer = refused!(w, "alpha", "PATCH /api/organizations/1", body => 403);
    let mut fields = paths(&answer);
    fields.sort();
    assert_eq!(fields, ["activities", "membership"]);
}

#[test_with(World::each)]
async fn identity_is_locked_for_farms_once_it_is_trusted(w: &World<'_>) {
    let mut set = Sql::new("UPDATE animals SET trust_level = ");
    set.bind(Ty::Int, Cell::Int(2)).push(" WHERE id = 4");
    w.stage.run(set).await;
    for (path, value) in [
        ("identNumber", json!("960000009999")),
        ("idFormat", json!("internal")),
        ("sex", json!("male")),
        ("birthDate", json!("2024-02-02")),
        ("breed", Value::Null),
        ("father", Value::Null),
        ("mother", Value::Null),
    ] {
        refused!(w, "alpha", "PATCH /api/animals/4", {(path): value} => 403 [path]);
    }
    let body = json!({"identNumber": "960000000004", "name": "Free", "altIds": {"earTag": "7"}});
    w.changed("alpha", "animals", 4, body).await;
    changed!(w, "expert", "animals", 4, {"birthDate": "2024-02-02"});
    let mut set = Sql::new("UPDATE animals SET registration_status = ");
    set.bind(Ty::Text, Cell::from("registered")).push(" WHERE id = 2");
    w.stage.run(set).await;
    refused!(w, "alpha", "PATCH /api/animals/2", {"sex": "male"} => 403 ["sex"]);
    // Empty locked fields are free.
    let body = json!({"identNumber": "960000002500", "sex": "male", "birthDate": "2010-01-01"});
    let father = w.made("alpha", "animals", body).await;
    changed!(w, "alpha", "animals", 2, {"father": father});
}

#[test_with(World::each)]
async fn a_verified_event_loses_its_signature_and_only_the_association_deletes_it(w: &World<'_>) {
    let id = w.made("alpha", "weighings", weighing(2)).await;
    let mut set = Sql::new("UPDATE weighings SET verification = ");
    set.bind(Ty::Text, Cell::from("verified"));
    w.stage.run(set).await;
    refused!(w, "alpha", "DELETE /api/weighings/{id}" => 403);
    holds!(changed!(w, "expert", "weighings", id, {"note": "seen"}), {"verification": "verified"});
    holds!(changed!(w, "alpha", "weighings", id, {"weight": 501}), {"verification": "unverified"});
    w.gone("expert", "weighings", id).await;
}

#[test_with(World::each)]
async fn the_seller_confirms_what_the_buyer_recorded(w: &World<'_>) {
    // The buyer sees the bought animal.
    changed!(w, "admin", "animals", 3, {"publicVisible": true});
    let sale = json!({"animal": 3, "date": "2026-02-01", "kind": "sale", "to": 1, "toHerd": 1});
    let id = w.made("alpha", "movements", sale).await;
    holds!(w.doc("movements", id).await, {"confirmation": "pending", "applied": false, "from": 2, "recordedBy": 11});
    assert_eq!(w.doc("animals", 3).await["owner"], 2);
    let path = format!("/api/movements/{id}");
    for (who, body) in table![
        "alpha", r#"{"confirmation":"confirmed"}"#;
        "beta", r#"{"confirmation":"confirmed","date":"2026-02-02"}"#;
        "beta", r#"{"date":"2026-02-02"}"#;
        "delta", r#"{"confirmation":"confirmed"}"#;
        "alpha", r#"{"applied":true,"date":"2026-02-02"}"#;
    ] {
        w.refused(who, "PATCH", &path, body).await.assert_is(403, &format!("{who} {body}"));
    }
    refused!(w, "beta", "PATCH {path}", {"confirmation": "none"} => 400 ["confirmation"]);
    let doc = changed!(w, "beta", "movements", id, {"confirmation": "confirmed"});
    holds!(doc, {"applied": true, "confirmedBy": 21});
    holds!(w.doc("animals", 3).await, {"owner": 1, "herd": 1, "pastOwners": [2]});
    refused!(w, "beta", "PATCH {path}", {"confirmation": "refused"} => 400);
}

#[test_with(World::each)]
async fn the_recorder_notes_and_takes_back_for_thirty_days(w: &World<'_>) {
    let sale = json!({"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    let id = w.made("alpha", "movements", sale.clone()).await;
    let path = format!("/api/movements/{id}");
    assert_eq!(w.doc("animals", 2).await["owner"], 2);
    changed!(w, "alpha", "movements", id, {"note": "n"});
    for (who, body) in [("alpha", r#"{"note":"n","basis":"b"}"#), ("beta", r#"{"note":"m"}"#)] {
        w.refused(who, "PATCH", &path, body).await.assert_is(FORBIDDEN, &format!("{who} {body}"));
    }
    refused!(w, "beta", "DELETE {path}" => FORBIDDEN);
    refused!(w, "expert", "DELETE {path}" => FORBIDDEN);
    w.gone("alpha", "movements", id).await;
    assert_eq!(w.doc("animals", 2).await["owner"], 1);

    let id = w.made("alpha", "movements", sale).await;
    w.stage.pass(30 * DAY + 1);
    let second = World::signed_in(w.stage).await;
    let path = format!("/api/movements/{id}");
    refused!(second, "alpha", "DELETE {path}" => FORBIDDEN);
    second.gone("admin", "movements", id).await;
}

#[test_with(World::each)]
async fn archived_animals_come_back_for_thirty_days(w: &World<'_>) {
    let doc = changed!(w, "alpha", "animals", 4, {"archived": true, "archiveReason": "r"});
    holds!(doc, {"archivedAt": "2026-03-01T12:00:00.000Z", "archivedBy": 11});
    changed!(w, "alpha", "animals", 4, {"archived": false});
    changed!(w, "alpha", "animals", 4, {"archived": true});
    w.stage.pass(30 * DAY + 1);
    let second = World::signed_in(w.stage).await;
    refused!(second, "alpha", "PATCH /api/animals/4", {"archived": false} => 403 ["archived"]);
    holds!(changed!(second, "expert", "animals", 4, {"archived": false}), {"archivedAt": null});
}
