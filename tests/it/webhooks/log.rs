//! The log of deliveries, tests that users request, and what is reported about webhooks elsewhere.

use super::stage::{Stage, round};
use serde_json::json;

#[test_each(Stage::each_with(&[("webhooks.log", "3")]))]
async fn the_log_keeps_the_last_deliveries_of_each(s: Stage) {
    let (one, other) = (s.weights().await, s.weights().await);
    let sender = s.sender();
    for key in 0..6 {
        s.weigh_own(key).await;
        assert_eq!(round(&sender).await, 2);
        s.f.pass(5);
    }
    let head = s.head(1, "weights").await;
    for hook in [&one, &other] {
        let log = s.log(&hook["id"]).await;
        assert_eq!(log.len(), 3);
        holds!(log[2], {"sequence": head, "organization": 1});
        assert!(log[2]["duration"].as_i64().unwrap() >= 0);
    }
    // The log goes with its webhook.
    let path = format!("/api/webhooks/{}", one["id"]);
    let deleted = s.f.request("DELETE", &path, &s.farm, json!(null)).await;
    assert_eq!(deleted.0, 200, "{}", deleted.2);
    assert_eq!(s.log(&one["id"]).await.len(), 0);
    assert_eq!(s.log(&other["id"]).await.len(), 3);
}

#[test_each(Stage::each())]
async fn a_test_is_sent_at_once_and_changes_nothing(s: Stage) {
    let hook = s.weights().await;
    let sender = s.sender();
    s.receiver.answer(500);
    s.weigh_own(1).await;
    round(&sender).await;
    s.receiver.taken();
    // It does not wait for the next attempt, and the attempt not for it.
    let (status, _, answer) = s.act(&s.farm, &hook["id"], "ping").await;
    assert_eq!((status, &answer["message"]), (200, &json!("Done.")), "{answer}");
    s.receiver.answer(200);
    assert_eq!(round(&sender).await, 1);
    let seen = s.receiver.one();
    assert_eq!(seen.json()["type"], "ade.ping");
    assert_eq!(seen.signed_by(hook["secret"].as_str().unwrap()), [true]);
    assert_eq!(s.shown(&hook["id"]).await["failures"], 1);
    assert_eq!(round(&sender).await, 0);
    s.f.pass(13);
    assert_eq!(round(&sender).await, 1);
    assert_eq!(s.receiver.one().json()["type"], "ade.changed");
    let off = json!({"enabled": false});
    assert_eq!(s.patch(&s.farm, &hook["id"], off).await.0, 200);
    assert_eq!(s.shown(&hook["id"]).await["disabledReason"], "stopped");
    let (status, _, answer) = s.act(&s.farm, &hook["id"], "ping").await;
    assert_eq!(status, 400, "{answer}");
}

#[test_each(Stage::each())]
async fn clients_learn_that_there_are_webhooks(s: Stage) {
    let (_, _, body) = s.f.get("/.well-known/ade", "").await;
    holds!(body, {"webhooks.register": "/api/webhooks", "webhooks.deliveries": "/api/webhook-deliveries"});
}

#[test_each(Stage::each())]
async fn an_organisation_has_fifty_at_most(s: Stage) {
    let body = json!({"url": s.receiver.url, "dataset": "weights"});
    let many: Vec<_> = (0..51).map(|_| body.clone()).collect();
    ask!(s.f, s.farm, "POST /api/webhooks", many => 207);
    let (_, _, list) = s.f.get("/api/webhooks", &s.farm).await;
    assert_eq!(list["totalDocs"], 50);
    let (status, _, answer) = s.refused(&s.farm, body).await;
    assert_eq!(status, 400, "{answer}");
}
