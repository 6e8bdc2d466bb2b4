//! Pregnancy checks: events of their own, of which the latest is the result of the service.

use super::rows::{event, list, patched, rows, send};
use crate::ade::stage::{FARM, Stage, gone, keys};
use serde_json::{Value, json};

#[test_each(Stage::each())]
async fn each_pregnancy_check_is_an_event_and_the_latest_is_the_result_of_its_service(s: Stage) {
    for word in [("pregnant", 1), ("empty", 2)] {
        fill!(s.f, "insemination-results", word.1, {"name": word.0, "code": word.0, "adeResult": word.0});
    }
    fill!(s.f, "inseminations", 5, {"animal": 11, "date": "2025-11-01"});
    // Before the service, after it, and once more: all stay.
    let mut ids = Vec::new();
    for (key, day, result) in
        [("p0", "2025-10-01", "Empty"), ("p1", "2025-12-01", "Pregnant"), ("p2", "2026-01-01", "Empty")]
    {
        let sent = check(key, day, result);
        let (status, stored) = send(&s, "pregnancy-checks", &sent).await;
        assert_eq!(status, 201, "{stored}");
        let valid = ade::validate("icarReproPregnancyCheckEventResource", &stored);
        assert_eq!(valid, [], "{stored}");
        for name in ["result", "method", "foetusCount", "eventDateTime"] {
            assert_eq!(stored[name], sent[name], "{stored}");
        }
        let id = stored["id"].as_str().unwrap().to_owned();
        assert!(id.starts_with('e') && id.ends_with("-pc"), "{id}");
        let at = format!("{FARM}/pregnancy-checks/{id}");
        assert_eq!(s.get(&at).await, (200, stored));
        ids.push(id);
    }
    let all = Value::from(list(&s, "pregnancy-checks").await);
    assert_eq!(keys(&all), ["p0", "p1", "p2"]);
    let empty = json!([2, "2026-01-01", "blood", 1, false]);
    assert_eq!(service(&s).await, empty);
    // An earlier one that is corrected does not change the result; the latest does.
    let earlier = check("p1", "2025-12-01", "Empty");
    let (status, body) = send(&s, "pregnancy-checks", &earlier).await;
    assert_eq!((status, &body["id"]), (200, &ids[1].as_str().into()), "{body}");
    assert_eq!(service(&s).await, empty);
    let latest = check("p2", "2026-01-02", "Pregnant");
    assert_eq!(send(&s, "pregnancy-checks", &latest).await.0, 200);
    assert_eq!(service(&s).await, json!([1, "2026-01-02", "blood", 1, true]));
    // Without it the one before counts, and without any the service has none.
    for (key, day, remaining) in table![
        "p2", "2026-01-02", json!([2, "2025-12-01", "blood", 1, false]);
        "p1", "2025-12-01", json!([null, null, null, null, true]);
    ] {
        let gone = gone(&check(key, day, "Empty"));
        let (status, body) = send(&s, "pregnancy-checks", &gone).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(service(&s).await, remaining, "{key}");
    }
    // A check that is entered with the service itself stays, unless a later one comes.
    let own = json!({"result": 1, "pregnancyCheckDate": "2025-12-15"});
    let (status, body) = patched(&s, "/api/inseminations/5", &own).await;
    assert_eq!(status, 200, "{body}");
    let (status, _) = send(&s, "pregnancy-checks", &check("p3", "2025-12-10", "Empty")).await;
    assert_eq!(status, 201);
    assert_eq!(service(&s).await[1], "2025-12-15");
    let all = Value::from(list(&s, "pregnancy-checks").await);
    assert_eq!(keys(&all), ["p0", "pregnancy-checks:5", "p3"]);
}

fn check(key: &str, day: &str, result: &str) -> Value {
    let own = json!({"result": result, "method": "Blood", "foetusCount": 1});
    event(key, "icarReproPregnancyCheckEventResource", day, own)
}

/// Result, day, method and foetuses of the service, and whether a calving is expected.
async fn service(s: &Stage) -> Value {
    let row = rows(s, "inseminations").await.remove(0);
    let day = row["pregnancyCheckDate"].as_str().map(|at| &at[..10]);
    let expected = row["expectedCalving"].is_string();
    json!([row["result"], day, row["pregnancyCheckMethod"], row["foetusCount"], expected])
}
