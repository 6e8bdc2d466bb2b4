//! The end of a full sync whose caller does not wait any more.

use super::course::Sync;
use crate::ade::stage::{FARM, Stage, keys, placed, weight};
use serde_json::{Value, json};
use std::time::Duration;

const WEIGHTS: &str = "/ade/v1/datasets/weights";

/// Work that takes longer than the limit of a request is done all the same, and reported to a caller that asks again.
#[test_each(Stage::each_with(&[("limits.request_time", "1")]))]
async fn an_end_that_is_late_is_told_when_it_is_asked_for_again(s: Stage) {
    let docs: Vec<Value> = (1..=5).map(|key| placed(weight(key, 11), "1")).collect();
    let push = format!("{WEIGHTS}/resources");
    assert_eq!(s.f.post(&push, &s.farm, docs.clone().into()).await.0, 200);
    let sources = json!({"sources": ["scale.example"]});
    let sync = Sync::start(&s, WEIGHTS, &s.farm, sources).await;
    assert_eq!(sync.push(json!([docs[0]])).await.0, 200);

    // Another client writes until the test stops it.
    let (go, busy) = s.f.hold().await;
    let (status, late) = sync.end(1).await;
    assert_eq!((status, &late["errors"][0]["type"]), (503, &json!("late")));
    assert_eq!(sync.look().await["state"], "started");
    go.send(()).unwrap();
    busy.await.unwrap();

    let ended = async {
        while sync.look().await["state"] != "ended" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let patience = Duration::from_secs(60);
    let ended = tokio::time::timeout(patience, ended).await;
    assert!(ended.is_ok(), "it did not go on");
    let (status, body) = sync.end(1).await;
    assert_eq!((status, &body["deleted"]["count"]), (200, &json!(4)));
    let (_, remaining) = s.get(&format!("{FARM}/weights")).await;
    assert_eq!(keys(&remaining), ["w1"]);
}
