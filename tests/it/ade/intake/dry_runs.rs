//! `validate=only`: the whole answer, and nothing stored.

use super::traces::sale;
use crate::ade::stage::{BATCH, FARM, PUSH, Stage, codes, gone, messages, placed, weight};
use serde_json::{Value, json};

#[test_each(Stage::each())]
async fn a_single_resource_is_answered_as_if_it_were_stored(s: Stage) {
    s.weigh(&[1]).await;
    let before = s.tally().await;
    let only = |name: &str| format!("{FARM}/{name}?validate=only");
    let (status, headers, body) = s.f.post(&only("weights"), &s.farm, weight(2, 11)).await;
    assert_eq!(status, 201, "{body}");
    holds!(body, {"meta.sourceId": "w2", "weight.measurement": 502});
    assert!(!headers.contains_key("location"), "there is nothing there");
    assert_eq!(messages(&headers), ["only-checked"]);
    let mut changed = weight(1, 11);
    changed["weight"]["measurement"] = 600.into();
    let (status, _, body) = s.f.post(&only("weights"), &s.farm, changed.clone()).await;
    assert_eq!(status, 200);
    assert_eq!(body["weight"]["measurement"], 600.0);
    changed["meta"]["isDeleted"] = true.into();
    let (status, _, body) = s.f.post(&only("weights"), &s.farm, changed).await;
    assert_eq!((status, &body["meta"]["isDeleted"]), (200, &json!(true)));
    // With an organisation for unknown receivers, and the effects.
    let (status, _, body) = s.f.post(&only("departures"), &s.farm, sale(12)).await;
    assert_eq!(status, 201, "{body}");
    let (status, _, body) = s.f.post(&only("weights"), &s.farm, weight(2, 21)).await;
    assert_eq!((status, codes(&body)), (422, vec!["animal-not-found"]));
    assert_eq!(s.tally().await, before);
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    holds!(page, {"member.0.weight.measurement": 501, "view.totalItems": 1});
    // A document that was only checked is new when it is sent.
    ask!(s.f, s.farm, "POST {FARM}/weights", weight(2, 11) => 201);
    ask!(s.f, s.farm, "POST {FARM}/departures", sale(12) => 201);
    assert_ne!(s.tally().await, before);
}

#[test_each(Stage::each_with(&[("exchange.chunk", "2"), ("exchange.async_above", "3")]))]
async fn a_batch_is_answered_element_by_element(s: Stage) {
    s.weigh(&[1]).await;
    let before = s.tally().await;
    let gone = gone(&weight(1, 11));
    let batch = json!([weight(1, 11), weight(2, 11), weight(2, 12), weight(3, 21), gone, 17]);
    let path = format!("{BATCH}?validate=only");
    let prefer = [("prefer", "respond-async")];
    let (status, headers, results) = s.send("POST", &path, &s.farm, &prefer, batch).await;
    assert_eq!(status, 200, "at once, however long: {results}");
    assert!(!headers.contains_key("content-location") && !headers.contains_key("location"));
    let words: Vec<&str> =
        (results.as_array().unwrap().iter()).map(|r| r["messages"][0]["type"].as_str().unwrap()).collect();
    let expected = ["unchanged", "created", "updated", "animal-not-found", "deleted", "body-shape"];
    assert_eq!(words, expected);
    for result in results.as_array().unwrap() {
        let errors = result["messages"].as_array().unwrap();
        assert!(errors.iter().any(|m| m["type"] == "only-checked"), "{result}");
    }
    assert_eq!(s.tally().await, before);
}

#[test_each(Stage::each())]
async fn a_push_is_answered_as_a_whole(s: Stage) {
    let before = s.tally().await;
    let placed = |key, animal| placed(weight(key, animal), "1");
    let path = format!("{PUSH}?validate=only");
    let (headers, answer) = ask!(s.f, s.farm, "POST {path}", [placed(1, 11), placed(2, 12)] => 200 with headers);
    assert_eq!(answer, Value::Null);
    assert_eq!(messages(&headers), ["only-checked"]);
    let answer = ask!(s.f, s.farm, "POST {path}", [placed(1, 11), placed(2, 21)] => 422 ["animal-not-found"]);
    assert_eq!(answer["errors"][0]["meta"]["pointer"], "/1/animal");
    assert_eq!(s.tally().await, before);
}

#[tokio::test]
async fn another_value_of_the_parameter_is_refused() {
    let s = Stage::plain().await;
    let before = s.tally().await;
    for word in ["", "true", "Only", "only&validate=only"] {
        let paths = [
            (format!("{FARM}/weights?validate={word}"), weight(1, 11)),
            (format!("{BATCH}?validate={word}"), json!([weight(1, 11)])),
            (format!("{PUSH}?validate={word}"), json!([weight(1, 11)])),
        ];
        for (path, body) in paths {
            let answer = ask!(s.f, s.farm, "POST {path}", body => 400 ["field-value"], "{path}");
            assert_eq!(answer["errors"][0]["meta"]["parameter"], "validate");
        }
    }
    assert_eq!(s.tally().await, before);
}
