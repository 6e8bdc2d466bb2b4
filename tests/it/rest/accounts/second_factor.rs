//! The second factor: switched on and off by its owner, requested at each sign-in, good once, bounded like passwords,
//! and demanded of the Association and of heads by a switch.

use crate::rest::operation::letters::{delivered, token};
use crate::rest::stage::{Answer, NOW, PASSWORD, Stage, request};
use crate::rest::world::{FORBIDDEN, World};
use aws_lc_rs::hmac;
use axum::body::Body;
use serde_json::{Value, json};

const EMAIL: &str = "farm1@demo.herdbook";
const WRONG: (u16, &str) = (401, r#"{"errors":[{"message":"The code is not right, or was used already."}]}"#);

/// An authenticator of our own, so that codes do not come from the code that checks them.
fn code(secret: &str, seconds: i64) -> String {
    let bits: String = secret
        .chars()
        .map(|c| "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(c).unwrap())
        .map(|five| format!("{five:05b}"))
        .collect();
    let key: Vec<u8> =
        (0..bits.len() / 8).map(|at| u8::from_str_radix(&bits[at * 8..at * 8 + 8], 2).unwrap()).collect();
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &key);
    let mac = hmac::sign(&key, &(seconds / 30).to_be_bytes());
    let mac = mac.as_ref();
    let at = usize::from(mac[19] & 15);
    let word = u32::from_be_bytes(mac[at..at + 4].try_into().unwrap()) & 0x7fff_ffff;
    format!("{:06}", word % 1_000_000)
}

/// A request with a token, and a body of JSON.
pub(crate) async fn ask(stage: &Stage, jwt: &str, method: &str, path: &str, body: Value) -> Answer {
    let headers = [("authorization", jwt), ("content-type", "application/json")];
    let body = Body::from(body.to_string());
    stage.ask(request(method, path, &headers, body)).await
}

/// Switches codes on at the time of the stage, and gives secret and recovery codes.
async fn switched_on(stage: &Stage, jwt: &str, seconds: i64) -> (String, Vec<String>) {
    let begun = ask!(stage, jwt, "POST /api/users/second-factor", {"password": PASSWORD} => 200);
    let secret = begun.json()["secret"].as_str().unwrap().to_owned();
    let url = begun.json()["url"].as_str().unwrap().to_owned();
    assert!(url.starts_with("otpauth://totp/herdbook:") && url.contains(&secret), "{url}");
    let body = json!({"password": PASSWORD, "code": code(&secret, seconds)});
    let on = ask!(stage, jwt, "POST /api/users/second-factor/confirm", body => 200);
    let codes = on.json()["recoveryCodes"].as_array().unwrap().clone();
    let codes = codes.iter().map(|c| c.as_str().unwrap().to_owned());
    (secret, codes.collect())
}

/// The token of a new user.
async fn signed_in(stage: &Stage) -> String {
    stage.user(7, EMAIL, "farmer").await;
    format!("JWT {}", stage.token(EMAIL).await)
}

async fn login(stage: &Stage, code: &str) -> Answer {
    let body = json!({"email": EMAIL, "password": PASSWORD, "code": code});
    stage.post("/api/users/login", body.to_string()).await
}

async fn is_signed_in(stage: &Stage, jwt: &str) -> bool {
    let me = stage.send("GET", "/api/users/me", &[("authorization", jwt)]).await;
    !me.json()["user"].is_null()
}

#[test_with(Stage::each)]
async fn a_code_is_asked_for_at_each_sign_in_and_is_good_once(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let old = format!("JWT {}", stage.token(EMAIL).await);
    let jwt = format!("JWT {}", stage.token(EMAIL).await);
    let now = NOW / 1000;
    let (secret, recovery) = switched_on(stage, &jwt, now).await;
    assert!(is_signed_in(stage, &jwt).await);
    assert!(!is_signed_in(stage, &old).await, "begun without the factor");
    let content = stage.content().await;
    assert!(!content.contains(&secret) && !content.contains(&recovery[0]));

    let none = stage.login(EMAIL, PASSWORD).await;
    assert_eq!(none.status, 401, "{}", none.text);
    let error = &none.json()["errors"][0];
    holds!(error, {"name": "SecondFactorRequired", "data.methods": ["totp", "recovery"]});
    assert_eq!(stage.login(EMAIL, "wrong").await.status, 401);
    let unknown = login(stage, &code(&secret, now)).await;
    unknown.assert_is(WRONG, "the code that switched it on was used");
    stage.pass(30);
    let good = code(&secret, now + 30);
    let two = [login(stage, &good), login(stage, &good)];
    let mut two = futures_util::future::join_all(two).await;
    two.sort_by_key(|answer| answer.status);
    assert_eq!((two[0].status, two[1].parts()), (200, WRONG), "of two at once one");
    assert_eq!(login(stage, &good).await.parts(), WRONG, "used");
    login(stage, &code(&secret, now)).await.assert_is(WRONG, "an earlier step");
    stage.pass(90);
    login(stage, &code(&secret, now + 60)).await.assert_is(WRONG, "too old");
    login(stage, &code(&secret, now + 180)).await.assert_is(WRONG, "too early");
    stage.pass(600);
    let late = now + 720;
    login(stage, &code(&secret, late + 30)).await.assert_is(200, "a clock ahead");

    let docs = stage.send("GET", "/api/users/sessions", &[("authorization", &jwt)]).await;
    holds!(docs.json(), {"docs.0.kind": "password+totp"}, "{}", docs.text);
}

#[test_with(Stage::each)]
async fn recovery_codes_are_good_once(stage: &Stage) {
    let jwt = signed_in(stage).await;
    let (_, recovery) = switched_on(stage, &jwt, NOW / 1000).await;
    assert_eq!(recovery.len(), 10);
    assert_eq!(login(stage, &recovery[3].to_uppercase()).await.status, 200);
    assert_eq!(login(stage, &recovery[3]).await.parts(), WRONG);
    let state = ask(stage, &jwt, "GET", "/api/users/second-factor", json!({})).await;
    assert_eq!(
        state.json(),
        json!({"enabled": true, "since": "2026-03-01T12:00:00.000Z", "recoveryCodes": 9, "required": false})
    );
}

#[test_with(Stage::each)]
async fn wrong_codes_delay_like_wrong_passwords(stage: &Stage) {
    let jwt = signed_in(stage).await;
    let (secret, recovery) = switched_on(stage, &jwt, NOW / 1000).await;
    stage.pass(60);
    let guesses = (0..30).map(|_| login(stage, "000000"));
    let answers = futures_util::future::join_all(guesses).await;
    assert!(answers.iter().all(|a| a.status == 401));
    let (counted, until) = stage.failures("users", EMAIL).await;
    assert_eq!(counted, 5, "guesses at the same time are no way around it");
    assert_eq!(until, NOW + 61_000);
    let good = code(&secret, NOW / 1000 + 60);
    for code in [&good, &recovery[0]] {
        let early = login(stage, code).await;
        assert_eq!(early.status, 401, "{}", early.text);
    }
    stage.pass(2);
    login(stage, &good).await.assert_is(200, "it was not looked at before");
    assert_eq!(stage.failures("users", EMAIL).await.0, 0);
}

/// A known device must wait after wrong codes as after wrong passwords, and cannot make another
/// device known to avoid that.
#[test_with(Stage::each)]
async fn wrong_codes_delay_a_known_device_too(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let first = stage.login(EMAIL, PASSWORD).await;
    let jwt = format!("JWT {}", first.json()["token"].as_str().unwrap());
    let mut set = first.headers.get_all("set-cookie").iter();
    let device = set.find_map(|value| {
        let value = value.to_str().unwrap().split(';').next()?;
        value.starts_with("herdbook-device=").then_some(value)
    });
    let device = device.unwrap();
    let (secret, _) = switched_on(stage, &jwt, NOW / 1000).await;
    stage.pass(60);
    let from = async |code: &str| {
        let body = json!({"email": EMAIL, "password": PASSWORD, "code": code});
        let headers = [("content-type", "application/json"), ("cookie", device)];
        let body = Body::from(body.to_string());
        let request = request("POST", "/api/users/login", &headers, body);
        stage.ask(request).await
    };
    for _ in 0..5 {
        assert_eq!(from("000000").await.parts(), WRONG);
    }
    let good = code(&secret, NOW / 1000 + 60);
    assert_eq!(from(&good).await.status, 401, "it waits");
    let unlocked = json!({"token": device.trim_start_matches("herdbook-device=")});
    let unlocked = stage.post("/api/users/unlock", unlocked.to_string()).await;
    assert_eq!((unlocked.status, unlocked.header("set-cookie")), (403, ""));
    stage.pass(1);
    assert_eq!(from(&good).await.status, 200, "it was not looked at before");
}

#[test_with(Stage::each)]
async fn switching_on_and_off_needs_the_password_and_a_session(stage: &Stage) {
    let jwt = signed_in(stage).await;
    let now = NOW / 1000;
    let paths = ["", "/confirm", "/disable"].map(|tail| format!("/api/users/second-factor{tail}"));
    for path in &paths {
        ask!(stage, "", "POST {path}", {"password": PASSWORD, "code": "123456"} => FORBIDDEN);
        let wrong = json!({"password": "wrong", "code": "123456"});
        assert_eq!(ask(stage, &jwt, "POST", path, wrong).await.status, 401);
        ask!(stage, jwt, "POST {path}", {} => 400);
    }
    stage.login(EMAIL, PASSWORD).await;
    let key = json!({"enableAPIKey": true, "apiKey": "a-key-of-16-chars-or-more"});
    ask!(stage, jwt, "PATCH /api/users/7", key => 200);
    let key = "users API-Key a-key-of-16-chars-or-more";
    let body = json!({"password": PASSWORD});
    let [begin, confirm, disable] = &paths;
    let by_key = ask(stage, key, "POST", begin, body).await;
    by_key.has(&["An API key has no sessions"]);
    let body = json!({"password": PASSWORD, "code": "123456"});
    ask!(stage, jwt, "POST {confirm}", body => WRONG, "nothing waits for a code");
    ask!(stage, jwt, "POST {disable}", body => 400);

    let begun = ask!(stage, jwt, "POST {begin}", {"password": PASSWORD} => 200);
    let secret = begun.json()["secret"].as_str().unwrap().to_owned();
    assert_eq!(stage.login(EMAIL, PASSWORD).await.status, 200, "not on yet");
    stage.pass(900);
    let body = json!({"password": PASSWORD, "code": code(&secret, now + 900)});
    ask!(stage, jwt, "POST {confirm}", body => WRONG, "a secret waits for a quarter of an hour");

    let (secret, _) = switched_on(stage, &jwt, now + 900).await;
    ask!(stage, jwt, "POST {begin}", {"password": PASSWORD} => 400);
    stage.pass(60);
    let body = json!({"password": PASSWORD, "code": code(&secret, now + 960)});
    let off = ask!(stage, jwt, "POST {disable}", body => 200);
    holds!(off.json(), {"message": "The second factor is off."});
    assert_eq!(stage.login(EMAIL, PASSWORD).await.status, 200);
}

#[test_with(Stage::each)]
async fn a_letter_is_no_way_around_the_second_factor(stage: &Stage) {
    let jwt = signed_in(stage).await;
    let (_, recovery) = switched_on(stage, &jwt, NOW / 1000).await;
    let body = json!({"email": EMAIL}).to_string();
    stage.post("/api/users/forgot-password", body).await;
    let letters = delivered(stage).await;
    let request = letters.iter().find(|letter| letter.text.contains("token="));
    let token = token(request.expect("the email that was requested"));
    let reset = async |code: Option<&str>| {
        let body = json!({"token": token, "password": "molehill-41", "code": code});
        stage.post("/api/users/reset-password", body.to_string()).await
    };
    let none = reset(None).await;
    assert_eq!(none.status, 401, "{}", none.text);
    assert_eq!(none.json()["errors"][0]["name"], "SecondFactorRequired");
    assert_eq!(reset(Some("000000")).await.parts(), WRONG);
    assert_eq!(reset(Some(&recovery[0])).await.status, 200);
    let body = json!({"email": EMAIL, "password": "molehill-41", "code": recovery[0]});
    ask!(stage, "", "POST /api/users/login", body => WRONG);
}

#[test_with(Stage::each)]
async fn graphql_asks_for_the_code_too(stage: &Stage) {
    let jwt = signed_in(stage).await;
    let (_, recovery) = switched_on(stage, &jwt, NOW / 1000).await;
    let login = async |code: &str| {
        let query = format!(r#"mutation {{ loginUser(email: "{EMAIL}", password: "{PASSWORD}"{code}) {{ token }} }}"#);
        let body = json!({"query": query}).to_string();
        stage.post("/api/graphql", body).await.json()
    };
    let none = login("").await;
    assert!(none["data"]["loginUser"].is_null(), "{none}");
    assert!(none["errors"][0]["message"].as_str().unwrap().contains("second factor"), "{none}");
    let code = format!(r#", code: "{}""#, recovery[0]);
    let good = login(&code).await;
    assert!(good["data"]["loginUser"]["token"].is_string(), "{good}");
}

/// A user who must have one and lacks it may only switch it on, over any face.
#[tokio::test]
async fn who_must_have_a_second_factor_may_only_switch_it_on() {
    for (demand, bound) in [
        ("off", &[][..]),
        ("association", &["admin", "expert"][..]),
        ("heads", &["admin", "expert", "alpha", "beta", "delta"][..]),
    ] {
        World::under(&[("security.second_factor", demand)], async |w| {
            for who in "admin expert alpha operator viewer beta delta".split(' ') {
                let bound = bound.contains(&who);
                let assert_bound = |answer: &Answer, status: u16| match bound {
                    true => {
                        assert_eq!(answer.status, status, "{who} {demand} {}", answer.text);
                        answer.has(&["POST /api/users/second-factor"]);
                    }
                    false => {
                        answer.lacks_in(&who, &["second-factor"]);
                        assert!(![401, 403].contains(&answer.status), "{who} {}", answer.text);
                    }
                };
                assert_bound(&w.get(who, "/api/animals?limit=1").await, 403);
                assert_bound(&w.get(who, "/ade/v1/locations").await, 401);
                let query = json!({"query": "{ meUser { user { id } } }"}).to_string();
                assert_bound(&w.ask(who, "POST", "/api/graphql", query).await, 403);
                assert!(!w.get(who, "/api/users/me").await.json()["user"].is_null());
                let login = w.stage.login(&format!("{who}@demo.herdbook"), PASSWORD).await;
                assert_eq!(login.status, 200);
                assert_eq!(login.json()["secondFactor"] == "required", bound, "{}", login.text);
            }
            let jwt = format!("JWT {}", w.stage.token("admin@demo.herdbook").await);
            let other = format!("JWT {}", w.stage.token("admin@demo.herdbook").await);
            switched_on(w.stage, &jwt, NOW / 1000).await;
            ask!(w.stage, jwt, "GET /api/animals?limit=1" => 200);
            let ended = ask(w.stage, &other, "GET", "/api/users/me", json!({})).await;
            assert!(ended.json()["user"].is_null(), "it was begun by the password alone");
        })
        .await;
    }
}
