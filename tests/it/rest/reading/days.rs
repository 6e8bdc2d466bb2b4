//! Days are those of the place where the animal stood (docs/derived.md, *Days*).

use crate::rest::world::World;
use serde_json::{Value, json};

/// A calving that is of 16 March in Moscow, and of 15 March in UTC and in Kaliningrad.
const AT_NIGHT: &str = "2025-03-16T00:40:28+03:00";

fn day(value: &Value) -> &str {
    value.as_str().map_or("", |d| &d[..10])
}

#[test_with(World::each)]
async fn an_event_is_of_the_day_of_its_place(w: &World<'_>) {
    let calving = made!(w, "alpha", "calvings", {"animal": 2, "date": AT_NIGHT});
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2025-03-26", "milkYield": 30});
    // As it came; what follows from it are days.
    assert_eq!(w.doc("calvings", calving).await["date"], "2025-03-15T21:40:28.000Z");
    let state = async || {
        let last = w.doc("animals", 2).await["current"]["lastCalvingDate"].clone();
        (day(&last).to_owned(), w.doc("milk-tests", test).await["daysInMilk"].clone())
    };
    let moscow = ("2025-03-16".to_owned(), json!(10));
    let kaliningrad = ("2025-03-15".to_owned(), json!(11));
    assert_eq!(state().await, moscow);
    // The zone of the organisation, and of the herd before it.
    changed!(w, "alpha", "organizations", 1, {"timeZone": "Europe/Kaliningrad"});
    assert_eq!(state().await, kaliningrad);
    let herd = made!(w, "alpha", "herds", {"name": "East", "timeZone": "Asia/Yekaterinburg"});
    assert_eq!(state().await, kaliningrad);
    changed!(w, "alpha", "animals", 2, {"herd": herd});
    assert_eq!(state().await, moscow);
    changed!(w, "alpha", "herds", herd, {"timeZone": "America/New_York"});
    assert_eq!(state().await, kaliningrad);
    changed!(w, "alpha", "herds", herd, {"timeZone": null});
    assert_eq!(state().await, kaliningrad);
    changed!(w, "alpha", "organizations", 1, {"timeZone": null});
    assert_eq!(state().await, moscow);
    // A day is the same everywhere.
    changed!(w, "alpha", "calvings", calving, {"date": "2025-03-16"});
    changed!(w, "alpha", "organizations", 1, {"timeZone": "America/New_York"});
    assert_eq!(state().await, moscow);
    for (method, path) in [("POST", "/api/herds"), ("PATCH", "/api/organizations/1")] {
        for zone in ["Moscow", "UTC+3", "Europe/Nowhere", "Etc/Unknown"] {
            refused!(w, "alpha", "{method} {path}", {"name": "A", "timeZone": zone} => 400 ["timeZone"]);
        }
    }
}

/// What happened before a movement is of the days of the herd where the animal stood then.
#[test_with(World::each)]
async fn past_days_stay_those_of_the_herd_of_that_time(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": AT_NIGHT});
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2025-03-26", "milkYield": 30});
    let state = async || {
        let last = w.doc("animals", 2).await["current"]["lastCalvingDate"].clone();
        (day(&last).to_owned(), w.doc("milk-tests", test).await["daysInMilk"].clone())
    };
    let moscow = ("2025-03-16".to_owned(), json!(10));
    let kaliningrad = ("2025-03-15".to_owned(), json!(11));
    let herd = made!(w, "alpha", "herds", {"name": "West", "timeZone": "America/New_York"});
    let moved = made!(w, "alpha", "movements",
        {"animal": 2, "date": "2025-06-01", "kind": "transfer", "toHerd": herd});
    assert_eq!(state().await, moscow);
    // So is what comes late; what happened after it is of the herd that the animal is in now.
    let in_milk = async |date: &str| {
        let id = made!(w, "alpha", "milk-tests", {"animal": 2, "date": date, "milkYield": 30});
        w.doc("milk-tests", id).await["daysInMilk"].clone()
    };
    assert_eq!(in_milk("2025-04-05T00:40:28+03:00").await, 20);
    assert_eq!(in_milk("2025-06-05T00:40:28+03:00").await, 80);
    // Another clock of the herd that it left, and another day of the movement.
    changed!(w, "alpha", "herds", 1, {"timeZone": "Europe/Kaliningrad"});
    assert_eq!(state().await, kaliningrad);
    changed!(w, "alpha", "herds", 1, {"timeZone": "Asia/Yekaterinburg"});
    assert_eq!(state().await, moscow);
    changed!(w, "admin", "movements", moved, {"date": "2025-03-01"});
    assert_eq!(state().await, kaliningrad);
    w.gone("alpha", "movements", moved).await;
    assert_eq!(state().await, moscow);
}

#[test_with(World::each)]
async fn what_is_tomorrow_depends_on_the_place(w: &World<'_>) {
    // It is noon of 1 March in UTC, and 2 in the morning of 2 March at UTC+14.
    refused!(w, "alpha", "POST /api/weighings", {"animal": 2, "date": "2026-03-02", "weight": 600} => 400 ["date"]);
    let herd = made!(w, "alpha", "herds", {"name": "East", "timeZone": "Pacific/Kiritimati"});
    changed!(w, "alpha", "animals", 2, {"herd": herd});
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-03-02", "weight": 600});
    refused!(w, "alpha", "POST /api/weighings", {"animal": 2, "date": "2026-03-03", "weight": 600} => 400 ["date"]);
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2026-03-02"});
    assert_eq!(w.doc("animals", 2).await["current"]["daysInMilk"], 0);
}

#[test_with(World::each)]
async fn two_times_of_one_day_are_one_key(w: &World<'_>) {
    let daily = |date: &str| json!({"animal": 2, "date": date, "milkYield": 20});
    made!(w, "alpha", "daily-milkings", daily("2025-06-14T22:30:00Z"));
    refused!(w, "alpha", "POST /api/daily-milkings", daily("2025-06-15") => 400 ["origin"]);
    w.made("alpha", "daily-milkings", daily("2025-06-14")).await;
    let far =
        json!({"animal": 2, "startedAt": "2025-06-20T12:00:00+03:00", "milkYield": 10, "shiftDate": "2025-06-18"});
    refused!(w, "alpha", "POST /api/milking-visits", far => 400 ["shiftDate"]);
}
