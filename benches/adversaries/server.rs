//! The program over a book of its own: migrated, filled, served at its default limits.

use crate::program::{PASSWORD, PROGRAM, Server, command, memory, number, run};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// The adversary's second account, and its organisation: the demonstration has two farms with accounts.
pub(crate) const SECOND: (&str, i64) = ("second@demo.herdbook", 4);

/// A third organisation with animals gets an account.
fn second_account(dir: &Path) {
    let (email, organization) = (SECOND.0, SECOND.1.to_string());
    let words = format!("user add --first-name A --last-name B --org-role head --email {email}");
    let words = words.split(' ').chain(["--organization", &organization]);
    let mut command = command(PROGRAM, &words.collect::<Vec<_>>(), dir);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{PASSWORD}").unwrap();
    drop(input);
    assert!(child.wait().unwrap().success(), "no second account");
}

/// A server that may open so many files as services may.
pub(crate) fn start(dir: &Path) -> Server {
    let animals = number("HERDBOOK_BENCH_ANIMALS", 2_000).to_string();
    run(&["migrate"], dir);
    run(&["generate", "--animals", &animals], dir);
    second_account(dir);
    let files = number("HERDBOOK_BENCH_FILES", 1_024);
    let script = format!("ulimit -n {files}; exec '{PROGRAM}' serve --listen 127.0.0.1:0");
    Server::start(command("sh", &["-c", &script], dir), dir)
}

/// The highest use of memory, and the last warnings of the log.
pub(crate) fn alive(server: &Server, dir: &Path) -> String {
    let peak = memory(server.id(), "VmHWM");
    let peak = peak.map_or("not stated".to_owned(), |peak| format!("{peak:.0} MB"));
    let log = std::fs::read_to_string(dir.join("log")).unwrap_or_default();
    let short = |line: &str| line.chars().take(240).collect::<String>();
    let last: Vec<String> = log.lines().rev().take(3).map(short).collect();
    format!(
        "memory of the server at its highest: {peak}; {} lines of warnings{}{}",
        log.lines().count(),
        if last.is_empty() { "" } else { ", the last:\n" },
        last.join("\n"),
    )
}
