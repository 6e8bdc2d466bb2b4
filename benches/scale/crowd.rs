//! People and programs of many farms at once: pages beside polls, clients that wait for a change, webhooks.

use crate::book::{Book, cow};
use crate::program::{PASSWORD, sign_in};
use crate::shared::{opened, render, row, serve};
use crate::table::{Budget, Table};
use axum::Router;
use axum::extract::Path;
use axum::routing::post;
use futures_util::future::join_all;
use model::record::Value;
use ops::FillRow;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Farms, each with a cow that was weighed on so many days.
const FARMS: i64 = 100;
const WEIGHINGS: i64 = 100;
/// The first of the numbers of their rows.
const FIRST: i64 = 5_000;
/// Farms whose people look at pages, each at the next one so long after the last.
const PEOPLE: usize = 50;
const LOOK: Duration = Duration::from_secs(1);
/// Programs, each of which polls after a pause, and polls to one change.
const PROGRAMS: usize = 300;
const PAUSE: Duration = Duration::from_millis(500);
const POLLS: u64 = 50;
const SPAN: Duration = Duration::from_secs(20);
/// Changes that are waited for, and how long at most.
const CHANGES: usize = 60;
const PATIENCE: Duration = Duration::from_secs(60);

/// A farm that is signed in.
#[derive(Clone)]
pub(crate) struct Farm {
    pub(crate) id: i64,
    url: String,
    client: Client,
    token: String,
}

impl Farm {
    pub(crate) async fn enter(url: &str, email: &str, id: i64) -> Self {
        let client = Client::new();
        let token = sign_in(&client, url, email).await;
        Self { id, url: url.to_owned(), client, token }
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        let request = self.client.get(format!("{}{path}", self.url));
        request.bearer_auth(&self.token)
    }

    /// Status and answer.
    pub(crate) async fn post(&self, path: &str, body: &Json) -> (u16, Json) {
        let request = self.client.post(format!("{}{path}", self.url));
        let answer = request.bearer_auth(&self.token).json(body).send();
        let answer = answer.await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    pub(crate) fn weights(&self) -> String {
        format!("/ade/v1/locations/org.herdbook.orgid/{}/weights", self.id)
    }

    /// The weight of its cow, another one each time.
    pub(crate) fn weight(&self) -> (u64, Json) {
        static VALUE: AtomicU64 = AtomicU64::new(1);
        let value = VALUE.fetch_add(1, Ordering::Relaxed);
        let (hour, minute, second) = (value / 3_600 % 24, value / 60 % 60, value % 60);
        let weight = json!({
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "bench.example", "sourceId": "spread",
                "modified": format!("2026-01-01T{hour:02}:{minute:02}:{second:02}Z")},
            "animal": {"scheme": "org.herdbook.animal", "id": number(self.id)},
            "eventDateTime": "2025-01-02T00:00:00Z",
            "weight": {"measurement": value, "units": "KGM"},
        });
        (value, weight)
    }

    async fn change(&self) -> u64 {
        let (value, weight) = self.weight();
        let (status, answer) = self.post(&self.weights(), &weight).await;
        assert!(matches!(status, 200 | 201), "{status}: {answer}");
        value
    }
}

fn email(farm: i64) -> String {
    format!("spread{farm}@demo.herdbook")
}

/// The number of the cow of a farm.
fn number(farm: i64) -> String {
    (980_000_000_000 + farm).to_string()
}

/// Fills the farms in.
pub(crate) async fn fill(book: &Book) {
    let opened = opened(book.dir.path()).await;
    let verifier = opened.book.passwords.hash(PASSWORD).unwrap();
    let all = || FIRST..FIRST + FARMS;
    let organizations = all().map(|id| {
        let data = json!({"name": format!("Farm {id}"), "type": "farm", "presence": "registered"});
        row("organizations", id, data)
    });
    let users = all().map(|id| {
        let data = json!({"email": email(id), "lastName": "A", "firstName": "B",
            "role": "farmer", "organization": id, "orgRole": "head",
            "confirmed": true, "acceptedPolicy": true});
        FillRow { hidden: vec![("verifier", Value::Text(verifier.clone()))], ..row("users", id, data) }
    });
    let cows = all().map(|id| {
        let data = json!({"identNumber": number(id), "sex": "female", "birthDate": "2022-05-01", "owner": id});
        row("animals", 2_000_000 + id, data)
    });
    let weighings = all().flat_map(|id| {
        (0..WEIGHINGS).map(move |n| {
            let date = format!("2024-{:02}-{:02}", 1 + n / 28, 1 + n % 28);
            let data = json!({"animal": 2_000_000 + id, "date": date, "weight": 400 + n});
            row("weighings", 2_000_000 + (id - FIRST) * WEIGHINGS + n, data)
        })
    });
    opened.book.fill(organizations.collect()).await.unwrap();
    opened.book.fill(users.collect()).await.unwrap();
    opened.book.fill(cows.collect()).await.unwrap();
    opened.book.fill(weighings.collect()).await.unwrap();
    render(&opened).await;
    opened.book.store.close().await;
}

/// The farms at a server.
pub(crate) async fn farms(url: &str) -> Vec<Farm> {
    let all = (FIRST..FIRST + FARMS).map(|id| async move { Farm::enter(url, &email(id), id).await });
    join_all(all).await
}

pub(crate) async fn measure(book: &Book, table: &mut Table) {
    fill(book).await;
    let server = serve(book.dir.path());
    let mut farms = farms(&server.url).await;
    for clients in [1, 200] {
        waiting(&farms[0], clients, table).await;
    }
    webhooks(&farms, table).await;
    // One of the farms has a large herd.
    farms[0] = Farm::enter(&server.url, "farm1@demo.herdbook", 2).await;
    for (people, programs) in [(true, false), (false, true), (true, true)] {
        let beside = if people && programs { "beside the others" } else { "alone" };
        let (looks, polls) = together(&farms, people, programs).await;
        if people {
            table.times(&format!("page of {PEOPLE} farms {beside}"), looks);
        }
        if programs {
            table.times(&format!("poll of {PROGRAMS} programs {beside}"), polls);
        }
    }
}

/// Times of pages and polls, with a change to so many polls.
async fn together(farms: &[Farm], people: bool, programs: bool) -> (Vec<Duration>, Vec<Duration>) {
    let end = Instant::now() + SPAN;
    let visitors = farms.iter().take(PEOPLE).enumerate().filter(|_| people);
    let visitors = visitors.map(|(n, farm)| tokio::spawn(looks(n, farm.clone(), end)));
    let visitors: Vec<_> = visitors.collect();
    let polls = Arc::new(AtomicU64::new(0));
    // The last value of each farm that was acknowledged.
    let values: Arc<Vec<AtomicU64>> = Arc::new(farms.iter().map(|_| AtomicU64::new(0)).collect());
    let pollers = (0..PROGRAMS).filter(|_| programs).map(|n| {
        let at = 1 + n % (farms.len() - 1);
        let (polls, values) = (Arc::clone(&polls), Arc::clone(&values));
        tokio::spawn(asks(n, farms[at].clone(), (at, values), polls, end))
    });
    let pollers: Vec<_> = pollers.collect();
    let mut written = 0;
    while programs && Instant::now() < end {
        if polls.load(Ordering::Relaxed) / POLLS <= written {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        let at = 1 + usize::try_from(written).unwrap() % (farms.len() - 1);
        let value = farms[at].change().await;
        values[at].store(value, Ordering::Relaxed);
        written += 1;
    }
    let all = |times: Vec<Result<Vec<Duration>, tokio::task::JoinError>>| {
        let times = times.into_iter().flat_map(Result::unwrap);
        times.collect::<Vec<Duration>>()
    };
    (all(join_all(visitors).await), all(join_all(pollers).await))
}

/// The first byte of each page, until the end. A page that is not answered with 200 ends the bench.
async fn looks(n: usize, farm: Farm, end: Instant) -> Vec<Duration> {
    let animal = if n == 0 { crate::book::FIRST } else { 2_000_000 + farm.id };
    let way = [
        "/".to_owned(),
        "/book/animals".to_owned(),
        format!("/book/animals/{animal}"),
        "/book/weighings?sort=-date".to_owned(),
        format!("/book/weighings/new?animal={animal}"),
        "/book".to_owned(),
    ];
    let mut times = Vec::new();
    tokio::time::sleep(LOOK.mul_f64(n as f64 / PEOPLE as f64)).await;
    let mut turns = tokio::time::interval(LOOK);
    for path in way.iter().cycle() {
        turns.tick().await;
        if Instant::now() >= end {
            break;
        }
        let request = farm.get(path).header("accept", "text/html");
        let started = Instant::now();
        let answer = request.send().await.unwrap();
        times.push(started.elapsed());
        assert_eq!(answer.status(), 200, "{path}");
        answer.bytes().await.unwrap();
    }
    times
}

/// Polls until the end, under tags; no answer is older than what was acknowledged before it was requested.
async fn asks(
    n: usize,
    farm: Farm,
    (at, values): (usize, Arc<Vec<AtomicU64>>),
    polls: Arc<AtomicU64>,
    end: Instant,
) -> Vec<Duration> {
    let path = format!("{}?pageSize={}", farm.weights(), 200 + n / FARMS as usize);
    let (mut times, mut tag, mut known) = (Vec::new(), None, 0);
    tokio::time::sleep(PAUSE.mul_f64(n as f64 / PROGRAMS as f64)).await;
    let mut turns = tokio::time::interval(PAUSE);
    while Instant::now() < end {
        turns.tick().await;
        let least = values[at].load(Ordering::Relaxed);
        let mut request = farm.get(&path);
        if let Some(tag) = tag.take() {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let started = Instant::now();
        let answer = request.send().await.unwrap();
        let status = answer.status();
        tag = answer.headers().get(ETAG).cloned();
        let body = answer.bytes().await.unwrap();
        times.push(started.elapsed());
        polls.fetch_add(1, Ordering::Relaxed);
        if status != StatusCode::NOT_MODIFIED {
            assert!(status.is_success(), "{status}");
            let page: Json = serde_json::from_slice(&body).unwrap();
            let all = page["member"].as_array().into_iter().flatten();
            let mut own = all.filter(|one| one["meta"]["sourceId"] == "spread");
            known = own.next().map_or(0, |own| own["weight"]["measurement"].as_f64().unwrap() as u64);
        }
        assert!(known >= least, "an answer is stale");
    }
    times
}

/// From a change until clients that wait for it have the page.
async fn waiting(farm: &Farm, clients: usize, table: &mut Table) {
    const SET: &str = "/ade/v1/datasets/weights/changes";
    let heard: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let last = |page: &Json| {
        let token = page.as_array().and_then(|all| all.last()?["token"].as_str());
        token.expect("a token").to_owned()
    };
    let begun: Json = farm.get(&format!("{SET}?from=now")).send().await.unwrap().json().await.unwrap();
    let waits = (0..clients).map(|_| {
        let (farm, heard, mut since) = (farm.clone(), Arc::clone(&heard), last(&begun));
        tokio::spawn(async move {
            loop {
                let request = farm.get(&format!("{SET}?wait=60&since={since}")).send();
                let page: Json = request.await.unwrap().json().await.unwrap();
                if page.as_array().is_some_and(|all| all.len() > 2) {
                    heard.lock().unwrap().push(Instant::now());
                }
                since = last(&page);
            }
        })
    });
    let waits: Vec<_> = waits.collect();
    tokio::time::sleep(LOOK).await;
    let mut late = Vec::new();
    for _ in 0..CHANGES {
        heard.lock().unwrap().clear();
        let begun = Instant::now();
        farm.change().await;
        while heard.lock().unwrap().len() < clients {
            assert!(begun.elapsed() < PATIENCE, "a client was not woken");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let heard = heard.lock().unwrap();
        late.extend(heard.iter().map(|at| at.duration_since(begun)));
    }
    waits.iter().for_each(tokio::task::JoinHandle::abort);
    table.times(&format!("from a change to {clients} who wait"), late);
}

/// From the first change of a farm to the message that tells of it, with a change of some farm each
/// fiftieth of a second; how long the changes take without webhooks and with.
async fn webhooks(farms: &[Farm], table: &mut Table) {
    let changed: Arc<Mutex<Vec<Option<Instant>>>> = Arc::new(Mutex::new(vec![None; farms.len()]));
    let late: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let (first, times) = (Arc::clone(&changed), Arc::clone(&late));
    let came = post(move |Path(n): Path<usize>| async move {
        let since = first.lock().unwrap()[n].take();
        times.lock().unwrap().extend(since.map(|since| since.elapsed()));
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let receiver = axum::serve(listener, Router::new().route("/{n}", came));
    let receiver = tokio::spawn(receiver.into_future());
    for hooks in [false, true] {
        for (n, farm) in farms.iter().enumerate().filter(|_| hooks) {
            let body = json!({"url": format!("{url}/{n}"), "dataset": "weights"});
            let (status, answer) = farm.post("/api/webhooks", &body).await;
            assert_eq!(status, 201, "{answer}");
        }
        let (begun, mut writes) = (Instant::now(), Vec::new());
        let mut turns = tokio::time::interval(Duration::from_millis(20));
        for (n, farm) in farms.iter().enumerate().cycle() {
            turns.tick().await;
            if begun.elapsed() > SPAN {
                break;
            }
            let started = Instant::now();
            if hooks {
                changed.lock().unwrap()[n].get_or_insert(started);
            }
            farm.change().await;
            writes.push(started.elapsed());
        }
        let with = if hooks { "with" } else { "without" };
        table.times(&format!("change {with} webhooks of {} farms", farms.len()), writes);
    }
    let waits = Instant::now();
    while changed.lock().unwrap().iter().any(Option::is_some) {
        assert!(waits.elapsed() < PATIENCE, "not all messages came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    receiver.abort();
    let late = std::mem::take(&mut *late.lock().unwrap());
    table.times("from a change to its message", late);
}

/// The first byte of each kind of page of a farm, and its bytes, by a connection of its own.
pub(crate) async fn pages(book: &Book, table: &mut Table) {
    const TIMES: usize = 40;
    let server = serve(book.dir.path());
    let farm = Farm::enter(&server.url, "farm1@demo.herdbook", 2).await;
    let own = "limit=1&depth=0&where[ownerOrg][equals]=2&sort=-lactationNumber&where[daysInMilk][exists]=true";
    let tests = farm.get(&format!("/api/milk-tests?{own}")).send();
    let tests: Json = tests.await.unwrap().json().await.unwrap();
    let (test, animal) = (&tests["docs"][0]["id"], &tests["docs"][0]["animal"]);
    let pages = format!(
        "/ /book /account /book/animals /book/animals?q={} \
         /book/animals?where[sex][equals]=male&sort=-birthDate /book/milk-tests \
         /book/milk-tests?page=50 /book/check-findings /book/animals/{animal} \
         /book/milk-tests/{test} /book/animals/{animal}/edit /book/milk-tests/new \
         /book/data-submissions/new /api-docs?q=list+animals /api/animals/{animal}/card",
        cow(0)
    );
    for path in pages.split_whitespace() {
        let (mut times, mut bytes) = (Vec::new(), 0);
        for _ in 0..TIMES {
            let fresh = Farm { client: Client::new(), ..farm.clone() };
            let request = fresh.get(path).header("accept", "text/html");
            let begun = Instant::now();
            let answer = request.header("accept-encoding", "gzip").send().await.unwrap();
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            assert_eq!(answer.status(), 200, "{path}");
            bytes = answer.bytes().await.unwrap().len();
        }
        let first = (crate::median(times), "ms");
        table.add(format!("first byte of {path}, {bytes} bytes"), first, None, Budget::AtMost(30.0));
    }
}
