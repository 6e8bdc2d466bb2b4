//! A message that fails is sent again, by any process, until it is given up.

use super::stage::{Stage, round};
use serde_json::{Value, json};

#[test_each(Stage::each())]
async fn a_failure_is_tried_again_after_a_restart_with_the_last_place(s: Stage) {
    let hook = s.weights().await;
    s.receiver.answer(500);
    s.weigh_own(1).await;
    assert_eq!(round(&s.sender()).await, 1);
    let first = s.receiver.one();
    let page = s.shown(&hook["id"]).await;
    holds!(page, {"failures": 1, "enabled": true});
    s.f.pass(7);
    assert_eq!(round(&s.sender()).await, 0, "too early");
    s.f.pass(6);
    assert_eq!(round(&s.sender()).await, 1);
    let second = s.receiver.one();
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.text, second.text);
    assert_ne!(first.header("webhook-timestamp"), second.header("webhook-timestamp"));
    assert_eq!(second.signed_by(hook["secret"].as_str().unwrap()), [true]);
    // A change during the wait changes the content of the message, not its time.
    s.weigh_own(2).await;
    assert_eq!(round(&s.sender()).await, 0);
    s.receiver.answer(200);
    s.f.pass(37);
    assert_eq!(round(&s.sender()).await, 1);
    let third = s.receiver.one();
    assert_eq!(third.sequence(), s.head(1, "weights").await);
    assert_ne!(first.header("webhook-id"), third.header("webhook-id"));
    let page = s.shown(&hook["id"]).await;
    assert_eq!(page["failures"], 0);
    let entries: Vec<(Value, Value, Value)> = (s.log(&hook["id"]).await.iter())
        .map(|row| {
            let of = |name: &str| row[name].clone();
            (of("attempt"), of("outcome"), of("status"))
        })
        .collect();
    let row = |n: i64, outcome: &str, status: i64| (json!(n), json!(outcome), json!(status));
    assert_eq!(entries, [row(1, "failed", 500), row(2, "failed", 500), row(3, "delivered", 200)]);
}

#[test_each(Stage::each())]
async fn what_a_process_was_sending_when_it_died_is_sent_by_another(s: Stage) {
    s.weights().await;
    s.receiver.answer(0);
    s.weigh_own(1).await;
    let dying = s.sender();
    while dying.scan().await.unwrap() {}
    let sending = tokio::spawn(async move { dying.deliver().await });
    let first = s.receiver.next().await;
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    s.receiver.answer(204);
    assert_eq!(round(&s.sender()).await, 0, "it is leased");
    s.f.pass(22);
    assert_eq!(round(&s.sender()).await, 1);
    let second = s.receiver.one();
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
}

#[test_each(Stage::each())]
async fn changes_between_two_processes_are_not_lost(s: Stage) {
    s.weights().await;
    // No scan took place yet.
    s.weigh_own(1).await;
    assert_eq!(round(&s.sender()).await, 1);
    s.receiver.one();
    s.f.pass(60);
    // No process runs.
    s.weigh_own(2).await;
    assert_eq!(round(&s.sender()).await, 1);
    assert_eq!(s.receiver.one().sequence(), s.head(1, "weights").await);
}

#[test_each(Stage::each())]
async fn after_three_days_it_is_switched_off_and_told_all_when_it_is_switched_on(s: Stage) {
    let hook = s.weights().await;
    let sender = s.sender();
    s.receiver.answer(503);
    s.weigh_own(1).await;
    let mut attempts = 0;
    for _ in 0..73 {
        attempts += round(&sender).await;
        s.f.pass(3_600);
    }
    attempts += round(&sender).await;
    let enabled = || async { s.shown(&hook["id"]).await["enabled"].clone() };
    // Pauses of six hours, a fifth more or less.
    for _ in 0..8 {
        if enabled().await == false {
            break;
        }
        attempts += round(&sender).await;
        s.f.pass(3_600);
    }
    assert!((12..40).contains(&attempts), "{attempts}");
    let page = s.shown(&hook["id"]).await;
    holds!(page, {"enabled": false, "disabledReason": "unreachable"});
    assert!(page["disabledAt"].is_string());
    let path = "/api/operations?where[action][equals]=webhook-disabled&depth=0";
    let (_, _, list) = s.f.get(path, &s.farm).await;
    holds!(list, {"totalDocs": 1, "docs.0.organization": 1});
    s.receiver.taken();
    s.receiver.answer(200);
    s.weigh_own(2).await;
    assert_eq!(round(&sender).await, 0, "it is off");
    let on = json!({"enabled": true});
    let (status, _, answer) = s.patch(&s.farm, &hook["id"], on).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["doc"].get("disabledReason"), Some(&Value::Null));
    assert_eq!(round(&sender).await, 1);
    assert_eq!(s.receiver.one().sequence(), s.head(1, "weights").await);
    s.f.pass(60);
    assert_eq!(round(&sender).await, 0);
}

#[test_each(Stage::each())]
async fn a_receiver_that_is_gone_is_not_asked_again(s: Stage) {
    let hook = s.weights().await;
    s.receiver.answer(410);
    s.weigh_own(1).await;
    let sender = s.sender();
    assert_eq!(round(&sender).await, 1);
    let page = s.shown(&hook["id"]).await;
    holds!(page, {"enabled": false, "disabledReason": "gone"});
    s.weigh_own(2).await;
    s.f.pass(1_000_000);
    assert_eq!(round(&sender).await, 0);
}

#[test_each(Stage::each())]
async fn slow_receivers_and_redirects_fail(s: Stage) {
    let hook = s.weights().await;
    let sender = s.sender();
    s.weigh_own(1).await;
    s.receiver.answer(302);
    assert_eq!(round(&sender).await, 1);
    s.receiver.one();
    s.f.pass(60);
    s.receiver.answer(0);
    assert_eq!(round(&sender).await, 1);
    let log = s.log(&hook["id"]).await;
    let outcome = |at: usize| (log[at]["status"].clone(), log[at]["error"].clone());
    let redirects = "The receiver redirects, which is not followed.";
    assert_eq!(outcome(0), (json!(302), json!(redirects)));
    let late = "There was no answer in time.";
    assert_eq!(outcome(1), (Value::Null, json!(late)));
}
