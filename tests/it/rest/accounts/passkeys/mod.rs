//! Passkeys: created by an authenticator of our own, so that answers do not come from the code that judges them; every
//! fault gets the same refusal; valid once; and equivalent to password and code together.

mod device;

use super::second_factor::ask;
use crate::rest::operation::letters::delivered;
use crate::rest::stage::{Answer, PASSWORD, Stage, request};
use crate::rest::world::{FORBIDDEN, World};
use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as URL;
use device::{Device, GOOD, PRESENT, Way};
use model::registry::HookContext;
use serde_json::{Value, json};

const EMAIL: &str = "farm1@demo.herdbook";
const OTHER: &str = "farm2@demo.herdbook";
const ORIGIN: &str = "http://localhost:8080";
const REFUSED: (u16, &str) = (401, r#"{"errors":[{"message":"The passkey was not accepted."}]}"#);
const NOT_MADE: (u16, &str) = (400, r#"{"errors":[{"message":"The passkey was not accepted. Ask for new options."}]}"#);

async fn options(stage: &Stage, jwt: &str) -> Value {
    let options = ask!(stage, jwt, "POST /api/users/passkeys/options", {"password": PASSWORD} => 200);
    options.json()
}

async fn add(stage: &Stage, jwt: &str, credential: Value) -> Answer {
    let body = json!({"name": "Phone", "credential": credential});
    ask(stage, jwt, "POST", "/api/users/passkeys", body).await
}

/// A device with a key of that account.
async fn registered(stage: &Stage, jwt: &str, id: u8) -> Device {
    let options = options(stage, jwt).await;
    let device = Device::new(&options, id);
    let way = Way { counter: 0, ..GOOD };
    let made = add(stage, jwt, device.make(&options, way)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    device
}

async fn question(stage: &Stage) -> Value {
    let answer = ask!(stage, "", "POST /api/users/passkey-login/options", {} => 200);
    answer.json()
}

async fn enter(stage: &Stage, credential: Value) -> Answer {
    let body = json!({"credential": credential}).to_string();
    stage.post("/api/users/passkey-login", body).await
}

async fn shown(stage: &Stage, device: &Device, way: Way<'_>) -> Answer {
    let question = question(stage).await;
    enter(stage, device.show(&question, way)).await
}

async fn signed_in(stage: &Stage, email: &str) -> String {
    format!("JWT {}", stage.token(email).await)
}

#[test_with(Stage::each)]
async fn a_passkey_is_added_and_signs_in(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let jwt = signed_in(stage, EMAIL).await;
    let request = options(stage, &jwt).await;
    let public = &request["publicKey"];
    holds!(public, {
        "rp": {"name": "herdbook", "id": "localhost"}, "authenticatorSelection.residentKey": "required",
        "authenticatorSelection.userVerification": "required",
    });
    let handle = URL.decode(public["user"]["id"].as_str().unwrap()).unwrap();
    assert_eq!(handle.len(), 16, "random, and not the id of the account");
    let device = registered(stage, &jwt, 1).await;
    assert_eq!(device.handle, handle, "one account has one handle");
    let letters = delivered(stage).await;
    assert!(letters.iter().any(|l| l.to == EMAIL && l.text.contains("a passkey was added")));

    let question = question(stage).await;
    holds!(question, {"publicKey.allowCredentials": [], "publicKey.userVerification": "required"});
    stage.pass(60);
    let entered = enter(stage, device.show(&question, GOOD)).await;
    assert_eq!(entered.status, 200, "{}", entered.text);
    let body = entered.json();
    holds!(body, {"message": "Authentication Passed", "user.id": 7});
    assert!(body["user"]["secondFactor"].is_null() && body["user"]["passkeyHandle"].is_null());
    let by_key = format!("JWT {}", body["token"].as_str().unwrap());
    let sessions = ask(stage, &by_key, "GET", "/api/users/sessions", json!({})).await;
    assert_eq!(sessions.json()["docs"][0]["kind"], "passkey");

    let path = "/api/users/passkeys";
    let listed = ask(stage, &by_key, "GET", path, json!({})).await.json();
    let doc = &listed["docs"][0];
    let id = doc["id"].as_str().unwrap().to_owned();
    assert_eq!(
        listed,
        json!({"totalDocs": 1, "docs": [{
            "id": id, "name": "Phone", "createdAt": "2026-03-01T12:00:00.000Z",
            "lastUsedAt": "2026-03-01T12:01:00.000Z",
        }]})
    );
    let path = format!("{path}/{id}");
    let renamed = ask(stage, &by_key, "PATCH", &path, json!({"name": " Key "})).await;
    assert_eq!(renamed.json()["doc"]["name"], "Key", "{}", renamed.text);
    ask!(stage, by_key, "DELETE {path}", {"password": "wrong"} => 401);
    let right = json!({"password": PASSWORD});
    ask!(stage, by_key, "DELETE {path}", right => 200);
    ask(stage, &by_key, "DELETE", &path, right).await.assert_is(404, "");
    let me = ask(stage, &jwt, "GET", "/api/users/me", json!({})).await;
    assert!(me.json()["user"].is_null(), "other sessions end");
    let letters = delivered(stage).await;
    assert!(letters.iter().any(|l| l.text.contains("a passkey was removed")));
    let way = Way { counter: 2, ..GOOD };
    assert_eq!(shown(stage, &device, way).await.parts(), REFUSED, "removed");
}

#[test_with(Stage::each)]
async fn whatever_is_wrong_at_the_door_is_refused_alike_and_counted(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    stage.user(8, OTHER, "farmer").await;
    let jwt = signed_in(stage, EMAIL).await;
    let device = registered(stage, &jwt, 1).await;
    let others = registered(stage, &signed_in(stage, OTHER).await, 2).await;
    let way = Way { counter: 5, ..GOOD };
    assert_eq!(shown(stage, &device, way).await.status, 200);

    let next = Way { counter: 9, ..GOOD };
    let ways = table![
        "origin", Way { origin: "https://evil.example",..next };
        "port", Way { origin: "http://localhost:8081",..next };
        "site", Way { site: "evil.example",..next };
        "not verified", Way { flags: PRESENT,..next };
        "not present", Way { flags: 0x04,..next };
        "signature", Way { spoilt: true,..next };
        "counter as before", way;
        "counter back", Way { counter: 4,..next };
        "counter gone", Way { counter: 0,..next };
    ];
    for (why, way) in ways {
        assert_eq!(shown(stage, &device, way).await.parts(), REFUSED, "{why}");
    }
    let made_up = json!({"publicKey": {"challenge": URL.encode([7; 32])}});
    let made_up = enter(stage, device.show(&made_up, next)).await;
    assert_eq!(made_up.parts(), REFUSED, "a challenge that was never issued");
    let for_new = options(stage, &jwt).await;
    let for_new = enter(stage, device.show(&for_new, next)).await;
    assert_eq!(for_new.parts(), REFUSED, "a question after a new passkey");
    let foreign = Device { handle: others.handle.clone(), ..registered(stage, &jwt, 3).await };
    shown(stage, &foreign, next).await.assert_is(REFUSED, "of another account");
    let same_id = Device { handle: others.handle.clone(), id: others.id.clone(), ..registered(stage, &jwt, 4).await };
    shown(stage, &same_id, next).await.assert_is(REFUSED, "another key");
    let unknown = Device { handle: vec![9; 16], ..registered(stage, &jwt, 5).await };
    shown(stage, &unknown, next).await.assert_is(REFUSED, "unknown account");
    let late = question(stage).await;
    stage.pass(300);
    enter(stage, device.show(&late, next)).await.assert_is(REFUSED, "too late");
    for nothing in [json!(null), json!({}), json!({"response": {"clientDataJSON": "e30"}})] {
        assert_eq!(enter(stage, nothing).await.parts(), REFUSED);
    }
    assert_answered_once(stage, &device, next).await;

    assert_counted(stage, &device).await;
}

/// A question is answered once, wrongly too, and of two answers at once one counts.
async fn assert_answered_once(stage: &Stage, device: &Device, next: Way<'static>) {
    let used = question(stage).await;
    let spoilt = Way { spoilt: true, ..next };
    enter(stage, device.show(&used, spoilt)).await.assert_is(REFUSED, "");
    enter(stage, device.show(&used, next)).await.assert_is(REFUSED, "a question is answered once, wrongly too");
    let question = question(stage).await;
    let good = device.show(&question, next);
    let two = [enter(stage, good.clone()), enter(stage, good.clone())];
    let mut two = futures_util::future::join_all(two).await;
    two.sort_by_key(|answer| answer.status);
    assert_eq!((two[0].status, two[1].parts()), (200, REFUSED), "of two at once one");
    assert_eq!(enter(stage, good).await.parts(), REFUSED, "replayed");
}

/// Refusals count by address, not by name, and delay the right answer too.
async fn assert_counted(stage: &Stage, device: &Device) {
    let counted = "SELECT failures FROM sign_in_delays WHERE whose LIKE 'a:%'";
    assert_eq!(stage.number(counted).await, 22);
    let names = "SELECT count(*) FROM sign_in_delays WHERE whose LIKE 'n:%'";
    assert_eq!(stage.number(names).await, 0, "others cannot keep its owner out");
    let waiting = "SELECT count(*) FROM sign_in_challenges";
    assert_eq!(stage.number(waiting).await, 0, "what ended is let go");
    for _ in 22..50 {
        assert_eq!(enter(stage, json!({})).await.parts(), REFUSED);
    }
    let right = Way { counter: 10, ..GOOD };
    shown(stage, device, right).await.assert_is(REFUSED, "too early");
    stage.pass(3);
    let right = Way { counter: 11, ..GOOD };
    assert_eq!(shown(stage, device, right).await.status, 200);
}

#[test_with(Stage::each)]
async fn a_new_passkey_is_made_as_asked_in_the_session_that_asked(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    stage.user(8, OTHER, "farmer").await;
    let jwt = signed_in(stage, EMAIL).await;
    let second = signed_in(stage, EMAIL).await;
    let other = signed_in(stage, OTHER).await;
    let path = "/api/users/passkeys/options";
    ask!(stage, "", "POST {path}", {"password": PASSWORD} => FORBIDDEN);
    ask!(stage, jwt, "POST {path}", {"password": "wrong"} => 401);
    assert_eq!(ask(stage, &jwt, "POST", path, json!({})).await.status, 400);

    let ways = table![
        "origin", Way { origin: "https://evil.example",..GOOD };
        "site", Way { site: "evil.example",..GOOD };
        "not verified", Way { flags: PRESENT,..GOOD };
    ];
    for (why, way) in ways {
        let request = options(stage, &jwt).await;
        let made = Device::new(&request, 1).make(&request, way);
        assert_eq!(add(stage, &jwt, made).await.parts(), NOT_MADE, "{why}");
    }
    for (whose, jwt) in [("another session", &second), ("another account", &other)] {
        let request = options(stage, &signed_in(stage, EMAIL).await).await;
        let made = Device::new(&request, 1).make(&request, GOOD);
        assert_eq!(add(stage, jwt, made).await.parts(), NOT_MADE, "{whose}");
    }
    let request = question(stage).await;
    let named = options(stage, &jwt).await;
    let device = Device::new(&named, 1);
    let made = device.make(&request, GOOD);
    add(stage, &jwt, made).await.assert_is(NOT_MADE, "a question at the door");
    let late = options(stage, &jwt).await;
    stage.pass(300);
    let made = device.make(&late, GOOD);
    assert_eq!(add(stage, &jwt, made).await.parts(), NOT_MADE, "too late");

    let request = options(stage, &jwt).await;
    let made = device.make(&request, GOOD);
    assert_eq!(add(stage, &jwt, made.clone()).await.status, 201);
    assert_eq!(add(stage, &jwt, made).await.parts(), NOT_MADE, "once");
    let repeat = options(stage, &jwt).await;
    let known = &repeat["publicKey"]["excludeCredentials"][0]["id"];
    assert_eq!(known, &json!(URL.encode([1; 16])));
    let made = device.make(&repeat, GOOD);
    add(stage, &jwt, made).await.assert_is(NOT_MADE, "the account has it");
    ask!(stage, jwt, "POST /api/users/passkeys", {"name": " "} => 400);
    let docs = ask(stage, &other, "GET", "/api/users/passkeys", json!({})).await;
    assert_eq!(docs.json(), json!({"totalDocs": 0, "docs": []}));
}

#[test_with(Stage::each)]
async fn an_api_key_has_nothing_to_do_with_passkeys(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let jwt = signed_in(stage, EMAIL).await;
    let device = registered(stage, &jwt, 1).await;
    let listed = ask(stage, &jwt, "GET", "/api/users/passkeys", json!({})).await.json();
    let one = listed["docs"][0]["id"].as_str().unwrap();
    let key = json!({"enableAPIKey": true, "apiKey": "a-key-of-16-chars-or-more"});
    ask!(stage, jwt, "PATCH /api/users/7", key => 200);
    let key = "users API-Key a-key-of-16-chars-or-more";
    let body = json!({"password": PASSWORD, "name": "Robot", "credential": {}});
    for (method, path) in [
        ("GET", "/api/users/passkeys".to_owned()),
        ("POST", "/api/users/passkeys".to_owned()),
        ("POST", "/api/users/passkeys/options".to_owned()),
        ("PATCH", format!("/api/users/passkeys/{one}")),
        ("DELETE", format!("/api/users/passkeys/{one}")),
    ] {
        let by_key = ask(stage, key, method, &path, body.clone()).await;
        assert_eq!(by_key.status, 403, "{method} {path} {}", by_key.text);
    }
    assert_eq!(shown(stage, &device, GOOD).await.status, 200);
}

/// A user who must show a second factor shows it by signing in with the passkey: having one is not enough, and a
/// session without it neither adds another factor nor takes the passkey away.
#[tokio::test]
async fn a_passkey_is_the_second_factor_that_is_demanded() {
    World::under(&[("security.second_factor", "association")], async |w| {
        let stage = w.stage;
        let email = "admin@demo.herdbook";
        let jwt = signed_in(stage, email).await;
        let animals = "/api/animals?limit=1";
        ask(stage, &jwt, "GET", animals, json!({})).await.assert_is(403, "");
        let device = registered(stage, &jwt, 1).await;

        let shut = ask(stage, &jwt, "GET", animals, json!({})).await;
        assert!(shut.status == 403 && shut.text.contains("passkey-login"), "{}", shut.text);
        let login = stage.login(email, PASSWORD).await;
        assert_eq!(login.json()["secondFactor"], "required", "{}", login.text);
        let body = json!({"password": PASSWORD});
        for (method, path) in [
            ("POST", "/api/users/second-factor"),
            ("POST", "/api/users/passkeys/options"),
            ("GET", "/api/users/passkeys"),
        ] {
            let shut = ask(stage, &jwt, method, path, body.clone()).await;
            assert!(shut.status == 403 && shut.text.contains("passkey-login"), "{path} {}", shut.text);
        }
        let ade = ask(stage, &jwt, "GET", "/ade/v1/locations", json!({})).await;
        assert!(ade.status == 401 && ade.text.contains("passkey-login"), "{}", ade.text);

        let entered = shown(stage, &device, GOOD).await;
        assert_eq!(entered.status, 200, "{}", entered.text);
        assert!(entered.json()["secondFactor"].is_null(), "{}", entered.text);
        let by_key = format!("JWT {}", entered.json()["token"].as_str().unwrap());
        ask(stage, &by_key, "GET", animals, json!({})).await.assert_is(200, "");
        ask!(stage, by_key, "POST /api/users/second-factor", body => 200);
    })
    .await;
}

/// Challenges are stored in the book, not in the process.
#[test_with(Stage::each)]
async fn another_process_takes_the_answer(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let other = stage.other_process().await;
    let jwt = signed_in(stage, EMAIL).await;
    let request = options(stage, &jwt).await;
    let device = Device::new(&request, 1);
    let made = add(&other, &jwt, device.make(&request, GOOD)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let question = question(&other).await;
    let answer = device.show(&question, Way { counter: 2, ..GOOD });
    assert_eq!(enter(stage, answer.clone()).await.status, 200);
    assert_eq!(enter(&other, answer).await.parts(), REFUSED);
    other.book.store.close().await;
}

#[test_with(Stage::each)]
async fn what_the_terminal_switches_off_has_no_passkeys(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let device = registered(stage, &signed_in(stage, EMAIL).await, 1).await;
    let users = stage.book.registry.get("users").unwrap();
    let off = api::sign_in::factor::off(users);
    let off = (stage.book).transact(move |work| Box::pin(async move { work.amend("users", vec![(7, off)]).await }));
    off.await.unwrap();
    assert_eq!(shown(stage, &device, GOOD).await.parts(), REFUSED);
    let jwt = signed_in(stage, EMAIL).await;
    let docs = ask(stage, &jwt, "GET", "/api/users/passkeys", json!({})).await;
    assert_eq!(docs.json()["totalDocs"], 0);
    registered(stage, &jwt, 2).await;
}

#[tokio::test]
async fn passkeys_want_a_name_of_the_service() {
    for (url, site, status) in [
        ("https://book.example", "book.example", 200),
        ("https://192.0.2.7", "", 400),
        ("http://book.example", "", 400),
    ] {
        let stage = Stage::with(&[("server.url", url)]).await;
        let call = stage.post("/api/users/passkey-login/options", "{}").await;
        assert_eq!(call.status, status, "{url} {}", call.text);
        match status {
            200 => assert_eq!(call.json()["publicKey"]["rpId"], site),
            _ => assert!(call.text.contains("server.url"), "{}", call.text),
        }
        // The page offers what is possible.
        let headers = [("accept", "text/html")];
        let page = stage.ask(request("GET", "/sign-in", &headers, Body::empty())).await;
        assert_eq!(page.text.contains("passkey-login"), status == 200, "{url} {}", page.text);
    }
}

#[test_with(Stage::each)]
async fn the_page_of_the_account_lists_renames_and_removes_passkeys(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    stage.user(8, OTHER, "farmer").await;
    let (jwt, other) = (signed_in(stage, EMAIL).await, signed_in(stage, OTHER).await);
    let device = registered(stage, &jwt, 1).await;
    let page = async |jwt: &str, method: &str, path: &str, fields: &str| {
        let headers =
            [("accept", "text/html"), ("authorization", jwt), ("content-type", "application/x-www-form-urlencoded")];
        let body = Body::from(fields.to_owned());
        stage.ask(request(method, path, &headers, body)).await
    };
    let answer = page(&jwt, "GET", "/account", "").await;
    answer.has(&["<h3>Phone</h3>", "hidden"]);
    let listed = ask(stage, &jwt, "GET", "/api/users/passkeys", json!({})).await.json();
    let path = format!("/account/passkeys/{}", listed["docs"][0]["id"].as_str().unwrap());
    let strangers = page(&other, "GET", "/account", "").await;
    assert_eq!(strangers.status, 200);
    strangers.lacks(&["Phone"]);
    assert_eq!(page(&other, "POST", &path, "name=Mine").await.status, 404);
    let renamed = page(&jwt, "POST", &path, "name=Tablet").await;
    assert_eq!((renamed.status, renamed.header("location")), (303, "/account"));
    let answer = page(&jwt, "GET", "/account", "").await;
    answer.has(&["<h3>Tablet</h3>"]);
    let nameless = page(&jwt, "POST", &path, "name=").await;
    assert_eq!(nameless.status, 400);
    nameless.has(&["role=\"alert\">"]);
    let remove = format!("{path}/remove");
    let wrong = page(&jwt, "POST", &remove, "password=not+this+one").await;
    assert_eq!(wrong.status, 401, "{}", wrong.text);
    wrong.has(&["<h3>Tablet</h3>"]);
    let removed = page(&jwt, "POST", &remove, &format!("password={PASSWORD}")).await;
    assert_eq!(removed.status, 303, "{}", removed.text);
    assert_eq!(shown(stage, &device, GOOD).await.parts(), REFUSED);
    // A visitor without an account signs in first.
    let headers = [("accept", "text/html")];
    let stranger = stage.ask(request("GET", "/account", &headers, Body::empty())).await;
    assert_eq!((stranger.status, stranger.header("location")), (303, "/sign-in?next=%2Faccount"));
}
