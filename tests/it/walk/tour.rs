//! The lines that `demo` prints for its first visitors, and its second start.

use super::demo::Demo;
use serde_json::Value;
use std::process::Command;

/// Small: only that there is something to see matters here.
const ANIMALS: usize = 60;

#[tokio::test]
async fn the_lines_of_the_tour_work_as_printed() {
    let demo = Demo::start(ANIMALS);
    if Command::new("curl").arg("--version").output().is_err() {
        test_support::left_out("the requests of the tour", "there is no curl");
        return;
    }
    let log = demo.log_text();
    let lines: Vec<&str> = (log.lines()).filter_map(|line| line.strip_prefix("  ")).collect();
    let sign_in = (lines.iter()).find(|line| line.starts_with("TOKEN="));
    let sign_in = sign_in.unwrap_or_else(|| panic!("{log}"));
    let shown: Vec<&&str> = (lines.iter()).filter(|line| line.starts_with("curl ")).collect();
    assert_eq!(shown.len(), 4, "{log}");
    for line in shown {
        let script = format!("set -e\n{sign_in}\n{line}\n");
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = ["docs", "member"].iter().find_map(|name| answer.get(name));
        let rows = rows.unwrap_or(&answer).as_array();
        assert!(rows.is_some_and(|r| !r.is_empty()), "{line}: {answer}");
    }
    demo.stop();
}

#[tokio::test]
async fn a_second_start_serves_the_same_book() {
    let demo = Demo::start(ANIMALS);
    assert!(demo.log_text().starts_with("Making a book"));
    let token = demo.sign_in("association@demo.herdbook").await;
    let (documents, place) = demo.feed(&token, "everything", None).await;
    let dir = demo.stop();
    let mut remaining: Vec<_> =
        (std::fs::read_dir(dir.path().join("book")).unwrap()).map(|entry| entry.unwrap().file_name()).collect();
    remaining.sort();
    assert_eq!(remaining, ["book.db", "mail", "media", "secret"]);

    let demo = Demo::again(dir, ANIMALS);
    assert!(demo.log_text().starts_with("Using the book"));
    let (nothing, _) = demo.feed(&token, "everything", Some(&place)).await;
    assert_eq!(nothing, Vec::<Value>::new(), "sign-in and place still hold");
    let (second, _) = demo.feed(&token, "everything", None).await;
    assert_eq!(second.len(), documents.len());
    assert_eq!(second, documents);
    demo.stop();
}
