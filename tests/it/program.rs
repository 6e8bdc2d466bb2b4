//! The program as its users start it: commands, their one line, and their end.

use crate::support::book::SECRET;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn herdbook(dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args(words).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command
}

fn migrated() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let output = herdbook(dir.path(), &["migrate"]).output().unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    holds!(line, {"event": "migrated", "applied": line["known"]});
    dir
}

#[test]
fn a_book_that_was_closed_is_one_file() {
    let dir = migrated();
    let output = herdbook(dir.path(), &["generate", "--animals", "60"]).output();
    let line: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(line["event"], "generated");
    assert_eq!(files(dir.path()), ["herdbook.db"]);
}

fn files(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
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

fn refused(mut command: Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    assert!(!status.success());
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    String::from_utf8(stderr).unwrap()
}

/// A server that ends with the test, however that ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn serve_says_when_it_is_ready_and_ends_on_sigterm() {
    let dir = migrated();
    let words = ["serve", "--listen", "127.0.0.1:0", "--log", "warn"];
    let mut command = herdbook(dir.path(), &words);
    let mut server = Server(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let ready: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(ready["event"], "ready");
    let url = ready["url"].as_str().unwrap();
    let live = reqwest::get(format!("{url}/healthz/live")).await.unwrap();
    assert_eq!(live.status(), 200);
    let id = server.0.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let stopped: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(stopped["event"], "stopped");
    assert!(server.0.wait().unwrap().success());
}

#[test]
fn serve_refuses_a_missing_or_well_known_secret() {
    let dir = migrated();
    let mut without = herdbook(dir.path(), &["serve"]);
    without.env_remove("HERDBOOK_SECURITY_SECRET");
    let text = refused(without);
    assert!(
        text.contains("security.secret: the current secret is missing"),
        "{text}"
    );
    let mut known = herdbook(dir.path(), &["serve"]);
    known.env("HERDBOOK_SECURITY_SECRET", "your-256-bit-secret");
    let text = refused(known);
    assert!(text.contains("well-known"), "{text}");
}

#[test]
fn serve_refuses_a_database_that_was_not_migrated() {
    let dir = tempfile::tempdir().unwrap();
    let text = refused(herdbook(dir.path(), &["serve", "--log", "off"]));
    assert_eq!(
        text,
        "herdbook.db: there is no book. herdbook migrate makes one where database.url says.\n"
    );
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
    assert!(
        text.contains("password: must have at least 8 characters"),
        "{text}"
    );
}
