//! Documents, settings of checks and unknown columns.

use crate::rest::animals::states::force;
use crate::rest::certificates::issue::{COW, family};
use crate::rest::world::{World, paths};
use model::record::Value;
use serde_json::{Value as Json, json};

#[test_with(World::each)]
async fn certificates_get_a_number_and_a_code_when_they_are_issued(w: &World<'_>) {
    family(w).await;
    let draft = json!({"title": "Certificate", "type": "zootechnicalCertificate", "animal": COW, "organization": 1,
                       "publicCode": "AAAAAAAA"});
    let id = w.made("expert", "documents", draft.clone()).await;
    let doc = w.doc("documents", id).await;
    assert_eq!((&doc["number"], &doc["publicCode"]), (&Json::Null, &Json::Null));
    let doc = changed!(w, "expert", "documents", id, {"issuedAt": "2026-03-01"});
    assert_eq!((&doc["number"], &doc["issuedBy"]), (&json!("RU-2026-0001"), &json!(2)));
    let code = doc["publicCode"].as_str().unwrap().to_owned();
    assert_eq!(code.len(), 8);
    let mine = w.get("alpha", &format!("/api/documents/{id}")).await.json();
    assert_eq!(mine["publicCode"], code.as_str(), "its organisation sees it");
    changed!(w, "alpha", "animals", COW, {"publicVisible": true, "publicDetails": true});
    let other = w.get("beta", &format!("/api/documents/{id}")).await;
    assert_eq!((other.status, &other.json()["publicCode"]), (200, &Json::Null));

    for who in ["alpha", "operator"] {
        patch!(w, who, "documents", id, {"title": "Mine"}).assert_faulty(403, &["issuedBy"]);
    }
    changed!(w, "expert", "documents", id, {"title": "Certificate 1"});
    let path = format!("/api/documents/{id}");
    refused!(w, "expert", "PATCH {path}", {"revoked": {"at": "2026-03-01"}} => 400 ["revoked.reason"]);
    let doc = changed!(w, "expert", "documents", id, {"revoked": {"at": "2020-01-01", "reason": "Wrong."}});
    assert_eq!(doc["revoked"]["by"], 2);
    assert_eq!(doc["revoked"]["at"], "2026-03-01T12:00:00.000Z", "at once");
}

#[test_with(World::each)]
async fn a_report_of_a_laboratory_lifts_trust_while_it_is_in_force(w: &World<'_>) {
    let trust = async |animal| w.doc("animals", animal).await["trustLevel"].clone();
    let body = json!({"title": "Genotype", "type": "genotypeReport", "animal": 2, "labName": "Lab"});
    let first = w.made("alpha", "documents", body.clone()).await;
    assert_eq!(trust(2).await, 0, "a draft");
    let issue = json!({"issuedAt": "2026-03-01"});
    w.changed("expert", "documents", first, issue.clone()).await;
    assert_eq!(trust(2).await, 2);
    let second = w.made("alpha", "documents", body).await;
    w.changed("expert", "documents", second, issue.clone()).await;
    let revoke = json!({"revoked": {"at": "2026-03-01", "reason": "Mixed up."}});
    w.changed("expert", "documents", first, revoke.clone()).await;
    assert_eq!(trust(2).await, 2, "the other one holds");
    w.changed("expert", "documents", second, revoke.clone()).await;
    assert_eq!(trust(2).await, 0);

    let request = made!(w, "alpha", "verification-requests", {"animals": [4]});
    assert_eq!(trust(4).await, 1);
    let body = json!({"title": "G", "type": "genotypeReport", "animal": 4, "labName": "Lab", "issuedAt": "2026-03-01"});
    let third = w.made("expert", "documents", body).await;
    assert_eq!(trust(4).await, 2);
    w.changed("expert", "documents", third, revoke).await;
    assert_eq!(trust(4).await, 1, "it had been submitted");
    changed!(w, "alpha", "verification-requests", request, {"status": "cancelled"});

    let nameless = json!({"title": "G", "type": "genotypeReport", "animal": 4, "issuedAt": "2026-03-01"});
    w.made("expert", "documents", nameless).await;
    assert_eq!(trust(4).await, 1, "without a laboratory");
}

#[test_with(World::each)]
async fn a_farm_writes_documents_of_its_own_and_reports_need_the_class_of_genotypes(w: &World<'_>) {
    let body = |animal: i64| json!({"title": "t", "type": "vetCertificate", "animal": animal});
    for foreign in [3, 999] {
        w.post("alpha", "documents", body(foreign)).await.assert_faulty(400, &["animal"]);
    }
    let id = w.made("alpha", "documents", body(2)).await;
    assert_eq!(w.doc("documents", id).await["organization"], 1);
    for who in ["viewer", "beta"] {
        assert_eq!(patch!(w, who, "documents", id, {"title": "x"}).status, 403);
    }
    patch!(w, "alpha", "documents", id, {"issuedBy": 11}).assert_faulty(403, &["issuedBy"]);

    let report = made!(w, "alpha", "documents", {"title": "t", "type": "genotypeReport", "animal": 2});
    changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": true});
    let sees = async |who: &str, id: i64| w.get(who, &format!("/api/documents/{id}")).await.status;
    assert_eq!((sees("beta", id).await, sees("beta", report).await), (200, 404));
    assert_eq!((sees("", id).await, sees("", report).await), (200, 404));
    assert_eq!(w.get("beta", "/api/documents").await.json()["totalDocs"], 1);
    for who in ["alpha", "viewer", "expert"] {
        assert_eq!(sees(who, report).await, 200, "{who}");
    }
    // A report that belongs only to its animal is read by the owner.
    force(w, "documents", report, &[("organization", Value::Null)]).await;
    assert_eq!((sees("alpha", report).await, sees("beta", report).await), (200, 404));
    let page = w.get("beta", "/api/animals/2?joins[documents][limit]=5").await.json();
    let docs = page["documents"]["docs"].as_array();
    assert!(docs.is_none_or(|docs| { docs.iter().all(|d| d["id"] != report && d != &json!(report)) }));
}

#[test_with(World::each)]
async fn thresholds_stand_only_where_they_differ(w: &World<'_>) {
    let key = |value: f64| json!({"key": "fatMax", "value": value}).to_string();
    for (body, path) in [
        (key(6.5), "value"),
        (key(3.9), "value"),
        (key(12.1), "value"),
        (json!({"key": "unknown", "value": 1}).to_string(), "key"),
        (json!({"key": "fatMax"}).to_string(), "value"),
    ] {
        let answer = w.refused("expert", "POST", "/api/check-thresholds", &body).await;
        answer.assert_faulty(400, &[path]);
    }
    let id = made!(w, "expert", "check-thresholds", {"key": "fatMax", "value": 12});
    assert_eq!(w.doc("check-thresholds", id).await["updatedBy"], 2);
    let answer = w.refused("expert", "POST", "/api/check-thresholds", &key(7.0)).await;
    assert_eq!(paths(&answer), ["key"], "one row for each");
    assert_eq!(patch!(w, "alpha", "check-thresholds", id, {"value": 7}).status, 403);
    holds!(w.get("viewer", "/api/check-thresholds").await.json(), {"totalDocs": 1});
    ask!(w, "", "GET /api/check-thresholds" => 403);
    changed!(w, "admin", "check-thresholds", id, {"value": 7});
    assert_eq!(w.doc("check-thresholds", id).await["updatedBy"], 1);
    changed!(w, "admin", "check-thresholds", id, {"value": 6.5});
    assert_eq!(w.list("check-thresholds", "").await, Vec::<Json>::new());

    for (value, status) in [(0.9, 400), (1.0, 201), (15.1, 400)] {
        assert_eq!(
            post!(w, "expert", "check-thresholds", {"key": "duplicateDays", "value": value}).status,
            status,
            "{value}"
        );
    }
}

#[test_with(World::each)]
async fn settings_name_checks_that_there_are(w: &World<'_>) {
    let body = r#"{"code": "no-such-check"}"#;
    let answer = w.refused("expert", "POST", "/api/check-settings", body).await;
    answer.assert_faulty(400, &["code"]);
    let id = made!(w, "expert", "check-settings", {"code": "test-gap", "enabled": false});
    let doc = changed!(w, "admin", "check-settings", id, {"severity": "fix"});
    holds!(doc, {"enabled": false, "updatedBy": 1});
    assert_eq!(post!(w, "alpha", "check-settings", {"code": "no-breed"}).status, 403);
    holds!(w.get("alpha", "/api/check-settings").await.json(), {"totalDocs": 1});
}

#[test_with(World::each)]
async fn unknown_columns_are_decided_once(w: &World<'_>) {
    let body = json!({"title": "Удой, л", "normalized": "удой л"});
    ask!(w, "expert", "POST /api/pending-columns?depth=0", body => 403);
    let id = w.made("admin", "pending-columns", body).await;
    holds!(w.doc("pending-columns", id).await, {"seenTimes": 1, "firstSeenAt": "2026-03-01T12:00:00.000Z"});
    let path = format!("/api/pending-columns/{id}");
    for empty in [json!({"status": "accepted"}), json!({"status": "accepted", "mapsTo": ""})] {
        refused!(w, "expert", "PATCH {path}", empty => 400 ["mapsTo"]);
    }
    let doc = changed!(w, "expert", "pending-columns", id, {"status": "accepted", "mapsTo": "milkYield"});
    assert_eq!(doc["decision"]["decidedBy"], 2);
    assert!(doc["decision"]["decidedAt"].is_string());
    for who in ["alpha", ""] {
        ask!(w, who, "GET /api/pending-columns" => 403);
    }
}
