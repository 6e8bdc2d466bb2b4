//! Milkings, health and generic events (docs/design/collections.md, *Events*): their effects and refusals.

use crate::rest::world::{World, paths};
use serde_json::{Value, json};

async fn days(w: &World<'_>, origin: &str) -> Vec<(String, f64, f64)> {
    let filter = format!("where[animal][equals]=2&where[origin][equals]={origin}");
    let rows = w.list("daily-milkings", &filter).await;
    let mut days: Vec<_> = (rows.iter())
        .map(|r| (day(&r["date"]), r["milkYield"].as_f64().unwrap(), r["average7"].as_f64().unwrap()))
        .collect();
    days.sort_by(|a, b| a.0.cmp(&b.0));
    days
}

/// An ISO day of a document's field.
fn day(value: &Value) -> String {
    value.as_str().map_or("", |d| &d[..10]).to_owned()
}

fn daily(date: &str, milk: f64, average: f64) -> (String, f64, f64) {
    (date.to_owned(), milk, average)
}

/// The paths that each body is refused for with 400.
async fn bad(w: &World<'_>, who: &str, slug: &str, bodies: &[(Value, &str)]) {
    for (body, path) in bodies {
        let answer = refused!(w, who, "POST /api/{slug}", body);
        let fields = (answer.status, paths(&answer));
        assert_eq!(fields, (400, vec![(*path).to_owned()]), "{body}: {}", answer.text);
    }
}

#[test_with(World::each)]
async fn days_that_are_computed_are_the_books_own(w: &World<'_>) {
    let visit = |at: &str, milk: f64| json!({"animal": 2, "startedAt": at, "milkYield": milk});
    for (at, milk) in [("2025-01-10T05:00:00Z", 12.5), ("2025-01-12T17:00:00Z", 14.0)] {
        w.made("alpha", "milking-visits", visit(at, milk)).await;
    }
    let both = [daily("2025-01-10", 12.5, 12.5), daily("2025-01-12", 14.0, 13.25)];
    assert_eq!(days(w, "computed").await, both);
    let row = &w.list("daily-milkings", "").await[0];
    holds!(row, {"milkings": 1, "ownerOrg": 1});
    let id = row["id"].as_i64().unwrap();

    let bull = json!({"animal": 1, "startedAt": "2025-01-10T05:00:00Z", "milkYield": 1});
    let future = visit("2026-04-10T05:00:00Z", 1.0);
    let refused = [(bull, "animal"), (future, "startedAt")];
    bad(w, "alpha", "milking-visits", &refused).await;
    let computed = json!({"animal": 2, "date": "2025-01-20", "milkYield": 9, "origin": "computed"});
    bad(w, "alpha", "daily-milkings", &[(computed, "origin")]).await;
    let path = format!("/api/daily-milkings/{id}");
    for (method, field) in [("PATCH", "origin"), ("DELETE", "id")] {
        refused!(w, "alpha", "{method} {path}", {"milkYield": 1} => 400 [field]);
    }

    w.gone("admin", "animals", 2).await;
    assert_eq!(w.list("daily-milkings", "").await, [] as [Value; 0]);
}

#[test_with(World::each)]
async fn the_mean_of_seven_days_follows_every_day_in_it(w: &World<'_>) {
    let row = |date: &str, milk: i64| json!({"animal": 2, "date": date, "milkYield": milk});
    let mut ids = Vec::new();
    for (date, milk) in [("2025-01-08", 40), ("2025-01-01", 10), ("2025-01-07", 30), ("2025-01-04", 20)] {
        ids.push(w.made("alpha", "daily-milkings", row(date, milk)).await);
    }
    let expected = |four: (f64, f64), seven, eight| {
        [
            daily("2025-01-01", 10.0, 10.0),
            daily("2025-01-04", four.0, four.1),
            daily("2025-01-07", 30.0, seven),
            daily("2025-01-08", 40.0, eight),
        ]
    };
    assert_eq!(days(w, "manual").await, expected((20.0, 15.0), 20.0, 30.0));
    holds!(changed!(w, "alpha", "daily-milkings", ids[3], {"milkYield": 26}), {"average7": 18});
    assert_eq!(days(w, "manual").await, expected((26.0, 18.0), 22.0, 32.0));
    w.gone("alpha", "daily-milkings", ids[3]).await;
    let rest = days(w, "manual").await;
    assert_eq!((&rest[1].2, &rest[2].2), (&20.0, &35.0));

    // One row of an origin for a day, at any time of day.
    bad(w, "alpha", "daily-milkings", &[(row("2025-01-08T09:30:00Z", 1), "origin")]).await;
    let mut robot = row("2025-01-08T09:30:00Z", 39);
    robot["origin"] = "robot".into();
    w.made("alpha", "daily-milkings", robot).await;
    assert_eq!(days(w, "robot").await, [daily("2025-01-08", 39.0, 39.0)]);
}

#[test_with(World::each)]
async fn the_health_of_an_animal_is_what_was_observed_last(w: &World<'_>) {
    let kind = |code: &str, kind: &str| json!({"code": code, "name": code, "kind": kind});
    let status = w.made("admin", "health-event-types", kind("S", "status")).await;
    let diagnosis = w.made("admin", "health-event-types", kind("D", "diagnosis")).await;
    let event = |kind: i64, date: &str, status: &str| json!({"animal": 1, "type": kind, "date": date, "observedStatus": status});
    let health = async || w.doc("animals", 1).await["current"]["healthStatus"].clone();
    let last = w.made("alpha", "health-events", event(status, "2025-02-01", "healthy")).await;
    w.made("alpha", "health-events", event(status, "2025-01-01", "ill")).await;
    w.made("alpha", "health-events", event(diagnosis, "2025-03-01", "toBeCulled")).await;
    assert_eq!(health().await, "healthy", "bulls too, by day, of types of kind status");
    changed!(w, "alpha", "health-events", last, {"observedStatus": "inTreatment"});
    assert_eq!(health().await, "inTreatment");
    w.gone("alpha", "health-events", last).await;
    assert_eq!(health().await, "ill");

    let mut diagnosed = event(diagnosis, "2025-03-02", "ill");
    diagnosed["positions"] = json!(["LF", "RR"]);
    let id = w.made("alpha", "health-events", diagnosed).await;
    let doc = w.doc("health-events", id).await;
    assert_eq!((&doc["positions"], &doc["reportedBy"]), (&json!(["LF", "RR"]), &json!(11)));
    let body = |positions: Value| {
        let mut body = event(status, "2025-01-02", "ill");
        body["positions"] = positions;
        (body, "positions")
    };
    let refused = [body(json!("LF")), body(json!([1])), body(json!(["x".repeat(41)]))];
    bad(w, "alpha", "health-events", &refused).await;
}

fn event(kind: &str, date: &str) -> Value {
    json!({"animal": 2, "type": kind, "date": date})
}

fn with(mut body: Value, field: &str, value: impl Into<Value>) -> Value {
    body[field] = value.into();
    body
}

#[test_with(World::each)]
async fn generic_events_say_what_their_type_allows(w: &World<'_>) {
    let refused: Vec<(Value, &str)> = [
        ("calving", "", "type"),
        ("exteriorScore", "", "type"),
        ("vetTreatment", "", "type"),
        ("lactationStatus", "open", "result"),
        ("reproStatus", "dry", "result"),
        ("pregnancyCheck", "yes", "result"),
    ]
    .map(|(kind, result, path)| (with(event(kind, "2025-01-10"), "result", result), path))
    .into_iter()
    .chain(table![
        event("remark", "2026-05-10"), "date";
        event("remark", "2019-05-10"), "date";
        with(event("heat", "2025-01-10"), "animal", 1), "animal";
        with(event("remark", "2025-01-10"), "status", "rejected"), "status";
    ])
    .collect();
    bad(w, "alpha", "events", &refused).await;
    let body = with(event("heat", "2025-01-10"), "author", 21);
    let id = w.made("alpha", "events", with(body, "value", 0.8)).await;
    let doc = w.doc("events", id).await;
    let members = (&doc["author"], &doc["status"], &doc["ownerOrg"]);
    assert_eq!(members, (&json!(11), &json!("accepted"), &json!(1)));
    made!(w, "alpha", "events", with(event("remark", "2025-01-10"), "animal", 1));
}

#[test_with(World::each)]
async fn accepted_observations_make_the_current_state(w: &World<'_>) {
    let current = async |field: &str| w.doc("animals", 2).await["current"][field].clone();
    let seen = |kind: &str, date: &str, result: &str| with(event(kind, date), "result", result);
    let make = async |body: Value| w.made("alpha", "events", body).await;
    make(seen("lactationStatus", "2025-01-10", "dry")).await;
    assert_eq!(current("lactationStatus").await, "dry");
    let draft = with(seen("lactationStatus", "2025-01-20", "fresh"), "status", "draft");
    let draft = make(draft).await;
    assert_eq!(current("lactationStatus").await, "dry", "a draft says nothing");
    changed!(w, "alpha", "events", draft, {"status": "accepted"});
    assert_eq!(current("lactationStatus").await, "fresh");
    w.gone("alpha", "events", draft).await;
    assert_eq!(current("lactationStatus").await, "dry");

    let check = make(seen("pregnancyCheck", "2025-01-10", "pregnant")).await;
    assert_eq!(current("reproductionStatus").await, "pregnant");
    changed!(w, "alpha", "events", check, {"result": "empty"});
    assert_eq!(current("reproductionStatus").await, "notPregnant");
    make(event("doNotBreed", "2025-02-10")).await;
    assert_eq!(current("reproductionStatus").await, "doNotBreed");
    make(with(event("doNotBreed", "2025-02-11"), "value", 0)).await;
    assert_eq!(current("reproductionStatus").await, "notPregnant");
    make(seen("reproStatus", "2025-02-12", "open")).await;
    assert_eq!(current("reproductionStatus").await, "open");

    // A check after a service is its result, until a calving ends it.
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-03-01"});
    let late = seen("pregnancyCheck", "2025-04-10", "pregnant");
    let late = make(late).await;
    let row = &w.list("inseminations", "").await[0];
    let members = (&row["pregnancyCheckDate"], &row["check"]);
    assert_eq!(members, (&json!("2025-04-10T00:00:00.000Z"), &json!(late)), "{row}");
    make(seen("pregnancyCheck", "2025-02-20", "empty")).await;
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-12-05"});
    make(seen("pregnancyCheck", "2026-01-10", "empty")).await;
}

#[test_with(World::each)]
async fn an_accepted_dry_off_finds_or_makes_its_row(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2024-05-01"});
    let rows = async || {
        let rows = w.list("calvings", "where[eventType][equals]=dryOff").await;
        let entries = rows.iter().map(|r| (r["id"].as_i64().unwrap(), day(&r["date"])));
        entries.collect::<Vec<_>>()
    };
    let draft = with(event("dryOff", "2025-03-01"), "status", "draft");
    let id = w.made("alpha", "events", draft).await;
    assert_eq!((rows().await, w.doc("events", id).await["calving"].clone()), (vec![], Value::Null));
    let doc = changed!(w, "alpha", "events", id, {"status": "accepted"});
    let made = rows().await;
    assert_eq!((made.len(), made[0].1.as_str()), (1, "2025-03-01"));
    assert_eq!(doc["calving"], made[0].0, "the answer shows the link");
    let row = w.doc("calvings", made[0].0).await;
    assert_eq!((&row["number"], &row["ownerOrg"]), (&json!(1), &json!(1)));
    let last = w.doc("animals", 2).await["current"]["lastDryOffDate"].clone();
    assert_eq!(day(&last), "2025-03-01");

    // The same day is found, another day moves the row, and the row outlives its event.
    let twin = made!(w, "alpha", "events", event("dryOff", "2025-03-01T08:00:00Z"));
    assert_eq!(w.doc("events", twin).await["calving"], made[0].0);
    w.gone("alpha", "events", twin).await;
    changed!(w, "alpha", "events", id, {"date": "2025-03-04"});
    assert_eq!(rows().await, [(made[0].0, "2025-03-04".to_owned())]);
    w.gone("alpha", "calvings", made[0].0).await;
    assert_eq!(w.doc("events", id).await["calving"], Value::Null);
    w.gone("alpha", "events", id).await;
    let bull = with(event("dryOff", "2025-03-01"), "animal", 1);
    bad(w, "alpha", "events", &[(bull, "animal")]).await;
}

#[test_with(World::each)]
async fn events_are_sent_by_farms_and_decided_by_the_association(w: &World<'_>) {
    let body = with(event("remark", "2025-01-10"), "status", "draft");
    let id = w.made("operator", "events", body).await;
    let path = format!("/api/events/{id}");
    let go = async |who: &str, to: &str| {
        let body = json!({"status": to}).to_string();
        w.ask(who, "PATCH", &path, body).await.status
    };
    for (who, to, status) in [
        ("alpha", "rejected", 400),
        ("viewer", "sent", 403),
        ("expert", "sent", 403),
        ("operator", "sent", 200),
        ("alpha", "draft", 400),
        ("alpha", "accepted", 403),
        ("expert", "accepted", 200),
        ("expert", "rejected", 400),
    ] {
        assert_eq!(go(who, to).await, status, "{who} to {to}");
    }
}
