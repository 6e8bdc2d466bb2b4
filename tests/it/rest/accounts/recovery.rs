//! Cases 79, 80, 85 and 86 of signing in (docs/dialect.md, *Calls*): forgotten passwords, locked accounts, the first
//! account, and the limits of a head for members of the team.

use crate::rest::operation::letters::{delivered, token};
use crate::rest::stage::{PASSWORD, Stage, request};
use crate::rest::world::{FORBIDDEN, World};
use secure::token::digest;
use serde_json::{Value, json};
use store::{Sql, Ty};

const EMAIL: &str = "farm1@demo.herdbook";
const SUCCESS: (u16, &str) = (200, r#"{"message":"Success"}"#);
const NO_TOKEN: (u16, &str) = (403, r#"{"errors":[{"message":"Token is either invalid or has expired."}]}"#);
const NO_ADDRESS: (u16, &str) = (400, r#"{"errors":[{"message":"Missing email."}]}"#);
const NEW: &str = "another-password";

async fn forgot(stage: &Stage, email: &str) -> crate::rest::stage::Answer {
    let body = json!({"email": email}).to_string();
    stage.post("/api/users/forgot-password", body).await
}

async fn reset(stage: &Stage, token: &str, password: &str) -> crate::rest::stage::Answer {
    let body = json!({"token": token, "password": password}).to_string();
    stage.post("/api/users/reset-password", body).await
}

/// A user, and the token of an email to that user.
async fn forgotten(stage: &Stage) -> String {
    stage.user(7, EMAIL, "farmer").await;
    assert_eq!(forgot(stage, EMAIL).await.parts(), SUCCESS);
    let letters = delivered(stage).await;
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].to, EMAIL);
    token(&letters[0])
}

#[test_with(Stage::each)]
async fn forgetting_tells_nobody_who_has_an_account(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    stage.user(8, "blocked@demo.herdbook", "farmer").await;
    let sql = Sql::new("UPDATE users SET blocked_at = created_at WHERE id = 8");
    stage.run(sql).await;
    let mut queued = 0;
    for email in ["  Farm1@Demo.Herdbook ", "nobody@x.example", "blocked@demo.herdbook"] {
        let answer = forgot(stage, email).await;
        assert_eq!(answer.parts(), SUCCESS, "{email}");
        let now = stage.number("SELECT count(*) FROM mail_outbox").await;
        assert_eq!(now, queued + 1, "the same work for {email}");
        queued = now;
    }
    let letters = delivered(stage).await;
    assert_eq!(letters.iter().map(|l| l.to.as_str()).collect::<Vec<_>>(), [EMAIL]);
    assert_eq!(stage.number("SELECT count(*) FROM mail_outbox").await, 0);
    for body in ["{}", r#"{"email":""}"#, r#"{"email":"  "}"#, r#"{"email":7}"#] {
        let answer = stage.post("/api/users/forgot-password", body).await;
        assert_eq!(answer.parts(), NO_ADDRESS, "{body}");
    }
    let empty = stage.send("POST", "/api/users/forgot-password", &[]).await;
    assert_eq!(empty.parts(), NO_ADDRESS);
}

#[test_with(Stage::each)]
async fn an_address_gets_five_letters_at_most(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    for _ in 0..8 {
        assert_eq!(forgot(stage, EMAIL).await.parts(), SUCCESS);
    }
    assert_eq!(delivered(stage).await.len(), 5);
}

#[test_with(Stage::each)]
async fn a_token_is_stored_as_a_digest_and_sets_a_password_once(stage: &Stage) {
    let token = forgotten(stage).await;
    let sql = Sql::new("SELECT reset_token FROM users WHERE id = ").with(Ty::Int, 7);
    let rows = stage.book.store.rows(sql).await.unwrap();
    assert_eq!(rows[0].text(0), Some(digest(&token).as_str()));
    assert_eq!(reset(stage, &digest(&token), NEW).await.parts(), NO_TOKEN);

    let old = format!("JWT {}", stage.token(EMAIL).await);
    for _ in 0..5 {
        stage.login(EMAIL, "wrong").await;
    }
    assert_eq!(stage.login(EMAIL, PASSWORD).await.status, 401, "delayed");
    let answer = reset(stage, &token, NEW).await;
    let body = answer.json();
    let members: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(members, ["message", "token", "user"]);
    holds!(body, {"message": "Password reset successfully.", "user.id": 7});
    assert_eq!(body["user"]["sessions"].as_array().unwrap().len(), 1);
    let jwt = body["token"].as_str().unwrap();
    assert!(answer.header("set-cookie").contains(jwt));
    let new = format!("JWT {jwt}");
    for (header, user) in [(&new, json!(7)), (&old, Value::Null)] {
        let me = stage.send("GET", "/api/users/me", &[("authorization", header)]).await;
        assert_eq!(me.json()["user"].get("id").unwrap_or(&Value::Null), &user);
    }
    assert_eq!(stage.login(EMAIL, PASSWORD).await.status, 401);
    stage.login(EMAIL, NEW).await.assert_is(200, "the lock is gone");
    assert_eq!(reset(stage, &token, NEW).await.parts(), NO_TOKEN, "used up");
}

#[test_with(Stage::each)]
async fn a_token_ends_after_an_hour_and_with_the_next_one(stage: &Stage) {
    let first = forgotten(stage).await;
    forgot(stage, EMAIL).await;
    let second = token(&delivered(stage).await[0]);
    assert_eq!(reset(stage, &first, NEW).await.parts(), NO_TOKEN);
    stage.pass(3599);
    let short = reset(stage, &second, "1234567").await;
    short.assert_is(400, "the model's minimum holds");
    holds!(short.json(), {"errors.0.data.errors.0.path": "password"});
    stage.pass(1);
    assert_eq!(reset(stage, &second, NEW).await.parts(), NO_TOKEN);
    stage.login(EMAIL, PASSWORD).await.assert_is(200, "nothing changed");
    for body in [
        json!({"password": NEW}),
        json!({"token": "", "password": NEW}),
        json!({"token": 7, "password": NEW}),
        json!({"token": "x".repeat(100_000), "password": NEW}),
    ] {
        ask!(stage, "", "POST /api/users/reset-password", body => NO_TOKEN);
    }
}

#[test_with(Stage::each)]
async fn a_token_is_worthless_for_a_blocked_user_and_after_a_new_password(stage: &Stage) {
    let token = forgotten(stage).await;
    let block = |to: &str| Sql::new(&format!("UPDATE users SET blocked_at = {to}"));
    stage.run(block("created_at")).await;
    assert_eq!(reset(stage, &token, NEW).await.parts(), NO_TOKEN);
    stage.run(block("NULL")).await;
    let jwt = format!("JWT {}", stage.token(EMAIL).await);
    let headers = [("authorization", jwt.as_str()), ("content-type", "application/json")];
    let body = json!({"password": "chosen by himself"}).to_string();
    let changed = stage.ask(request("PATCH", "/api/users/7", &headers, body.into())).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(reset(stage, &token, NEW).await.parts(), NO_TOKEN);
}

#[test_with(World::each)]
async fn locked_accounts_are_opened_by_the_association_and_by_heads(w: &World<'_>) {
    let lock = async || {
        for _ in 0..5 {
            w.stage.login("viewer@demo.herdbook", "wrong").await;
        }
        let locked = w.stage.login("viewer@demo.herdbook", PASSWORD).await;
        assert_eq!(locked.status, 401, "{}", locked.text);
    };
    let body = |email: &str| json!({"email": email}).to_string();
    let path = "/api/users/unlock";
    for who in ["admin", "expert", "alpha"] {
        lock().await;
        let answer = w.ask(who, "POST", path, body(" Viewer@demo.herdbook")).await;
        assert_eq!(answer.parts(), SUCCESS, "{who}");
        w.stage.login("viewer@demo.herdbook", PASSWORD).await.assert_is(200, "");
    }
    lock().await;
    for who in ["operator", "viewer", "beta", ""] {
        let answer = w.ask(who, "POST", path, body("viewer@demo.herdbook")).await;
        assert_eq!(answer.parts(), FORBIDDEN, "{who}");
    }
    w.stage.login("viewer@demo.herdbook", PASSWORD).await.assert_is(401, "");
    for who in ["admin", "alpha"] {
        let answer = w.ask(who, "POST", path, body("nobody@x.example")).await;
        assert_eq!(answer.parts(), FORBIDDEN, "unknown looks like foreign");
        ask!(w, who, "POST {path}", {} => NO_ADDRESS);
    }
}

#[test_with(Stage::each)]
async fn the_first_account_is_made_by_anybody_and_no_other(stage: &Stage) {
    let init = || stage.get("/api/users/init");
    assert_eq!(init().await.parts(), (200, r#"{"initialized":false}"#));
    let path = "/api/users/first-register";
    let short = json!({"email": "bad", "password": "short"}).to_string();
    let refused = stage.post(path, short).await;
    let mut paths: Vec<String> = (refused.json()["errors"][0]["data"]["errors"].as_array())
        .unwrap_or_else(|| panic!("{}", refused.text))
        .iter()
        .map(|e| e["path"].as_str().unwrap().to_owned())
        .collect();
    paths.sort();
    assert_eq!((refused.status, paths.join(" ")), (400, "email firstName lastName password".into()));
    assert_eq!(init().await.parts(), (200, r#"{"initialized":false}"#));

    let body = json!({
        "email": " First@Demo.herdbook", "password": NEW, "firstName": "A", "lastName": "B",
        "blockedBy": 1, "verifier": "x", "id": 99,
    });
    let two = [stage.post(path, body.to_string()), stage.post(path, body.to_string())];
    let mut answers = futures_util::future::join_all(two).await;
    answers.sort_by_key(|answer| answer.status);
    assert_eq!((answers[0].status, answers[1].parts()), (200, FORBIDDEN), "{}", answers[0].text);
    let body = answers[0].json();
    let members: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["exp", "message", "token", "user"]);
    holds!(body, {"user.email": "first@demo.herdbook", "user.role": "admin", "user.blockedBy": null});
    assert!(answers[0].header("set-cookie").contains(body["token"].as_str().unwrap()));
    assert_eq!(init().await.parts(), (200, r#"{"initialized":true}"#));
    let jwt = format!("JWT {}", body["token"].as_str().unwrap());
    let me = stage.send("GET", "/api/users/me", &[("authorization", &jwt)]).await;
    assert_eq!(me.json()["user"]["role"], "admin");
    assert_eq!(stage.login("first@demo.herdbook", NEW).await.status, 200);
}

/// A head who could set a password, an address or a key of a member could be that member.
#[test_with(World::each)]
async fn heads_cannot_become_their_members(w: &World<'_>) {
    for (path, value) in [
        ("password", json!("a-password-of-the-head")),
        ("email", json!("head@elsewhere.example")),
        ("lastName", json!("Else")),
        ("enableAPIKey", json!(true)),
    ] {
        let body = json!({(path): value}).to_string();
        let answer = w.refused("alpha", "PATCH", "/api/users/12", &body).await;
        let errors = &answer.json()["errors"][0]["data"]["errors"][0]["path"];
        assert_eq!((answer.status, errors), (403, &json!(path)));
    }
    holds!(changed!(w, "alpha", "users", 11, {"lastName": "Else"}), {"lastName": "Else"});
    holds!(changed!(w, "alpha", "users", 12, {"orgRole": "viewer"}), {"orgRole": "viewer"});
    holds!(changed!(w, "admin", "users", 12, {"lastName": "Else"}), {"lastName": "Else"});
}
