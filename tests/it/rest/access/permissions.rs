//! `GET /api/access` and `POST /api/<slug>/access[/id]`: the stated rights are those that the rules then apply.

use crate::matrix::escaped;
use crate::rest::world::World;
use model::registry::{Collection, Kind, Node};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CALLERS: [&str; 8] = ["", "alpha", "operator", "viewer", "beta", "delta", "expert", "admin"];

async fn access(w: &World<'_>, who: &str) -> Value {
    let answer = ask!(w, who, "GET /api/access" => 200);
    answer.json()
}

async fn post(w: &World<'_>, who: &str, path: &str) -> Value {
    let answer = ask!(w, who, "POST {path}", {} => 200);
    answer.json()
}

#[test_with(World::each)]
async fn the_answer_has_the_shape_of_the_dialect(w: &World<'_>) {
    let nobody = access(w, "").await;
    assert_eq!(nobody.as_object().unwrap().keys().collect::<Vec<_>>(), ["collections"]);
    assert!(nobody["collections"].get("users").is_none(), "nothing there for strangers");
    let herds = &nobody["collections"]["herds"];
    assert_eq!(herds.as_object().unwrap().keys().collect::<Vec<_>>(), ["fields", "read"]);
    holds!(herds, {"read": true, "fields.name": {"read": true}});
    assert!(herds["fields"].get("address").is_none(), "signed-in callers only");

    let admin = access(w, "admin").await;
    assert_eq!(admin["canAccessAdmin"], true);
    let herds = &admin["collections"]["herds"];
    let verbs = ["fields", "create", "read", "update", "delete"];
    assert_eq!(herds.as_object().unwrap().keys().collect::<Vec<_>>(), verbs);
    holds!(herds, {"fields.name": {"create": true, "read": true, "update": true}, "fields.createdAt": {"read": true}});
    let users = &admin["collections"]["users"];
    holds!(users, {"unlock": true, "fields.password": {"create": true, "update": true}});
    for hidden in ["verifier", "sessions", "apiKeyIndex", "resetToken"] {
        assert!(users["fields"].get(hidden).is_none(), "{hidden}");
    }

    let alpha = access(w, "alpha").await;
    assert!(alpha.get("canAccessAdmin").is_none());
    let herds = &alpha["collections"]["herds"];
    let own = json!({"permission": true, "where": {"organization": {"equals": 1}}});
    assert_eq!((&herds["create"], &herds["update"]), (&json!(true), &own));
    assert!(herds.get("delete").is_none());
    let one = post(w, "alpha", "/api/herds/access").await;
    assert_eq!(&one, herds, "the same for one collection");
    let viewer = access(w, "viewer").await;
    assert!(viewer["collections"]["herds"].get("update").is_none());
}

/// A condition that is reported selects, for a caller who sees everything, exactly the rows that the caller sees.
#[test_with(World::each)]
async fn conditions_are_those_of_the_lists(w: &World<'_>) {
    let mut conditions = 0;
    let mut unreported = BTreeSet::new();
    for who in CALLERS {
        let all = access(w, who).await;
        for c in w.stage.book.registry.iter() {
            let read = &all["collections"][c.slug]["read"];
            let list = w.get(who, &format!("/api/{}?limit=0&depth=0", c.slug)).await;
            if read.is_null() {
                assert_eq!(list.status, 403, "{who} {}", c.slug);
                continue;
            }
            let filter = match read {
                Value::Bool(true) => "limit=0".to_owned(),
                // It is filtered by a condition that no client can send.
                read if read.get("where").is_none() => {
                    assert_eq!(read, &json!({"permission": true}));
                    unreported.insert(c.slug);
                    continue;
                }
                read => {
                    conditions += 1;
                    assert_eq!(read["permission"], true);
                    format!("where={}", escaped(&read["where"].to_string()))
                }
            };
            let path = format!("/api/{}/count?{filter}", c.slug);
            let counted = ask!(w, "admin", "GET {path}" => 200, "{who} {read}");
            let total = &counted.json()["totalDocs"];
            assert_eq!(total, &list.json()["totalDocs"], "{who} {} {read}", c.slug);
        }
    }
    assert!(conditions > 20, "{conditions}");
    // Hidden classes of rows, values that are not released, drafts, and genotypes that a consent opens.
    let expected = ["animal-evaluations", "animal-revisions", "documents", "events"];
    assert_eq!(unreported, BTreeSet::from(expected));
}

fn names(c: &Collection, nodes: &[Node], prefix: &str, out: &mut BTreeSet<String>) {
    for node in nodes {
        match node {
            Node::Leaf(slot) => {
                out.insert(format!("{prefix}{}", c.fields[*slot].name()));
            }
            Node::Group(name, inner) => names(c, inner, &format!("{prefix}{name}."), out),
        }
    }
}

fn at<'v>(value: &'v Value, path: &str, through: &str) -> Option<&'v Value> {
    let mut place = Some(value);
    for (depth, step) in path.split('.').enumerate() {
        if depth > 0 && !through.is_empty() {
            place = place?.get(through);
        }
        place = place?.get(step);
    }
    place
}

/// For every caller and every row: readable rows are those that can be read, readable fields are those of their
/// documents, and hidden rows look like missing ones.
#[test_with(World::each)]
async fn what_is_told_of_a_row_is_what_happens(w: &World<'_>) {
    let mut seen = 0;
    for c in w.stage.book.registry.iter() {
        let rows = w.list(c.slug, "").await;
        let mut all = BTreeSet::new();
        names(c, &c.layout, "", &mut all);
        for who in CALLERS {
            let absent = post(w, who, &format!("/api/{}/access/999999", c.slug)).await;
            for row in rows.iter().take(12) {
                let id = row["id"].as_i64().unwrap();
                let answer = post(w, who, &format!("/api/{}/access/{id}", c.slug)).await;
                let got = w.get(who, &format!("/api/{}/{id}?depth=0", c.slug)).await;
                let place = format!("{who} {}/{id}", c.slug);
                assert_eq!(answer.get("read").is_some(), got.status == 200, "{place}");
                if got.status != 200 {
                    assert_eq!(answer, absent, "{place}");
                    continue;
                }
                seen += 1;
                let doc = got.json();
                for path in &all {
                    let read = at(&answer["fields"], path, "fields").and_then(|f| f.get("read"));
                    let value = at(&doc, path, "");
                    assert_eq!(read.is_some(), value.is_some(), "{place} {path}");
                }
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

/// A row that may be updated takes a change of a field that may be sent, and another one refuses it.
#[test_with(World::each)]
async fn updates_that_are_told_happen(w: &World<'_>) {
    let mut tried = [0, 0];
    for c in w.stage.book.registry.iter() {
        let rows = w.list(c.slug, "").await;
        for who in CALLERS {
            for row in rows.iter().take(6) {
                let id = row["id"].as_i64().unwrap();
                let path = format!("/api/{}/access/{id}", c.slug);
                let may = post(w, who, &path).await.get("update").is_some();
                // Changes nothing, so that the rule alone decides.
                let answer = patch!(w, who, c.slug, id, {});
                let place = format!("{who} {}/{id}: {}", c.slug, answer.text);
                assert_eq!(answer.status, if may { 200 } else { 403 }, "{place}");
                tried[usize::from(may)] += 1;
            }
        }
    }
    assert!(tried.iter().all(|n| *n > 30), "{tried:?}");
}

#[test_with(World::each)]
async fn other_methods_and_rows_are_no_routes(w: &World<'_>) {
    ask!(w, "admin", "POST /api/access", {} => 404);
    ask!(w, "admin", "POST /api/nope/access", {} => 404);
    ask!(w, "admin", "POST /api/herds/access/x", {} => 404);
    let rows = w.stage.book.registry.get("animals").unwrap();
    let list = rows.fields.iter().find(|f| matches!(f.kind, Kind::Rows(_)));
    let answer = post(w, "admin", "/api/animals/access").await;
    let list = at(&answer["fields"], &list.unwrap().path, "fields").unwrap();
    assert!(list["fields"].as_object().is_some_and(|f| !f.is_empty()), "{list}");
}
