//! The program as processes of its own.

use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

fn command(words: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args(words).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command.env("HERDBOOK_LOG", "error,herdbook=warn");
    // One client sends all requests here, as fast as it can.
    for lane in ["READ", "WRITE", "BULK", "SIGN_IN"] {
        command.env(format!("HERDBOOK_LIMITS_{lane}"), "0");
    }
    command.env("HERDBOOK_DATABASE_URL", url(dir));
    command.stdin(Stdio::null());
    command
}

/// Where the book is.
pub(crate) fn url(dir: &Path) -> String {
    let embedded = || format!("sqlite:{}", dir.join("book.db").display());
    std::env::var("HERDBOOK_BENCH_POSTGRES").unwrap_or_else(|_| embedded())
}

/// Runs a command to its end; how long it took.
pub(crate) fn ran(words: &[&str], dir: &Path) -> Duration {
    let begun = Instant::now();
    let ran = command(words, dir).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{words:?}: {said}");
    begun.elapsed()
}

/// A server; it ends with the value.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    /// From its start until it was ready.
    pub(crate) took: Duration,
    _out: BufReader<std::process::ChildStdout>,
}

impl Server {
    pub(crate) fn start(dir: &Path) -> Self {
        let begun = Instant::now();
        let mut log = File::options();
        let log = (log.create(true).append(true)).open(dir.join("log"));
        let log = log.unwrap();
        let mut command = command(&["serve", "--listen", "127.0.0.1:0"], dir);
        let mut child = (command.stdout(Stdio::piped()).stderr(log))
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let took = begun.elapsed();
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = ready["url"].as_str().unwrap_or_default().to_owned();
        let log = || std::fs::read_to_string(dir.join("log")).unwrap_or_default();
        assert!(!url.is_empty(), "{}", log());
        Self {
            child,
            url,
            took,
            _out: out,
        }
    }

    /// Memory that is its own, in MB; none where the system does not state it.
    pub(crate) fn memory(&self) -> Option<f64> {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"))?;
        let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kib * 1_024.0 / 1e6)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
