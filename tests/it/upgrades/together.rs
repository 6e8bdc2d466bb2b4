//! Several programs that migrate one book at once, and a book that is newer than the program.

use crate::run::{Ran, herdbook};
use crate::schema::{Database, databases};
use std::path::Path;
use std::process::Stdio;

/// Programs at once.
const MANY: usize = 6;

/// Starts the command many times before it waits for any.
fn together(dir: &Path, url: &str) -> Vec<Ran> {
    let words = ["migrate", "--database-url", url, "--log", "warn"];
    let start = |_| {
        let mut command = herdbook(dir, &words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..MANY).map(start).collect();
    let ended = children.into_iter().map(|child| {
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    });
    ended.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_that_start_at_once_one_migrates_and_all_succeed() {
    for database in databases().await {
        let dir = tempfile::tempdir().unwrap();
        for done in together(dir.path(), database.url()) {
            assert_eq!(done.code, Some(0), "{:?}: {done:?}", database.dialect());
        }
        let lives = "SELECT count(*) FROM exchange_state WHERE name = 'incarnation'";
        assert_eq!(database.number(lives).await, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_book_is_refused_and_left_as_it_is() {
    for database in databases().await {
        assert_eq!(migrate(&database).code, Some(0));
        altered(&database, "version = 9001").await;
        let count = "SELECT count(*) FROM _sqlx_migrations";
        let before = database.number(count).await;
        let done = migrate(&database);
        assert_eq!(done.code, Some(1), "{done:?}");
        for part in ["newer", "migration 9001", "docs/operations.md"] {
            assert!(done.err.contains(part), "{part} in {done:?}");
        }
        assert_eq!(database.number(count).await, before);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_book_of_another_text_is_told_what_it_is() {
    for database in databases().await {
        assert_eq!(migrate(&database).code, Some(0));
        let other = match database {
            Database::Sqlite { .. } => "checksum = x'00'",
            Database::Postgres { .. } => r"checksum = '\x00'",
        };
        altered(&database, other).await;
        let done = migrate(&database);
        assert_eq!(done.code, Some(1), "{done:?}");
        for part in ["another text", "Migration 1 ", "schema --diff"] {
            assert!(done.err.contains(part), "{part} in {done:?}");
        }
    }
}

async fn altered(database: &Database, how: &str) {
    database.execute(&format!("UPDATE _sqlx_migrations SET {how} WHERE version = 1")).await;
}

fn migrate(database: &Database) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    let words = ["migrate", "--database-url", database.url(), "--log", "warn"];
    crate::run::ran(dir.path(), &words)
}
