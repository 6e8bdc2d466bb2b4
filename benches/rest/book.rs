//! A server of our own, as a process by itself, so that its memory is its own: the book is
//! made, filled with the data set, and served. And a route that answers bytes, for comparison.

use crate::dataset::{self, BULLS, Size};
use api::{AppState, router};
use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use cli::{OpenBook, open};
use config::{Secret, Settings, Sources};
use model::clock::Clock;

use model::record::Value;
use ops::FillRow;
use secure::keys::random_secret;
use serde_json::Map;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Instant;
use store::Store;

pub(crate) const ADMIN: &str = "association@demo.herdbook";
pub(crate) const PASSWORD: &str = "demo-herdbook";
/// A farm of the synthetic book.
const OWNER: i64 = 2;
/// Ids that the synthetic book does not reach.
const FIRST: i64 = 1_000_000;
/// Rows of a transaction.
const PART: usize = 500;

/// Serves a book until the process ends; its address is the first line of the output.
pub(crate) async fn serve(size: Size) {
    let kept = std::env::var_os("HERDBOOK_BENCH_DIR").map(PathBuf::from);
    let fleeting = tempfile::tempdir().unwrap();
    let dir = kept.unwrap_or_else(|| fleeting.path().to_owned());
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("book.db");
    let postgres = std::env::var("HERDBOOK_BENCH_POSTGRES").ok();
    let there = postgres.is_none() && file.exists();
    let url = postgres.unwrap_or_else(|| format!("sqlite:{}", file.display()));
    let mut settings = Settings::load(&Sources::default()).unwrap();
    settings.secret = Secret::new(random_secret());
    settings.database_url = Secret::new(url.clone());
    let store = Store::open(&url, settings.durability, Clock::system(), true);
    store.await.unwrap().close().await;
    let opened = open(&settings, settings.ring().unwrap()).await.unwrap();
    if !there {
        let started = Instant::now();
        fill(&opened, size).await;
        let seconds = started.elapsed().as_secs_f64();
        let rows = (size.animals + size.tests) as f64;
        eprintln!(
            "book filled in {seconds:.1} s, {:.0} rows/s",
            rows / seconds
        );
    }
    let hub = AppState::new(Arc::clone(&opened.book), opened.exchange.clone(), settings);
    listen(router(Arc::new(hub))).await;
}

/// Serves what was put at the same place before.
pub(crate) async fn still() {
    let held: Arc<RwLock<Bytes>> = Arc::default();
    let (read, write) = (Arc::clone(&held), held);
    let answer = move || {
        let bytes = read.read().unwrap().clone();
        async move { ([("content-type", "application/json")], bytes) }
    };
    let keep = move |bytes: Bytes| {
        *write.write().unwrap() = bytes;
        async {}
    };
    let route = get(answer).put(keep);
    let any = axum::extract::DefaultBodyLimit::disable();
    listen(Router::new().route("/still", route).layer(any)).await;
}

async fn listen(app: Router) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    axum::serve(listener, app).await.unwrap();
}

async fn fill(opened: &OpenBook, size: Size) {
    let made = demo::generate(&demo::Options {
        animals: 300,
        seed: 1,
    });
    opened
        .exchange
        .projector()
        .set_generation(&opened.book)
        .await
        .unwrap();
    let verifier = opened.book.passwords.hash(PASSWORD).unwrap();
    for set in demo::waves(made.rows) {
        let rows = set.into_iter().map(|row| {
            let mut data = row.data;
            data.extend(row.system);
            let account = data.contains_key("email") && data.contains_key("role");
            let hidden = account.then(|| ("verifier", Value::Text(verifier.clone())));
            FillRow {
                collection: row.collection,
                id: row.id,
                data,
                hidden: hidden.into_iter().collect(),
            }
        });
        opened.book.fill(rows.collect()).await.unwrap();
    }
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
    while opened
        .exchange
        .projector()
        .work_off(&opened.book)
        .await
        .unwrap()
    {}
}

async fn rows(
    opened: &OpenBook,
    collection: &'static str,
    rows: impl Iterator<Item = (i64, Map<String, serde_json::Value>)>,
) {
    let mut part = Vec::with_capacity(PART);
    for (id, data) in rows {
        part.push(FillRow {
            collection,
            id,
            data,
            hidden: Vec::new(),
        });
        if part.len() == PART {
            opened.book.fill(std::mem::take(&mut part)).await.unwrap();
        }
    }
    opened.book.fill(part).await.unwrap();
}
