//! Operations on more rows than one part holds, and batches with the real rules.

use super::world::{FORBIDDEN, World};
use axum::body::Body;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::Sql;

/// More than two parts.
const MANY: usize = 1_203;

async fn herds(w: &World<'_>) -> Vec<i64> {
    let rows: Vec<Value> = (0..MANY)
        .map(|n| json!({"name": format!("Shed {n}"), "organization": 1 + n % 2}))
        .collect();
    let answer = w
        .ask(
            "admin",
            "POST",
            "/api/herds?depth=0",
            Value::from(rows).to_string(),
        )
        .await;
    assert_eq!(answer.status, 201, "{}", &answer.text[..300]);
    let body = answer.json();
    assert_eq!(
        body["message"],
        format!("{MANY} Herds successfully created.")
    );
    let results = body["results"].as_array().unwrap();
    let id = |result: &Value| result["doc"]["id"].as_i64().unwrap();
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result["index"], n);
        assert_eq!(result["doc"]["name"], format!("Shed {n}"));
    }
    results.iter().map(id).collect()
}

#[tokio::test]
async fn a_thousand_rows_are_made_changed_and_deleted() {
    World::each(async |w| {
        let ids = herds(w).await;
        let answer = ask!(w, "admin", "PATCH /api/herds?where[name][like]=shed&sort=-id&depth=0", {"name": "Shed"}
            => 200);
        let body = answer.json();
        assert_eq!(
            body["message"],
            format!("Updated {MANY} Herds successfully.")
        );
        let docs = body["docs"].as_array().unwrap();
        let found: Vec<i64> = docs.iter().map(|doc| doc["id"].as_i64().unwrap()).collect();
        let falling: Vec<i64> = ids.iter().rev().copied().collect();
        assert_eq!(found, falling, "in the order asked for");
        assert!(docs.iter().all(|doc| doc["name"] == "Shed"));

        // Half of them belong to Beta, who sees them all and writes only those.
        let path = "/api/herds?where[name][equals]=Shed&sort=id&limit=600&depth=0";
        let answer = w.ask("beta", "PATCH", path, r#"{"address":"B"}"#).await;
        let body = answer.json();
        assert_eq!(body["message"], "Updated 600 Herds successfully.");
        let docs = body["docs"].as_array().unwrap();
        assert!(
            docs.iter()
                .all(|doc| doc["organization"] == 2 && doc["address"] == "B")
        );

        let path = "/api/herds?where[address][equals]=B&depth=0";
        ask!(w, "beta", "DELETE {path}" => FORBIDDEN, "herds are deleted by admins");
        let body = w.ask("admin", "DELETE", path, Body::empty()).await.json();
        assert_eq!(body["message"], "Deleted 600 Herds successfully.");
        let docs = body["docs"].as_array().unwrap();
        assert!(docs.iter().all(|doc| doc["address"] == "B"), "as they were");
        let left = w.list("herds", "where[name][equals]=Shed").await;
        assert_eq!(left.len(), MANY - 600);

        // A code is unique in an organisation: the first two rows refuse the whole request.
        let path = "/api/herds?where[name][equals]=Shed&depth=0";
        refused!(w, "admin", "PATCH {path}", {"code": "C"} => 400 ["code"]);
    })
    .await;
}

#[tokio::test]
async fn a_farm_imports_its_test_days_in_one_request() {
    World::each(async |w| {
        let rows: Vec<Value> = (1..=20)
            .map(|day| json!({"animal": if day == 7 { 3 } else { 2 }, "date": format!("2025-03-{day:02}"), "milkYield": 30}))
            .collect();
        let before = w.list("milk-tests", "").await.len();
        let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
        let answer = w.ask("alpha", "POST", "/api/milk-tests?depth=0", Value::from(rows).to_string()).await;
        let body = answer.json();
        assert_eq!(answer.status, 207, "{body}");
        let status = |n: usize| body["results"][n]["status"].as_i64();
        let refused: Vec<usize> = (0..lines.len()).filter(|n| status(*n) != Some(201)).collect();
        assert_eq!(refused, [6], "Beta's cow: {body}");
        assert_eq!(status(6), Some(403));
        assert_eq!(w.list("milk-tests", "").await.len(), before + 19);
    })
    .await;
}

/// Ids in a member of a body: of documents, or of errors.
fn ids(body: &Value, member: &str) -> BTreeSet<i64> {
    let rows = body[member].as_array().into_iter().flatten();
    rows.filter_map(|row| row["id"].as_i64()).collect()
}

/// Which rows an operation on many reaches is decided by a condition, whether one row may be written by the pipeline.
/// Both must say the same, for every collection and caller.
#[tokio::test]
async fn many_are_those_that_can_be_written_one_by_one() {
    World::each(async |w| {
        let mut reached = 0;
        for c in w.stage.book.registry.iter() {
            let all = format!("SELECT id FROM \"{}\" ORDER BY id", c.table);
            let all = w.stage.book.store.rows(Sql::new(&all)).await.unwrap();
            let all: Vec<i64> = all.iter().filter_map(|row| row.int(0)).collect();
            for who in [
                "", "viewer", "operator", "alpha", "beta", "delta", "expert", "admin",
            ] {
                let mut single = BTreeSet::new();
                for id in all.iter().take(12) {
                    let path = format!("/api/{}/{id}?depth=0", c.slug);
                    let seen = w.get(who, &path).await.status == 200;
                    let written = w.ask(who, "PATCH", &path, "{}").await;
                    assert!(written.status < 500, "{}", written.text);
                    if seen && [200, 400].contains(&written.status) {
                        single.insert(*id);
                    }
                }
                let last = all
                    .get(all.len().min(12).wrapping_sub(1))
                    .copied()
                    .unwrap_or(0);
                let path = format!("/api/{}?where[id][less_than_equal]={last}&depth=0", c.slug);
                let answer = w.ask(who, "PATCH", &path, "{}").await;
                assert!([200, 400, 403].contains(&answer.status), "{}", answer.text);
                let body = answer.json();
                let mut many = ids(&body, "docs");
                many.extend(ids(&body, "errors"));
                assert_eq!(many, single, "{} of {who:?}: {}", c.slug, answer.text);
                reached += many.len();
            }
        }
        assert!(reached > 60, "{reached} rows are too few to prove anything");
    })
    .await;
}
