//! The cost of reading over REST, on any server with the dialect, as ratios to a route that answers
//! the same bytes without any work (docs/design/budgets.md, *Budgets*).
//!
//! `cargo bench --bench rest` makes a book, fills it and has the program serve it. `docs/performance.md` explains the
//! variables; with `HERDBOOK_BENCH_URL` and `HERDBOOK_BENCH_TOKEN` another server is measured.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench may fall over"
)]

mod book;
mod dataset;
mod foreign;
mod graph;
mod load;
#[path = "../shared/program.rs"]
mod program;
#[path = "../shared/book.rs"]
mod shared;
#[path = "../shared/still.rs"]
mod still;

use dataset::Size;
use load::Load;
use program::{number, sign_in};
use std::path::PathBuf;
use still::Still;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let size =
        Size { animals: number("HERDBOOK_BENCH_ANIMALS", 20_000), tests: number("HERDBOOK_BENCH_TESTS", 200_000) };
    match Still::is_this() {
        true => runtime.block_on(Still::serve()),
        false => runtime.block_on(run(size)),
    }
}

async fn run(size: Size) {
    let fleeting = tempfile::tempdir().unwrap();
    let dir = std::env::var_os("HERDBOOK_BENCH_DIR").map(PathBuf::from);
    let dir = dir.unwrap_or_else(|| fleeting.path().to_owned());
    let load = match std::env::var("HERDBOOK_BENCH_URL") {
        Ok(url) => {
            let token = std::env::var("HERDBOOK_BENCH_TOKEN").unwrap_or_default();
            let process = std::env::var("HERDBOOK_BENCH_PID").ok();
            let process = process.and_then(|text| text.parse().ok());
            let load = Load::new(url, token, None, process);
            if std::env::var_os("HERDBOOK_BENCH_FILL").is_some() {
                foreign::fill(&load, size).await;
            }
            load
        }
        Err(_) => {
            std::fs::create_dir_all(&dir).unwrap();
            let dir = dir.canonicalize().unwrap();
            let own = book::start(&dir, size).await;
            let (client, url) = (reqwest::Client::new(), own.url.clone());
            let token = sign_in(&client, &url, "association@demo.herdbook").await;
            let process = own.id();
            let load = Load::new(url, token, Some(own), Some(process));
            graph::measure(&load).await;
            load
        }
    };
    let tests = load.total("/api/milk-tests?limit=1&depth=0").await;
    println!("{tests} milk tests; {} clients", load::CLIENTS);
    println!("{:<44} {:>9} {:>9} {:>9} {:>7}", "", "bytes", "req/s", "static", "ratio");
    lists(&load).await;
    pages(&load, tests).await;
    whole(&load, tests).await;
}

/// Pages as clients ask for them. Conditions differ from request to request, so that the memory for
/// answers helps no more than it would help real clients.
async fn lists(load: &Load) {
    let ids = load.ids("/api/milk-tests?limit=500&depth=0").await;
    let by_id = move |n: usize| format!("/api/milk-tests/{}?depth=0", ids[n % ids.len()]);
    let animals = load.ids("/api/animals?limit=200&depth=0&sort=-id").await;
    let card = {
        let animals = animals.clone();
        move |n: usize| format!("/api/animals/{}?depth=0", animals[n % animals.len()])
    };
    let of = move |n: usize| {
        let animal = animals[n % animals.len()];
        format!("/api/milk-tests?limit=10&depth=0&where[animal][equals]={animal}&sort=-date")
    };
    let plain = |path: &'static str| move |_| path.to_owned();
    load.measure("list of 10", plain("/api/milk-tests?limit=10&depth=0")).await;
    load.measure("by id", by_id).await;
    load.measure("animal by id", card).await;
    load.measure("filtered list of 10, by animal", of).await;
    load.measure("filtered list of 10, by yield", |n| {
        let yield_ = 20.0 + (n % 200) as f64 / 10.0;
        format!("/api/milk-tests?limit=10&depth=0&where[milkYield][greater_than]={yield_}")
    })
    .await;
    load.measure("list of 10, not counted", |n| {
        let yield_ = 20.0 + (n % 200) as f64 / 10.0;
        format!("/api/milk-tests?limit=10&depth=0&pagination=false&where[milkYield][greater_than]={yield_}")
    })
    .await;
    load.measure("search in names (like), 10", |n| {
        let word = ["bell", "rosa", "wanda", "flor"][n % 4];
        format!("/api/animals?limit=10&depth=0&pagination=false&where[name][like]={word}")
    })
    .await;
    load.measure("search in names (like), 10, counted", |n| {
        format!("/api/animals?limit=10&depth=0&where[name][like]={}", n % 9_000)
    })
    .await;
    for depth in 0..=2 {
        let what = format!("list of 100, depth {depth}");
        let path = format!("/api/milk-tests?limit=100&depth={depth}");
        load.measure(&what, move |_| path.clone()).await;
    }
    load.measure("count", plain("/api/milk-tests/count")).await;
    load.measure("count under a condition", |n| {
        let yield_ = 20.0 + (n % 250) as f64 / 10.0;
        format!("/api/milk-tests/count?where[milkYield][greater_than]={yield_}")
    })
    .await;
}

/// Deep pages against the first: by their number, jumping and turning, and by cursors.
async fn pages(load: &Load, total: u64) {
    let middle = usize::try_from(total / 20).unwrap().max(1);
    let page = |number: usize| format!("/api/milk-tests?limit=10&depth=0&sort=date&page={number}");
    let first = load.measure("first page by date", move |_| page(1)).await;
    // A second jump to a far page makes the server store signposts: these two requests wait for
    // that, and all later ones use them.
    for (nth, pages) in [("first", 0), ("second", middle / 2), ("third", middle / 3)] {
        let started = std::time::Instant::now();
        load.get(&page(middle + pages)).await;
        let took = started.elapsed().as_secs_f64() * 1e3;
        println!("   the {nth} jump takes {took:.1} ms");
    }
    let jump = load.measure("middle, anywhere", move |n| page(middle + (n * 7_919) % middle));
    let jump = jump.await;
    let turn = load.measure("middle, page after page", move |n| page(middle + n % middle));
    let turn = turn.await;
    println!("   costs of the first page: anywhere {:.1}, page after page {:.1}", first / jump, first / turn);
    if let Some(next) = load.link(&page(middle)).await {
        let cursor = load.measure("middle, by a cursor", move |_| next.clone());
        println!("   costs of the first page: {:.1}", first / cursor.await);
    }
}

/// Everything at once: the time to the first byte, the rate, and the memory of the server.
async fn whole(load: &Load, tests: u64) {
    for depth in 0..=1 {
        let path = format!("/api/milk-tests?limit=0&depth={depth}");
        load.whole(&path, tests).await;
    }
}
