//! Passwords are hashed and compared only where the request can succeed, only so many in a request, and within the
//! same limit as those of sign-ins.

use crate::rest::stage::{Answer, PASSWORD};
use crate::rest::world::{World, paths};
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than any answer takes that hashes nothing.
const PATIENCE: Duration = Duration::from_secs(20);
/// Long enough to see that an answer waits.
const GLANCE: Duration = Duration::from_millis(300);

fn people(count: usize) -> Value {
    let person =
        |n| json!({"email": format!("p{n}@x.example"), "firstName": "P", "lastName": "P", "password": "molehill-41"});
    (0..count).map(person).collect()
}

async fn post(w: &World<'_>, who: &str, people: &Value) -> Answer {
    w.ask(who, "POST", "/api/users", people.to_string()).await
}

#[test_with(World::each)]
async fn nothing_is_hashed_that_is_refused_anyway(w: &World<'_>) {
    // All places are taken: a request that needs to check a password waits.
    let checks = &w.stage.book.checks;
    let places = [checks.enter().await.unwrap(), checks.enter().await.unwrap()];
    let many = people(60);
    for who in ["alpha", "expert", "viewer"] {
        let answer = tokio::time::timeout(PATIENCE, post(w, who, &many)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{who} waits"));
        assert_eq!(answer.status, 403, "{}", answer.text);
    }
    let patch = async |who: &str, id: i64, body: Value| {
        let answer = tokio::time::timeout(PATIENCE, w.patch(who, "users", id, body)).await;
        answer.unwrap_or_else(|_| panic!("{who} {id} waits"))
    };
    let new = json!({"password": "molehill-41"});
    for (who, id) in [("alpha", 12), ("alpha", 21), ("expert", 11), ("viewer", 11)] {
        let answer = patch(who, id, new.clone()).await;
        assert_eq!(answer.status, 403, "{who} {id}: {}", answer.text);
    }
    let short = patch("alpha", 11, json!({"password": "short"})).await;
    short.assert_faulty(400, &["password"]);
    let one = people(1);
    let waiting = tokio::time::timeout(GLANCE, post(w, "admin", &one)).await;
    assert!(waiting.is_err(), "the same places as those of sign-ins");
    let own = w.patch("alpha", "users", 11, json!({"currentPassword": "wrong"}));
    let waiting = tokio::time::timeout(GLANCE, own).await;
    assert!(waiting.is_err(), "guesses too");
    drop(places);
    w.stage.pass(601);
    let answer = patch("alpha", 11, new.clone()).await;
    assert_eq!(paths(&answer), ["currentPassword"]);
}

#[test_with(World::each)]
async fn a_request_sets_twenty_passwords_at_most(w: &World<'_>) {
    let many = people(21).to_string();
    let answer = w.refused("admin", "POST", "/api/users", &many).await;
    let refusal = r#"{"errors":[{"message":"A request may set at most 20 passwords."}]}"#;
    assert_eq!(answer.parts(), (400, refusal));
    let answer = post(w, "admin", &people(20)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    // By GraphQL a request of many mutations, each of one.
    let one = |n: usize| {
        format!(
            "a{n}: createUser(data: {{email: \"g{n}@x.example\", firstName: \"G\", lastName: \"G\", \
             password: \"molehill-41\"}}) {{ id }}"
        )
    };
    let all: Vec<String> = (0..21).map(one).collect();
    let body = json!({"query": format!("mutation {{ {} }}", all.join(" "))}).to_string();
    let answer = w.ask("admin", "POST", "/api/graphql", body).await.json();
    assert!(answer["data"]["a19"]["id"].is_number(), "{answer}");
    assert!(answer["data"]["a20"].is_null(), "{answer}");
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("at most 20 passwords"), "{answer}");
}

/// Of many guesses at the same time, as many pass as there are places before the delay begins.
#[test_with(World::each)]
async fn guesses_at_the_present_password_are_counted_as_they_are_compared(w: &World<'_>) {
    let body = json!({"email": "a@x.example", "currentPassword": "wrong"});
    let guesses = (0..24).map(|_| w.patch("alpha", "users", 11, body.clone()));
    for answer in futures_util::future::join_all(guesses).await {
        answer.assert_faulty(400, &["currentPassword"]);
    }
    let sql = "SELECT failures FROM sign_in_delays WHERE whose = 'c:11'";
    let compared = w.stage.number(sql).await;
    assert!((5..=6).contains(&compared), "{compared}");
    let right = json!({"phone": "1", "currentPassword": PASSWORD});
    ask!(w, "alpha", "PATCH /api/users/11?depth=0", right => 400);
    w.stage.pass(2);
    ask!(w, "alpha", "PATCH /api/users/11?depth=0", right => 200);
}
