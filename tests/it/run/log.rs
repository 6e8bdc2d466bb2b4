//! Lines of the log are short, and do not repeat themselves.

use super::{Server, migrated, ran};
use serde_json::Value;

#[tokio::test]
async fn a_line_tells_its_request_once() {
    let dir = migrated();
    let server = Server::start(dir.path(), &["--log", "info"]);
    let live = reqwest::get(format!("{}/api/animals", server.url)).await;
    assert_eq!(live.unwrap().status(), 200);
    server.stop();
    let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
    let lines: Vec<Value> = (log.lines()).map(|line| serde_json::from_str(line).expect(line)).collect();
    let line_of_list = lines.iter().find(|line| line["span"]["path"] == "/api/animals");
    let line_of_list = line_of_list.expect(&log);
    assert_eq!(line_of_list.get("spans"), None, "{line_of_list}");
}

#[test]
fn a_migration_is_not_written_into_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let done = ran(dir.path(), &["migrate", "--log", "debug"]);
    assert_eq!(done.code, Some(0), "{}", &done.err[..2_000]);
    let longest = done.err.lines().map(str::len).max().unwrap_or_default();
    assert!(longest < 4_000, "a line of {longest} characters");
    let applied = done.err.lines().find(|line| line.contains("\"version\":1"));
    assert!(applied.is_some(), "each migration is logged: {}", done.err);
}
