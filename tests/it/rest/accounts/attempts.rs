//! A caller that guesses passwords must wait, and a known device may still sign in: delays in place of locks.

use crate::rest::operation::letters::{delivered, token};
use crate::rest::stage::{NOW, PASSWORD, Stage, request};
use serde_json::json;
use std::time::Instant;
use store::{Sql, Ty};

const EMAIL: &str = "farm1@demo.herdbook";
const NOBODY: &str = "nobody@x.example";
const INCORRECT: (u16, &str) = (401, r#"{"errors":[{"message":"The email or password provided is incorrect."}]}"#);

/// A sign-in from a device.
async fn from(stage: &Stage, device: &str, email: &str, password: &str) -> crate::rest::stage::Answer {
    let body = json!({"email": email, "password": password}).to_string();
    let headers = [("content-type", "application/json"), ("cookie", device)];
    let request = request("POST", "/api/users/login", &headers, body.into());
    stage.ask(request).await
}

/// All headers but the id that each request has for itself.
fn headers(answer: &crate::rest::stage::Answer) -> String {
    let mut headers = answer.headers.clone();
    headers.remove("x-request-id");
    format!("{headers:?}")
}

/// The cookie of a device that an answer sets, as a browser sends it back.
fn device(answer: &crate::rest::stage::Answer) -> String {
    let mut set = answer.headers.get_all("set-cookie").iter();
    let found = set.find_map(|value| {
        let value = value.to_str().unwrap();
        value.starts_with("herdbook-device=").then_some(value)
    });
    let value = found.expect("a device cookie");
    for rule in ["HttpOnly=true", "SameSite=Lax", "Path=/"] {
        assert!(value.contains(rule), "{value}");
    }
    value.split(';').next().unwrap().to_owned()
}

#[test_with(Stage::each)]
async fn wrong_passwords_delay_by_name_and_tell_nothing(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    stage.user(8, "blocked@demo.herdbook", "farmer").await;
    let sql = Sql::new("UPDATE users SET blocked_at = created_at WHERE id = 8");
    stage.run(sql).await;
    let mut answers = Vec::new();
    for (email, right) in [(EMAIL, PASSWORD), (NOBODY, PASSWORD), ("blocked@demo.herdbook", PASSWORD)] {
        let mut all = Vec::new();
        for _ in 0..5 {
            let answer = stage.login(email, "wrong").await;
            all.push((answer.status, headers(&answer), answer.text));
        }
        // The right one at once, and later ones.
        let answer = stage.login(email, right).await;
        all.push((answer.status, headers(&answer), answer.text));
        assert_eq!(stage.failures("users", email).await, (5, NOW + 1_000));
        answers.push(all);
    }
    assert_eq!(answers[0], answers[1], "an unknown name");
    assert_eq!(answers[0], answers[2], "a blocked user");
    assert!(answers[0].iter().all(|(status, _, text)| (*status, &**text) == INCORRECT));
    stage.pass(1);
    assert_eq!(stage.login(EMAIL, PASSWORD).await.status, 200);
    assert_eq!(stage.failures("users", EMAIL).await, (0, 0), "begun anew");
    for email in [NOBODY, "blocked@demo.herdbook"] {
        assert_eq!(stage.login(email, PASSWORD).await.parts(), INCORRECT);
    }
}

#[test_with(Stage::each)]
async fn delays_grow_and_are_shared_by_processes(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let other = stage.other_process().await;
    let mut until = 0;
    for n in 1..=20 {
        let at = if n % 2 == 0 { stage } else { &other };
        assert_eq!(at.login(EMAIL, "wrong").await.parts(), INCORRECT);
        let failed = stage.failures("users", EMAIL).await;
        assert_eq!(failed.0, n, "each is counted");
        until = failed.1 - stage.book.clock.now();
        let expected = match n {
            ..5 => 0,
            5..=14 => 1_000 << (n - 5),
            _ => 600_000,
        };
        assert_eq!(until, expected, "{n}");
        if until > 0 {
            assert_eq!(other.login(EMAIL, PASSWORD).await.parts(), INCORRECT);
        }
        stage.pass((until / 1000).max(61));
    }
    assert_eq!(until, 600_000);
    stage.login(EMAIL, PASSWORD).await.assert_is(200, "never locked");
}

#[test_with(Stage::each)]
async fn a_known_device_enters_while_others_guess(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    stage.user(8, "other@demo.herdbook", "farmer").await;
    let mine = device(&stage.login(EMAIL, PASSWORD).await);
    let foreign = device(&stage.login("other@demo.herdbook", PASSWORD).await);
    for _ in 0..19 {
        stage.pass(61);
        stage.login(EMAIL, "wrong").await;
    }
    // Another user in what is signed.
    let at = mine.len() / 2;
    let other = if &mine[at..=at] == "A" { "B" } else { "A" };
    let forged = format!("{}{other}{}", &mine[..at], &mine[at + 1..]);
    for cookie in ["", &foreign, &forged, "herdbook-device=x"] {
        let answer = from(stage, cookie, EMAIL, PASSWORD).await;
        assert_eq!(answer.parts(), INCORRECT, "{cookie}");
    }
    let answer = from(stage, &mine, EMAIL, PASSWORD).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    // A device waits for its own failures, and another password forgets it.
    let mine = device(&answer);
    for _ in 0..5 {
        assert_eq!(from(stage, &mine, EMAIL, "wrong").await.parts(), INCORRECT);
    }
    assert_eq!(from(stage, &mine, EMAIL, PASSWORD).await.parts(), INCORRECT);
    stage.pass(1);
    let answer = from(stage, &mine, EMAIL, PASSWORD).await;
    assert_eq!(answer.status, 200);
    let mine = device(&answer);
    let verifier = stage.book.passwords.hash("another-password").unwrap();
    let sql = Sql::new("UPDATE users SET verifier = ").with(Ty::Text, verifier);
    stage.run(sql.and(" WHERE id = 7")).await;
    let answer = from(stage, &mine, EMAIL, "another-password").await;
    assert_eq!(answer.parts(), INCORRECT);
}

#[test_with(Stage::each)]
async fn the_link_of_a_letter_makes_a_device_known(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    for _ in 0..15 {
        stage.pass(700);
        stage.login(EMAIL, "wrong").await;
    }
    assert_eq!(stage.login(EMAIL, PASSWORD).await.parts(), INCORRECT);
    let mut answers = Vec::new();
    for email in [EMAIL, NOBODY] {
        let body = json!({"email": email}).to_string();
        let answer = stage.post("/api/users/unlock-link", body).await;
        answers.push((answer.status, headers(&answer), answer.text));
        let queued = stage.number("SELECT count(*) FROM mail_outbox").await;
        assert_eq!(queued, i64::try_from(answers.len()).unwrap(), "the same work");
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!((answers[0].0, &*answers[0].2), (200, r#"{"message":"Success"}"#));
    let letters = delivered(stage).await;
    assert_eq!((letters.len(), letters[0].to.as_str()), (1, EMAIL));
    let token = token(&letters[0]);
    let follow = async |token: &str| {
        let body = json!({"token": token}).to_string();
        stage.post("/api/users/unlock", body).await
    };
    assert_eq!(follow("nonsense").await.status, 403);
    let answer = follow(&token).await;
    assert_eq!(answer.parts(), (200, r#"{"message":"Success"}"#));
    let known = device(&answer);
    assert_eq!(from(stage, &known, EMAIL, "wrong").await.parts(), INCORRECT);
    assert_eq!(from(stage, &known, EMAIL, PASSWORD).await.status, 200);
    stage.pass(1801);
    assert_eq!(follow(&token).await.status, 403, "half an hour");
}

/// The cookie of a device and the token of an email are not taken for each other, and neither begins to count anew.
#[test_with(Stage::each)]
async fn one_device_counts_in_one_place(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let mine = device(&stage.login(EMAIL, PASSWORD).await);
    let follow = async |token: &str| {
        let body = json!({"token": token}).to_string();
        stage.post("/api/users/unlock", body).await
    };
    let answer = follow(mine.trim_start_matches("herdbook-device=")).await;
    assert_eq!(answer.status, 403, "a cookie is no link: {}", answer.text);
    assert_eq!(answer.header("set-cookie"), "");
    let body = json!({"email": EMAIL}).to_string();
    stage.post("/api/users/unlock-link", body).await;
    let token = token(&delivered(stage).await[0]);
    let devices = [device(&follow(&token).await), device(&follow(&token).await)];
    for _ in 0..5 {
        let wrong = from(stage, &devices[0], EMAIL, "wrong").await;
        assert_eq!(wrong.parts(), INCORRECT);
    }
    let later = device(&follow(&token).await);
    for known in [&devices[0], &devices[1], &later] {
        let answer = from(stage, known, EMAIL, PASSWORD).await;
        assert_eq!(answer.parts(), INCORRECT, "it waits, whichever way it came");
    }
    // A link is no cookie: with it the client counts like one from anywhere.
    let link = format!("herdbook-device={token}");
    for _ in 0..5 {
        assert_eq!(from(stage, &link, EMAIL, "wrong").await.parts(), INCORRECT);
    }
    assert_eq!(stage.failures("users", EMAIL).await.0, 5);
    stage.pass(1);
    assert_eq!(from(stage, &later, EMAIL, PASSWORD).await.status, 200);
}

#[test_with(Stage::each)]
async fn guesses_at_the_same_time_are_no_way_around_the_delay(stage: &Stage) {
    stage.user(7, EMAIL, "farmer").await;
    let guesses = (0..20).map(|_| stage.login(EMAIL, "wrong"));
    let answers = futures_util::future::join_all(guesses).await;
    assert!(answers.iter().all(|a| a.parts() == INCORRECT));
    let looked_at = stage.failures("users", EMAIL).await.0;
    assert!((5..=7).contains(&looked_at), "{looked_at}");
}

/// The same work for names with an account and names without. Shown with `--nocapture`; the bound
/// is wide, since machines have other things to do.
#[test_with(Stage::each)]
async fn known_and_unknown_names_take_the_same_time(stage: &Stage) {
    let mut times = [Vec::new(), Vec::new()];
    for n in 0..60_i64 {
        stage.user(n + 1, &format!("known{n}@x.example"), "farmer").await;
    }
    for n in 0..60_u64 {
        stage.pass(61);
        for (place, kind) in ["known", "ghost"].iter().enumerate() {
            let email = format!("{kind}{n}@x.example");
            let begun = Instant::now();
            let answer = stage.login(&email, "wrong").await;
            times[place].push(begun.elapsed());
            assert_eq!(answer.parts(), INCORRECT);
        }
    }
    let [known, ghost] = times.map(|mut all| {
        all.sort();
        all[all.len() / 2].as_secs_f64() * 1000.0
    });
    eprintln!("median known {known:.2} ms, unknown {ghost:.2} ms");
    let apart = (known - ghost).abs() / known.max(ghost);
    assert!(apart < 0.5, "known {known:.2} ms, unknown {ghost:.2} ms");
}
