//! What an approval of a request holds back, who sees it, and what is dismissed (docs/requests.md).

use super::decisions::{of, request, to};
use crate::rest::animals::states::force;
use crate::rest::world::{NOT_FOUND, World, fill};
use model::record::Value;
use serde_json::{Value as Json, json};

/// An animal of Alpha without a day of birth, which the checks find.
async fn unborn(w: &World<'_>, n: u32) -> i64 {
    let body = json!({"identNumber": format!("9700000{n:05}"), "sex": "female", "name": "Unborn"});
    w.made("alpha", "animals", body).await
}

/// What an approval would do, as a caller sees it.
async fn decision(w: &World<'_>, who: &str, id: i64) -> Json {
    let answer = ask!(w, who, "GET /api/verification-requests/{id}/decision" => 200);
    answer.json()
}

/// The animals and reasons that a request tells.
fn held(doc: &Json) -> Vec<(i64, String)> {
    let rows = doc["review"]["held"].as_array().unwrap().iter();
    rows.map(|row| (row["animal"].as_i64().unwrap(), row["code"].as_str().unwrap().to_owned())).collect()
}

/// A finding as a run would store it.
async fn finding(w: &World<'_>, id: i64, animal: i64, code: &str, reader: Option<i64>) {
    let row = json!({"id": id, "code": code, "severity": "fix", "state": "open", "collection": "animals",
        "recordId": animal, "path": "name", "animal": animal, "organization": reader,
        "message": {"en": "Secret.", "ru": "Тайна."}, "firstSeenAt": "2026-02-01", "lastSeenAt": "2026-02-01"});
    fill(w.stage, "check-findings", vec![row]).await;
}

async fn state(w: &World<'_>, id: i64) -> (Json, Json, Json) {
    let doc = w.doc("check-findings", id).await;
    let said = &doc["dismissed"];
    (doc["state"].clone(), said["reason"].clone(), said["by"].clone())
}

#[test_with(World::each)]
async fn farm_and_officer_see_what_is_held_back_before_and_after(w: &World<'_>) {
    let unborn = unborn(w, 1).await;
    let id = request(w, json!({"animals": [2, unborn]})).await;
    holds!(decision(w, "alpha", id).await, {"status": "new", "heldCount": 1, "approvedCount": 1});
    // Whoever takes it sees what the checks say now.
    to(w, "expert", id, "checking").await;
    let why = json!([{"animal": unborn, "codes": ["no-birth-date"]}]);
    for who in ["alpha", "viewer", "expert", "admin"] {
        let report = decision(w, who, id).await;
        holds!(report, {"status": "checking", "heldCount": 1, "approvedCount": 1, "lacking": [],
            "findings.0.animal": unborn, "findings.0.code": "no-birth-date", "findings.0.holds": true,
            "findings.0.collection": "animals", "findings.0.recordId": unborn, "findings.0.path": "birthDate"});
        assert_eq!(report["held"], why, "{who}");
        assert_eq!(report["findings"].as_array().unwrap().len(), 1);
        assert!(report["findings"][0]["message"]["ru"].is_string());
    }
    for who in ["beta", "delta", ""] {
        w.get(who, &format!("/api/verification-requests/{id}/decision")).await.assert_is(NOT_FOUND, who);
    }
    for path in ["/api/verification-requests/99/decision", "/api/animals/2/decision"] {
        assert_eq!(w.get("admin", path).await.status, 404, "{path}");
    }
    let findings = json!({"review": {"findings": [{"animal": unborn, "text": "No papers."}, {"animal": 2, "text": "Fine.", "severity": "note"}]}});
    w.changed("expert", "verification-requests", id, findings).await;
    let doc = to(w, "expert", id, "approved").await;
    holds!(doc, {"review.approvedCount": 1, "review.heldCount": 1});
    let both = vec![(unborn, "no-birth-date".to_owned()), (unborn, "review".to_owned())];
    assert_eq!(held(&doc), both);
    let answer = w.get("alpha", &format!("/api/verification-requests/{id}?depth=0")).await;
    assert_eq!(held(&answer.json()), both, "the farm reads the same");
    let report = decision(w, "alpha", id).await;
    assert_eq!(report["held"], json!([{"animal": unborn, "codes": ["no-birth-date", "review"]}]));
    holds!(report, {"status": "approved", "heldCount": 1, "findings": []});
    assert_eq!((of(w, 2, "trustLevel").await, of(w, unborn, "trustLevel").await), (json!(3), json!(0)));

    // What was held back is requested again, once its cause is mended.
    changed!(w, "alpha", "animals", unborn, {"birthDate": "2023-05-05"});
    let id = request(w, json!({"animals": [unborn]})).await;
    to(w, "expert", id, "checking").await;
    let doc = to(w, "expert", id, "approved").await;
    assert_eq!((held(&doc), of(w, unborn, "trustLevel").await), (Vec::new(), json!(3)));
}

/// A finding that rests on what the farm does not see holds nothing back, or the farm would learn of it.
#[test_with(World::each)]
async fn the_farm_learns_nothing_of_findings_that_it_does_not_read(w: &World<'_>) {
    let id = request(w, json!({"animals": [2, 4]})).await;
    to(w, "expert", id, "checking").await;
    let before = decision(w, "alpha", id).await;
    finding(w, 901, 2, "parent-wrong-sex", None).await;
    finding(w, 902, 4, "ident-shared", Some(2)).await;
    assert_eq!(decision(w, "alpha", id).await, before);
    let report = decision(w, "expert", id).await;
    assert_eq!((&report["held"], &report["heldCount"]), (&json!([]), &json!(0)));
    holds!(report, {"findings.0.code": "parent-wrong-sex", "findings.0.holds": false, "findings.1.id": 902,
        "findings.1.holds": false});
    // Nor may the request name it, since the farm reads the request.
    let path = format!("/api/verification-requests/{id}");
    let body = json!({"review": {"dismissed": [{"animal": 2, "code": "parent-wrong-sex", "reason": "Seen."}]}});
    refused!(w, "expert", "PATCH {path}", body => 400 ["review.dismissed.0.code"]);
    let doc = to(w, "expert", id, "approved").await;
    holds!(doc, {"review.approvedCount": 2, "review.heldCount": 0, "review.held": []});
    assert_eq!(of(w, 2, "trustLevel").await, 3);
    assert_eq!(state(w, 901).await.0, "open");

    // Said in the officer's own words, it does.
    let id = request(w, json!({"animals": [2], "purpose": "certificate"})).await;
    to(w, "expert", id, "checking").await;
    changed!(w, "expert", "verification-requests", id, {"review": {"findings": [{"animal": 2, "text": "Father?"}]}});
    assert_eq!(held(&to(w, "expert", id, "approved").await), [(2, "review".to_owned())]);
}

#[test_with(World::each)]
async fn a_finding_is_dismissed_wherever_that_is_said(w: &World<'_>) {
    let (one, other) = (unborn(w, 1).await, unborn(w, 2).await);
    let id = request(w, json!({"animals": [one, other]})).await;
    to(w, "expert", id, "checking").await;
    finding(w, 901, one, "rfid-invalid", Some(1)).await;
    let of = async |animal: i64, code: &str| {
        let filter = format!("where[animal][equals]={animal}&where[code][equals]={code}");
        w.list("check-findings", &filter).await[0]["id"].as_i64().unwrap()
    };
    let (first, second) = (of(one, "no-birth-date").await, of(other, "no-birth-date").await);
    let reasons = async |rows: Json| {
        let doc = changed!(w, "expert", "verification-requests", id, {"review": {"dismissed": rows}});
        doc["review"]["dismissed"].clone()
    };
    let held = async || decision(w, "alpha", id).await["held"].clone();
    let both = json!([{"animal": one, "codes": ["no-birth-date", "rfid-invalid"]}, {"animal": other, "codes": ["no-birth-date"]}]);
    assert_eq!(held().await, both);

    // By the request: of this animal and this check alone.
    let rows =
        reasons(json!([{"animal": one, "code": "no-birth-date", "reason": "Old.", "by": 11, "at": "2020-01-01"}]))
            .await;
    assert_eq!(rows[0]["by"], 2, "whichever user was named");
    assert!(rows[0]["at"].as_str().unwrap().starts_with("2026-03-01"));
    assert_eq!(state(w, first).await, (json!("dismissed"), json!("Old."), json!(2)));
    assert_eq!(state(w, second).await.0, "open");
    assert_eq!(
        held().await,
        json!([{"animal": one, "codes": ["rfid-invalid"]}, {"animal": other, "codes": ["no-birth-date"]}])
    );
    // By another reason, and by the findings themselves.
    let mut row = rows[0].clone();
    row["reason"] = json!("Seen the papers.");
    reasons(json!([row])).await;
    assert_eq!(state(w, first).await.1, "Seen the papers.");
    changed!(w, "admin", "check-findings", 901, {"state": "dismissed", "dismissed": {"reason": "A tag."}});
    assert_eq!(held().await, json!([{"animal": other, "codes": ["no-birth-date"]}]));
    // What is opened there counts, though the request has the row.
    changed!(w, "admin", "check-findings", first, {"state": "open"});
    assert_eq!(held().await[0]["codes"], json!(["no-birth-date"]));
    changed!(w, "admin", "check-findings", first, {"state": "dismissed", "dismissed": {"reason": "Seen the papers."}});
    // Taken out again.
    reasons(json!([])).await;
    assert_eq!(state(w, first).await, (json!("open"), Json::Null, Json::Null));
    assert_eq!(state(w, 901).await.0, "dismissed", "for another reason, elsewhere");

    // With the decision itself; and what no check said cannot be dismissed.
    let path = format!("/api/verification-requests/{id}");
    let body = json!({"status": "approved", "review": {"dismissed": [{"animal": one, "code": "self-parent", "reason": "No."}]}});
    refused!(w, "expert", "PATCH {path}", body => 400 ["review.dismissed.0.code"]);
    let body = json!({"status": "approved", "review": {"dismissed": [{"animal": one, "code": "no-birth-date", "reason": "Old."}]}});
    let doc = w.changed("admin", "verification-requests", id, body).await;
    assert_eq!(self::held(&doc), [(other, "no-birth-date".to_owned())]);
    assert_eq!(state(w, first).await, (json!("dismissed"), json!("Old."), json!(1)));
    assert_eq!(super::decisions::of(w, one, "trustLevel").await, 3);
}

#[test_with(World::each)]
async fn a_farm_does_not_write_the_review(w: &World<'_>) {
    for review in [
        json!({"dismissed": [{"animal": 2, "code": "no-birth-date", "reason": "No."}]}),
        json!({"findings": [{"animal": 2, "text": "No."}]}),
        json!({"comment": "No."}),
        json!({"assignee": 2}),
    ] {
        let body = json!({"animals": [2], "review": review});
        refused!(w, "alpha", "POST /api/verification-requests", body => 403);
    }
    let doc =
        made!(w, "alpha", "verification-requests", {"animals": [2], "review": {"held": [{"animal": 4, "code": "x"}]}});
    assert_eq!(w.doc("verification-requests", doc).await["review"]["held"], json!([]));
}

/// Animals that were sold since are neither verified, rejected, registered nor corrected for their former owner, who
/// learns nothing of them.
#[test_with(World::each)]
async fn sold_animals_are_held_back(w: &World<'_>) {
    let ask = async |purpose: &str, more: Json| {
        let mut body = json!({"animals": [2, 4], "purpose": purpose});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let id = request(w, body).await;
        to(w, "expert", id, "checking").await;
        id
    };
    let category = made!(w, "admin", "breeding-categories", {"code": "A", "name": "Main section"});
    for animal in [2, 4] {
        changed!(w, "alpha", "animals", animal, {"category": category});
    }
    let trust = ask("trust", json!({})).await;
    let certificate = ask("certificate", json!({})).await;
    let registration = ask("registration", json!({})).await;
    let proposed = json!({"proposed": [{"animal": 2, "path": "name", "value": "Mine"}, {"animal": 4, "path": "name", "value": "New"}]});
    let correction = ask("correction", proposed).await;
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    changed!(w, "beta", "animals", 2, {"name": "Other"});
    let second = w.made("beta", "verification-requests", json!({"animals": [2], "purpose": "registration"})).await;
    finding(w, 901, 2, "rfid-invalid", Some(2)).await;

    let report = decision(w, "alpha", trust).await;
    holds!(report, {"held": [{"animal": 2, "codes": ["foreign-animal"]}], "findings": []});
    let before = of(w, 2, "trustLevel").await;
    to(w, "expert", certificate, "rejected").await;
    assert_eq!((of(w, 2, "trustLevel").await, of(w, 4, "trustLevel").await), (before.clone(), json!(-1)));
    for id in [trust, correction, registration] {
        let doc = to(w, "admin", id, "approved").await;
        holds!(doc, {"review.approvedCount": 1, "review.heldCount": 1});
        assert_eq!(held(&doc), [(2, "foreign-animal".to_owned())]);
    }
    assert_eq!((of(w, 2, "trustLevel").await, of(w, 4, "trustLevel").await), (before, json!(3)));
    assert_eq!((of(w, 2, "name").await, of(w, 4, "name").await), (json!("Other"), json!("New")));
    let doc = w.doc("verification-requests", correction).await;
    holds!(doc, {"proposed.0.before": "Animal 2", "proposed.1.before": "Animal 4"}, "nothing of the new owner's");
    // The new owner applied, and its application stands.
    assert_eq!(of(w, 2, "registration.status").await, "applied");
    assert_eq!(of(w, 4, "registration.number").await, "A-2026-0000001");
    to(w, "beta", second, "cancelled").await;
    assert_eq!(of(w, 2, "registration.status").await, "none");
}

#[test_with(World::each)]
async fn an_application_stands_while_any_request_for_it_is_open(w: &World<'_>) {
    let category = made!(w, "admin", "breeding-categories", {"code": "A", "name": "Main section"});
    for animal in [1, 2, 4] {
        changed!(w, "alpha", "animals", animal, {"category": category});
    }
    let one = request(w, json!({"purpose": "registration", "animals": [1, 2]})).await;
    let two = request(w, json!({"purpose": "registration", "animals": [2, 4]})).await;
    to(w, "alpha", one, "cancelled").await;
    assert_eq!(
        (of(w, 1, "registration.status").await, of(w, 2, "registration.status").await),
        (json!("none"), json!("applied"))
    );
    let three = request(w, json!({"purpose": "registration", "animals": [1, 2]})).await;
    for id in [two, three] {
        to(w, "expert", id, "checking").await;
    }
    to(w, "expert", three, "rejected").await;
    assert_eq!(of(w, 2, "registration.status").await, "refused");
    // Who approves another request for it registers it all the same.
    let doc = to(w, "expert", two, "approved").await;
    assert_eq!(doc["review"]["approvedCount"], 2);
    for animal in [2, 4] {
        assert_eq!(of(w, animal, "registration.status").await, "registered");
    }
    // A registration that is withdrawn meanwhile is not given again by a request.
    let id = request(w, json!({"purpose": "registration", "animals": [1]})).await;
    to(w, "expert", id, "checking").await;
    force(w, "animals", 1, &[("registration.status", Value::from("withdrawn"))]).await;
    assert_eq!(held(&to(w, "expert", id, "approved").await), [(1, "withdrawn".to_owned())]);
    assert_eq!(of(w, 1, "registration.status").await, "withdrawn");
}
