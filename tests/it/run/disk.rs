//! A book that cannot be written to: reads go on, and health reports it with the reason.

use super::{SECRET, Server, herdbook, migrated};
use crate::support::fixture::Fixture;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use store::Sql;

const PASSWORD: &str = "first-password";

/// A server that can write no file beyond so many blocks, as on a disk that is full.
fn confined(dir: &std::path::Path, blocks: u32) -> Server {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_herdbook");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' serve --listen 127.0.0.1:0 --log warn");
    command.args(["-c", &script]).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    Server::of(dir, command)
}

#[tokio::test]
async fn health_says_when_nothing_can_be_written() {
    let dir = migrated();
    let words = ["user", "add", "--email", "a@b.example", "--role", "admin"];
    let names = ["--first-name", "A", "--last-name", "B"];
    let mut command = herdbook(dir.path(), &[&words[..], &names[..]].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());

    let server = confined(dir.path(), 400);
    let client = reqwest::Client::new();
    let login = client
        .post(format!("{}/api/users/login", server.url))
        .json(&json!({"email": "a@b.example", "password": PASSWORD}));
    let login: Value = login.send().await.unwrap().json().await.unwrap();
    let token = login["token"].as_str().expect("a token");
    let mut status = 0;
    for round in 0..500 {
        let name = format!("{round} {}", "x".repeat(200));
        let post = client
            .post(format!("{}/api/organizations", server.url))
            .header("authorization", format!("JWT {token}"))
            .json(&json!({"name": name, "presence": "registered"}));
        status = post.send().await.unwrap().status().as_u16();
        if status != 201 {
            break;
        }
    }
    assert_eq!(status, 503, "the disk is full at last");
    let health = reqwest::get(format!("{}/healthz", server.url)).await;
    let health = health.unwrap();
    assert_eq!(health.status(), 503);
    let body: Value = health.json().await.unwrap();
    holds!(body, {"status": "error", "database.connected": true, "database.writable": false});
    let why = body["database"]["error"].as_str().expect("why");
    assert!(why.contains("disk"), "{body}");
    let numbers = reqwest::get(format!("{}/metrics", server.url)).await;
    let numbers = numbers.unwrap().text().await.unwrap();
    assert!(numbers.contains("\nherdbook_database_writable 0\n"), "{numbers}");
    let read = reqwest::get(format!("{}/api/animals", server.url)).await;
    assert_eq!(read.unwrap().status(), 200, "reading goes on");
}

#[tokio::test]
async fn no_upload_is_taken_below_the_floor_of_free_disk() {
    let dir = migrated();
    let words = ["user", "add", "--email", "a@b.example", "--role", "admin"];
    let names = ["--first-name", "A", "--last-name", "B"];
    let mut command = herdbook(dir.path(), &[&words[..], &names[..]].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let client = reqwest::Client::new();
    // No disk has so much free space, every disk has so little.
    for (floor, expected) in [("1000000000000000", 507), ("0", 201)] {
        let mut command = herdbook(dir.path(), &["serve", "--listen", "127.0.0.1:0"]);
        command.env("HERDBOOK_LIMITS_FREE_DISK", floor);
        let server = Server::of(dir.path(), command);
        let post = |path: &str| client.post(format!("{}{path}", server.url));
        let body = json!({"email": "a@b.example", "password": PASSWORD});
        let login = post("/api/users/login").json(&body).send().await.unwrap();
        let login: Value = login.json().await.unwrap();
        let token = login["token"].as_str().expect("a token");
        let parts = "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4\n%%EOF\n\r\n--part--\r\n";
        let response = post("/api/media").bearer_auth(token).body(parts);
        let response = response.header("content-type", "multipart/form-data; boundary=part");
        let response = response.send().await.unwrap();
        assert_eq!(response.status().as_u16(), expected);
        let text = response.text().await.unwrap();
        assert_eq!(text.contains("no space for files"), expected == 507, "{text}");
        // All other requests go on.
        let name = json!({"name": format!("O {floor}"), "presence": "registered"});
        let made = post("/api/organizations").bearer_auth(token).json(&name);
        assert_eq!(made.send().await.unwrap().status(), 201);
        server.stop();
    }
}

/// A log that is written over takes small writes on a full disk, too.
#[tokio::test]
async fn a_disk_without_room_is_told_before_anybody_writes() {
    let dir = migrated();
    let server = confined(dir.path(), 400);
    let health = reqwest::get(format!("{}/healthz", server.url)).await;
    let body: Value = health.unwrap().json().await.unwrap();
    assert_eq!(body["database"]["writable"], false, "{body}");
    let why = body["database"]["error"].as_str().expect("why");
    assert!(why.contains("full"), "{body}");
    let remaining = std::fs::read_dir(dir.path()).unwrap();
    let mut names = remaining.map(|entry| entry.unwrap().file_name());
    assert!(!names.any(|name| name.to_string_lossy().ends_with("-room")));
}

/// However often health is requested: the trial costs a commit.
#[test_each(Fixture::both())]
async fn a_write_is_tried_once_in_some_seconds(fixture: Fixture) {
    let commits = async || {
        let count = Sql::new("SELECT commits FROM book_sequence");
        let rows = fixture.book.store.rows(count).await.unwrap();
        rows[0].int(0).unwrap()
    };
    let before = commits().await;
    for seconds in [0, 5] {
        fixture.pass(seconds);
        for _ in 0..10 {
            ask!(fixture, "", "GET /healthz" => 200);
        }
    }
    assert_eq!(commits().await - before, 2);
}
