//! What writing, loading, space and memory cost in a whole book, beside a yardstick of the same run
//! (docs/performance.md): `cargo bench --bench scale`. The program runs as processes of its own.
//!
//! It prints a table in Markdown and the same as a line of JSON. `HERDBOOK_BENCH_ANIMALS` (2,000) is
//! the size of the book, `HERDBOOK_BENCH_TURNS` (5) how often each rate is measured, of which the
//! median counts; `HERDBOOK_BENCH_POSTGRES` is the URL of an empty database that is measured in place
//! of SQLite; `HERDBOOK_BENCH_ONLY` names groups of measures: load, start, intake, reading, memory.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench may fall over"
)]

mod book;
mod intake;
mod program;
mod reading;
mod table;

use book::Book;
use table::Table;

/// A number from the environment.
pub(crate) fn number(name: &str, usual: usize) -> usize {
    let text = std::env::var(name).ok();
    text.map_or(usual, |text| text.parse().expect("a number"))
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    match std::env::var_os(reading::STILL) {
        Some(_) => runtime.block_on(reading::serve_still()),
        None => runtime.block_on(run()),
    }
}

async fn run() {
    let only = std::env::var("HERDBOOK_BENCH_ONLY").unwrap_or_default();
    let wanted = |what: &str| only.is_empty() || only.split(',').any(|one| one.trim() == what);
    let mut table = Table::new();
    let book = Book::make(&mut table).await;
    if wanted("load") {
        book.loading(&mut table).await;
    }
    if wanted("start") {
        book.start(&mut table);
    }
    if wanted("reading") {
        reading::measure(&book, &mut table).await;
    }
    if wanted("intake") {
        intake::measure(&book, &mut table).await;
    }
    if wanted("memory") {
        intake::memory(&book, &mut table).await;
    }
    table.print();
}

/// The value in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How often each rate is measured.
pub(crate) fn turns() -> usize {
    number("HERDBOOK_BENCH_TURNS", 5).max(1)
}
