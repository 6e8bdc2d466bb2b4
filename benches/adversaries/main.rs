//! The effect of abusive clients on a farm: the program in a process of its own at its default
//! limits, for each lane an adversary with two accounts and twenty addresses, and at the same time
//! a farm with its usual requests. Prints a Markdown table and never fails, since times of a shared
//! machine would only make it fail by chance (`docs/performance.md`).
//!
//! `cargo bench --bench adversaries`. `HERDBOOK_BENCH_ONLY` names adversaries (`logins,uploads`),
//! `HERDBOOK_BENCH_SECONDS` says how long each is measured (10), `HERDBOOK_BENCH_ANIMALS` how large the
//! book is (2,000), `HERDBOOK_BENCH_FILES` how many files the server may have open (1,024, as
//! services have it), `HERDBOOK_BENCH_POSTGRES` is the URL of an empty database in place of SQLite.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench may fall over"
)]

mod bystander;
mod field;
mod harm;
#[path = "../shared/program.rs"]
mod program;
mod server;
mod slow;

use bystander::Measured;
use field::Field;
use harm::{ALL, Harm};
use program::number;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Set for the run itself, which may open as many files as the system lets it.
const INNER: &str = "HERDBOOK_BENCH_INNER";

fn main() {
    if std::env::var_os(INNER).is_none() {
        let script = "ulimit -n \"$(ulimit -Hn)\" 2>/dev/null; exec \"$0\"";
        let this = std::env::current_exe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(this).env(INNER, "1");
        let ended = command.status().unwrap();
        std::process::exit(ended.code().unwrap_or(1));
    }
    // The bystander and the adversary run on threads of their own, so that they do not wait for each other.
    let [measured, harmful] = ["bystander", "adversary"].map(|name| {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).thread_name(name).enable_all();
        runtime.build().unwrap()
    });
    measured.block_on(run(harmful.handle()));
    harmful.shutdown_background();
}

async fn run(harmful: &tokio::runtime::Handle) {
    let span = Duration::from_secs(number("HERDBOOK_BENCH_SECONDS", 10).max(1));
    let only = std::env::var("HERDBOOK_BENCH_ONLY").unwrap_or_default();
    let wanted = |one: &Harm| only.is_empty() || only.split(',').any(|name| name.trim().replace('-', " ") == one.name);
    let chosen: Vec<&Harm> = ALL.iter().filter(|one| wanted(one)).collect();
    assert!(!chosen.is_empty(), "no adversary is called {only}");
    let (begun, dir) = (Instant::now(), tempfile::tempdir().unwrap());
    let server = server::start(dir.path());
    let took = begun.elapsed().as_secs_f64();
    println!("book made and served in {took:.1} s");
    let field = Arc::new(Field::enter(&server.url).await);
    // The cost of data that is loaded once must not be counted.
    field.bystander.watch(span / 4).await;
    let (mut alone, mut beside) = (Measured::default(), Vec::new());
    for one in chosen {
        field.bystander.settle().await;
        alone.add(field.bystander.watch(span / 2).await);
        let harm = harmful.spawn(harm::run(Arc::clone(&field), one));
        // The adversary is running when the time begins.
        tokio::time::sleep(span / 10).await;
        let heard = field.bystander.watch(span).await;
        harm.abort();
        let _ = harm.await;
        let done = field.done.take();
        println!(
            "{}: {} answers to it, {} refusals, {} broken off; the bystander: {heard}",
            one.name, done.answered, done.refused, done.broken,
        );
        beside.push((one.name, heard, done));
        field.tidy().await;
    }
    field.bystander.settle().await;
    alone.add(field.bystander.watch(span / 2).await);
    println!("alone: {alone}\n");
    table(&alone, &beside);
    println!("\n{}", server::alive(&server, dir.path()));
}

fn table(alone: &Measured, beside: &[(&str, Measured, field::Done)]) {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!(
        "| adversary | p50 alone | p50 beside | p99 alone | p99 beside | ratio | refused | max | \
         answers to it | refusals to it |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, heard, done) in beside {
        let (before, now) = (alone.within(99), heard.within(99));
        println!(
            "| {name} | {} | {} | {} | {} | {:.1} | {} of {} | {} | {} | {} |",
            ms(alone.within(50)),
            ms(heard.within(50)),
            ms(before),
            ms(now),
            now.as_secs_f64() / before.as_secs_f64().max(1e-9),
            heard.refused,
            heard.requests(),
            ms(heard.within(100)),
            done.answered,
            done.refused + done.broken,
        );
    }
}
