//! Signing in (docs/dialect.md, *Signing in*): what its cases in the table of the dialect leave open, of time and load.

use crate::rest::stage::{NOW, PASSWORD, Stage};
use futures_util::FutureExt;
use model::record::Value;
use secure::password::from_deployed;
use serde_json::json;
use store::{Sql, Ty};

const EMAIL: &str = "farm1@demo.herdbook";
const INCORRECT: (u16, &str) = (401, r#"{"errors":[{"message":"The email or password provided is incorrect."}]}"#);
const NOBODY: (u16, &str) = (200, r#"{"user":null,"message":"Account"}"#);

async fn setup(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
}

async fn me(stage: &Stage, headers: &[(&str, &str)]) -> crate::rest::stage::Answer {
    stage.send("GET", "/api/users/me", headers).await
}

#[tokio::test]
async fn more_sign_ins_than_can_wait_are_sent_away() {
    // However many may run, or they would wait for their turn before that.
    let settings = [("security.password_checks", "1"), ("limits.running", "0")];
    let stage = Stage::with(&settings).await;
    let many = (0..80).map(|_| stage.login("nobody@x.y", "wrong"));
    let answers = futures_util::future::join_all(many).await;
    let (refused, looked_at): (Vec<_>, Vec<_>) = answers.iter().partition(|a| a.status == 503);
    assert!(!refused.is_empty() && looked_at.len() >= 50, "{}", refused.len());
    assert!(looked_at.iter().all(|a| a.parts() == INCORRECT));
    assert!(refused.iter().all(|a| a.header("retry-after") == "5"));
    assert_eq!(stage.login("nobody@x.y", "wrong").await.parts(), INCORRECT);
}

#[test_with(Stage::each)]
async fn whoever_hangs_up_is_counted_all_the_same(stage: &Stage) {
    setup(stage).await;
    for _ in 0..5 {
        // One look starts the check; then the caller is gone.
        assert!(stage.login(EMAIL, "wrong").now_or_never().is_none());
    }
    let counted = async {
        while stage.failures("users", EMAIL).await.0 < 5 {
            tokio::task::yield_now().await;
        }
    };
    let patience = std::time::Duration::from_secs(20);
    let waited = tokio::time::timeout(patience, counted).await;
    waited.expect("the failures are counted");
    assert_eq!(stage.login(EMAIL, PASSWORD).await.parts(), INCORRECT);
}

#[tokio::test]
async fn a_deployed_hash_opens_once_and_is_then_renewed() {
    let salt = "ab".repeat(32);
    let mut digest = [0_u8; 512];
    let salted = salt.as_bytes();
    pbkdf2::pbkdf2::<hmac::Hmac<sha2::Sha256>>(b"from before", salted, 25_000, &mut digest).unwrap();
    let digest: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    let deployed = from_deployed(&salt, &digest).unwrap();
    Stage::each(async |stage| {
        setup(stage).await;
        let sql = Sql::new("UPDATE users SET verifier = ").with(Ty::Text, deployed.clone());
        stage.run(sql).await;
        assert_eq!(stage.login(EMAIL, "from before").await.status, 200);
        assert!(stage.hidden(7).await.1.starts_with("$argon2id$"));
        assert_eq!(stage.login(EMAIL, "from before").await.status, 200);
    })
    .await;
}

#[test_with(Stage::each)]
async fn a_token_ends_after_two_hours(stage: &Stage) {
    setup(stage).await;
    let cookie = format!("herdbook-token={}", stage.token(EMAIL).await);
    stage.pass(7199);
    holds!(me(stage, &[("cookie", &cookie)]).await.json(), {"user.id": 7});
    stage.pass(1);
    let late = me(stage, &[("cookie", &cookie)]).await;
    late.assert_is(NOBODY, "late");
    assert_eq!(late.header("www-authenticate"), "JWT error=\"invalid_token\"");
}

#[test_with(Stage::each)]
async fn refreshing_keeps_the_session_and_signing_out_ends_it(stage: &Stage) {
    setup(stage).await;
    let first = stage.token(EMAIL).await;
    let other = stage.token(EMAIL).await;
    stage.pass(100);
    let headers = [("authorization", &*format!("JWT {first}"))];
    let answer = stage.send("POST", "/api/users/refresh-token", &headers).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{}", answer.text);
    let members: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    let expected = ["message", "exp", "refreshedToken", "setCookie", "strategy", "user"];
    assert_eq!(members, expected);
    assert_eq!(body["exp"], NOW / 1000 + 7300);
    let second = body["refreshedToken"].as_str().unwrap();
    assert!(answer.header("set-cookie").contains(second));
    let sessions = body["user"]["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "other sign-ins are not shown here");
    holds!(sessions[0], {"createdAt": "2026-03-01T12:00:00.000Z", "expiresAt": "2026-03-01T14:01:40.000Z"});
    let me_body = me(stage, &headers).await.json();
    assert_eq!(me_body["user"]["sessions"][0]["id"], sessions[0]["id"]);
    assert_eq!(stage.hidden(7).await.0.matches("expiresAt").count(), 2);
    let out = stage.send("POST", "/api/users/logout", &headers).await;
    assert_eq!(out.parts(), (200, r#"{"message":"Logout successful."}"#));
    assert_eq!(
        out.header("set-cookie"),
        "herdbook-token=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; HttpOnly=true; SameSite=Lax"
    );
    for token in [&first, second] {
        let jwt = format!("JWT {token}");
        assert_eq!(me(stage, &[("authorization", &jwt)]).await.parts(), NOBODY);
    }
    let jwt = format!("JWT {other}");
    holds!(me(stage, &[("authorization", &jwt)]).await.json(), {"user.id": 7});
}

#[test_with(Stage::each)]
async fn all_sessions_end_at_once_when_asked(stage: &Stage) {
    setup(stage).await;
    let first = stage.token(EMAIL).await;
    let other = format!("JWT {}", stage.token(EMAIL).await);
    let headers = [("authorization", &*format!("JWT {first}"))];
    let path = "/api/users/logout?allSessions=true";
    assert_eq!(stage.send("POST", path, &headers).await.status, 200);
    assert_eq!(me(stage, &[("authorization", &other)]).await.parts(), NOBODY);
    assert_eq!(stage.hidden(7).await.0, "[]");
}

#[tokio::test]
async fn sessions_that_ended_are_dropped_and_their_number_is_bounded() {
    Stage::each(async |stage| {
        setup(stage).await;
    let old: Vec<_> = (0..80)
        .map(|n| {
            let year = if n < 20 { 2025 } else { 2027 };
            json!({"id": format!("s{n}"), "createdAt": "2025-01-01T00:00:00.000Z", "expiresAt": format!("{year}-01-01T00:00:00.000Z")})
        })
        .collect();
    let sql = Sql::new("UPDATE users SET sessions = ").with(Ty::Json, Value::json(old.into()));
    stage.run(sql).await;
    stage.token(EMAIL).await;
    let sessions: serde_json::Value = serde_json::from_str(&stage.hidden(7).await.0).unwrap();
    let ids: Vec<_> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["id"].clone())
        .collect();
    assert_eq!(ids.len(), 50);
    assert_eq!(ids[0], "s31", "the oldest go first");
    })
    .await;
}
