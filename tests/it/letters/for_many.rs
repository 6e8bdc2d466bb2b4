//! Assignments for many farms at once.

use super::{known, letters, sent};
use crate::rest::stage::Answer;
use crate::rest::world::{FORBIDDEN, World};
use serde_json::{Value, json};

const PATH: &str = "/api/upload-assignments/for-organizations";

/// What is to be sent, and by whom.
fn assignments(of: Value) -> Value {
    let mut body = json!({"kind": "productivity", "dataset": "milkTests", "periodFrom": "2026-02-01",
        "periodTo": "2026-02-28", "dueDate": "2026-03-20"});
    body.as_object_mut().unwrap().extend(of.as_object().unwrap().clone());
    body
}

async fn post(w: &World<'_>, who: &str, of: Value) -> Answer {
    w.ask(who, "POST", PATH, assignments(of).to_string()).await
}

async fn done(w: &World<'_>, who: &str, of: Value) -> Value {
    let answer = post(w, who, of).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[test_with(World::each)]
async fn each_farm_gets_its_own_and_the_same_one_only_once(w: &World<'_>) {
    known(w).await;
    let dry = done(w, "expert", json!({"where": {"id": {"exists": true}}, "dryRun": true})).await;
    holds!(dry, {"made": 3, "leftOut": 1, "dryRun": true, "message": "3 Upload Assignments would be created."});
    assert_eq!(dry["docs"], json!([{"organization": 1}, {"organization": 2}, {"organization": 4}]));
    assert!(w.list("upload-assignments", "").await.is_empty(), "nothing was made");
    assert_eq!(sent(w).await, [""; 0]);

    let made = done(w, "expert", json!({"organizations": [2, 3, 1]})).await;
    holds!(made, {"made": 2, "leftOut": 1, "dryRun": false, "left": [{"organization": 3, "reason": "not-registered"}]});
    let rows = w.list("upload-assignments", "").await;
    let assignments_made: Vec<Value> =
        (rows.iter()).map(|row| json!({"organization": row["organization"], "id": row["id"]})).collect();
    assert_eq!(made["docs"], json!(assignments_made));
    holds!(rows[0], {"status": "open", "kind": "productivity", "dataset": "milkTests"});
    let expected = [
        "alpha пришлите данные до 20.03.2026",
        "beta data are to be sent by 2026-03-20",
        "operator data are to be sent by 2026-03-20",
    ];
    assert_eq!(sent(w).await, expected);

    // Again, as after a broken connection: only the one that is lacking.
    let second = done(w, "expert", json!({"where": {"name": {"in": ["Alpha", "Beta", "Delta"]}}})).await;
    holds!(second, {"made": 1, "leftOut": 2, "docs.0.organization": 4});
    let open = json!([{"organization": 1, "reason": "open", "id": rows[0]["id"]},
        {"organization": 2, "reason": "open", "id": rows[1]["id"]}]);
    assert_eq!(second["left"], open);
    assert_eq!(sent(w).await, ["delta data are to be sent by 2026-03-20"]);

    // Another period, and one that is over, are not the same.
    changed!(w, "expert", "upload-assignments", rows[0]["id"].as_i64().unwrap(), {"status": "cancelled"});
    let anew = done(w, "admin", json!({"organizations": [1, 2]})).await;
    holds!(anew, {"made": 1, "docs.0.organization": 1});
    let other = done(w, "admin", json!({"organizations": [1, 2], "dataset": null})).await;
    assert_eq!((other["made"].clone(), letters(w).await.len()), (json!(2), 5));
    let other = done(w, "admin", json!({"organizations": [1, 2], "dataset": null})).await;
    assert_eq!(other["made"], 0);
}

#[test_with(World::each)]
async fn all_faults_are_told_at_once_and_nothing_is_made(w: &World<'_>) {
    known(w).await;
    let body = json!({"kind": "nothing", "periodFrom": "2026-02-01", "periodTo": "2026-01-28", "organization": 1,
        "organizations": [1, 999, "x"], "dryRun": 1, "assignee": 9999});
    let answer = refused!(w, "expert", "POST {PATH}", body => 400);
    let mut paths = crate::rest::world::paths(&answer);
    paths.sort();
    let expected = ["assignee", "dryRun", "dueDate", "kind", "organization", "organizations.2", "periodTo"];
    assert_eq!(paths, expected);
    for (of, path) in [
        (json!({"organizations": [1, 999, 2]}), "organizations.1"),
        (json!({"organizations": []}), "organizations"),
        (json!({"organizations": 1}), "organizations"),
        (json!({"organizations": [1], "where": {"id": {"equals": 1}}}), "organizations"),
        (json!({}), "organizations"),
        (json!({"where": {}}), "where"),
        (json!({"where": []}), "where"),
        (json!({"organizations": (1..=20_001).collect::<Vec<i64>>()}), "organizations"),
    ] {
        refused!(w, "expert", "POST {PATH}", assignments(of) => 400 [path]);
    }
    let strange = assignments(json!({"where": {"nope": {"equals": 1}}}));
    refused!(w, "expert", "POST {PATH}", strange => 400);
    assert_eq!(sent(w).await, [""; 0]);
    let none = done(w, "expert", json!({"where": {"name": {"equals": "Nobody"}}})).await;
    holds!(none, {"made": 0, "leftOut": 0});
}

#[test_with(World::each)]
async fn only_the_association_asks_many(w: &World<'_>) {
    for who in ["alpha", "operator", "viewer", "beta", ""] {
        for of in [json!({"organizations": [1]}), json!({}), json!({"organizations": [999]})] {
            let answer = w.refused(who, "POST", PATH, &assignments(of).to_string()).await;
            assert_eq!(answer.parts(), FORBIDDEN, "{who}");
        }
    }
    let other = "/api/herds/for-organizations";
    assert_eq!(w.ask("admin", "POST", other, "{}").await.status, 404);
    assert_eq!(w.get("admin", PATH).await.status, 404);
}

/// A piece has a fixed number of statements, and many pieces go one after another.
#[test_with(World::each)]
async fn many_farms_are_no_matter(w: &World<'_>) {
    known(w).await;
    let mut farms = Vec::new();
    for at in 0..1_200 {
        farms.push(json!({"name": format!("Farm {at}")}));
    }
    let many = json!(farms).to_string();
    let made = w.ask("alpha", "POST", "/api/organizations", many).await;
    assert_eq!(made.status, 201, "{}", made.text);
    w.stage.run(store::Sql::new("UPDATE organizations SET presence = 'registered' WHERE name LIKE 'Farm %'")).await;
    let of = json!({"where": {"name": {"like": "Farm"}}});
    let made = done(w, "expert", of.clone()).await;
    holds!(made, {"made": 1_200, "leftOut": 0});
    let made = done(w, "expert", of).await;
    holds!(made, {"made": 0, "leftOut": 1_200});
    let count = w.stage.number("SELECT count(DISTINCT organization) FROM upload_assignments").await;
    assert_eq!(count, 1_200);
}
