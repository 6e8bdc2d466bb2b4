//! No receiver is informed of data that its user may not read.

use super::stage::{Stage, round};
use serde_json::json;

#[test_each(Stage::each())]
async fn a_farm_hears_of_itself_alone_and_the_association_of_all(s: Stage) {
    let of = |dataset: &str, place: &str| json!({"url": format!("{}/{place}", s.receiver.url), "dataset": dataset});
    s.register(&s.farm, of("weights", "one")).await;
    s.register(&s.farm, of("everything", "all")).await;
    s.register(&s.farm, of("milking-visits", "others")).await;
    let sender = s.sender();
    round(&sender).await;
    s.f.pass(60);
    round(&sender).await;
    s.receiver.taken();
    s.f.pass(60);
    s.weigh(&s.other, 2, 21, 1).await;
    assert_eq!(round(&sender).await, 0, "of another farm");
    s.weigh_own(1).await;
    assert_eq!(round(&sender).await, 2);
    let mut sets: Vec<String> =
        (s.receiver.taken().iter()).map(|seen| seen.json()["data"]["set"].as_str().unwrap().to_owned()).collect();
    sets.sort_unstable();
    assert_eq!(sets, ["everything", "weights"]);
    s.f.pass(60);

    s.register(&s.expert, of("weights", "any")).await;
    round(&sender).await;
    s.receiver.taken();
    s.f.pass(60);
    s.weigh(&s.other, 2, 21, 2).await;
    assert_eq!(round(&sender).await, 1);
    let seen = s.receiver.one().json();
    assert_eq!(seen["data"].get("location"), None);
}

#[test_each(Stage::each())]
async fn registrations_are_of_the_own_organisation(s: Stage) {
    let hook = s.weights().await;
    assert_eq!(hook["organization"]["id"], 1);
    let foreign = json!({"url": s.receiver.url, "dataset": "weights", "organization": 2});
    let (status, _, answer) = s.refused(&s.farm, foreign).await;
    assert_eq!(status, 403, "{answer}");
    let (status, _, answer) = s.refused("", json!({"url": s.receiver.url})).await;
    assert_eq!(status, 403, "{answer}");
    let viewer = s.f.user(4, "farmer", Some(1), "viewer").await;
    let body = json!({"url": s.receiver.url, "dataset": "weights"});
    let (status, _, answer) = s.refused(&viewer, body).await;
    assert_eq!(status, 403, "{answer}");
    // A webhook of another farm cannot be used.
    let id = &hook["id"];
    for action in ["ping", "rotate"] {
        for token in [s.other.as_str(), viewer.as_str(), ""] {
            assert_eq!(s.act(token, id, action).await.0, 403, "{action}");
        }
    }
    assert_eq!(s.act(&s.farm, id, "explode").await.0, 404);
    assert_eq!(s.act(&s.farm, &json!(999), "ping").await.0, 403);
}

#[tokio::test]
async fn who_may_not_read_any_more_hears_nothing_any_more() {
    let lost = [
        json!({"blockedAt": "2026-03-01T12:00:00Z"}),
        json!({"orgRole": "viewer"}),
        json!({"organization": 2}),
        json!({"organization": null}),
    ];
    for s in Stage::each().await {
        let sender = s.sender();
        for (at, change) in lost.iter().enumerate() {
            let user = 10 + i64::try_from(at).unwrap();
            let token = s.f.user(user, "farmer", Some(1), "head").await;
            let body = json!({"url": s.receiver.url, "dataset": "weights"});
            let hook = s.register(&token, body).await;
            s.f.update("users", user, change.clone()).await;
            s.weigh_own(at).await;
            while round(&sender).await > 0 {
                s.f.pass(60);
            }
            assert!(s.receiver.taken().is_empty(), "{change}");
            let page = s.shown(&hook["id"]).await;
            assert_eq!(page["enabled"], false, "{change}");
            assert_eq!(page["disabledReason"], "no-rights", "{change}");
        }
        // An account that sees all locations may become that of a farmer.
        let body = json!({"url": s.receiver.url, "dataset": "weights"});
        let hook = s.register(&s.expert, body).await;
        update!(s.f, "users", 3, {"role": "farmer", "organization": 1});
        s.weigh_own(30).await;
        round(&sender).await;
        assert!(s.receiver.taken().is_empty());
        let path = format!("/api/webhooks/{}", hook["id"]);
        assert_eq!(s.f.get(&path, &s.expert).await.0, 404);
    }
}

#[test_each(Stage::each())]
async fn webhooks_go_with_their_organisation(s: Stage) {
    s.f.farm(7, "Seventh").await;
    let body = json!({"url": s.receiver.url, "dataset": "everything", "organization": 7});
    let hook = s.register(&s.expert, body).await;
    update!(s.f, "organizations", 7, {"name": "Renamed"});
    let sender = s.sender();
    round(&sender).await;
    s.f.pass(60);
    s.receiver.taken();
    assert_eq!(s.shown(&hook["id"]).await["enabled"], true);
    s.f.delete("organizations", 7).await;
    assert_eq!(round(&sender).await, 0);
    let path = format!("/api/webhooks/{}", hook["id"]);
    assert_eq!(s.f.get(&path, &s.expert).await.0, 404);
}
