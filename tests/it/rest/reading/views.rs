//! Views of animals under grants, and animals that are removed 30 days after they were archived (docs/logs.md,
//! *access-views: who looked*, *animal-removals: what is gone*).

use crate::rest::world::World;
use domain::collections;
use serde_json::{Value, json};

async fn view(w: &World<'_>, who: &str, animal: i64) {
    ask!(w, who, "GET /api/animals/{animal}" => 200, "{who} {animal}");
}

async fn views(w: &World<'_>) -> Vec<Value> {
    w.stage.book.write_deferred_log().await.unwrap();
    let rows = w.list("access-views", "").await;
    let named = ["animal", "viewerOrg", "owner", "grant", "viewer", "scopes", "firstAt", "at", "sessions"];
    let short = |row: &Value| {
        let time = |name: &str| json!(row[name].as_str().map(|t| t[5..16].to_owned()));
        let value = |name: &&str| match *name {
            "firstAt" | "at" => time(name),
            name => row[name].clone(),
        };
        Value::from(named.iter().map(value).collect::<Vec<_>>())
    };
    rows.iter().map(short).collect()
}

#[test_with(World::each)]
async fn views_under_a_grant_are_counted_by_animal_and_day(w: &World<'_>) {
    let grant = json!({"animal": 2, "grantee": 2, "scopes": ["origin", "production"]});
    let grant = w.made("alpha", "access-grants", grant).await;
    let before = w.stage.content().await;
    view(w, "beta", 2).await;
    view(w, "beta", 2).await;
    w.stage.pass(20 * 60);
    view(w, "beta", 2).await;
    w.stage.pass(40 * 60);
    view(w, "beta", 2).await;
    assert_eq!(w.stage.content().await, before, "reading writes nothing");
    let scopes = json!(["origin", "production"]);
    let row = json!([2, 2, 1, grant, 21, scopes, "03-01T12:00", "03-01T13:00", 2]);
    assert_eq!(views(w).await, [row]);
    let seen = w.doc("access-grants", grant).await["lastSeenAt"].clone();
    assert_eq!(seen, "2026-03-01T13:00:00.000Z");

    w.stage.pass(10 * 60);
    view(w, "beta", 2).await;
    let row = json!([2, 2, 1, grant, 21, scopes, "03-01T12:00", "03-01T13:10", 2]);
    assert_eq!(views(w).await, std::slice::from_ref(&row), "the visit goes on in the same row");
    assert_eq!(views(w).await, std::slice::from_ref(&row), "nothing is counted twice");

    for (who, rows) in [("alpha", 1), ("beta", 1), ("delta", 0)] {
        let found = w.get(who, "/api/access-views").await.json();
        assert_eq!(found["totalDocs"], rows, "{who}");
    }
    ask!(w, "", "GET /api/access-views" => 403);
}

#[test_with(World::each)]
async fn nothing_else_is_a_view(w: &World<'_>) {
    let grant = made!(w, "alpha", "access-grants", {"grantee": 2, "scopes": ["origin"]});
    changed!(w, "delta", "animals", 5, {"publicVisible": true});
    view(w, "beta", 3).await;
    view(w, "beta", 5).await;
    view(w, "alpha", 2).await;
    view(w, "expert", 2).await;
    holds!(w.get("beta", "/api/animals?where[id][equals]=2").await.json(), {"totalDocs": 1});
    ask!(w, "delta", "GET /api/animals/2" => 404);
    assert_eq!(views(w).await, [Value::Null; 0]);

    view(w, "beta", 2).await;
    view(w, "beta", 4).await;
    assert_eq!(views(w).await.len(), 2, "a grant of the whole herd opens each of it");
    w.gone("admin", "animals", 4).await;
    assert_eq!(views(w).await.len(), 1, "views go with their animal");
    changed!(w, "alpha", "access-grants", grant, {"revokedAt": "2026-03-01"});
    ask!(w, "beta", "GET /api/animals/2" => 404);
    assert_eq!(views(w).await.len(), 1);
}

async fn purge(w: &World<'_>) {
    let mut at = Some(0);
    while let Some(after) = at {
        let step = w.stage.book.transact(move |work| Box::pin(async move { collections::purge(work, after).await }));
        at = step.await.unwrap();
    }
}

#[test_with(World::each)]
async fn animals_go_thirty_days_after_they_were_put_away(w: &World<'_>) {
    changed!(w, "alpha", "animals", 1, {"archived": true});
    changed!(w, "alpha", "animals", 4, {"archived": true, "archiveReason": "r"});
    w.stage.pass(29 * 86_400);
    let w = &World::signed_in(w.stage).await;
    changed!(w, "alpha", "animals", 2, {"archived": true});
    purge(w).await;
    assert_eq!(w.list("animal-removals", "").await.len(), 0, "not before the time");

    w.stage.pass(2 * 86_400);
    let w = &World::signed_in(w.stage).await;
    purge(w).await;
    assert_eq!(w.list("animal-removals", "").await.len(), 1, "the child goes before its father");
    purge(w).await;
    let removed = w.list("animal-removals", "").await;
    assert_eq!(removed.len(), 2, "{removed:?}");
    assert_eq!(removed.iter().filter(|r| r["archiveReason"] == "r").count(), 1);
    let lines = w.list("operations", "where[action][equals]=animal-purged").await;
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|l| l["actor"].is_null() && l["organization"] == 1), "{lines:?}");
    ask!(w, "admin", "GET /api/animals/2" => 200, "its own time runs");
}

#[test_with(World::both)]
async fn a_purge_that_is_refused_or_broken_leaves_no_trace(w: &World<'_>) {
    made!(w, "alpha", "movements", {"animal": 4, "kind": "death", "date": "2026-03-01"});
    changed!(w, "alpha", "animals", 1, {"archived": true});
    let report = json!({"title": "Report", "type": "other", "animal": 1, "issuedAt": "2026-02-01"});
    let report = w.made("expert", "documents", report).await;
    w.stage.pass(31 * 86_400);
    let before = w.stage.content().await;
    purge(w).await;
    assert_eq!(w.stage.content().await, before);
    let w = &World::signed_in(w.stage).await;
    w.gone("admin", "documents", report).await;
    let before = w.stage.content().await;
    let (book, mut broken) = (&w.stage.book, 0);
    for at in (1..).step_by(3) {
        book.store.failpoint().set(at);
        let step = book.transact(|work| Box::pin(collections::purge(work, 0)));
        let done = step.await;
        let remaining = book.store.failpoint().remaining();
        book.store.failpoint().set(0);
        if remaining > 0 {
            done.unwrap();
            break;
        }
        broken += 1;
        assert!(done.is_err(), "broken at {at}");
        assert_eq!(w.stage.content().await, before, "broken at {at}");
    }
    assert!(broken > 5, "{broken}");
    ask!(w, "admin", "GET /api/animals/1" => 404);
}

#[test_with(World::each)]
async fn living_children_hold_a_parent(w: &World<'_>) {
    changed!(w, "alpha", "animals", 1, {"archived": true});
    w.stage.pass(31 * 86_400);
    let w = &World::signed_in(w.stage).await;
    purge(w).await;
    ask!(w, "admin", "GET /api/animals/1" => 200);
    made!(w, "alpha", "movements", {"animal": 4, "kind": "death", "date": "2026-03-02"});
    purge(w).await;
    ask!(w, "admin", "GET /api/animals/1" => 404);
    holds!(w.doc("animals", 4).await, {"pedigreeText.fatherId": "960000000001"});
}
