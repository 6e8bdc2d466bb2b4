//! Our own book, filled with the rows that are measured.

use crate::dataset::{self, BULLS, Size};
use crate::program::{self, Server};
use crate::shared::{opened, render, row, serve};
use cli::OpenBook;
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

/// A farm of the synthetic book.
const OWNER: i64 = 2;
/// Ids that the synthetic book does not reach.
const FIRST: i64 = 1_000_000;
/// Rows of a transaction.
const PART: usize = 500;

/// A server of the book of a folder, which is filled unless it is there already.
pub(crate) async fn start(dir: &Path, size: Size) -> Server {
    let embedded = std::env::var_os("HERDBOOK_BENCH_POSTGRES").is_none();
    if !(embedded && dir.join("book.db").exists()) {
        let started = Instant::now();
        program::run(&["migrate"], dir);
        program::run(&["generate", "--animals", "300"], dir);
        let opened = opened(dir).await;
        fill(&opened, size).await;
        opened.book.store.close().await;
        let seconds = started.elapsed().as_secs_f64();
        let rate = (size.animals + size.tests) as f64 / seconds;
        eprintln!("book filled in {seconds:.1} s, {rate:.0} rows/s");
    }
    serve(dir)
}

async fn fill(opened: &OpenBook, size: Size) {
    let id = |row: u64| FIRST + i64::try_from(row).unwrap();
    let bulls = (0..BULLS).map(|row| (id(row), dataset::bull(row, OWNER)));
    rows(opened, "animals", bulls).await;
    let cows = BULLS..size.animals;
    let cow = |row| dataset::cow(row, id(row % BULLS), OWNER);
    rows(opened, "animals", cows.map(|row| (id(row), cow(row)))).await;
    // By animal, so that a part touches few of them.
    let cows = size.animals - BULLS;
    let each = size.tests.div_ceil(cows);
    let tests = (0..size.tests).map(|row| {
        let (animal, n) = (BULLS + row / each, row % each);
        (id(row), dataset::test(row, id(animal), n, each))
    });
    rows(opened, "milk-tests", tests).await;
    render(opened).await;
}

async fn rows(opened: &OpenBook, collection: &'static str, rows: impl Iterator<Item = (i64, Value)>) {
    let mut rows = rows.map(|(id, data)| row(collection, id, data)).peekable();
    while rows.peek().is_some() {
        let part = rows.by_ref().take(PART).collect();
        opened.book.fill(part).await.unwrap();
    }
}
