//! Fuzz targets: input of strangers, made in large numbers from seeds, words and raw bytes, against
//! laws that hold for every input (docs/design/quality.md, *Fuzzing*).
//!
//! - `cargo test --workspace --test fuzz`: a fraction of a second for each target, drawn at random.
//! - `HERDBOOK_FUZZ_SECONDS=60 cargo test --workspace --test fuzz -- --nocapture`: so long for each; `.ci/run` takes 30.
//! - `HERDBOOK_FUZZ_SEED=20` besides: the same inputs in each run, as far as it comes.
//! - `cargo bolero test -p fuzz-targets …`: guided by coverage.
//!
//! A target is a function of [`Draw`], which reads bytes as choices. So the same bytes are the same input, and an
//! engine that changes bytes changes choices. What is found becomes a test beside the code at fault.
//!
//! Modules are under `cfg(test)`, as in `tests/it`.

#[cfg(test)]
mod bodies;
#[cfg(test)]
mod cells;
#[cfg(test)]
mod draw;
#[cfg(test)]
mod exchange;
#[cfg(test)]
mod form;
#[cfg(test)]
mod graph;
#[cfg(test)]
mod headers;
#[cfg(test)]
mod json;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod query;
#[cfg(test)]
mod spreadsheets;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod world;

use draw::Draw;
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long each target runs.
fn span() -> Duration {
    let seconds: Option<u64> = test_support::named("HERDBOOK_FUZZ_SECONDS");
    seconds.map_or(Duration::from_millis(300), Duration::from_secs)
}

/// The largest number of inputs of a seed, so that a faster machine does not draw others.
const DRAWN: u64 = 400_000;

/// The same choices in each run, until the time is over. A failure names the input.
fn drawn(seed: u64, mut check: impl FnMut(&[u8])) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut choices = [0; CHOICES];
    let begun = Instant::now();
    for input in 0..DRAWN {
        if begun.elapsed() >= span() {
            break;
        }
        let count = rng.random_range(0..=CHOICES);
        rng.fill_bytes(&mut choices);
        let _report = ReportOnPanic { seed, input };
        check(choices.get(..count).unwrap_or(&choices));
    }
}

/// Reports where a run stopped when its target panics.
struct ReportOnPanic {
    seed: u64,
    input: u64,
}

impl Drop for ReportOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("HERDBOOK_FUZZ_SEED={}: input {}", self.seed, self.input);
        }
    }
}

/// Bytes that choose an input; most inputs need less.
const CHOICES: usize = 600;

macro_rules! targets {
    ($($name:ident: $check:path,)*) => {
        $(
            #[test]
            fn $name() {
                static RUNS: AtomicU64 = AtomicU64::new(0);
                // The book is made before the time begins.
                $check(&mut Draw::new(&[]));
                let begun = Instant::now();
                let once = |bytes: &[u8]| {
                    RUNS.fetch_add(1, Ordering::Relaxed);
                    $check(&mut Draw::new(bytes));
                };
                match test_support::named("HERDBOOK_FUZZ_SEED") {
                    Some(seed) => drawn(seed, once),
                    None => bolero::check!()
                        .with_test_time(span())
                        .with_max_len(CHOICES)
                        .for_each(once),
                }
                let (runs, took) = (RUNS.load(Ordering::Relaxed), begun.elapsed().as_secs_f64());
                println!("fuzz {}: {runs} inputs in {took:.1} s", stringify!($name));
                assert!(runs > 0);
            }
        )*
    };
}

targets! {
    query_strings: query::check,
    lists_over_the_wire: lists::check,
    json: json::check,
    bodies_over_the_wire: bodies::check,
    xml: exchange::xml::check,
    ade_documents: exchange::documents::check,
    ade_over_the_wire: exchange::batches::check,
    tokens: tokens::check,
    graphql: graph::check,
    spreadsheets: spreadsheets::check,
    cells: cells::check,
    tables: exchange::tables::check,
    multipart: form::check,
    headers: headers::check,
}
