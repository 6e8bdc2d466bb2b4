//! 500 clients of 100 farms, most of them without news: the cost of a poll for the server, with and
//! without tags.

use super::waiting::spent_by;
use super::{Bench, row};
use cli::OpenBook;
use model::record::Value;
use ops::FillRow;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Farms, each with a cow that was weighed on so many days.
const FARMS: i64 = 100;
const WEIGHINGS: i64 = 100;
/// The first of the numbers of their rows.
pub(super) const FIRST: i64 = 5_000;
/// Clients, each of which asks twice a second for the weights of its farm.
const CLIENTS: i64 = 500;
pub(super) const PAUSE: Duration = Duration::from_millis(500);
const SPAN: Duration = Duration::from_secs(10);
/// Polls to one change.
const POLLS: u64 = 50;

/// So many clients, each of which asks after each pause.
#[derive(Clone, Copy)]
pub(super) struct Crowd {
    pub(super) count: i64,
    pub(super) pause: Duration,
}

/// A farm whose clients ask.
#[derive(Clone)]
pub(super) struct Farm {
    pub(super) id: i64,
    pub(super) token: String,
}

/// Fills the farms in.
pub(super) async fn farms(opened: &OpenBook) {
    let verifier = opened.book.passwords.hash("demo-herdbook").unwrap();
    let all = || FIRST..FIRST + FARMS;
    let organizations = all().map(|id| {
        let data = json!({"name": format!("Farm {id}"), "type": "farm", "presence": "registered"});
        row("organizations", id, data)
    });
    let users = all().map(|id| {
        let data = json!({"email": email(id), "lastName": "A", "firstName": "B",
            "role": "farmer", "organization": id, "orgRole": "head",
            "confirmed": true, "acceptedPolicy": true});
        FillRow {
            hidden: vec![("verifier", Value::Text(verifier.clone()))],
            ..row("users", id, data)
        }
    });
    let cows = all().map(|id| {
        let data = json!({"identNumber": cow(id), "sex": "female", "birthDate": "2022-05-01", "owner": id});
        row("animals", 2_000_000 + id, data)
    });
    let weighings = all().flat_map(|id| {
        (0..WEIGHINGS).map(move |n| {
            let date = format!("2024-{:02}-{:02}", 1 + n / 28, 1 + n % 28);
            let data = json!({"animal": 2_000_000 + id, "date": date, "weight": 400 + n});
            row("weighings", 2_000_000 + (id - FIRST) * WEIGHINGS + n, data)
        })
    });
    for rows in [
        organizations.collect(),
        users.collect(),
        cows.collect(),
        weighings.collect(),
    ] {
        opened.book.fill(rows).await.unwrap();
    }
}

fn email(farm: i64) -> String {
    format!("spread{farm}@demo.herdbook")
}

pub(super) fn cow(farm: i64) -> String {
    (980_000_000_000 + farm).to_string()
}

pub(super) fn weights(farm: i64) -> String {
    format!("/ade/v1/locations/org.herdbook.orgid/{farm}/weights")
}

/// The weight of the cow of a farm, another one each time.
pub(super) fn weight(farm: i64) -> Json {
    static VALUE: AtomicU64 = AtomicU64::new(0);
    let value = VALUE.fetch_add(1, Ordering::Relaxed) + 1;
    let (hour, minute, second) = (value / 3_600 % 24, value / 60 % 60, value % 60);
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "bench.example", "sourceId": "spread",
            "modified": format!("2026-01-01T{hour:02}:{minute:02}:{second:02}Z")},
        "animal": {"scheme": "org.herdbook.animal", "id": cow(farm)},
        "eventDateTime": "2025-01-02T00:00:00Z",
        "weight": {"measurement": value, "units": "KGM"},
    })
}

impl Bench {
    /// The farms, signed in.
    pub(super) async fn spread(&self) -> Vec<Farm> {
        let mut farms = Vec::new();
        for id in FIRST..FIRST + FARMS {
            let token = self.sign_in(&email(id)).await;
            farms.push(Farm { id, token });
        }
        farms
    }

    /// 2 changes to 100 polls, with and without tags.
    pub(super) async fn pollers(&self) {
        let farms = self.spread().await;
        for conditional in [false, true, false, true] {
            let end = Instant::now() + SPAN;
            let polls = Arc::new(AtomicU64::new(0));
            let over = Arc::new(AtomicBool::new(false));
            let writer = self.changes(&farms, Arc::clone(&polls), Arc::clone(&over));
            let before = spent_by("server");
            let clients = clients(
                (self.url.clone(), farms.clone()),
                (end, conditional),
                Crowd {
                    count: CLIENTS,
                    pause: PAUSE,
                },
                Arc::clone(&polls),
            );
            let clients = super::outside().spawn(clients);
            let (clients, changes) = tokio::join!(
                async {
                    let told = clients.await;
                    over.store(true, Ordering::Relaxed);
                    told
                },
                writer
            );
            let (mut times, unchanged) = clients.unwrap();
            times.sort();
            let cost = before.zip(spent_by("server")).map(|(a, b)| b - a);
            let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
            println!(
                "{CLIENTS} clients of {FARMS} farms, {} polls, {changes} changes, {}: median {:.2} ms, 99 of 100 within {:.1} ms, {unchanged} unchanged{}",
                times.len(),
                match conditional {
                    true => "with tags",
                    false => "without tags",
                },
                at(50),
                at(99),
                cost.map_or(String::new(), |cost| format!(
                    ", server {:.0} µs of the processor a poll, changes included",
                    cost * 1e6 / times.len() as f64
                )),
            );
        }
    }

    /// A change to so many polls, farm after farm, until it is over.
    pub(super) async fn changes(
        &self,
        farms: &[Farm],
        polls: Arc<AtomicU64>,
        over: Arc<AtomicBool>,
    ) -> u64 {
        let mut written = 0;
        while !over.load(Ordering::Relaxed) {
            if polls.load(Ordering::Relaxed) / POLLS <= written {
                tokio::time::sleep(Duration::from_millis(1)).await;
                continue;
            }
            let farm = &farms[usize::try_from(written).unwrap() % farms.len()];
            let sent = self
                .client
                .post(format!("{}{}", self.url, weights(farm.id)));
            let sent = sent.bearer_auth(&farm.token).json(&weight(farm.id));
            let answer = sent.send().await.unwrap();
            let status = answer.status();
            assert!(
                status.is_success(),
                "{status}: {}",
                answer.text().await.unwrap()
            );
            written += 1;
        }
        written
    }
}

/// Times of the polls until the end, and how many were answered 304.
pub(super) async fn clients(
    (url, farms): (String, Vec<Farm>),
    (end, conditional): (Instant, bool),
    crowd: Crowd,
    polls: Arc<AtomicU64>,
) -> (Vec<Duration>, u64) {
    let own = i64::try_from(farms.len()).unwrap();
    let tasks = (0..crowd.count).map(|n| {
        let farm = &farms[usize::try_from(n % own).unwrap()];
        let url = format!("{url}{}?pageSize={}", weights(farm.id), 50 + n / own);
        let (token, polls) = (farm.token.clone(), Arc::clone(&polls));
        tokio::spawn(async move {
            let client = Client::new();
            let (mut times, mut unchanged, mut tag) = (Vec::new(), 0, None);
            tokio::time::sleep(crowd.pause.mul_f64(n as f64 / crowd.count as f64)).await;
            let mut turns = tokio::time::interval(crowd.pause);
            while Instant::now() < end {
                turns.tick().await;
                let mut asked = client.get(&url).bearer_auth(&token);
                if let Some(tag) = tag.take().filter(|_| conditional) {
                    asked = asked.header(IF_NONE_MATCH, tag);
                }
                let started = Instant::now();
                let answer = asked.send().await.unwrap();
                let same = answer.status() == StatusCode::NOT_MODIFIED;
                assert!(same || answer.status().is_success(), "{}", answer.status());
                unchanged += u64::from(same);
                tag = answer.headers().get(ETAG).cloned();
                answer.bytes().await.unwrap();
                times.push(started.elapsed());
                polls.fetch_add(1, Ordering::Relaxed);
            }
            (times, unchanged)
        })
    });
    let (mut times, mut unchanged) = (Vec::new(), 0);
    for done in futures_util::future::join_all(tasks).await {
        let (some, known) = done.unwrap();
        times.extend(some);
        unchanged += known;
    }
    (times, unchanged)
}
