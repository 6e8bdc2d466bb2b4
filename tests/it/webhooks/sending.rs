//! Webhook messages: their content, how often they are sent, and by how many processes.

use super::stage::{Stage, round};
use serde_json::json;
use std::sync::Arc;

#[test_each(Stage::each())]
async fn a_change_is_told_without_data_and_with_a_signature(s: Stage) {
    let hook = s.weights().await;
    let sender = s.sender();
    assert_eq!(round(&sender).await, 0, "nothing changed");
    s.weigh_own(1).await;
    assert_eq!(round(&sender).await, 1);
    let seen = s.receiver.one();
    let head = s.head(1, "weights").await;
    let id = hook["id"].as_i64().unwrap();
    assert_eq!(seen.header("webhook-id"), format!("msg_{id}_{head}"));
    assert_eq!(seen.header("webhook-timestamp"), "1772366400");
    assert_eq!(seen.header("content-type"), "application/json");
    let secret = hook["secret"].as_str().unwrap();
    assert_eq!(seen.signed_by(secret), [true]);
    assert_eq!(
        seen.text,
        json!({
            "type": "ade.changed",
            "timestamp": "2026-03-01T12:00:00.000Z",
            "data": {
                "set": "weights",
                "location": {"scheme": "org.herdbook.orgid", "id": "1"},
                "sequence": head.to_string(),
                "changes": "https://book.example/ade/v1/datasets/weights/changes",
            },
        })
        .to_string()
    );
    let page = s.shown(&hook["id"]).await;
    holds!(page, {"deliveredSeq": head, "failures": 0, "deliveredAt": "2026-03-01T12:00:00.000Z"});
    s.f.pass(60);
    assert_eq!(round(&sender).await, 0, "sent once");
}

#[test_each(Stage::each())]
async fn a_hundred_changes_are_few_messages_and_the_last_one_tells_the_last_place(s: Stage) {
    let hook = s.weights().await;
    let sender = s.sender();
    let mut sent = 0;
    for key in 0..100 {
        s.weigh_own(key).await;
        sent += round(&sender).await;
    }
    assert_eq!(sent, 1, "five seconds did not pass");
    let first = s.receiver.one().sequence();
    s.f.pass(4);
    assert_eq!(round(&sender).await, 0);
    s.f.pass(1);
    assert_eq!(round(&sender).await, 1);
    let last = s.receiver.one().sequence();
    let head = s.head(1, "weights").await;
    assert!(first < last && last == head, "{first} {last} {head}");
    s.f.pass(60);
    assert_eq!(round(&sender).await, 0);
    assert_eq!(s.log(&hook["id"]).await.len(), 2);
}

#[test_each(Stage::each())]
async fn what_is_no_change_of_the_set_is_not_told(s: Stage) {
    s.weights().await;
    let sender = s.sender();
    s.f.update("animals", 11, json!({"name": "Bella"})).await;
    s.f.farm(5, "Fifth").await;
    assert_eq!(round(&sender).await, 0);
    // Deliveries are changes of the book, but of no data set.
    s.weigh_own(1).await;
    assert_eq!(round(&sender).await, 1);
    s.f.pass(60);
    assert_eq!(round(&sender).await, 0);
}

#[test_each(Stage::each())]
async fn a_set_of_animals_is_heard_of_when_its_members_or_itself_change(s: Stage) {
    let set = json!({"name": "Dry", "place": "herd", "query": "?", "adeSet": true,
        "scope": "organization", "members": [11]});
    let answer = ask!(s.f, s.farm, "POST /api/saved-searches", set => 201);
    let number = &answer["doc"]["id"];
    let name = format!("set-{number}");
    for foreign in ["set-999", "set-", "weighings", "Weights", ""] {
        let body = json!({"url": s.receiver.url, "dataset": foreign});
        let (status, _, answer) = s.refused(&s.farm, body).await;
        assert_eq!(status, 400, "{foreign}: {answer}");
        holds!(answer, {"errors.0.data.errors.0.path": "dataset"}, "{foreign}: {answer}");
    }
    // For a webhook of another owner the answer is the same as for a missing one.
    let hook = |dataset: &str| json!({"url": s.receiver.url, "dataset": dataset});
    let absent = s.refused(&s.other, hook("set-999")).await;
    let hidden = s.refused(&s.other, hook(&name)).await;
    assert_eq!((absent.0, &absent.2), (hidden.0, &hidden.2));

    let sender = s.sender();
    s.register(&s.farm, hook(&name)).await;
    while sender.scan().await.unwrap() {}
    round(&sender).await;
    s.receiver.taken();
    s.f.pass(60);
    s.weigh(&s.farm, 1, 12, 1).await;
    assert_eq!(round(&sender).await, 0, "no member");
    s.weigh(&s.farm, 1, 11, 2).await;
    assert_eq!(round(&sender).await, 1);
    let seen = s.receiver.one();
    assert_eq!(seen.json()["data"]["set"], name.as_str());
    assert_eq!(seen.sequence(), s.head(1, "weights").await);
    s.f.pass(60);
    let path = format!("/api/saved-searches/{number}");
    let more = json!({"members": [11, 12]});
    let bytes = more.to_string().into_bytes();
    let request = axum::http::Request::builder()
        .method("PATCH")
        .uri(path)
        .header("authorization", format!("JWT {}", s.farm))
        .header("content-type", "application/json")
        .body(bytes.into());
    let (status, _, answer) = s.f.ask(request.unwrap()).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(round(&sender).await, 1, "it has another member");
    s.receiver.taken();
    s.f.pass(60);
    s.weigh(&s.farm, 1, 12, 3).await;
    assert_eq!(round(&sender).await, 1);
}

#[test_each(Stage::each_with(&[("webhooks.per_host", "64")]))]
async fn two_processes_send_each_message_once(s: Stage) {
    for _ in 0..8 {
        s.weights().await;
    }
    let (one, other) = (s.sender(), s.sender_beside().await);
    for key in 0..5 {
        s.weigh_own(key).await;
        let (a, b) = tokio::join!(round(&one), round(&other));
        let rest = round(&one).await + round(&other).await;
        assert_eq!(a + b + rest, 8);
        let seen = s.receiver.taken();
        let mut ids: Vec<&str> = seen.iter().map(|m| m.header("webhook-id")).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((seen.len(), ids.len()), (8, 8));
        s.f.pass(5);
    }
}

#[test_each(Stage::each_with(&[("webhooks.per_host", "3")]))]
async fn a_host_gets_no_more_at_a_time_than_its_share(s: Stage) {
    for _ in 0..7 {
        s.weights().await;
    }
    s.weigh_own(1).await;
    let sender = s.sender();
    let rounds = [round(&sender).await, round(&sender).await, round(&sender).await, round(&sender).await];
    assert_eq!(rounds, [3, 3, 1, 0]);
}

#[test_each(Stage::each_with(&[("webhooks.per_host", "1")]))]
async fn a_busy_host_makes_its_others_wait(s: Stage) {
    let hooks = [s.weights().await, s.weights().await];
    s.receiver.answer(0);
    s.weigh_own(1).await;
    let task = tokio::spawn(Arc::new(s.sender()).run());
    let mut ids = Vec::new();
    for _ in &hooks {
        let seen = s.receiver.next().await;
        ids.push(seen.header("webhook-id").to_owned());
    }
    task.abort();
    let head = s.head(1, "weights").await;
    let expected = hooks.map(|hook| format!("msg_{}_{head}", hook["id"]));
    assert_eq!(ids, expected);
    // The first one was answered before the second one was sent.
    let log = s.log(&json!(1)).await;
    assert_eq!(log.len(), 1, "{log:?}");
}

#[test_each(Stage::each())]
async fn what_leaves_for_a_former_address_counts_for_nothing(s: Stage) {
    let hook = s.weights().await;
    let sender = Arc::new(s.sender());
    s.receiver.answer(0);
    s.weigh_own(1).await;
    while sender.scan().await.unwrap() {}
    let sending = Arc::clone(&sender);
    let sending = tokio::spawn(async move { sending.deliver().await });
    s.receiver.next().await;
    let url = json!({"url": format!("{}/new", s.receiver.url)});
    let (status, _, answer) = s.patch(&s.farm, &hook["id"], url).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(sending.await.unwrap().unwrap(), 1);
    assert_eq!(s.shown(&hook["id"]).await["failures"], 0);
    s.receiver.answer(200);
    assert_eq!(round(&sender).await, 1, "without a pause");
    assert_eq!(s.receiver.one().sequence(), s.head(1, "weights").await);
}

#[test_each(Stage::each())]
async fn the_task_of_the_server_hears_of_commits_by_itself(s: Stage) {
    s.weights().await;
    let task = tokio::spawn(Arc::new(s.sender()).run());
    s.weigh_own(1).await;
    let seen = s.receiver.next().await;
    assert_eq!(seen.sequence(), s.head(1, "weights").await);
    task.abort();
}
