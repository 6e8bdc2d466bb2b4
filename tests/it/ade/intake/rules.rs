//! The rules of the intake: the last state wins, whose state counts, and which unread members are stored.

use crate::ade::stage::{BATCH, FARM, OTHER, Stage, WEIGHTS, codes, gone, keys, severities, weight};
use serde_json::{Value, json};

/// A weight of a time and value.
fn at(key: u32, modified: &str, kilograms: f64) -> Value {
    let mut doc = weight(key, 11);
    doc["meta"]["modified"] = modified.into();
    doc["weight"]["measurement"] = kilograms.into();
    doc
}

/// The word of each result, and the types of its further messages.
fn outcomes_of(results: &Value) -> Vec<String> {
    let results = results.as_array().unwrap();
    (results.iter())
        .map(|result| {
            let all = result["messages"].as_array().unwrap();
            let all: Vec<&str> = all.iter().map(|m| m["type"].as_str().unwrap()).collect();
            all.join(" ")
        })
        .collect()
}

#[test_each(Stage::each())]
async fn the_last_state_wins_however_late_an_older_one_comes(s: Stage) {
    let send = |doc: Value| s.f.post(BATCH, &s.farm, json!([doc]));
    let (_, _, results) = send(at(1, "2026-02-03T00:00:00Z", 503.0)).await;
    assert_eq!(outcomes_of(&results), ["created"]);
    let (_, _, results) = send(at(1, "2026-02-02T00:00:00Z", 502.0)).await;
    assert_eq!(outcomes_of(&results), ["unchanged stale"]);
    assert_eq!(severities(&results[0]), ["Information", "Warning"]);
    assert_eq!(results[0]["messages"][1]["instance"], "/meta/modified");
    // Of the same second, the one that comes last.
    let (_, _, results) = send(at(1, "2026-02-03T00:00:00Z", 504.0)).await;
    assert_eq!(outcomes_of(&results), ["updated"]);
    // It has nothing new, but it is the last state all the same.
    let (_, _, results) = send(at(1, "2026-02-05T00:00:00Z", 504.0)).await;
    assert_eq!(outcomes_of(&results), ["unchanged"]);
    let (headers, body) = ask!(s.f, s.farm, "POST {WEIGHTS}", at(1, "2026-02-04T00:00:00Z", 1.0) => 200 with headers);
    assert_eq!(body["weight"]["measurement"], 504.0, "as stored");
    let message: Value = serde_json::from_slice(headers["x-icar-ade-messages"].as_bytes()).unwrap();
    assert_eq!(message[0]["type"], "stale");
    // The same holds for deletions, and for states that come after them.
    let mut gone = gone(&at(1, "2026-02-01T00:00:00Z", 1.0));
    let (_, _, results) = send(gone.clone()).await;
    assert_eq!(outcomes_of(&results), ["unchanged stale"]);
    gone["meta"]["modified"] = "2026-02-06T00:00:00Z".into();
    let (_, _, results) = send(gone).await;
    assert_eq!(outcomes_of(&results), ["deleted"]);
    let (_, _, results) = send(at(1, "2026-02-05T12:00:00Z", 505.0)).await;
    assert_eq!(outcomes_of(&results), ["unchanged stale"]);
    assert_eq!(s.get(WEIGHTS).await.1["view"]["totalItems"], 0);
    let (_, _, results) = send(at(1, "2026-02-07T00:00:00Z", 507.0)).await;
    assert_eq!(outcomes_of(&results), ["created"]);
    // A deletion that overtakes its resource.
    let early = crate::ade::stage::gone(&at(2, "2026-02-06T00:00:00Z", 1.0));
    let (_, _, results) = send(early).await;
    assert_eq!(outcomes_of(&results), ["deleted"]);
    let (_, _, results) = send(at(2, "2026-02-05T00:00:00Z", 505.0)).await;
    assert_eq!(outcomes_of(&results), ["unchanged stale"]);
    assert_eq!(keys(&s.get(WEIGHTS).await.1), ["w1"]);
}

#[test_each(Stage::each_with(&[("exchange.clock_tolerance", "60")]))]
async fn a_clock_that_is_ahead_does_not_close_the_way_for_later_states(s: Stage) {
    let send = |doc: Value| s.f.post(BATCH, &s.farm, json!([doc]));
    // It is noon of the first of March.
    let (_, _, results) = send(at(1, "2026-03-01T12:00:59Z", 501.0)).await;
    assert_eq!(outcomes_of(&results), ["created"]);
    let (_, _, results) = send(at(2, "2027-01-01T00:00:00Z", 501.0)).await;
    assert_eq!(outcomes_of(&results), ["created modified-in-future"]);
    assert_eq!(severities(&results[0]), ["Information", "Warning"]);
    s.f.pass(10);
    let (_, _, results) = send(at(2, "2026-03-01T12:00:05Z", 502.0)).await;
    assert_eq!(outcomes_of(&results), ["updated"], "a later state by a right clock");
    let (_, _, results) = send(at(2, "2026-03-01T11:59:00Z", 503.0)).await;
    assert_eq!(outcomes_of(&results), ["unchanged stale"]);
}

#[test_each(Stage::each())]
async fn a_resource_changes_under_the_pair_that_it_was_sent_under(s: Stage) {
    let (_, _, response) = s.f.post(WEIGHTS, &s.farm, weight(1, 11)).await;
    // By our pair for the row: refused for every caller, and nothing changes.
    let mut ours = weight(1, 11);
    ours["meta"]["source"] = "org.herdbook".into();
    ours["meta"]["sourceId"] = format!("weights:{}", response["id"].as_str().unwrap()).into();
    ours["weight"]["measurement"] = 700.into();
    for deleted in [false, true] {
        ours["meta"]["isDeleted"] = deleted.into();
        let body = ask!(s.f, s.farm, "POST {WEIGHTS}", ours => 409 ["conflict"]);
        assert_eq!(body["errors"][0]["type"], "sent-by-another");
    }
    // By another source, the same key is another resource.
    let mut other = weight(1, 11);
    other["meta"]["source"] = "other.example".into();
    ask!(s.f, s.farm, "POST {WEIGHTS}", other => 201);
    let (_, page) = s.get(WEIGHTS).await;
    assert_eq!(page["view"]["totalItems"], 2);
    assert_eq!(page["member"][0], response);
    // A document of the book is changed under its own pair.
    fill!(s.f, "weighings", 900, {"animal": 11, "date": "2026-02-09", "weight": 480, "ownerOrg": 1});
    ours["meta"]["isDeleted"] = false.into();
    ours["meta"]["sourceId"] = "weights:900".into();
    let body = ask!(s.f, s.farm, "POST {WEIGHTS}", ours => 200);
    assert_eq!(body["weight"]["measurement"], 700.0);
}

#[test_each(Stage::each())]
async fn a_pair_of_another_animal_is_a_correction_that_is_told(s: Stage) {
    s.weigh(&[1]).await;
    let (_, _, results) = s.f.post(BATCH, &s.farm, json!([weight(1, 12)])).await;
    assert_eq!(outcomes_of(&results), ["updated animal-changed"], "{results}");
    let (_, page) = s.get(WEIGHTS).await;
    assert_eq!(page["view"]["totalItems"], 1);
    assert_eq!(page["member"][0]["animal"], weight(1, 12)["animal"]);
}

#[test_each(Stage::each())]
async fn a_pair_at_another_location_or_of_another_set_is_another_resource(s: Stage) {
    s.weigh(&[1]).await;
    let (headers, _) = ask!(s.f, s.other, "POST {OTHER}/weights", weight(1, 21) => 201 with headers);
    assert!(!headers.contains_key("x-icar-ade-messages"), "nothing of another farm");
    let mut dead = weight(1, 12);
    dead["resourceType"] = "icarMovementDeathEventResource".into();
    dead["deathReason"] = "Unknown".into();
    dead.as_object_mut().unwrap().remove("weight");
    let (headers, _) = ask!(s.f, s.farm, "POST {FARM}/deaths", dead => 201 with headers);
    let message: Value = serde_json::from_slice(headers["x-icar-ade-messages"].as_bytes()).unwrap();
    let types: Vec<&str> = (message.as_array().unwrap().iter()).map(|m| m["type"].as_str().unwrap()).collect();
    assert!(types.contains(&"pair-of-another-set"), "{message}");
}

#[test_each(Stage::each())]
async fn members_that_nobody_reads_come_back_digit_by_digit(s: Stage) {
    let own = r#"{"a":1.0,"b":1e+400,"c":12345678901234567890123,"d":-0.0,"e":1e+2,"f":0.1000,"g":[1,{"h":null,"ё":"\u0001\"\\"}],"":{}}"#;
    let text = weight(1, 11).to_string();
    // Exponents have one spelling, regardless of the sender's.
    let sent = own.replace("1e+400", "1e400").replace("1e+2", "1E2");
    let more = format!("{},\"x-own\":{sent}}}", &text[..text.len() - 1]);
    let (status, _, body) = s.f.raw("POST", WEIGHTS, &s.farm, more.clone()).await;
    assert_eq!(status, 201, "{body}");
    assert_eq!(body["x-own"].to_string(), own);
    let (_, page) = s.get(WEIGHTS).await;
    assert_eq!(page["member"][0]["x-own"].to_string(), own);
    let (status, _, second) = s.f.raw("POST", WEIGHTS, &s.farm, more.clone()).await;
    assert_eq!((status, second), (200, body), "unchanged");
    // A changed digit beyond the precision of calculations is a change.
    let changed = more.replace("12345678901234567890123", "12345678901234567890124");
    let (_, _, body) = s.f.raw("POST", WEIGHTS, &s.farm, changed).await;
    assert_eq!(body["x-own"]["c"].to_string(), "12345678901234567890124");
    // Where the standard requires a number, it must be one.
    let huge = more.replace("\"measurement\":501", "\"measurement\":1e400");
    assert_ne!(huge, more);
    let (status, _, body) = s.f.raw("POST", WEIGHTS, &s.farm, huge).await;
    assert_eq!((status, codes(&body)), (400, vec!["field-value"]), "{body}");
    assert_eq!(body["errors"][0]["instance"], "/weight/measurement");
}
