//! `herdbook follow`: killed, refused, and brought up to date.

use super::{listed, mirrored, write};
use crate::feed::process::{Caller, Database, PASSWORD, Server};
use feed_client::Mirror;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn follow(url: &str, dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args(["follow", url, "--into", "mirror.db"]);
    command.args(words).current_dir(dir).env_clear();
    command
}

fn by_password(url: &str, dir: &Path, words: &[&str]) -> Command {
    let mut command = follow(url, dir, words);
    command.args(["--email", "ann@example.org"]);
    command.env("HERDBOOK_PASSWORD", PASSWORD);
    command
}

fn refused(mut command: Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert_eq!(status.code(), Some(1));
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    String::from_utf8(stderr).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_goes_on_where_it_was_killed() {
    let place = Database::sqlite().await;
    let server = place.serve();
    let caller = Caller::sign_in(&server).await;
    let dir = tempfile::tempdir().unwrap();
    write(caller.anew(), server.url.clone(), &place, (0, 10)).await;
    for _ in 0..4 {
        let words = ["--page", "1", "--interval", "0"];
        let mut command = by_password(&server.url, dir.path(), &words);
        let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        // Killed once it has some pages more.
        let mirror = loop {
            match Mirror::open(&dir.path().join("mirror.db")).await {
                Ok(mirror) => break mirror,
                Err(_) => tokio::task::yield_now().await,
            }
        };
        let before = mirror.counts().await.unwrap().pages;
        while mirror.counts().await.unwrap().pages < before + 2 {
            tokio::task::yield_now().await;
        }
        mirror.close().await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    write(caller.anew(), server.url.clone(), &place, (1, 5)).await;
    let output = by_password(&server.url, dir.path(), &["--once"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    holds!(line, {"event": "current", "set": "everything"});
    assert_eq!(line["violations"], 0, "{text}");
    let mirror = Mirror::open(&dir.path().join("mirror.db")).await.unwrap();
    assert_eq!(line["documents"], mirror.counts().await.unwrap().documents);
    assert_eq!(mirrored(&mirror).await, listed(&caller, &server.url, &place).await);
    mirror.close().await;
    refusals(&server, &caller, dir.path());
    waits_and_stops(&server, &place, &caller, dir.path()).await;
}

/// The file is not changed, and every mistake has a message.
fn refusals(server: &Server, caller: &Caller, dir: &Path) {
    let url = &server.url;
    let text = refused(by_password(url, dir, &["--once", "--set", "weights"]));
    assert!(text.contains("mirrors the data set everything, not weights"), "{text}");
    let text = refused(by_password(&format!("{url}/ade/v1"), dir, &["--once"]));
    assert!(text.contains("mirrors the address"), "{text}");
    let text = refused(by_password(url, dir, &["--once", "--set", "cats"]));
    assert!(text.contains("there is no data set cats; there are: "), "{text}");
    let text = refused(follow(url, dir, &["--once"]));
    assert!(text.contains("not signed in: status 401"), "{text}");
    let text = refused(follow(url, dir, &["--once", "--email", "ann@example.org"]));
    assert!(text.contains("HERDBOOK_PASSWORD: must be set"), "{text}");
    let mut wrong = by_password(url, dir, &["--once"]);
    wrong.env("HERDBOOK_PASSWORD", "not-this-one");
    let text = refused(wrong);
    assert!(text.contains("not signed in"), "{text}");
    let text = refused(follow("nowhere", dir, &["--once"]));
    assert!(text.contains("is no address"), "{text}");
    let both = ["--once", "--email", "a@b.example", "--token", caller.token.as_str()];
    let output = follow(url, dir, &both).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let mut by_token = follow(url, dir, &["--once"]);
    by_token.env("HERDBOOK_TOKEN", &caller.token);
    let output = by_token.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Without `--once` it reports when it is current, continues, and stops on a signal.
async fn waits_and_stops(server: &Server, place: &Database, caller: &Caller, dir: &Path) {
    let mut command = by_password(&server.url, dir, &["--interval", "0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let current: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(current["event"], "current");
    write(caller.anew(), server.url.clone(), place, (2, 3)).await;
    let there = listed(caller, &server.url, place).await;
    let mirror = Mirror::open(&dir.join("mirror.db")).await.unwrap();
    while mirrored(&mirror).await != there {
        tokio::task::yield_now().await;
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let stopped: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(stopped["event"], "stopped");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
