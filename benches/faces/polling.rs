//! Polling: a 304 against a static one, and a compressed day of 300 pollers, with every answer
//! checked against the writes that were acknowledged before its request.

use super::whole::end_of;
use super::{Bench, Rate, number};
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Weights that are changed again and again.
const KEYS: u64 = 40;
const PLACE: &str = "/ade/v1/locations/org.herdbook.orgid/2/weights";
/// Polls to one change.
const POLLS: u64 = 50;
/// Pollers of a day.
const POLLERS: u64 = 300;
/// Readings of a day that run at once.
const BESIDE: u64 = 8;

/// The last acknowledged value of each key; each value is larger than those before it.
type Acknowledged = Arc<Mutex<BTreeMap<u64, u64>>>;

impl Bench {
    /// A 304 of ours against a static one.
    pub(super) async fn unchanged(&self) {
        let path = "/ade/v1/locations/org.herdbook.orgid/2/test-day-results?pageSize=100";
        let still = self.known("/static/304").await;
        let ours = self.known(path).await;
        let again = self.known("/static/304").await;
        ours.tell("304", &[still, again]);
    }

    /// How fast a request with a known tag is answered.
    async fn known(&self, path: &str) -> Rate {
        let url = format!("{}{path}", self.url);
        let first = self.client.get(&url).bearer_auth(&self.token);
        let tag = first.send().await.unwrap().headers()[ETAG].clone();
        self.rate_of(path, Some(tag)).await
    }

    async fn change(&self, acknowledged: &Acknowledged) {
        static VALUE: AtomicU64 = AtomicU64::new(0);
        let value = VALUE.fetch_add(1, Ordering::Relaxed) + 1;
        let key = value % KEYS;
        let sent = self.client.post(format!("{}{PLACE}", self.url));
        let sent = sent.bearer_auth(&self.token).json(&weight(key, value));
        let answer = sent.send().await.unwrap();
        assert!(
            answer.status().is_success(),
            "{}",
            answer.text().await.unwrap()
        );
        acknowledged.lock().unwrap().insert(key, value);
    }

    /// 24 hours of 300 pollers: a third asks each minute, a third every five, a third every
    /// fifteen, half of them lists and half of them feeds, under tags.
    pub(super) async fn day(&self) {
        let started = Instant::now();
        let acknowledged = Acknowledged::default();
        for _ in 0..KEYS {
            self.change(&acknowledged).await;
        }
        let mut pollers: Vec<Poller> = (0..POLLERS).map(|n| Poller::new(self, n)).collect();
        let (mut polls, mut changes) = (0_u64, KEYS);
        for minute in 0..24 * 60 {
            let due = pollers.iter_mut().filter(|p| p.is_due(minute));
            let due: Vec<&mut Poller> = due.collect();
            polls += due.len() as u64;
            let wanted = (polls / POLLS).saturating_sub(changes);
            let all = futures_util::StreamExt::for_each_concurrent(
                futures_util::stream::iter(due),
                usize::try_from(BESIDE).unwrap(),
                |poller| poller.poll(&acknowledged),
            );
            let writing = async {
                for _ in 0..wanted {
                    self.change(&acknowledged).await;
                }
            };
            tokio::join!(all, writing);
            changes += wanted;
        }
        let unchanged: u64 = pollers.iter().map(|p| p.unchanged).sum();
        let stale: u64 = pollers.iter().map(|p| p.stale).sum();
        println!(
            "a day of {POLLERS} pollers in {:.0} s: {polls} polls, {changes} changes, {:.0} % unchanged, {stale} stale answers",
            started.elapsed().as_secs_f64(),
            unchanged as f64 * 100.0 / polls as f64,
        );
        assert_eq!(stale, 0);
    }
}

/// A client that asks, and the documents that it holds.
struct Poller {
    client: Client,
    url: String,
    token: String,
    every: u64,
    place: u64,
    /// `since` of a feed, once the client has it.
    since: Option<String>,
    feed: bool,
    tag: Option<reqwest::header::HeaderValue>,
    held: BTreeMap<u64, u64>,
    unchanged: u64,
    stale: u64,
}

impl Poller {
    fn new(bench: &Bench, n: u64) -> Self {
        let feed = n.is_multiple_of(2);
        let url = match feed {
            true => format!("{}/ade/v1/datasets/weights/changes?limit=500", bench.url),
            // Some requests are the same, some are not. All are about one cow, so that one page has
            // everything.
            false => format!(
                "{}{PLACE}?animal-scheme=org.herdbook.animal&animal-id={}&pageSize={}",
                bench.url,
                number(0),
                1_000 - n % 20
            ),
        };
        Self {
            client: bench.client.clone(),
            url,
            token: bench.token.clone(),
            every: [1, 5, 15][(n / 2 % 3) as usize],
            place: n,
            since: None,
            feed,
            tag: None,
            held: BTreeMap::new(),
            unchanged: 0,
            stale: 0,
        }
    }

    fn is_due(&self, minute: u64) -> bool {
        (minute + self.place).is_multiple_of(self.every)
    }

    async fn poll(&mut self, acknowledged: &Acknowledged) {
        let known = acknowledged.lock().unwrap().clone();
        loop {
            let url = match &self.since {
                Some(since) => format!("{}&since={since}", self.url),
                None => self.url.clone(),
            };
            let mut asked = self.client.get(url).bearer_auth(&self.token);
            if let Some(tag) = &self.tag {
                asked = asked.header(IF_NONE_MATCH, tag.clone());
            }
            let answer = asked.send().await.unwrap();
            if answer.status() == StatusCode::NOT_MODIFIED {
                self.unchanged += 1;
                break;
            }
            assert!(answer.status().is_success(), "{}", answer.status());
            let tag = answer.headers().get(ETAG).cloned();
            let body = answer.bytes().await.unwrap();
            let read: Value = serde_json::from_slice(&body).unwrap();
            let all = read.as_array().or_else(|| read["member"].as_array());
            let mut news = false;
            for doc in all.into_iter().flatten() {
                news |= self.hold(doc);
            }
            if !self.feed {
                self.tag = tag;
                break;
            }
            let (token, current) = end_of(&body);
            // The tag is that of an answer to the same token.
            let same = self.since.as_ref() == Some(&token);
            self.tag = tag.filter(|_| same);
            self.since = Some(token);
            if current && !news {
                break;
            }
        }
        let stale = known
            .iter()
            .any(|(key, value)| self.held.get(key) < Some(value));
        self.stale += u64::from(stale);
    }

    fn hold(&mut self, doc: &Value) -> bool {
        let name = doc["meta"]["sourceId"].as_str().unwrap_or_default();
        let key = name.strip_prefix("poll-").and_then(|n| n.parse().ok());
        let value = doc["weight"]["measurement"].as_f64();
        if let (Some(key), Some(value)) = (key, value) {
            self.held.insert(key, value as u64);
        }
        value.is_some()
    }
}

fn weight(key: u64, value: u64) -> Value {
    let (minute, second) = (value / 60 % 60, value % 60);
    let (day, hour) = (1 + value / 86_400, value / 3_600 % 24);
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "bench.example", "sourceId": format!("poll-{key}"),
            "modified": format!("2026-01-{day:02}T{hour:02}:{minute:02}:{second:02}Z")},
        "animal": {"scheme": "org.herdbook.animal", "id": number(0)},
        "eventDateTime": format!("2025-01-02T00:{key:02}:00Z"),
        "weight": {"measurement": value, "units": "KGM"},
    })
}
