//! The program as a process of its own: its commands, and a server that ends with its test.

use super::book::SECRET;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The program in a folder, with a secret and no other variable.
pub(crate) fn herdbook(dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args(words).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub(crate) fn ended(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn ran(dir: &Path, words: &[&str]) -> Ran {
    ended(herdbook(dir, words))
}

/// What a command that must succeed answers.
pub(crate) fn done(dir: &Path, words: &[&str]) -> Ran {
    let done = ran(dir, words);
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    done
}

/// A folder with an empty book.
pub(crate) fn migrated() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let line: Value = serde_json::from_str(&done(dir.path(), &["migrate"]).out).unwrap();
    holds!(line, {"event": "migrated", "applied": line["known"]});
    dir
}

/// A running server, which ends with the test, however that ends.
pub(crate) struct Server {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    log: PathBuf,
    pub(crate) url: String,
}

impl Server {
    /// Serves the book of a folder; the log is the file `log` there.
    pub(crate) fn start(dir: &Path, words: &[&str]) -> Self {
        let all = [&["serve", "--listen", "127.0.0.1:0"], words].concat();
        Self::of(dir, herdbook(dir, &all))
    }

    /// Starts a command that serves, and waits until it is ready.
    pub(crate) fn of(dir: &Path, mut command: Command) -> Self {
        // A file, so that a full pipe stops nothing and it can be read at any time.
        let log = dir.join("log");
        command.stderr(File::create(&log).unwrap());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let log_text = || std::fs::read_to_string(&log).unwrap();
        let line = lines.next().unwrap_or_else(|| panic!("{}", log_text()));
        let ready: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(ready["event"], "ready");
        let url = ready["url"].as_str().unwrap().to_owned();
        Self { child, lines, log, url }
    }

    /// Its output so far on standard error.
    pub(crate) fn log_text(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// A number in kB that Linux states of its memory; none where it states nothing.
    pub(crate) fn memory(&self, name: &str) -> Option<u64> {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let text = std::fs::read_to_string(path).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
    }

    /// Stops it as an operator does; it must succeed. Gives its log.
    pub(crate) fn stop(mut self) -> String {
        self.signal("-TERM");
        let line = self.lines.next().expect("a line").unwrap();
        let stopped: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(stopped, serde_json::json!({"event": "stopped"}));
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.log_text());
        self.log_text()
    }

    /// As `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The address without its scheme.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
