//! What happens while no write runs.

use super::{TestBook, write};
use crate::Dialect;
use std::time::Duration;

/// A reader then finds it where it is mapped.
#[test_each(TestBook::each())]
async fn what_was_written_moves_into_the_file_when_nobody_writes(book: TestBook) {
    if book.store.dialect() != Dialect::Sqlite {
        return;
    }
    let name = "moved-into-the-file";
    write(&book.store, name).await.unwrap();
    let file = book.url.strip_prefix("sqlite:").unwrap();
    let there = || {
        // By another process: a process that closes the file releases all its own locks.
        let read = std::process::Command::new("cat").arg(file).output();
        let bytes = read.unwrap().stdout;
        let mut parts = bytes.windows(name.len());
        parts.any(|part| part == name.as_bytes())
    };
    let waits = async {
        while !there() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let moved = tokio::time::timeout(Duration::from_secs(60), waits).await;
    assert!(moved.is_ok(), "it stayed in the log");
    // It writes on after that.
    write(&book.store, "later").await.unwrap();
    assert!(book.names().await.contains(&"later".to_owned()));
}
