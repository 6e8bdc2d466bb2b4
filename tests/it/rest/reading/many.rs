//! Operations on more rows than one part holds, and batches with the real rules.

use crate::rest::world::{FORBIDDEN, World};
use axum::body::Body;
use serde_json::{Value, json};

/// More than two parts.
const MANY: usize = 1_203;

async fn herds(w: &World<'_>) -> Vec<i64> {
    let rows: Vec<Value> = (0..MANY).map(|n| json!({"name": format!("Shed {n}"), "organization": 1 + n % 2})).collect();
    let answer = w.ask("admin", "POST", "/api/herds?depth=0", Value::from(rows).to_string()).await;
    assert_eq!(answer.status, 201, "{}", &answer.text[..300]);
    let body = answer.json();
    assert_eq!(body["message"], format!("{MANY} Herds successfully created."));
    let results = body["results"].as_array().unwrap();
    let id = |result: &Value| result["doc"]["id"].as_i64().unwrap();
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result["index"], n);
        assert_eq!(result["doc"]["name"], format!("Shed {n}"));
    }
    results.iter().map(id).collect()
}

#[test_with(World::each)]
async fn a_thousand_rows_are_made_changed_and_deleted(w: &World<'_>) {
    let ids = herds(w).await;
    let answer = ask!(w, "admin", "PATCH /api/herds?where[name][like]=shed&sort=-id&depth=0", {"name": "Shed"} => 200);
    let body = answer.json();
    assert_eq!(body["message"], format!("Updated {MANY} Herds successfully."));
    let docs = body["docs"].as_array().unwrap();
    let found: Vec<i64> = docs.iter().map(|doc| doc["id"].as_i64().unwrap()).collect();
    let falling: Vec<i64> = ids.iter().rev().copied().collect();
    assert_eq!(found, falling, "in the order requested");
    assert!(docs.iter().all(|doc| doc["name"] == "Shed"));

    // Half of them belong to Beta, who sees them all and writes only those.
    let path = "/api/herds?where[name][equals]=Shed&sort=id&limit=600&depth=0";
    let answer = w.ask("beta", "PATCH", path, r#"{"address":"B"}"#).await;
    let body = answer.json();
    assert_eq!(body["message"], "Updated 600 Herds successfully.");
    let docs = body["docs"].as_array().unwrap();
    assert!(docs.iter().all(|doc| doc["organization"] == 2 && doc["address"] == "B"));

    let path = "/api/herds?where[address][equals]=B&depth=0";
    ask!(w, "beta", "DELETE {path}" => FORBIDDEN, "herds are deleted by admins");
    let body = w.ask("admin", "DELETE", path, Body::empty()).await.json();
    assert_eq!(body["message"], "Deleted 600 Herds successfully.");
    let docs = body["docs"].as_array().unwrap();
    assert!(docs.iter().all(|doc| doc["address"] == "B"), "as they were");
    let remaining = w.list("herds", "where[name][equals]=Shed").await;
    assert_eq!(remaining.len(), MANY - 600);

    // A code is unique in an organisation: the first two rows refuse the whole request.
    let path = "/api/herds?where[name][equals]=Shed&depth=0";
    refused!(w, "admin", "PATCH {path}", {"code": "C"} => 400 ["code"]);
}
