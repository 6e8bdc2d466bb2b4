//! Evaluations and exteriors, and what animals show of them (docs/design/collections.md, *Evaluation*).

use crate::rest::world::{World, paths};
use serde_json::{Value, json};

fn run(animal: i64, day: &str, more: Value) -> Value {
    let mut body = json!({"animal": animal, "evaluatedAt": day});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

fn exterior(animal: i64, day: &str, more: Value) -> Value {
    let mut body = run(animal, day, more);
    body["assessedAt"] = body["evaluatedAt"].take();
    body.as_object_mut().unwrap().remove("evaluatedAt");
    body
}

async fn current(w: &World<'_>, slug: &str) -> Vec<i64> {
    let rows = w.list(slug, "where[isCurrent][equals]=true").await;
    rows.iter().map(|r| r["id"].as_i64().unwrap()).collect()
}

#[test_with(World::each)]
async fn one_evaluation_is_current_and_the_animal_shows_it(w: &World<'_>) {
    let first = json!({
        "ipc": 120.5, "ipcR": 70, "ipcPercentile": 88, "center": "Centre", "baseVersion": "B1",
        "milkForecast": 650, "milkR": 61, "fertilityForecast": -0.5, "conceptionForecast": 1.5,
        "calvingEaseR": 33, "stillbirthMgsForecast": 0.25, "productionReliabilityLevel": 4,
        "healthReliabilityLevel": 2, "exterior": {"height": 1.25, "udderComposite": -2},
    });
    let first = made!(w, "admin", "animal-evaluations", run(2, "2025-01-01", first));
    let doc = w.doc("animals", 2).await;
    holds!(doc, {
        "ipc": 120.5, "evaluationDate": "2025-01-01T00:00:00.000Z",
        "ipcDetails": {"forecast": 120.5, "r": 70, "percentile": 88, "center": "Centre", "base": "B1"},
        "production.milk": {"forecast": 650, "r": 61}, "production.reliabilityLevel": 4,
        "health.reliabilityLevel": 2, "reproduction.fertility.forecast": -0.5,
        "semen.conception.forecast": 1.5, "health.calvingEase": {"forecast": null, "r": 33},
        "calvingRoles.stillbirthMgs.forecast": 0.25, "exterior.height": 1.25,
        "exterior.udderComposite": -2,
    });
    assert!(doc.get("ipcRank").is_none(), "ranks are for the server");

    // By rank of the source, then by day, whatever came last.
    let second = run(2, "2025-12-01", json!({"ipc": 90, "source": "foreign"}));
    let second = w.made("admin", "animal-evaluations", second).await;
    assert_eq!(current(w, "animal-evaluations").await, [first]);
    let third = run(2, "2024-06-01", json!({"ipc": 70, "isCurrent": true}));
    let third = w.made("admin", "animal-evaluations", third).await;
    assert_eq!(current(w, "animal-evaluations").await, [first]);
    changed!(w, "admin", "animal-evaluations", third, {"evaluatedAt": "2025-06-01"});
    assert_eq!(current(w, "animal-evaluations").await, [third]);
    assert_eq!(w.doc("animals", 2).await["ipc"], 70);
    changed!(w, "admin", "animal-evaluations", third, {"source": "association", "isCurrent": true});
    assert_eq!(current(w, "animal-evaluations").await, [first]);
    changed!(w, "admin", "animal-evaluations", first, {"ipc": 121, "milkForecast": null});
    let doc = w.doc("animals", 2).await;
    holds!(doc, {"ipc": 121, "production.milk.forecast": null});
    w.gone("admin", "animal-evaluations", first).await;
    assert_eq!(current(w, "animal-evaluations").await, [third]);
    w.gone("admin", "animal-evaluations", third).await;
    assert_eq!(w.doc("animals", 2).await["ipc"], 90);
    w.gone("admin", "animal-evaluations", second).await;
    holds!(w.doc("animals", 2).await, {"ipc": null, "evaluationDate": null});
    assert_eq!(w.stage.number("SELECT count(*) FROM animals WHERE id = 2 AND ipc_rank = -1000000").await, 1);
}

#[test_with(World::each)]
async fn the_same_run_of_an_animal_stands_once(w: &World<'_>) {
    let body = run(2, "2025-01-01", json!({"calculation": "gebv"}));
    w.made("admin", "animal-evaluations", body.clone()).await;
    refused!(w, "admin", "POST /api/animal-evaluations", body => 400);
    made!(w, "admin", "animal-evaluations", run(2, "2025-01-01", json!({})));
    let late =
        run(2, "2026-03-02", json!({"milkR": 101, "exterior": {"height": 3.5}, "productionReliabilityLevel": 6}));
    let answer = refused!(w, "admin", "POST /api/animal-evaluations", late => 400);
    let mut fields = paths(&answer);
    fields.sort();
    assert_eq!(fields, ["evaluatedAt", "exterior.height", "milkR", "productionReliabilityLevel"]);
}

#[test_with(World::each)]
async fn an_exterior_has_scores_and_a_class_that_follows(w: &World<'_>) {
    let body = exterior(
        2,
        "2025-01-01",
        json!({"generalView": 80, "dairyCharacter": 84, "legQuality": 78, "udderQuality": 90, "height": 7, "udderComposite": 1.5, "lactation": 1}),
    );
    let id = w.made("admin", "animal-exteriors", body).await;
    let doc = w.doc("animal-exteriors", id).await;
    assert_eq!((&doc["finalScore"], &doc["finalClass"], &doc["ownerOrg"]), (&json!(84), &json!("GP"), &json!(1)));
    let animal = w.doc("animals", 2).await;
    holds!(animal, {"linearScore.height": 7, "linearScore.assessedAt": "2025-01-01T00:00:00.000Z"});
    assert_eq!(animal["exterior"]["udderComposite"], 1.5, "none in an evaluation");
    let mine = run(2, "2025-01-01", json!({"exterior": {"udderComposite": 0.5}}));
    w.made("admin", "animal-evaluations", mine).await;
    let animal = w.doc("animals", 2).await;
    holds!(animal, {"exterior.udderComposite": 0.5, "linearScore.height": 7});

    let doc = changed!(w, "admin", "animal-exteriors", id, {"udderQuality": 91.5, "finalScore": 12});
    assert_eq!((&doc["finalScore"], &doc["finalClass"]), (&json!(84.6), &json!("GP")));
    let doc = changed!(w, "admin", "animal-exteriors", id, {"legQuality": null});
    assert_eq!((&doc["finalScore"], &doc["finalClass"]), (&Value::Null, &Value::Null));

    let young = exterior(2, "2025-02-01", json!({"youngBody": 4}));
    let young = w.made("admin", "animal-exteriors", young).await;
    assert_eq!(current(w, "animal-exteriors").await, [young]);
    assert_eq!(w.doc("animals", 2).await["linearScore"]["height"], Value::Null);
    w.gone("admin", "animal-exteriors", young).await;
    assert_eq!(w.doc("animals", 2).await["linearScore"]["height"], 7);

    for (more, expected) in [
        (json!({}), vec!["generalView"]),
        (json!({"note": "none"}), vec!["generalView"]),
        (json!({"height": 10}), vec!["height"]),
        (json!({"height": "x"}), vec!["height"]),
        (json!({"udderQuality": 49, "youngLegs": 4}), vec!["udderQuality", "youngLegs"]),
    ] {
        let body = exterior(2, "2025-03-01", more.clone());
        let answer = w.refused("admin", "POST", "/api/animal-exteriors", &body.to_string()).await;
        let mut paths = paths(&answer);
        paths.sort();
        assert_eq!((answer.status, paths), (400, expected.iter().map(ToString::to_string).collect()), "{more}");
    }
}

#[test_with(World::each)]
async fn ranks_and_indexes_come_from_where_they_should(w: &World<'_>) {
    let own = run(4, "2025-01-01", json!({"milkForecast": 257.1}));
    let own = w.made("admin", "animal-evaluations", own).await;
    holds!(w.doc("animals", 4).await, {"ipc": 30}, "the centre gave none");
    changed!(w, "admin", "animal-evaluations", own, {"ipc": 7});
    assert_eq!(w.doc("animals", 4).await["ipc"], 7);
    let rank = "SELECT count(*) FROM animals WHERE id = 4 AND ipc_rank = 7";
    assert_eq!(w.stage.number(rank).await, 1);
    changed!(w, "admin", "animal-evaluations", own, {"ipc": null});
    assert_eq!(w.doc("animals", 4).await["ipc"], 30);
    w.gone("admin", "animal-evaluations", own).await;
    assert_eq!(w.doc("animals", 4).await["ipc"], Value::Null);
    for path in ["ipcRank", "-ipcRank"] {
        ask!(w, "admin", "GET /api/animals?sort={path}" => 400);
    }

    assert_eq!(w.doc("animals", 2).await["summary"]["milkRank"], -1_000_000);
    let doc = changed!(w, "alpha", "animals", 2, {"summary": {"milkYield": 8000, "milkRank": 3}});
    assert_eq!(doc["summary"]["milkRank"], 8000);
    holds!(changed!(w, "alpha", "animals", 2, {"summary": {"milkYield": null}}), {"summary.milkRank": -1_000_000});
    ask!(w, "admin", "GET /api/animals?sort=-summary.milkRank&depth=0" => 200);
}

#[test_with(World::each)]
async fn services_of_a_bull_are_counted(w: &World<'_>) {
    let count = async |id| w.doc("animals", id).await["semen"]["inseminations"].clone();
    assert_eq!(count(1).await, Value::Null);
    let service = |day: &str| json!({"animal": 2, "date": day, "bull": 1});
    let first = made!(w, "alpha", "inseminations", service("2024-07-10"));
    let second = made!(w, "alpha", "inseminations", service("2024-08-10"));
    assert_eq!(count(1).await, 2);
    changed!(w, "alpha", "inseminations", second, {"comment": "x"});
    assert_eq!(count(1).await, 2);
    changed!(w, "alpha", "inseminations", second, {"bull": null});
    assert_eq!(count(1).await, 1);
    w.gone("alpha", "inseminations", first).await;
    assert_eq!(count(1).await, Value::Null);
    changed!(w, "alpha", "inseminations", second, {"bull": 1});
    w.gone("admin", "animals", 2).await;
    assert_eq!(count(1).await, Value::Null, "the cow took the service along");
}
