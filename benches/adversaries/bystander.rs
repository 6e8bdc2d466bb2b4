//! A farm with usual requests: lists, a document by its id, a poll of the feed, a page of the
//! exchange, a write. At its own pace, whether or not earlier requests were answered.

use crate::field::{Account, client};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The address that it asks from.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 3, 1);
/// Between two requests.
const EVERY: Duration = Duration::from_millis(40);
/// How long it waits for an answer; a later one counts as refused.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the server may take to recover.
const SETTLING: Duration = Duration::from_secs(40);

/// The answers that it received.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// From when each request was due to the end of its answer.
    times: Vec<Duration>,
    /// Requests that were not answered as expected.
    pub(crate) refused: u64,
}

impl Measured {
    pub(crate) fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.times.sort_unstable();
        self.refused += other.refused;
    }

    pub(crate) fn requests(&self) -> u64 {
        self.times.len() as u64
    }

    /// The time within which so many of a hundred were answered or refused.
    pub(crate) fn within(&self, share: usize) -> Duration {
        let last = self.times.len().saturating_sub(1);
        let at = (last * share).div_ceil(100);
        self.times.get(at).copied().unwrap_or_default()
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [half, most, all] = [50, 99, 100].map(|share| self.within(share).as_secs_f64() * 1e3);
        let (requests, refused) = (self.requests(), self.refused);
        write!(f, "p50 {half:.1} ms, p99 {most:.1} ms, max {all:.1} ms, {refused} of {requests} refused")
    }
}

/// The farm.
pub(crate) struct Bystander {
    client: Client,
    /// Makes a new connection for each request.
    fresh: Client,
    account: Account,
    animals: Vec<i64>,
    /// Its position in the feed.
    since: String,
    /// A weighing of its own.
    row: i64,
}

impl Bystander {
    pub(crate) async fn enter(account: Account) -> Self {
        let client = client(ADDRESS);
        let fresh = Client::builder().local_address(IpAddr::V4(ADDRESS));
        let fresh = fresh.pool_max_idle_per_host(0).build().unwrap();
        let mut this = Self { client, fresh, account, animals: Vec::new(), since: String::new(), row: 0 };
        let own = this.account.organization;
        let path = format!("/api/animals?limit=200&depth=0&where[owner][equals]={own}");
        this.animals = ids(&this.json(&path).await);
        let path = format!("/api/weighings?limit=1&depth=0&where[animal.owner][equals]={own}");
        let rows = ids(&this.json(&path).await);
        this.row = rows.first().copied().expect("a weighing of the farm");
        this.since = this.account.place(&this.client).await;
        this
    }

    async fn json(&self, path: &str) -> Value {
        let answer = self.asks(Method::GET, path).send().await.unwrap();
        let status = answer.status();
        let json: Value = answer.json().await.unwrap();
        assert!(status.is_success(), "{path}: {json}");
        json
    }

    fn asks(&self, method: Method, path: &str) -> RequestBuilder {
        self.account.asks(&self.client, method, path)
    }

    /// Its next request; only the poll can be answered from memory.
    fn request(&self, n: usize) -> RequestBuilder {
        let organization = self.account.organization;
        let animal = self.animals.get(n % self.animals.len().max(1)).unwrap_or(&1);
        let get = |path: String| self.asks(Method::GET, &path);
        match n % 5 {
            0 => get(format!("/api/animals?limit=10&depth=1&page={}&_={n}", n / 5 % 10 + 1)),
            1 => {
                let path = format!("/api/animals/{animal}?depth=1&_={n}");
                self.account.asks(&self.fresh, Method::GET, &path)
            }
            2 => get(format!("/ade/v1/datasets/everything/changes?limit=50&since={}", self.since)),
            3 => get(format!("/ade/v1/locations/org.herdbook.orgid/{organization}/test-day-results?pageSize=20")),
            _ => {
                let path = format!("/api/weighings/{}?depth=0", self.row);
                let weight = 400 + n % 200;
                self.asks(Method::PATCH, &path).json(&json!({"weight": weight}))
            }
        }
    }

    /// The answers that it receives in that time.
    pub(crate) async fn watch(&self, span: Duration) -> Measured {
        let begun = Instant::now();
        let mut running = JoinSet::new();
        for n in 0.. {
            let due = begun + EVERY * u32::try_from(n).unwrap();
            if due >= begun + span {
                break;
            }
            tokio::time::sleep_until(due).await;
            let request = self.request(n);
            running.spawn(async move {
                let answered = tokio::time::timeout(PATIENCE, answered(request)).await;
                (due.elapsed(), answered.unwrap_or(Err("no answer".to_owned())))
            });
        }
        let mut heard = Measured::default();
        let mut why = None;
        while let Some(done) = running.join_next().await {
            let (time, answer) = done.unwrap();
            heard.times.push(time);
            if let Err(refusal) = answer {
                heard.refused += 1;
                why.get_or_insert(refusal);
            }
        }
        heard.times.sort_unstable();
        if let Some(why) = why {
            println!("   one of {} refusals: {why}", heard.refused);
        }
        heard
    }

    /// Waits until a few requests after each other are answered in a usual time.
    pub(crate) async fn settle(&self) {
        let until = Instant::now() + SETTLING;
        let mut quick = 0;
        while quick < 10 && Instant::now() < until {
            let begun = Instant::now();
            let answer = tokio::time::timeout(PATIENCE, answered(self.request(quick))).await;
            quick = match matches!(answer, Ok(Ok(()))) && begun.elapsed() < Duration::from_millis(250) {
                true => quick + 1,
                false => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    0
                }
            };
        }
        if quick < 10 {
            println!("   the server did not come to rest within {} s", SETTLING.as_secs());
        }
    }
}

async fn answered(request: RequestBuilder) -> Result<(), String> {
    let answer = request.send().await.map_err(|fault| format!("{fault:?}"))?;
    let (status, path) = (answer.status(), answer.url().path().to_owned());
    let body = answer.bytes().await.map_err(|fault| format!("{fault:?}"))?;
    match status.is_success() || status == StatusCode::NOT_MODIFIED {
        true => Ok(()),
        false => Err(format!("{path}: {status} {}", String::from_utf8_lossy(&body))),
    }
}

fn ids(list: &Value) -> Vec<i64> {
    let docs = list["docs"].as_array().into_iter().flatten();
    docs.filter_map(|doc| doc["id"].as_i64()).collect()
}
