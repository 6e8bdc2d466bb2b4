//! The commands of the README, in order, and the answers that it prints.

use super::demo::Demo;
use std::process::Command;

const README: &str = include_str!("../../../README.md");
/// Where the README expects the demonstration; the test's listens elsewhere.
const ADDRESS: &str = "http://127.0.0.1:8080";
/// Marks where the README leaves something out.
const CUT: char = '…';
/// Printed between the answers of two commands.
const BETWEEN: &str = "=====";

/// A command of the README and what it prints there.
struct Example {
    command: &'static str,
    answer: &'static str,
}

#[test]
fn the_commands_of_the_readme_answer_as_printed() {
    if Command::new("curl").arg("--version").output().is_err() {
        test_support::left_out("the requests of the README", "there is no curl");
        return;
    }
    let shown = shown();
    assert!(shown.len() > 10, "{}", shown.len());
    let demo = Demo::usual();
    let mut script = String::from("set -e\n");
    for one in &shown {
        script.push_str(one.command);
        script.push_str(&format!("echo '{BETWEEN}'\n"));
    }
    let dir = tempfile::tempdir().unwrap();
    let script = script.replace(ADDRESS, &demo.url);
    let output = Command::new("bash").args(["-c", &script]).current_dir(dir.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.replace(&demo.url, ADDRESS);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}\n{text}");
    for (one, answer) in shown.iter().zip(text.split(BETWEEN)) {
        if let Err(missing) = fits(one.answer, answer) {
            panic!("{}\nanswers\n{answer}\nwithout {missing}", one.command);
        }
    }
    demo.stop();
}

/// Commands for a shell, each with the block that follows it. `cargo` runs already.
fn shown() -> Vec<Example> {
    let mut blocks = README.split("```").skip(1).step_by(2).peekable();
    let mut all = Vec::new();
    while let Some(block) = blocks.next() {
        let Some(command) = block.strip_prefix("sh\n") else {
            continue;
        };
        if command.starts_with("cargo ") {
            continue;
        }
        let answer = blocks.next_if(|block| !block.starts_with("sh\n"));
        let answer = answer.and_then(|block| Some(block.split_once('\n')?.1));
        all.push(Example { command, answer: answer.unwrap_or_else(|| panic!("{command} without an answer")) });
    }
    all
}

/// Whether an answer is what is printed, blanks aside, with anything in place of a cut. Fails with the first piece
/// that is not there.
fn fits(printed: &str, answer: &str) -> Result<(), String> {
    let solid = |text: &str| -> String { text.split_whitespace().collect() };
    let (printed, answer) = (solid(printed), solid(answer));
    let mut pieces = printed.split(CUT);
    let first = pieces.next().unwrap_or_default();
    let mut rest = answer.strip_prefix(first).ok_or(first)?;
    let last = pieces.next_back();
    for piece in pieces {
        let at = rest.find(piece).ok_or(piece)?;
        rest = &rest[at + piece.len()..];
    }
    match last {
        Some(last) if rest.ends_with(last) => Ok(()),
        None if rest.is_empty() => Ok(()),
        _ => Err(format!("the end {}", last.unwrap_or_default())),
    }
}

#[test]
fn an_answer_fits_what_is_printed_but_for_the_cuts() {
    assert_eq!(fits("{\"a\": 1,\n …, \"z\": 9}", "{\"a\":1,\"b\":2,\"z\":9}\n"), Ok(()));
    assert_eq!(fits("1\n…", "1\n2\n3\n"), Ok(()));
    for wrong in ["[1,3]", "[1,…,4]", "[…,2]", "[1,2", "1,2]"] {
        assert!(fits(wrong, "[1,2,3]").is_err(), "{wrong}");
    }
}
