//! Values that checks mark with `!` (docs/design/collections.md, *Checks*) are refused when they are written, on
//! every face that can write them.

use crate::rest::stage::Answer;
use crate::rest::world::{World, faults, fill};
use checks::checks;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// `code`, collection, the row that changes, the body, the refused path and a part of the message.
struct Case(&'static str, &'static str, Option<i64>, Value, &'static str, &'static str);

const FUTURE: &str = "in the future";
const BEFORE: &str = "before the birth";
const MALE: &str = "of a male animal";

/// Marked, but of packages only, whose rows are not read yet.
const OF_PACKAGES: &str = "row-foreign-animal";

/// An event of each collection, without its animal and date.
fn events() -> Vec<(&'static str, &'static str, Value)> {
    table![
        "calvings", "date", json!({"number": 1});
        "inseminations", "date", json!({"bullText": "A bull"});
        "milk-tests", "date", json!({"milkYield": 30});
        "weighings", "date", json!({"weight": 600});
        "milking-visits", "startedAt", json!({"milkYield": 12});
        "daily-milkings", "date", json!({"milkYield": 30});
        "health-events", "date", json!({"type": 1});
        "events", "date", json!({"type": "heat"});
        "movements", "date", json!({"kind": "death"});
        "animal-evaluations", "evaluatedAt", json!({"source": "center", "ipc": 100});
        "animal-exteriors", "assessedAt", json!({"generalView": 80});
    ]
    .into()
}

fn cases() -> Vec<Case> {
    let calf = |more: Value| {
        let mut body = json!({"identNumber": "960000009999", "sex": "female"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let mut all: Vec<Case> = table![
        "birth-in-future", "animals", None, calf(json!({"birthDate": "2026-03-05"})), "birthDate", "future";
        "birth-in-future", "animals", Some(4), json!({"birthDate": "2026-03-05"}), "birthDate", "future";
        "blood-out-of-range", "animals", None, calf(json!({"bloodPercent": 101})), "bloodPercent", "100";
        "blood-out-of-range", "animals", Some(2), json!({"bloodPercent": -1}), "bloodPercent", "0";
        "improver-sum", "animals", Some(2), json!({"improvers": {"share1": 60, "share2": 41}}), "improvers.share2", "100 %";
        "pedigree-cycle", "animals", Some(2), json!({"mother": 4}), "mother", "descends";
        "self-parent", "animals", Some(4), json!({"mother": 4}), "mother", "own parent";
        "self-parent", "animals", Some(4), json!({"father": 2}), "mother", "the same animal";
        "parent-wrong-sex", "animals", Some(4), json!({"father": 3}), "father", "a male one";
        "parent-wrong-sex", "animals", Some(2), json!({"mother": 1}), "mother", "a female one";
        "parent-younger", "animals", None, calf(json!({"birthDate": "2019-01-01", "mother": 2})), "mother", "not older";
        "parent-younger", "animals", Some(2), json!({"birthDate": "2024-05-01"}), "birthDate", "not older";
    ]
    .map(|(code, slug, id, body, path, said)| Case(code, slug, id, body, path, said))
    .into();
    for (slug, date, event) in events() {
        let of = |animal: i64, day: &str| {
            let mut body = event.clone();
            body["animal"] = animal.into();
            body[date] = day.into();
            body
        };
        let late = of(2, "2026-03-02");
        all.push(Case("event-in-future", slug, None, late, date, FUTURE));
        // The mean of its parents is shown before an animal is born.
        if slug != "animal-evaluations" {
            let early = of(2, "2020-01-09");
            all.push(Case("event-before-birth", slug, None, early, date, BEFORE));
        }
        let both = ["weighings", "health-events", "movements", "animal-evaluations", "animal-exteriors"];
        if !both.contains(&slug) {
            let bull = of(1, "2025-03-02");
            all.push(Case("event-vs-sex", slug, None, bull, "animal", MALE));
        }
    }
    all
}

/// `milk-tests` as GraphQL calls one of them.
fn one(slug: &str) -> String {
    let words = slug.trim_end_matches('s').split('-');
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

impl Case {
    async fn rest(&self, w: &World<'_>) -> Answer {
        let Self(_, slug, id, body, ..) = self;
        match id {
            None => w.refused("admin", "POST", &format!("/api/{slug}"), &body.to_string()).await,
            Some(id) => w.refused("admin", "PATCH", &format!("/api/{slug}/{id}"), &body.to_string()).await,
        }
    }

    async fn graphql(&self, w: &World<'_>) -> Answer {
        let Self(_, slug, id, body, ..) = self;
        let one = one(slug);
        let query = match id {
            None => format!("mutation($data: mutation{one}Input!) {{ create{one}(data: $data) {{ id }} }}"),
            Some(id) => {
                format!("mutation($data: mutation{one}UpdateInput!) {{ update{one}(id: {id}, data: $data) {{ id }} }}")
            }
        };
        let ask = json!({"query": query, "variables": {"data": body}});
        let before = w.stage.content().await;
        let answer = w.ask("admin", "POST", "/api/graphql", ask.to_string()).await;
        assert_eq!(w.stage.content().await, before, "{slug}");
        answer
    }
}

#[tokio::test]
async fn every_marked_check_refuses_by_rest_and_graphql() {
    let tried: BTreeSet<&str> = cases().iter().map(|case| case.0).chain([OF_PACKAGES]).collect();
    let marked: BTreeSet<&str> = checks().filter(|c| c.refuses).map(|c| c.code).collect();
    assert_eq!(tried, marked);
    World::each(async |w| {
        fill(w.stage, "health-event-types", vec![json!({"id": 1, "code": "1", "name": "Mastitis"})]).await;
        for case in cases() {
            let Case(code, slug, _, body, path, said) = &case;
            let answer = case.rest(w).await;
            let fields = faults(&answer);
            let hit = |(at, text): &(String, String)| at == path && text.contains(said);
            assert!(answer.status == 400 && fields.iter().any(hit), "{code} {slug} {body}: {}", answer.text);
            let answer = case.graphql(w).await;
            let body = answer.json();
            let fields = body["errors"][0]["extensions"].to_string();
            assert!(fields.contains(path) && fields.contains(said), "{code} {slug}: {}", answer.text);
        }
    })
    .await;
}

#[test_with(World::each)]
async fn every_marked_check_of_events_refuses_by_the_exchange(w: &World<'_>) {
    let event = |kind: &str, animal: i64, at: &str, more: Value| {
        let mut doc = json!({
            "resourceType": format!("icar{kind}Resource"),
            "meta": {"source": "farm.example", "sourceId": "1", "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": format!("96000000{animal:04}")},
            "eventDateTime": at,
        });
        doc.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        doc
    };
    let weight = json!({"weight": {"measurement": 500, "units": "KGM"}});
    let milk = json!({"milkWeight24Hours": {"value": 30, "unitCode": "KGM"}});
    let heat = json!({"heatDetectionMethod": "Visual"});
    let dead = json!({"deathReason": "Unknown"});
    for (code, collection, doc) in [
        ("event-in-future", "weights", event("WeightEvent", 2, "2026-03-02T00:00:00Z", weight.clone())),
        ("event-before-birth", "weights", event("WeightEvent", 2, "2020-01-09T00:00:00Z", weight)),
        ("event-vs-sex", "test-day-results", event("TestDayResultEvent", 1, "2026-02-02T00:00:00Z", milk)),
        ("event-vs-sex", "parturitions", event("ReproParturitionEvent", 1, "2026-02-02T00:00:00Z", json!({}))),
        ("event-vs-sex", "heats", event("ReproHeatEvent", 1, "2026-02-02T00:00:00Z", heat)),
        ("event-in-future", "deaths", event("MovementDeathEvent", 2, "2026-03-02T00:00:00Z", dead.clone())),
        ("event-before-birth", "deaths", event("MovementDeathEvent", 2, "2020-01-09T00:00:00Z", dead)),
    ] {
        let answer = ask!(w, "alpha", "POST /ade/v1/locations/org.herdbook.orgid/1/{collection}", doc
            => 400, "{code} {collection}");
        assert_eq!(answer.json()["errors"][0]["type"], code, "{collection}: {}", answer.text);
        let path = format!("/ade/v1/batches/locations/org.herdbook.orgid/1/{collection}");
        let answer = w.ask("alpha", "POST", &path, json!([doc]).to_string()).await;
        let messages = answer.json()[0]["messages"].clone();
        let reported = messages.as_array().unwrap().iter().any(|m| m["type"] == code);
        assert!(reported, "{code} {collection}: {}", answer.text);
    }
}
