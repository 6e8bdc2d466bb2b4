//! The program as processes of its own, over a book in a folder.

use reqwest::Client;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_herdbook");
pub(crate) const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";
/// Password of the accounts of the demonstration.
pub(crate) const PASSWORD: &str = "demo-herdbook";

/// A number from the environment.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Where the book is.
pub(crate) fn database(dir: &Path) -> String {
    let embedded = || format!("sqlite:{}", dir.join("book.db").display());
    std::env::var("HERDBOOK_BENCH_POSTGRES").unwrap_or_else(|_| embedded())
}

/// A command over the book of a folder. Receivers of messages are at addresses that webhooks may not use otherwise.
pub(crate) fn command(program: &str, words: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(words).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command.env("HERDBOOK_DATABASE_URL", database(dir));
    command.env("HERDBOOK_WEBHOOKS_HTTP", "true");
    command.env("HERDBOOK_WEBHOOKS_ALLOW", "127.0.0.0/8");
    command.env("HERDBOOK_LOG", "error,herdbook=warn");
    command.envs(std::env::vars_os().filter(|(name, _)| name == "PATH"));
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end; how long it took.
pub(crate) fn run(words: &[&str], dir: &Path) -> Duration {
    let begun = Instant::now();
    let ran = command(PROGRAM, words, dir).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{words:?}: {said}");
    begun.elapsed()
}

/// A server; it ends with the value.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    /// The output after the first line.
    _out: BufReader<std::process::ChildStdout>,
}

impl Server {
    /// Starts a command that serves, whose log is `log` in the folder.
    pub(crate) fn start(mut command: Command, dir: &Path) -> Self {
        let log = File::options().create(true).append(true).open(dir.join("log"));
        let command = command.stdout(Stdio::piped()).stderr(log.unwrap());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = ready["url"].as_str().unwrap_or_default().to_owned();
        let log = || std::fs::read_to_string(dir.join("log")).unwrap_or_default();
        assert!(!url.is_empty(), "{}", log());
        Self { child, url, _out: out }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Memory of a process in MB, by the name that Linux gives it; none where the system does not state it.
pub(crate) fn memory(process: u32, what: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(what))?;
    let kib: f64 = line.trim_start_matches(':').split_whitespace().next()?.parse().ok()?;
    Some(kib * 1_024.0 / 1e6)
}

/// Signs an account in; its token.
pub(crate) async fn sign_in(client: &Client, url: &str, email: &str) -> String {
    let request = client.post(format!("{url}/api/users/login"));
    let request = request.json(&json!({"email": email, "password": PASSWORD}));
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let token = answer["token"].as_str();
    token.unwrap_or_else(|| panic!("{email}: {answer}")).to_owned()
}
