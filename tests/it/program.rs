//! The program as its users start it: commands, their one line, and their end.

use crate::support::program::{Server, done, ended, herdbook, migrated};
use model::clock::Clock;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use store::{Durability, Sql, Store};

#[test]
fn a_book_that_was_closed_is_one_file() {
    let dir = migrated();
    let line = done(dir.path(), &["generate", "--animals", "60"]).out;
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["event"], "generated");
    assert_eq!(files(dir.path()), ["herdbook.db"]);
}

fn files(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_role_that_does_not_exist_is_refused() {
    let dir = migrated();
    let words = ["user", "add", "--email", "a@b.example", "--role", "owner"];
    let names = ["--first-name", "A", "--last-name", "B"];
    let text = refused(herdbook(dir.path(), &[&words[..], &names[..]].concat()));
    assert!(text.contains("[possible values: farmer, "), "{text}");
}

fn refused(command: Command) -> String {
    let done = ended(command);
    assert_ne!(done.code, Some(0), "{done:?}");
    assert_eq!(done.out, "");
    done.err
}

#[tokio::test]
async fn serve_says_when_it_is_ready_and_ends_on_sigterm() {
    let dir = migrated();
    let server = Server::start(dir.path(), &["--log", "warn"]);
    let live = reqwest::get(format!("{}/healthz/live", server.url)).await;
    assert_eq!(live.unwrap().status(), 200);
    server.stop();
}

#[test]
fn serve_refuses_a_missing_or_well_known_secret() {
    let dir = migrated();
    let mut without = herdbook(dir.path(), &["serve"]);
    without.env_remove("HERDBOOK_SECURITY_SECRET");
    let text = refused(without);
    assert!(text.contains("security.secret: the current secret is missing"), "{text}");
    let mut known = herdbook(dir.path(), &["serve"]);
    known.env("HERDBOOK_SECURITY_SECRET", "your-256-bit-secret");
    let text = refused(known);
    assert!(text.contains("well-known"), "{text}");
}

#[test]
fn serve_refuses_a_database_that_was_not_migrated() {
    let dir = tempfile::tempdir().unwrap();
    let text = refused(herdbook(dir.path(), &["serve", "--log", "off"]));
    assert_eq!(text, "herdbook.db: there is no book. herdbook migrate makes one where database.url says.\n");
}

#[tokio::test]
async fn a_book_whose_filling_broke_off_is_neither_served_nor_exported() {
    let dir = migrated();
    let url = format!("sqlite:{}", dir.path().join("herdbook.db").display());
    let store = Store::open(&url, Durability::Full, Clock::system(), false);
    let store = store.await.unwrap();
    // As `generate` leaves it while rows are loaded.
    let filling = "INSERT INTO exchange_state (name, value) VALUES ('generation', '1')";
    let filling = store.write(move |tx| {
        Box::pin(async move {
            tx.next_seq();
            tx.run(Sql::new(filling)).await
        })
    });
    filling.await.unwrap();
    store.close().await;
    for words in [&["serve"][..], &["export", "there"]] {
        let text = refused(herdbook(dir.path(), words));
        assert!(text.contains("Make it anew."), "{words:?}: {text}");
    }
    assert_eq!(files(dir.path()), ["herdbook.db"]);
}

#[test]
fn faults_of_the_configuration_are_told_line_by_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("herdbook.toml");
    std::fs::write(file, "listen = 'nowhere'\nother = 1\n").unwrap();
    let text = refused(herdbook(dir.path(), &["migrate"]));
    assert_eq!(
        text,
        "other: there is no such key\nlisten: nowhere is no address or name that is known here, \
         with a port: 127.0.0.1:8080, localhost:0\n"
    );
}

#[test]
fn a_short_password_is_refused_before_anything_is_written() {
    let dir = migrated();
    let words = ["user", "password", "--email", "a@b.example"];
    let mut command = herdbook(dir.path(), &words);
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"short\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("password: must have at least 8 characters"), "{text}");
}
