//! Packages and assignments: the whole way from upload to acceptance (docs/states.md, *data-submissions · status*,
//! *upload-assignments · status*).

use crate::rest::animals::states::force;
use crate::rest::uploads::form::Form;
use crate::rest::world::{World, faults, paths};
use domain::collections::overdue;
use model::record::Value;
use serde_json::{Value as Json, json};

const ASSIGNMENT: &str = r#"{"organization": 1, "kind": "events", "dataset": "calvings", "periodFrom": "2026-01-01",
                        "periodTo": "2026-02-01", "dueDate": "2026-03-02"}"#;

fn assignment_body() -> Json {
    serde_json::from_str(ASSIGNMENT).unwrap()
}

/// A package of Alpha with a calving of animal 2 and one of animal 4, as intake would make it.
pub(crate) async fn package(w: &World<'_>, body: Json) -> (i64, [i64; 2]) {
    let id = w.made("alpha", "data-submissions", body).await;
    let mut rows = [0; 2];
    for (row, animal) in rows.iter_mut().zip([2, 4]) {
        *row = made!(w, "alpha", "calvings", {"animal": animal, "date": "2026-02-01", "number": 1});
        force(w, "calvings", *row, &[("submission", Value::Int(id))]).await;
    }
    let links = "INSERT INTO \"data_submissions__animals\" (\"owner\", \"position\", \"target\") VALUES ";
    let links = format!("{links} ({id}, 0, 2), ({id}, 1, 4)");
    w.stage.run(store::Sql::new(&links)).await;
    (id, rows)
}

async fn trust(w: &World<'_>, animal: i64) -> i64 {
    w.doc("animals", animal).await["trustLevel"].as_i64().unwrap()
}

async fn verification(w: &World<'_>, row: i64) -> String {
    let doc = w.doc("calvings", row).await;
    doc["verification"].as_str().unwrap().to_owned()
}

#[test_with(World::each)]
async fn a_package_goes_its_way_and_takes_its_rows_along(w: &World<'_>) {
    let assignment = w.made("expert", "upload-assignments", assignment_body()).await;
    let body = json!({"kind": "events", "dataset": "calvings", "assignment": assignment});
    let (id, [good, bad]) = package(w, body).await;
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"number": "000001", "submittedBy": 11, "organization": 1, "history.0.status": "uploaded"});
    let task = w.doc("upload-assignments", assignment).await;
    assert_eq!((&task["status"], &task["submission"]), (&json!("inProgress"), &json!(id)));

    holds!(changed!(w, "expert", "data-submissions", id, {"status": "checking"}), {"review.assignee": 2});
    assert_eq!(verification(w, good).await, "pending");

    force(w, "calvings", bad, &[("checkStatus", "fix".into())]).await;
    let checked = json!({"status": "checked"});
    let path = format!("/api/data-submissions/{id}");
    refused!(w, "expert", "PATCH {path}", checked => 400 ["review.findings"]);

    let found = json!({"status": "checked", "review": {"findings": [{"animal": 4, "text": "Too young."}]}});
    let doc = w.changed("expert", "data-submissions", id, found).await;
    assert_eq!((&doc["signature"]["by"], &doc["status"]), (&json!(2), &json!("checked")));
    let hash = doc["signature"]["sha256"].as_str().unwrap();
    assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
    assert_eq!(verification(w, good).await, "pending");

    let doc = changed!(w, "alpha", "data-submissions", id, {"consent": {"agreed": true}});
    assert_eq!(doc["status"], "accepted");
    assert!(doc["consent"]["agreedAt"].is_string() && doc["consent"]["publishedAt"].is_string());
    let steps: Vec<_> = (doc["history"].as_array().unwrap().iter())
        .map(|step| (step["status"].as_str().unwrap(), step["actor"].as_i64()))
        .collect();
    let expected = [("uploaded", Some(11)), ("checking", Some(2)), ("checked", Some(2)), ("accepted", None)];
    assert_eq!(steps, expected);
    assert_eq!(verification(w, good).await, "verified");
    assert_eq!(verification(w, bad).await, "rejected", "its animal has an open finding");
    assert_eq!((trust(w, 2).await, trust(w, 4).await), (3, 0));
    assert_eq!(w.doc("upload-assignments", assignment).await["status"], "done");

    // A row that its owner corrects is not the one that was signed.
    changed!(w, "alpha", "calvings", good, {"comment": "x"});
    assert_eq!(verification(w, good).await, "unverified");
    // Identity is locked now.
    patch!(w, "alpha", "animals", 2, {"birthDate": "2020-01-11"}).assert_faulty(403, &["birthDate"]);
}

#[test_with(World::each)]
async fn the_signature_tells_other_rows_apart_and_consent_may_come_first(w: &World<'_>) {
    let mut hashes = Vec::new();
    for comment in ["one", "two"] {
        let (id, [row, _]) = package(w, json!({"consent": {"agreed": true}})).await;
        changed!(w, "alpha", "calvings", row, {"comment": comment});
        changed!(w, "expert", "data-submissions", id, {"status": "checking"});
        let doc = changed!(w, "expert", "data-submissions", id, {"status": "checked"});
        assert_eq!(doc["status"], "accepted", "consent was there");
        hashes.push(doc["signature"]["sha256"].clone());
        for row in w.list("calvings", "").await {
            w.gone("admin", "calvings", row["id"].as_i64().unwrap()).await;
        }
    }
    assert_ne!(hashes[0], hashes[1]);
}

#[test_with(World::each)]
async fn a_rejected_package_says_why_and_lowers_trust(w: &World<'_>) {
    let (id, [row, _]) = package(w, json!({})).await;
    force(w, "animals", 4, &[("trustLevel", Value::Int(3))]).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let path = format!("/api/data-submissions/{id}");
    refused!(w, "expert", "PATCH {path}", {"status": "rejected"} => 400 ["review.comment"]);
    let body = json!({"status": "rejected", "review": {"comment": "Other units."}});
    let doc = w.changed("expert", "data-submissions", id, body).await;
    assert_eq!(doc["history"][2]["note"], "Other units.");
    assert_eq!(verification(w, row).await, "rejected");
    assert_eq!((trust(w, 2).await, trust(w, 4).await), (-1, 3), "what was verified stays so");
    changed!(w, "alpha", "animals", 2, {"name": "Corrected"});
    assert_eq!(trust(w, 2).await, 0);
}

#[test_with(World::each)]
async fn a_package_is_sent_back_and_taken_again(w: &World<'_>) {
    let (id, [own, other]) = package(w, json!({"consent": {"agreed": true}})).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    changed!(w, "expert", "data-submissions", id, {"review": {"findings": [{"animal": 4, "text": "Which dam?"}]}});
    changed!(w, "expert", "calvings", other, {"verification": "rejected"});
    let path = format!("/api/data-submissions/{id}");
    let back = json!({"status": "uploaded", "review": {"comment": "Other units."}});
    refused!(w, "expert", "PATCH {path}", {"status": "uploaded"} => 400 ["review.comment"]);
    for who in ["alpha", "viewer", "beta", ""] {
        refused!(w, who, "PATCH {path}", back.clone() => 403);
    }
    assert_eq!(verification(w, own).await, "pending", "a refusal moves no row");

    let mut before = w.doc("data-submissions", id).await;
    let mut after = w.changed("admin", "data-submissions", id, back.clone()).await;
    assert_eq!(verification(w, own).await, "unverified");
    assert_eq!(verification(w, other).await, "rejected", "decided for this row alone");
    let steps = after["history"].as_array().unwrap().clone();
    holds!(steps[2], {"status": "uploaded", "actor": 1, "note": "Other units."});
    assert_eq!((steps.len(), after["review"]["assignee"].clone()), (3, json!(2)));
    for doc in [&mut before, &mut after] {
        for name in ["status", "history", "updatedAt"] {
            doc[name] = Json::Null;
        }
        doc["review"]["comment"] = Json::Null;
    }
    assert_eq!(after, before, "nothing else of it changes");
    // It was not taken: nothing can be signed or sent back.
    for status in ["uploaded", "checked", "rejected"] {
        let body = json!({"status": status, "review": {"comment": "Again."}});
        let answer = w.patch("expert", "data-submissions", id, body).await;
        assert_eq!(answer.status, if status == "uploaded" { 200 } else { 400 }, "{}", answer.text);
    }
    assert_eq!(w.doc("data-submissions", id).await["history"].as_array().unwrap().len(), 3);

    changed!(w, "alpha", "calvings", other, {"comment": "Of the dam with the tag."});
    let doc = changed!(w, "admin", "data-submissions", id, {"status": "checking"});
    assert_eq!(doc["review"]["assignee"], 2, "still who took it first");
    assert_eq!((verification(w, own).await, verification(w, other).await), ("pending".into(), "pending".into()));
    let doc = changed!(w, "expert", "data-submissions", id, {"status": "checked", "review": {"findings": []}});
    assert_eq!((&doc["status"], &doc["signature"]["rows"]), (&json!("accepted"), &json!(2)));
    let later = json!({"review": {"findings": [{"animal": 4, "text": "Too late."}]}});
    refused!(w, "expert", "PATCH {path}", later => 400 ["review.findings"]);
    assert_eq!((verification(w, own).await, verification(w, other).await), ("verified".into(), "verified".into()));
    // Neither what was accepted nor what was rejected comes back.
    w.patch("expert", "data-submissions", id, back.clone()).await.assert_faulty(400, &["status"]);
    let gone = w.made("alpha", "data-submissions", json!({})).await;
    for status in ["checking", "rejected"] {
        changed!(w, "expert", "data-submissions", gone, {"status": status, "review": {"comment": "No."}});
    }
    w.patch("expert", "data-submissions", gone, back).await.assert_faulty(400, &["status"]);
}

/// What the review says is not for the farm to say, with a new package as little as later.
#[test_with(World::each)]
async fn a_farm_fills_no_review_of_its_own_package(w: &World<'_>) {
    for review in [
        json!({"assignee": 2}),
        json!({"findings": [{"animal": 4, "severity": "note", "text": "Fine."}]}),
        json!({"comment": "Looked at."}),
        json!({"totalRows": 5}),
        json!({"acceptedRows": 5}),
        json!({"rejectedRows": 1}),
    ] {
        let path = format!("review.{}", review.as_object().unwrap().keys().next().unwrap());
        let body = json!({ "review": review });
        refused!(w, "alpha", "POST /api/data-submissions", body => 403 [path.as_str()]);
    }
    let id = made!(w, "alpha", "data-submissions", {"review": {"comment": null, "findings": []}});
    changed!(w, "expert", "data-submissions", id, {"review": {"totalRows": 5, "assignee": 2}});
    let doc = w.doc("data-submissions", id).await;
    holds!(doc, {"review.totalRows": 5, "review.assignee": 2, "review.comment": null});
}

#[test_with(World::each)]
async fn packages_fit_their_assignment_their_farm_and_their_set(w: &World<'_>) {
    let assignment = w.made("expert", "upload-assignments", assignment_body()).await;
    let foreign = made!(w, "beta", "data-submissions", {});
    for (who, body, path) in table![
        "beta", json!({"assignment": assignment}), "assignment";
        "alpha", json!({"assignment": assignment, "kind": "animals"}), "assignment";
        "alpha", json!({"replaces": foreign}), "replaces";
        "alpha", json!({"dataset": "milkTests"}), "dataset";
        "alpha", json!({"dataset": "unknown"}), "dataset";
        "alpha", json!({"periodFrom": "2026-02-02", "periodTo": "2026-02-01"}), "periodTo";
        "alpha", json!({"assignment": 999}), "assignment";
    ] {
        refused!(w, who, "POST /api/data-submissions", body => 400 [path]);
    }
    changed!(w, "expert", "upload-assignments", assignment, {"status": "cancelled"});
    let body = json!({"assignment": assignment}).to_string();
    let answer = w.refused("alpha", "POST", "/api/data-submissions", &body).await;
    assert_eq!(paths(&answer), ["assignment"]);

    let mut twice = Vec::new();
    for organization in ["alpha", "alpha", "beta"] {
        twice.push(made!(w, organization, "data-submissions", {}));
    }
    // The server computes the hash: the value of a caller is ignored.
    assert_eq!(changed!(w, "admin", "data-submissions", twice[0], {"sha256": "ff"})["sha256"], Json::Null);
}

#[test_with(World::each)]
async fn one_file_is_sent_once_by_an_organisation(w: &World<'_>) {
    let c = w.stage.book.registry.get("data-submissions").unwrap();
    let sent = async |organization: i64| {
        let item = ops::Item::create(vec![]).with_server(vec![
            (c.at("organization"), Value::Int(organization)),
            (c.at("sha256"), "ab".repeat(32).into()),
        ]);
        let system = model::registry::Principal::system().into();
        let done = w.stage.book.write(system, c, vec![item]).await.unwrap();
        match done.into_iter().next().unwrap() {
            ops::Outcome::Refused(error) => error.to_string(),
            _ => String::new(),
        }
    };
    assert_eq!(sent(1).await, "");
    assert!(sent(1).await.contains("sha256"));
    assert_eq!(sent(2).await, "");
}

#[test_with(World::each)]
async fn what_is_late_is_overdue_until_its_package_is_accepted(w: &World<'_>) {
    let assignment = w.made("expert", "upload-assignments", assignment_body()).await;
    let late = async || {
        let job = w.stage.book.transact(|work| Box::pin(async move { overdue(work).await }));
        job.await.unwrap();
        w.doc("upload-assignments", assignment).await["status"].clone()
    };
    let due = async |day: &str| {
        changed!(w, "expert", "upload-assignments", assignment, {"dueDate": day});
    };
    assert_eq!(late().await, "open", "due tomorrow");
    due("2026-03-01").await;
    assert_eq!(late().await, "open", "due today");
    due("2026-02-28").await;
    assert_eq!(late().await, "overdue");
    let body = json!({"assignment": assignment, "consent": {"agreed": true}});
    let (id, _) = package(w, body).await;
    holds!(w.doc("upload-assignments", assignment).await, {"status": "overdue", "submission": id});
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    changed!(w, "expert", "data-submissions", id, {"status": "checked"});
    assert_eq!(late().await, "done");
}

#[test_with(World::each)]
async fn the_farm_writes_its_consent_and_mapping_and_nothing_else(w: &World<'_>) {
    let id = made!(w, "alpha", "data-submissions", {});
    changed!(w, "operator", "data-submissions", id, {"mapping": {"A": "date"}});
    for body in [json!({"periodFrom": "2026-01-01"}), json!({"review": {"comment": "x"}})] {
        ask!(w, "alpha", "PATCH /api/data-submissions/{id}?depth=0", body => 403);
    }
    for who in ["viewer", "beta"] {
        assert_eq!(patch!(w, who, "data-submissions", id, {"mapping": {}}).status, 403);
    }
    ask!(w, "beta", "GET /api/data-submissions/{id}" => 404);
    assert_eq!(post!(w, "viewer", "data-submissions", {}).status, 403);
    post!(w, "alpha", "data-submissions", {"organization": 2}).assert_faulty(403, &["organization"]);
    ask!(w, "expert", "DELETE /api/data-submissions/{id}?depth=0" => 403);
    w.gone("admin", "data-submissions", id).await;
}

#[test_with(World::each)]
async fn a_package_of_which_no_row_was_read_is_not_signed(w: &World<'_>) {
    let id = made!(w, "alpha", "data-submissions", {"consent": {"agreed": true}});
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let path = format!("/api/data-submissions/{id}");
    let answer = refused!(w, "expert", "PATCH {path}", {"status": "checked"});
    let refusal = "No row of this package has been read, so there is nothing to sign.";
    assert_eq!((answer.status, faults(&answer)), (400, vec![("status".to_owned(), refusal.to_owned())]));
    changed!(w, "expert", "data-submissions", id, {"status": "rejected", "review": {"comment": "Nothing in it."}});
}

#[test_with(World::each)]
async fn the_same_bytes_are_taken_once_from_an_organisation(w: &World<'_>) {
    let sent = async |who: &str, name: &str, bytes: &[u8]| {
        let form = Form::new().payload(&json!({"kind": "productivity"})).file(name, "text/csv", bytes);
        form.send(w, who, "POST", "/api/data-submissions?depth=0").await
    };
    let table = "number;milk\n1;30,5\n".as_bytes();
    let first = sent("alpha", "march.csv", table).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let doc = first.json()["doc"].clone();
    holds!(doc, {"sha256": "4fafcb61ba85552e3801b79501988952677cb5e3dd5b8b363c83cf10e1ab3d42"}, "SHA-256 of the file");
    let before = w.stage.content().await;
    let second = sent("alpha", "april.csv", table).await;
    second.assert_faulty(400, &["sha256"]);
    assert_eq!(w.stage.content().await, before, "nor is the file stored");
    // Another farm may have the same, the same farm another.
    let other = sent("beta", "march.csv", table).await;
    assert_eq!((other.status, &other.json()["doc"]["sha256"]), (201, &doc["sha256"]));
    let next = sent("alpha", "march.csv", b"number;milk\n1;30,6\n").await;
    assert_eq!(next.status, 201, "{}", next.text);
    assert_ne!(next.json()["doc"]["sha256"], doc["sha256"]);
    // A file that was sent before its package counts as well.
    let file = doc["sourceFile"].as_i64();
    refused!(w, "alpha", "POST /api/data-submissions", {"sourceFile": file} => 400 ["sha256"]);
}
