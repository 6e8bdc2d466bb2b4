//! Batches of test days: how many events a second, and what memory they take.

use crate::book::{Book, COWS, FARM, WRITERS, cow, token};
use crate::program::{self, Server};
use crate::shared::serve;
use crate::table::{Budget, Table};
use crate::{median, turns};
use reqwest::Client;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Events of a batch.
const BATCH: usize = 1_000;
/// Batches of a turn with one writer.
const BATCHES: usize = 5;
/// Bytes of the large batch.
const LARGE: usize = 50_000_000;
const EVENTS: usize = 10_000;

/// Numbers of batches, so that each is new.
static NEXT: AtomicUsize = AtomicUsize::new(0);

pub(crate) async fn measure(book: &Book, table: &mut Table) {
    let postgres = std::env::var("HERDBOOK_BENCH_POSTGRES").is_ok();
    let first = serve(book.dir.path());
    let one = rate(&[&first], 1, BATCHES).await;
    table.add(
        "batches of 1,000 test days, one writer",
        (one, "events/s"),
        Some(("bare insert", book.bare)),
        Budget::AtLeast(if postgres { 8_000.0 } else { 10_000.0 }),
    );
    // Several processes share PostgreSQL only.
    let second = postgres.then(|| serve(book.dir.path()));
    let servers: Vec<&Server> = [Some(&first), second.as_ref()].into_iter().flatten().collect();
    let processes = servers.len();
    table.add(
        format!("the same, {WRITERS} writers, {processes} processes"),
        (rate(&servers, WRITERS, 2).await, "events/s"),
        Some(("one writer", one)),
        match postgres {
            true => Budget::Ratio(1.6),
            false => Budget::None,
        },
    );
}

/// Events a second: the median of the turns.
async fn rate(servers: &[&Server], writers: usize, batches: usize) -> f64 {
    let client = Client::new();
    let mut targets = Vec::new();
    for server in servers {
        targets.push((server.url.clone(), token(&client, &server.url).await));
    }
    let targets = Arc::new(targets);
    let mut rates = Vec::new();
    for _ in 0..turns() {
        let body = |writer| batch(writer, NEXT.fetch_add(1, Ordering::Relaxed), BATCH, "");
        let bodies = |writer| (0..batches).map(|_| body(writer)).collect();
        let bodies: Vec<Vec<String>> = (0..writers).map(bodies).collect();
        let begun = Instant::now();
        let writers = bodies.into_iter().enumerate().map(|(at, bodies)| {
            let (client, targets) = (client.clone(), Arc::clone(&targets));
            tokio::spawn(async move {
                let (url, token) = &targets[at % targets.len()];
                for body in bodies {
                    sent(&client, url, token, body).await;
                }
            })
        });
        let writers: Vec<_> = writers.collect();
        let events = (writers.len() * batches * BATCH) as f64;
        for writer in writers {
            writer.await.unwrap();
        }
        rates.push(events / begun.elapsed().as_secs_f64());
    }
    median(rates)
}

/// A batch of new test days of the cows of a writer, one of each, as JSON. Batches follow each other day by day.
fn batch(writer: usize, number: usize, events: usize, remark: &str) -> String {
    let first = writer as i64 * COWS;
    let items: Vec<Value> = (0..events)
        .map(|at| {
            let round = number + at / COWS as usize;
            let (month, day) = (2 + round / 28 % 10, 1 + round % 28);
            json!({
                "resourceType": "icarTestDayResultEventResource",
                "meta": {
                    "source": "bench.example",
                    "sourceId": format!("{number}-{at}"),
                    "modified": "2025-06-01T00:00:00Z",
                },
                "animal": {"id": cow(first + at as i64 % COWS), "scheme": "org.herdbook.animal"},
                "eventDateTime": format!("2025-{month:02}-{day:02}T06:{:02}:00Z", round / 280 % 60),
                "milkWeight24Hours": {"unitCode": "KGM", "value": 28.5},
                "milkCharacteristics": [
                    {"characteristic": "FAT", "value": "4.1"},
                    {"characteristic": "PROTEIN", "value": "3.4"},
                    {"characteristic": "SCC", "value": "150"},
                ],
                "remark": remark,
            })
        })
        .collect();
    Value::from(items).to_string()
}

async fn sent(client: &Client, url: &str, token: &str, body: String) {
    let path = format!("{url}/ade/v1/batches/locations/org.herdbook.orgid/{FARM}/test-day-results");
    let request = client.post(path).bearer_auth(token).body(body);
    let request = request.header("content-type", "application/json");
    let answer = request.send().await.unwrap();
    let (status, text) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success(), "{status}: {text}");
    assert!(!text.contains("\"severity\":\"Error\""), "{text}");
}

/// The memory of a server after polls, and at its highest while a large batch comes in.
pub(crate) async fn memory(book: &Book, table: &mut Table) {
    let server = Arc::new(serve(book.dir.path()));
    if program::memory(server.id(), "RssAnon").is_none() {
        return;
    }
    let client = Client::new();
    let token = token(&client, &server.url).await;
    for page in 0..2_000 {
        let limit = 100 + page % 400;
        let url = &server.url;
        let request = client.get(format!("{url}/ade/v1/datasets/everything/changes?limit={limit}"));
        let answer = request.bearer_auth(&token).send().await.unwrap();
        assert!(answer.status().is_success());
        answer.bytes().await.unwrap();
    }
    let rest = program::memory(server.id(), "RssAnon").unwrap();
    table.add("anonymous memory after 2,000 different polls", (rest, "MB"), None, Budget::AtMost(300.0));
    let over = Arc::new(AtomicBool::new(false));
    let watch = {
        let (server, over) = (Arc::clone(&server), Arc::clone(&over));
        tokio::spawn(async move {
            let mut peak: f64 = 0.0;
            while !over.load(Ordering::Relaxed) {
                peak = peak.max(program::memory(server.id(), "RssAnon").unwrap_or_default());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            peak
        })
    };
    let number = NEXT.fetch_add(EVENTS, Ordering::Relaxed);
    let bare = batch(0, number, EVENTS, "").len();
    let remark = "x".repeat((LARGE - bare) / EVENTS);
    let body = batch(0, number, EVENTS, &remark);
    let size = body.len() as f64 / 1e6;
    sent_whole(&client, &server.url, &token, body).await;
    over.store(true, Ordering::Relaxed);
    table.add(
        format!("more memory at the peak of a batch of {size:.0} MB"),
        (watch.await.unwrap() - rest, "MB"),
        None,
        Budget::AtMost(100.0),
    );
}

/// Sends a batch that may be worked on after the answer, and waits until it is done.
async fn sent_whole(client: &Client, url: &str, token: &str, body: String) {
    let path = format!("{url}/ade/v1/batches/locations/org.herdbook.orgid/{FARM}/test-day-results");
    let request = client.post(path).bearer_auth(token).body(body);
    let answer = request.header("content-type", "application/json").send();
    let answer = answer.await.unwrap();
    let status = answer.status();
    let place = answer.headers().get("location").map(|at| at.to_str().unwrap().to_owned());
    assert!(status.is_success(), "{status}: {}", answer.text().await.unwrap());
    let Some(place) = place.filter(|_| status.as_u16() == 202) else {
        return;
    };
    let place = match place.starts_with("http") {
        true => place,
        false => format!("{url}{place}"),
    };
    loop {
        let answer = client.get(&place).bearer_auth(token).send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{status}: {text}");
        if status.as_u16() == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
