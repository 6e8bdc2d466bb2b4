//! The sign-ins of an account: listed, ended one by one or all others, by the user and by managers of the account; and
//! that none outlives its absolute end, however often it is prolonged.

use crate::rest::stage::{NOW, PASSWORD, Stage, request};
use crate::rest::world::{FORBIDDEN, NOT_FOUND, World};
use axum::body::Body;
use model::record::time::to_iso;
use serde_json::{Value, json};

const EMAIL: &str = "farm1@demo.herdbook";
const DAY: i64 = 86_400;

/// Signs in as a program, and gives the header that shows the token.
async fn signed_in(stage: &Stage, agent: &str) -> String {
    let headers = [("content-type", "application/json"), ("user-agent", agent), ("x-forwarded-for", "192.0.2.77")];
    let body = json!({"email": EMAIL, "password": PASSWORD}).to_string();
    let answer = request("POST", "/api/users/login", &headers, body.into());
    let answer = stage.ask(answer).await.json();
    let sessions = answer["user"]["sessions"].as_array().unwrap();
    let members: Vec<_> = sessions[0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "createdAt", "expiresAt"], "answers about the user stay as they were");
    format!("JWT {}", answer["token"].as_str().unwrap())
}

async fn ask(stage: &Stage, method: &str, path: &str, token: &str) -> crate::rest::stage::Answer {
    stage.send(method, path, &[("authorization", token)]).await
}

async fn listed(stage: &Stage, token: &str) -> Vec<Value> {
    let answer = ask(stage, "GET", "/api/users/sessions", token).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let body = answer.json();
    let docs = body["docs"].as_array().unwrap().clone();
    assert_eq!(body["totalDocs"], docs.len());
    docs
}

async fn lives(stage: &Stage, token: &str) -> bool {
    let me = ask(stage, "GET", "/api/users/me", token).await;
    !me.json()["user"].is_null()
}

#[test_with(Stage::each)]
async fn whoever_signed_in_sees_his_sessions_and_ends_them(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let phone = signed_in(stage, "Phone/1").await;
    stage.pass(60);
    let office = signed_in(stage, &"Office ".repeat(100)).await;
    stage.pass(60);
    let docs = listed(stage, &office).await;
    assert_eq!(docs.len(), 2);
    assert_eq!(docs[0]["current"], true);
    let agent = docs[0]["agent"].as_str().unwrap();
    assert!(agent.starts_with("Office ") && agent.len() <= 120, "{agent}");
    let mut old = docs[1].clone();
    let id = old["id"].take();
    assert_eq!(
        old,
        json!({
            "id": null, "current": false, "createdAt": to_iso(NOW),
            "usedAt": to_iso(NOW), "expiresAt": to_iso(NOW + 7_200_000),
            "endsAt": to_iso(NOW + 30 * DAY * 1000), "kind": "password",
            "address": null, "agent": "Phone/1",
        })
    );

    assert!(lives(stage, &phone).await);
    assert_eq!(listed(stage, &office).await[1]["usedAt"], to_iso(NOW + 120_000));
    let path = format!("/api/users/sessions/{}", id.as_str().unwrap());
    let ended = ask(stage, "DELETE", &path, &office).await;
    assert_eq!(ended.parts(), (200, r#"{"message":"The session ended."}"#));
    assert!(!lives(stage, &phone).await && lives(stage, &office).await);
    assert_eq!(ask(stage, "DELETE", &path, &office).await.parts(), NOT_FOUND);

    let others = [signed_in(stage, "a").await, signed_in(stage, "b").await];
    let ended = ask(stage, "DELETE", "/api/users/sessions", &office).await;
    ended.assert_is((200, r#"{"message":"All other sessions ended.","ended":2}"#), "");
    for token in &others {
        assert!(!lives(stage, token).await);
    }
    assert_eq!(listed(stage, &office).await.len(), 1);
    for method in ["GET", "DELETE"] {
        let nobody = stage.send(method, "/api/users/sessions", &[]).await;
        assert_eq!(nobody.parts(), FORBIDDEN);
        let none = stage.send(method, "/api/animals/sessions", &[]).await;
        assert_eq!(none.status, 404, "animals do not sign in");
    }
}

#[tokio::test]
async fn the_network_of_a_sign_in_is_kept_and_not_its_address() {
    let stage = Stage::with(&[("limits.trusted_proxies", "1")]).await;
    stage.user(7, EMAIL, "farmer").await;
    let token = signed_in(&stage, "x").await;
    assert_eq!(listed(&stage, &token).await[0]["address"], "192.0.2.0/24");
    assert!(!stage.content().await.contains("192.0.2.77\",\"agent"));
    let stored = stage.hidden(7).await.0;
    assert!(!stored.contains("192.0.2.77"), "{stored}");
}

/// The last use in memory is the same as the one that another process reads once it is written.
#[test_with(Stage::each)]
async fn the_last_use_is_told_to_other_processes(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let token = signed_in(stage, "x").await;
    stage.pass(300);
    let used = api::sign_in::SessionUses::default();
    let claims = secure::session::verify(&stage.book.keys, token.strip_prefix("JWT ").unwrap(), NOW);
    let now = NOW + 200_000;
    used.note(&claims.unwrap().sid, 7, now);
    used.note("long ago", 7, NOW - 2);
    used.fold(&stage.book.store, NOW, 1).await.unwrap();
    let rows = stage.number("SELECT count(*) FROM sign_in_uses").await;
    assert_eq!(rows, 1, "what was not used for long is let go");
    let other = stage.other_process().await;
    let docs = listed(&other, &token).await;
    assert_eq!(docs[0]["usedAt"], to_iso(NOW + 300_000), "its own use is newer");
    let sql = store::Sql::new("SELECT used_at FROM sign_in_uses");
    let rows = stage.book.store.rows(sql).await.unwrap();
    assert_eq!(rows[0].int(0), Some(now));
}

#[test_with(World::each)]
async fn those_who_manage_a_member_end_his_sessions(w: &World<'_>) {
    let path = "/api/users/13/sessions";
    for who in ["operator", "viewer", "beta", ""] {
        ask!(w, who, "DELETE {path}" => FORBIDDEN, "{who}");
    }
    holds!(w.get("viewer", "/api/users/me").await.json(), {"user.id": 13});
    let answer = ask!(w, "alpha", "DELETE {path}" => 200);
    assert_eq!(answer.json()["ended"], 1);
    assert!(w.get("viewer", "/api/users/me").await.json()["user"].is_null());
    for id in [12, 21] {
        let path = format!("/api/users/{id}/sessions");
        let answer = w.ask("expert", "DELETE", &path, Body::empty()).await;
        assert_eq!(answer.json()["ended"], 1, "{}", answer.text);
    }
    for who in ["operator", "beta"] {
        assert!(w.get(who, "/api/users/me").await.json()["user"].is_null());
    }
    for (who, path) in [("alpha", "/api/users/21/sessions"), ("expert", "/api/users/999/sessions")] {
        ask!(w, who, "DELETE {path}" => FORBIDDEN, "a user of another organisation looks like an unknown one");
    }
}

#[tokio::test]
async fn no_session_outlives_its_end() {
    let lifetime = [("security.session_lifetime", "10000"), ("security.token_lifetime", "7200")];
    let stage = Stage::with(&lifetime).await;
    stage.user(7, EMAIL, "farmer").await;
    let first = signed_in(&stage, "x").await;
    stage.pass(7000);
    let refresh = async |token: &str| {
        let answer = ask(&stage, "POST", "/api/users/refresh-token", token).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let body = answer.json();
        assert_eq!(body["exp"], NOW / 1000 + 10_000, "not past the end");
        format!("JWT {}", body["refreshedToken"].as_str().unwrap())
    };
    let second = refresh(&first).await;
    stage.pass(2999);
    let third = refresh(&second).await;
    assert!(lives(&stage, &third).await);
    assert_eq!(listed(&stage, &third).await[0]["endsAt"], to_iso(NOW + 10_000_000));
    stage.pass(1);
    for token in [&first, &second, &third] {
        assert!(!lives(&stage, token).await);
        let answer = ask(&stage, "POST", "/api/users/refresh-token", token).await;
        assert_eq!(answer.parts(), FORBIDDEN);
    }
    assert_eq!(stage.login(EMAIL, PASSWORD).await.status, 200);
}
