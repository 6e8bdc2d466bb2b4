//! The cost of polling and intake, as ratios against something else in the same run
//! (docs/design/budgets.md, *Budgets*): a static route of the same bytes, a bare loop over the same
//! rows.
//!
//! `cargo bench --bench faces` on an embedded book; with `HERDBOOK_BENCH_POSTGRES` set to
//! the URL of an empty database, on that. `HERDBOOK_BENCH_ANIMALS` (2,000) sets the size;
//! `HERDBOOK_BENCH_DOCUMENTS` lists sizes of the table of documents (`scale.rs`);
//! `HERDBOOK_BENCH_ONLY` names the measures to take: location, feed, rest, graph, whole,
//! unchanged, pollers, pages, day, hooks, abuser, waiting, batches; `serve` alone serves the book to clients
//! of others. `HERDBOOK_BENCH_SYNC` sets the number of documents of a full sync (`sync.rs`).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench may fall over"
)]

mod abuser;
mod graph;
mod hooks;
mod pages;
mod polling;
mod scale;
mod spread;
mod sync;
mod waiting;
mod whole;

use api::{AppState, router};
use axum::Router;
use axum::routing::get;
use cli::{OpenBook, open};
use config::{Secret, Settings, Sources, Webhooks};
use model::clock::Clock;

use model::record::Value;
use ops::FillRow;
use reqwest::StatusCode;
use reqwest::header::{HeaderValue, IF_NONE_MATCH};
use secure::keys::random_secret;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{Sql, Store, Ty};
use waiting::spent_by;

/// Requests a minute, more than any client can make.
const PLENTY: u32 = 10_000_000;
const CLIENTS: usize = 8;
const EACH: Duration = Duration::from_secs(3);

/// The threads of clients whose work must not be counted.
fn outside() -> &'static tokio::runtime::Runtime {
    static OUTSIDE: std::sync::OnceLock<tokio::runtime::Runtime> = std::sync::OnceLock::new();
    OUTSIDE.get_or_init(|| {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.thread_name("clients").enable_all();
        runtime.build().unwrap()
    })
}

/// The speed and cost of requests.
#[derive(Clone, Copy)]
struct Rate {
    /// Per second.
    requests: f64,
    /// Seconds of the processor that the server uses for each.
    cost: f64,
}

impl Rate {
    /// Prints the rate beside those that were measured before and after it.
    fn tell(self, what: &str, still: &[Self; 2]) {
        let mean = |of: fn(&Self) -> f64| f64::midpoint(of(&still[0]), of(&still[1]));
        let (requests, cost) = (mean(|r| r.requests), mean(|r| r.cost));
        println!(
            "{what}: {:.0} requests/s, static route {requests:.0}, ratio {:.2}; {:.1} µs of the server each, static route {:.1}, ratio {:.2}",
            self.requests,
            self.requests / requests,
            self.cost * 1e6,
            cost * 1e6,
            cost / self.cost,
        );
    }
}

struct Bench {
    url: String,
    token: String,
    client: reqwest::Client,
    opened: OpenBook,
    webhooks: Webhooks,
    hub: Arc<AppState>,
    _dir: tempfile::TempDir,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_name("server")
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(run());
}

async fn run() {
    let started = Instant::now();
    let bench = Bench::start().await;
    println!(
        "book filled and served in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    if let Ok(sizes) = std::env::var("HERDBOOK_BENCH_DOCUMENTS") {
        let sizes: Vec<usize> = sizes.split(',').map(|n| n.parse().unwrap()).collect();
        bench.scale(&sizes).await;
        return;
    }
    if let Ok(count) = std::env::var("HERDBOOK_BENCH_SYNC") {
        bench.sync(count.parse().unwrap()).await;
        return;
    }
    let only = std::env::var("HERDBOOK_BENCH_ONLY").unwrap_or_default();
    let wanted = |what: &str| only.is_empty() || only.split(',').any(|one| one.trim() == what);
    let place = "/ade/v1/locations/org.herdbook.orgid/2/test-day-results?pageSize=100";
    let feed = "/ade/v1/datasets/everything/changes?limit=500";
    if only == "serve" {
        return bench.serve().await;
    }
    if wanted("location") {
        let what = "location page of 100";
        bench.against_static(what, place, "/static/page").await;
    }
    if wanted("feed") {
        let what = "feed page of 500";
        bench.against_static(what, feed, "/static/feed").await;
    }
    if wanted("rest") {
        for (what, path) in [
            ("list of 10, depth 0", "?limit=10&depth=0"),
            ("list of 10, depth 1", "?limit=10&depth=1"),
            (
                "list of 10 without count",
                "?limit=10&depth=0&pagination=false",
            ),
            ("by id", "/100?depth=0"),
            (
                "filtered list",
                "?limit=10&depth=0&where[milkYield][greater_than]=40",
            ),
        ] {
            let rate = bench.rate(&format!("/api/milk-tests{path}")).await;
            println!(
                "REST {what}: {:.0} requests/s, {:.1} µs of the server each",
                rate.requests,
                rate.cost * 1e6
            );
        }
    }
    if wanted("graph") {
        bench.graph().await;
    }
    if wanted("whole") {
        bench.whole_feed("everything").await;
    }
    if wanted("unchanged") {
        bench.unchanged().await;
    }
    if wanted("pollers") {
        bench.pollers().await;
    }
    if wanted("pages") {
        bench.people().await;
    }
    if wanted("day") {
        bench.day().await;
    }
    if wanted("waiting") {
        for clients in [1, 200] {
            bench.waiting(clients).await;
        }
    }
    if wanted("hooks") {
        bench.hooks().await;
    }
    if wanted("abuser") {
        bench.abuser().await;
    }
    if wanted("batches") {
        bench.batches(1, 20).await;
        bench.batches(8, 4).await;
        bench.bare().await;
    }
}

impl Bench {
    async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut settings = Settings::load(&Sources::default()).unwrap();
        settings.secret = Secret::new(random_secret());
        // One client sends all requests here, as fast as it can: it is counted, and never limited.
        // Other clients are distinguished by the address that they state.
        let limits = &mut settings.limits;
        (limits.read, limits.write, limits.bulk) = (PLENTY, PLENTY, PLENTY);
        limits.sign_in = PLENTY;
        limits.trusted_proxies = 1;
        let outward = &mut settings.webhooks.policy;
        outward.http = true;
        outward.allow.push("127.0.0.0/8".parse().unwrap());
        let webhooks = settings.webhooks.clone();
        let embedded = format!("sqlite:{}", dir.path().join("book.db").display());
        let url = std::env::var("HERDBOOK_BENCH_POSTGRES").unwrap_or(embedded);
        settings.database_url = Secret::new(url.clone());
        let store = Store::open(&url, settings.durability, Clock::system(), true);
        store.await.unwrap().close().await;
        let opened = open(&settings, settings.ring().unwrap()).await.unwrap();
        fill(&opened).await;
        let hub = AppState::new(Arc::clone(&opened.book), opened.exchange.clone(), settings);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let hub = Arc::new(hub);
        let app = router(Arc::clone(&hub));
        let (page, set) = (
            Arc::new(tokio::sync::OnceCell::new()),
            Arc::new(tokio::sync::OnceCell::new()),
        );
        let fixed = |cell: &Arc<tokio::sync::OnceCell<bytes::Bytes>>| {
            let cell = Arc::clone(cell);
            get(move || async move { cell.get().cloned().unwrap_or_default() })
        };
        let app = Router::new()
            .route("/static/page", fixed(&page))
            .route("/static/feed", fixed(&set))
            .route(
                "/static/304",
                get(|headers: axum::http::HeaderMap| async move {
                    let known = headers.contains_key("if-none-match");
                    (
                        match known {
                            true => StatusCode::NOT_MODIFIED,
                            false => StatusCode::OK,
                        },
                        [("etag", "\"static\"")],
                    )
                }),
            )
            .merge(app);
        tokio::spawn(axum::serve(listener, app).into_future());
        let client = reqwest::Client::new();
        let mut bench = Self {
            url,
            token: String::new(),
            client,
            opened,
            webhooks,
            hub,
            _dir: dir,
        };
        bench.token = bench.sign_in("farm1@demo.herdbook").await;
        let place = "/ade/v1/locations/org.herdbook.orgid/2/test-day-results?pageSize=100";
        page.set(bench.get(place).await).unwrap();
        set.set(
            bench
                .get("/ade/v1/datasets/everything/changes?limit=500")
                .await,
        )
        .unwrap();
        bench
    }

    async fn sign_in(&self, email: &str) -> String {
        let asked = self.client.post(format!("{}/api/users/login", self.url));
        let asked = asked.json(&json!({"email": email, "password": "demo-herdbook"}));
        let answer: serde_json::Value = asked.send().await.unwrap().json().await.unwrap();
        answer["token"].as_str().expect("a token").to_owned()
    }

    async fn get(&self, path: &str) -> bytes::Bytes {
        let request = self
            .client
            .get(format!("{}{path}", self.url))
            .bearer_auth(&self.token);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.bytes().await.unwrap()
    }

    /// Requests per second with so many clients at once, and the cost of each for the server.
    async fn rate(&self, path: &str) -> Rate {
        self.rate_of(path, None).await
    }

    /// The same with a known tag; with `None`, for the whole answer.
    async fn rate_of(&self, path: &str, tag: Option<HeaderValue>) -> Rate {
        let count = Arc::new(AtomicU64::new(0));
        let (started, before) = (Instant::now(), spent_by("server"));
        let end = started + EACH;
        let tasks = (0..CLIENTS).map(|_| {
            let (client, count, tag) = (reqwest::Client::new(), Arc::clone(&count), tag.clone());
            let (url, token) = (format!("{}{path}", self.url), self.token.clone());
            outside().spawn(async move {
                while Instant::now() < end {
                    let asked = client.get(&url).bearer_auth(&token);
                    let (asked, status) = match &tag {
                        Some(tag) => (asked.header(IF_NONE_MATCH, tag), StatusCode::NOT_MODIFIED),
                        None => (asked, StatusCode::OK),
                    };
                    let answer = asked.send().await.unwrap();
                    assert_eq!(answer.status(), status);
                    answer.bytes().await.unwrap();
                    count.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        for done in futures_util::future::join_all(tasks).await {
            done.unwrap();
        }
        let count = count.load(Ordering::Relaxed) as f64;
        let cost = before.zip(spent_by("server")).map(|(a, b)| (b - a) / count);
        Rate {
            requests: count / started.elapsed().as_secs_f64(),
            cost: cost.unwrap_or(f64::NAN),
        }
    }

    async fn against_static(&self, what: &str, path: &str, fixed: &str) {
        let still = self.rate(fixed).await;
        let ours = self.rate(path).await;
        let again = self.rate(fixed).await;
        let bytes = self.get(path).await.len();
        ours.tell(&format!("{what} ({bytes} bytes)"), &[still, again]);
    }

    /// Serves until it is stopped, for clients of others.
    async fn serve(&self) {
        println!("{}\nAuthorization: Bearer {}", self.url, self.token);
        std::future::pending::<()>().await;
    }

    /// Batches of 1,000 test-day results, one of each cow, by so many writers.
    async fn batches(&self, writers: usize, each: usize) {
        let cows: Vec<String> = (0..COWS).map(number).collect();
        let cows = Arc::new(cows);
        let started = Instant::now();
        let tasks = (0..writers).map(|w| {
            let (client, cows) = (self.client.clone(), Arc::clone(&cows));
            let url = format!(
                "{}/ade/v1/batches/locations/org.herdbook.orgid/2/test-day-results",
                self.url
            );
            let token = self.token.clone();
            tokio::spawn(async move {
                for b in 0..each {
                    let items: Vec<_> = (0..1000)
                        .map(|i| document(&cows[i % cows.len()], writers, w, b, i))
                        .collect();
                    let answer = client
                        .post(&url)
                        .bearer_auth(&token)
                        .json(&items)
                        .send()
                        .await
                        .unwrap();
                    let results: serde_json::Value = answer.json().await.unwrap();
                    let refused = results.as_array().expect("results").iter().find(|r| {
                        r["messages"]
                            .as_array()
                            .is_some_and(|m| m.iter().any(|m| m["severity"] == "Error"))
                    });
                    assert!(refused.is_none(), "{refused:?}");
                }
            })
        });
        for done in futures_util::future::join_all(tasks).await {
            done.unwrap();
        }
        let items = (writers * each * 1000) as f64;
        println!(
            "batches of 1,000 test-day results over {} cows, {writers} writers: {:.0} events/s",
            cows.len(),
            items / started.elapsed().as_secs_f64()
        );
    }

    /// The rows of the batches again, into a table without indexes, by statements of many rows in
    /// transactions of 1,000: the least that storing them can cost.
    async fn bare(&self) {
        let registry = domain::collections::registry().unwrap();
        let tests = registry.get("milk-tests").unwrap();
        let columns: Vec<(&str, Ty)> = (tests.fields.iter())
            .map(|field| (field.column.as_str(), Ty::of(field)))
            .collect();
        let names: Vec<String> = columns
            .iter()
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        let names = names.join(",");
        let store = &self.opened.book.store;
        let read = format!("SELECT {names} FROM milk_tests WHERE ade_source = 'bench.example'");
        let rows: Vec<Vec<(Ty, Value)>> = (store.rows(Sql::new(&read)).await.unwrap().iter())
            .map(|row| {
                let values = columns.iter().enumerate();
                values
                    .map(|(at, (_, ty))| (*ty, row.value(at, *ty)))
                    .collect()
            })
            .collect();
        let count = rows.len() as f64;
        let copy = "CREATE TABLE bench_bare AS SELECT * FROM milk_tests WHERE 1 = 0";
        let made = store.write(move |tx| Box::pin(async move { tx.run(Sql::new(copy)).await }));
        made.await.unwrap();
        let started = Instant::now();
        for batch in rows.chunks(1_000).map(<[_]>::to_vec) {
            let head = format!("INSERT INTO bench_bare ({names}) VALUES ");
            let done = store.write(move |tx| {
                Box::pin(async move {
                    for piece in batch.chunks(500) {
                        let mut sql = Sql::new(&head);
                        for (i, row) in piece.iter().enumerate() {
                            sql.push(if i > 0 { ",(" } else { "(" });
                            for (j, (ty, value)) in row.iter().enumerate() {
                                sql.push(if j > 0 { "," } else { "" });
                                sql.bind(*ty, value.clone());
                            }
                            sql.push(")");
                        }
                        tx.run(sql).await?;
                    }
                    Ok(())
                })
            });
            done.await.unwrap();
        }
        println!(
            "bare insert of the same {count} rows: {:.0} rows/s",
            count / started.elapsed().as_secs_f64()
        );
    }
}

fn document(cow: &str, run: usize, writer: usize, batch: usize, i: usize) -> serde_json::Value {
    let day = 1 + batch % 28;
    json!({
        "resourceType": "icarTestDayResultEventResource",
        "meta": {
            "source": "bench.example",
            "sourceId": format!("{run}-{writer}-{batch}-{i}"),
            "modified": "2025-06-01T00:00:00Z",
        },
        "animal": {"id": cow, "scheme": "org.herdbook.animal"},
        "eventDateTime": format!("2025-0{}-{day:02}T06:00:00Z", 2 + writer % 7),
        "milkWeight24Hours": {"unitCode": "KGM", "value": 28.5},
        "milkCharacteristics": [
            {"characteristic": "FAT", "value": "4.1"},
            {"characteristic": "PROTEIN", "value": "3.4"},
            {"characteristic": "SCC", "value": "150"},
        ],
    })
}

async fn fill(opened: &OpenBook) {
    let animals = std::env::var("HERDBOOK_BENCH_ANIMALS")
        .ok()
        .and_then(|n| n.parse().ok());
    let made = demo::generate(&demo::Options {
        animals: animals.unwrap_or(2_000),
        seed: 1,
    });
    opened
        .exchange
        .projector()
        .set_generation(&opened.book)
        .await
        .unwrap();
    let verifier = opened.book.passwords.hash("demo-herdbook").unwrap();
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
    big_herd(opened).await;
    spread::farms(opened).await;
    while opened
        .exchange
        .projector()
        .work_off(&opened.book)
        .await
        .unwrap()
    {}
}

/// Cows of farm 1 that calved in January 2025.
const COWS: i64 = 1_000;

fn number(cow: i64) -> String {
    (970_000_000_000 + cow).to_string()
}

fn row(collection: &'static str, id: i64, data: serde_json::Value) -> FillRow {
    FillRow {
        collection,
        id,
        data: data.as_object().unwrap().clone(),
        hidden: Vec::new(),
    }
}

async fn big_herd(opened: &OpenBook) {
    let cow = |i| json!({"identNumber": number(i), "sex": "female", "birthDate": "2022-05-01", "owner": 2});
    let calving = |i| json!({"animal": 1_000_000 + i, "number": 1, "date": "2025-01-10"});
    for ids in [0..COWS / 2, COWS / 2..COWS] {
        let cows = ids
            .clone()
            .map(|i| row("animals", 1_000_000 + i, cow(i)))
            .collect();
        opened.book.fill(cows).await.unwrap();
        let calvings = ids
            .map(|i| row("calvings", 1_000_000 + i, calving(i)))
            .collect();
        opened.book.fill(calvings).await.unwrap();
    }
}
