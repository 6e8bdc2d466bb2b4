//! `herdbook user`.

use crate::support::program::{Server, ended, herdbook};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const EMAIL: &str = "ann@farm.example";
const PASSWORD: &str = "first-password";

/// The one line of a command that succeeds.
fn line(dir: &Path, words: &[&str], input: &str) -> Value {
    let mut command = herdbook(dir, words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut terminal = child.stdin.take().unwrap();
    terminal.write_all(input.as_bytes()).unwrap();
    drop(terminal);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn user(dir: &Path, words: &[&str]) -> Value {
    let all = [&["user"], words, &["--email", EMAIL]].concat();
    line(dir, &all, "")
}

/// A book with one user.
fn book() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    line(dir.path(), &["migrate"], "");
    let names = ["--first-name", "A", "--last-name", "B", "--email", EMAIL];
    let words = [&["user", "add"], &names[..]].concat();
    let added = line(dir.path(), &words, &format!("{PASSWORD}\n"));
    assert_eq!(added["event"], "user-added");
    dir
}

async fn post(server: &Server, path: &str, body: Value) -> (u16, Value) {
    let client = reqwest::Client::new();
    let request = client.post(format!("{}{path}", server.url)).json(&body);
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// The user that an API key opens.
async fn holder(server: &Server, key: &str) -> Value {
    let request = reqwest::Client::new()
        .get(format!("{}/api/users/me", server.url))
        .header("authorization", format!("users API-Key {key}"));
    let body: Value = request.send().await.unwrap().json().await.unwrap();
    body["user"]["email"].clone()
}

#[tokio::test]
async fn keys_and_tokens_of_the_terminal_work_at_the_door() {
    let dir = book();
    let dir = dir.path();
    let first = user(dir, &["api-key"]);
    let key = user(dir, &["api-key"]);
    assert_eq!(key["event"], "api-key");
    let reset = user(dir, &["reset"]);
    assert_eq!(reset["event"], "reset-token");
    assert_eq!(user(dir, &["unlock"])["event"], "user-unlocked");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    {
        let server = Server::start(dir, &["--log", "warn"]);
        assert_eq!(holder(&server, &text(&key["apiKey"])).await, EMAIL);
        assert_eq!(holder(&server, &text(&first["apiKey"])).await, Value::Null, "replaced");
        let body = json!({"token": reset["token"], "password": "second-password"});
        let (status, answer) = post(&server, "/api/users/reset-password", body).await;
        assert_eq!(status, 200, "{answer}");
        let body = json!({"email": EMAIL, "password": "second-password"});
        assert_eq!(post(&server, "/api/users/login", body).await.0, 200);
    }
    let off = user(dir, &["api-key", "--off"]);
    assert_eq!((&off["event"], off.get("apiKey")), (&json!("api-key-ended"), None));
    let server = Server::start(dir, &["--log", "warn"]);
    assert_eq!(holder(&server, &text(&key["apiKey"])).await, Value::Null);
}

#[test]
fn nobody_gets_a_key_who_is_not_there() {
    let dir = book();
    let words = ["user", "api-key", "--email", "nobody@farm.example"];
    let done = ended(herdbook(dir.path(), &words));
    assert_ne!(done.code, Some(0), "{done:?}");
    let is_refused = done.err.starts_with("--email: no account has the address nobody@");
    assert!(is_refused, "{done:?}");
}
