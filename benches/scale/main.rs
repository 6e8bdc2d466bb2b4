//! What writing, loading, space and memory cost in a whole book, beside a yardstick of the same run
//! (docs/performance.md): `cargo bench --bench scale`. The program runs as processes of its own.
//!
//! It prints a table in Markdown and the same as a line of JSON. `HERDBOOK_BENCH_ANIMALS` (2,000) is the size of the
//! book, `HERDBOOK_BENCH_TURNS` (5) how often each rate is measured, of which the median counts;
//! `HERDBOOK_BENCH_POSTGRES` is the URL of an empty database that is measured in place of SQLite; `HERDBOOK_BENCH_ONLY`
//! names groups of measures: load, start, reading, mating, pages, intake, memory, crowd. `HERDBOOK_BENCH_DOCUMENTS`
//! lists sizes of the table of documents, for example `10000,1000000`, and `HERDBOOK_BENCH_SYNC` is the number of
//! documents of a full sync: these alone are measured then.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench may fall over"
)]

mod book;
mod crowd;
mod growth;
mod intake;
mod mating;
#[path = "../shared/program.rs"]
mod program;
mod reading;
#[path = "../shared/book.rs"]
mod shared;
#[path = "../shared/still.rs"]
mod still;
mod table;

use book::Book;
use program::number;
use still::Still;
use table::Table;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    match Still::is_this() {
        true => runtime.block_on(Still::serve()),
        false => runtime.block_on(run()),
    }
}

async fn run() {
    let only = std::env::var("HERDBOOK_BENCH_ONLY").unwrap_or_default();
    let wanted = |what: &str| only.is_empty() || only.split(',').any(|one| one.trim() == what);
    let mut table = Table::new();
    let book = Book::make(&mut table).await;
    let sizes = std::env::var("HERDBOOK_BENCH_DOCUMENTS").ok();
    let count = number("HERDBOOK_BENCH_SYNC", 0) as usize;
    if let Some(sizes) = sizes {
        let sizes: Vec<usize> = sizes.split(',').map(|n| n.parse().unwrap()).collect();
        growth::documents(&book, &sizes, &mut table).await;
        return table.print();
    }
    if count > 0 {
        growth::full_sync(&book, count, &mut table).await;
        return table.print();
    }
    if wanted("load") {
        book.loading(&mut table).await;
    }
    if wanted("start") {
        book.start(&mut table);
    }
    if wanted("reading") {
        reading::measure(&book, &mut table).await;
    }
    if wanted("mating") {
        mating::measure(&book, &mut table).await;
    }
    if wanted("pages") {
        crowd::pages(&book, &mut table).await;
    }
    if wanted("intake") {
        intake::measure(&book, &mut table).await;
    }
    if wanted("memory") {
        intake::memory(&book, &mut table).await;
    }
    if wanted("crowd") {
        crowd::measure(&book, &mut table).await;
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
    number("HERDBOOK_BENCH_TURNS", 5).max(1) as usize
}
