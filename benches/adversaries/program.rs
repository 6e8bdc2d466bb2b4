//! The program over a book of its own: migrated, filled, served at its default limits.

use crate::number;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

/// Password of the accounts of the demonstration.
pub(crate) const PASSWORD: &str = "demo-herdbook";
/// The adversary's second account, and its organisation.
pub(crate) const SECOND: (&str, i64) = ("second@demo.herdbook", 4);

/// It ends with the value.
pub(crate) struct Program {
    child: Child,
    pub(crate) url: String,
    pub(crate) took: Duration,
    dir: tempfile::TempDir,
    /// The output after the first line.
    _out: BufReader<std::process::ChildStdout>,
}

fn environment<'c>(command: &'c mut Command, dir: &Path) -> &'c mut Command {
    command.current_dir(dir).env_clear();
    // The receivers of the bench are at addresses that webhooks may not use otherwise.
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command.env("HERDBOOK_WEBHOOKS_HTTP", "true");
    command.env("HERDBOOK_WEBHOOKS_ALLOW", "127.0.0.0/8");
    command.env("HERDBOOK_LOG", "error,herdbook=warn");
    if let Ok(path) = std::env::var("PATH") {
        command.env("PATH", path);
    }
    if let Ok(url) = std::env::var("HERDBOOK_BENCH_POSTGRES") {
        command.env("HERDBOOK_DATABASE_URL", url);
    }
    command.stdin(Stdio::null())
}

/// A third organisation with animals and an account: the demonstration has two farms with some.
fn second_account(dir: &Path) {
    let organization = SECOND.1.to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_herdbook"));
    command.args([
        "user",
        "add",
        "--email",
        SECOND.0,
        "--first-name",
        "A",
        "--last-name",
        "B",
    ]);
    command.args(["--org-role", "head", "--organization", &organization]);
    let command = environment(&mut command, dir).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut told = child.stdin.take().unwrap();
    writeln!(told, "{PASSWORD}").unwrap();
    drop(told);
    assert!(child.wait().unwrap().success(), "no second account");
}

impl Program {
    pub(crate) fn start() -> Self {
        let begun = Instant::now();
        let dir = tempfile::tempdir().unwrap();
        let program = env!("CARGO_BIN_EXE_herdbook");
        let animals = number("HERDBOOK_BENCH_ANIMALS", 2_000).to_string();
        for words in [&["migrate"][..], &["generate", "--animals", &animals]] {
            let mut command = Command::new(program);
            let ran = environment(command.args(words), dir.path());
            let ran = ran.output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{words:?}: {said}");
        }
        second_account(dir.path());
        let files = number("HERDBOOK_BENCH_FILES", 1_024);
        let script = format!("ulimit -n {files}; exec '{program}' serve --listen 127.0.0.1:0");
        let mut command = Command::new("sh");
        let command = environment(command.args(["-c", &script]), dir.path());
        let log = File::create(dir.path().join("log")).unwrap();
        let mut child = (command.stdout(Stdio::piped()).stderr(log))
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = ready["url"].as_str().unwrap_or_default().to_owned();
        let program = Self {
            child,
            url,
            took: begun.elapsed(),
            dir,
            _out: out,
        };
        assert!(!program.url.is_empty(), "{}", program.log());
        program
    }

    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.dir.path().join("log"));
        log.unwrap_or_default()
    }

    /// The highest use of memory, and the most frequent warning of the log.
    pub(crate) fn alive(&self) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.map_or("not stated", str::trim);
        let log = self.log();
        let short = |line: &str| line.chars().take(240).collect::<String>();
        let last: Vec<String> = log.lines().rev().take(3).map(short).collect();
        format!(
            "memory of the server at its highest: {peak}; {} lines of warnings{}{}",
            log.lines().count(),
            if last.is_empty() { "" } else { ", the last:\n" },
            last.join("\n"),
        )
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
