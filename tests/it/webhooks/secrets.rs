//! Signing keys: returned once, stored encrypted, exchanged with an overlap.

use super::stage::{Stage, round};
use serde_json::json;
use store::Sql;

#[test_each(Stage::each())]
async fn a_key_is_told_once_and_stands_nowhere(s: Stage) {
    let hook = s.weights().await;
    let secret = hook["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    s.weigh_own(1).await;
    s.receiver.answer(500);
    round(&s.sender()).await;
    let id = &hook["id"];
    let change = json!({"description": "Partner", "secret": "whsec_mine"});
    let (status, _, answer) = s.patch(&s.farm, id, change).await;
    assert_eq!(status, 200, "{answer}");
    let mut texts = vec![answer.to_string()];
    for path in [
        format!("/api/webhooks/{id}"),
        "/api/webhooks?limit=0".to_owned(),
        "/api/webhook-deliveries?depth=3".to_owned(),
        "/api/operations?limit=0&depth=2".to_owned(),
    ] {
        for token in [&s.farm, &s.expert] {
            texts.push(s.f.get(&path, token).await.2.to_string());
        }
    }
    for text in &texts {
        let hidden = ["whsec_", "Closed", "secret\"", "leased", "pending"];
        for word in hidden {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
    // The stored rows do not contain it either.
    for table in "webhooks webhook_deliveries operations rest_answers".split(' ') {
        let sql = format!("SELECT * FROM {table}");
        let rows = s.f.book.store.rows(Sql::new(&sql)).await.unwrap();
        for row in rows {
            for at in 0..12 {
                let text = row.text(at).unwrap_or_default();
                assert!(!text.contains(secret), "{table}");
            }
        }
    }
    for condition in [
        format!("where[secret][equals]={secret}"),
        "where[secretClosed][exists]=true".to_owned(),
        "sort=secretClosed".to_owned(),
    ] {
        ask!(s.f, s.farm, "GET /api/webhooks?{condition}" => 400, "{condition}");
    }
    assert_ne!(s.weights().await["secret"], hook["secret"]);
}

#[test_each(Stage::each())]
async fn an_exchanged_key_signs_beside_the_new_one_for_a_day(s: Stage) {
    let hook = s.weights().await;
    let first = hook["secret"].as_str().unwrap();
    let sender = s.sender();
    let (status, _, answer) = s.act(&s.farm, &hook["id"], "rotate").await;
    assert_eq!(status, 200, "{answer}");
    let second = answer["doc"]["secret"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    s.weigh_own(1).await;
    round(&sender).await;
    let seen = s.receiver.one();
    assert_eq!(seen.signed_by(&second), [true, false]);
    assert_eq!(seen.signed_by(first), [false, true]);
    // Again, at the same moment: the one before the former is gone.
    let (_, _, answer) = s.act(&s.farm, &hook["id"], "rotate").await;
    let third = answer["doc"]["secret"].as_str().unwrap();
    s.f.pass(86_399);
    s.weigh_own(2).await;
    round(&sender).await;
    let seen = s.receiver.one();
    assert_eq!(seen.signed_by(third), [true, false]);
    assert_eq!(seen.signed_by(&second), [false, true]);
    assert_eq!(seen.signed_by(first), [false, false]);
    s.f.pass(10);
    s.weigh_own(3).await;
    round(&sender).await;
    assert_eq!(s.receiver.one().signed_by(third), [true]);
    let sql = "SELECT former_secret_closed FROM webhooks";
    let rows = s.f.book.store.rows(Sql::new(sql)).await.unwrap();
    assert_eq!(rows[0].text(0), None, "it is forgotten");
}
