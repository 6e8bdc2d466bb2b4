//! Rows of a second and peak memory: `cargo run --release -p herdbook-sheets --example measure -- FILE`.

use herdbook_sheets::{Book, Options};
use std::path::PathBuf;
use std::time::Instant;

/// A number of `/proc/self/status`, kB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or_default()
}

fn main() {
    for path in std::env::args().skip(1) {
        let before = memory("VmRSS");
        let begun = Instant::now();
        let (mut rows, mut cells) = (0_u64, 0_u64);
        let book = Book::open(PathBuf::from(&path), &Options::default());
        let read = book.and_then(|book| {
            for sheet in 0..book.sheets().len() {
                let mut all = book.rows(sheet)?;
                while let Some(row) = all.next()? {
                    rows += 1;
                    cells += row.cells.len() as u64;
                }
            }
            Ok(())
        });
        let took = begun.elapsed().as_secs_f64();
        let more = memory("VmHWM").saturating_sub(before);
        let speed = rows as f64 / took;
        println!("{path}: {read:?}, {rows} rows, {cells} cells, {took:.2} s, {speed:.0} rows/s, {more} kB more");
    }
}
