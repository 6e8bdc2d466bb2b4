//! `herdbook user`.

use crate::support::book::SECRET;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const EMAIL: &str = "ann@farm.example";
const PASSWORD: &str = "first-password";

fn herdbook(dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args(words).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The one line of a command that succeeds.
fn line(dir: &Path, words: &[&str], input: &str) -> Value {
    let mut command = herdbook(dir, words);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
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

struct Server(Child, String);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(dir: &Path) -> Server {
    let words = ["serve", "--listen", "127.0.0.1:0", "--log", "warn"];
    let mut child = herdbook(dir, &words)
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    Server(child, ready["url"].as_str().unwrap().to_owned())
}

impl Server {
    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}{path}", self.1);
        let answer = reqwest::Client::new()
            .post(url)
            .json(&body)
            .send()
            .await
            .unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// The user that an API key opens.
    async fn holder(&self, key: &str) -> Value {
        let request = reqwest::Client::new()
            .get(format!("{}/api/users/me", self.1))
            .header("authorization", format!("users API-Key {key}"));
        let body: Value = request.send().await.unwrap().json().await.unwrap();
        body["user"]["email"].clone()
    }
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
        let server = serve(dir);
        assert_eq!(server.holder(&text(&key["apiKey"])).await, EMAIL);
        assert_eq!(
            server.holder(&text(&first["apiKey"])).await,
            Value::Null,
            "replaced"
        );
        let body = json!({"token": reset["token"], "password": "second-password"});
        let (status, told) = server.post("/api/users/reset-password", body).await;
        assert_eq!(status, 200, "{told}");
        let body = json!({"email": EMAIL, "password": "second-password"});
        assert_eq!(server.post("/api/users/login", body).await.0, 200);
    }
    let off = user(dir, &["api-key", "--off"]);
    assert_eq!(
        (&off["event"], off.get("apiKey")),
        (&json!("api-key-ended"), None)
    );
    let server = serve(dir);
    assert_eq!(server.holder(&text(&key["apiKey"])).await, Value::Null);
}

#[test]
fn nobody_gets_a_key_who_is_not_there() {
    let dir = book();
    let words = ["user", "api-key", "--email", "nobody@farm.example"];
    let output = herdbook(dir.path(), &words).output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.starts_with("--email: no account has the address nobody@"),
        "{text}"
    );
}
