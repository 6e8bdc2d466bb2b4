//! A full sync of so many documents: the pushes, the end, and what others notice of it. A million
//! need some minutes and a gigabyte of disk; documents are made push by push, so that the memory
//! is that of the server.

use super::Bench;
use super::row;
use super::spread::{FIRST, Farm, weights};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Cows that the documents are about.
const COWS: usize = 1_000;
const SET: &str = "/ade/v1/datasets/weights";
/// Documents of a push, and pushes at a time.
const PUSH: usize = 1_000;
const AT_ONCE: usize = 2;
/// Every so manieth document is not named, or is named with another weight.
const GONE: usize = 100;
const CHANGED: usize = 100;
/// How often it is asked whether an end is over that goes on after its answer.
const LOOK: Duration = Duration::from_millis(500);
/// How often another client asks meanwhile.
const EVERY: Duration = Duration::from_millis(100);

impl Bench {
    /// So many documents are sent for the first time; nearly all of them named again in a
    /// full sync; then next to none.
    pub(super) async fn sync(&self, count: usize) {
        let farms = self.spread().await;
        let (farm, other) = (&farms[0], &farms[1]);
        let cows = (0..COWS).map(|n| {
            let data = json!({"identNumber": number(n), "sex": "female", "birthDate": "2022-05-01", "owner": FIRST});
            row("animals", 3_000_000 + i64::try_from(n).unwrap(), data)
        });
        self.hub.book.fill(cows.collect()).await.unwrap();
        let id = self.begin(farm).await;
        self.push(farm, &id, (0..count).map(|n| document(n, 0)), "first")
            .await;
        self.end(farm, other, &id, count, 0).await;
        let id = self.begin(farm).await;
        let named = (0..count).filter(|n| n % GONE != 0);
        let named = named.map(|n| document(n, usize::from(n % CHANGED == 1)));
        let left = count - count.div_ceil(GONE);
        self.push(farm, &id, named, "again, 1 of 100 gone, 1 changed")
            .await;
        self.end(farm, other, &id, left, count - left).await;
        let id = self.begin(farm).await;
        self.push(farm, &id, (1..2).map(|n| document(n, 1)), "one")
            .await;
        self.end(farm, other, &id, 1, left - 1).await;
    }

    async fn begin(&self, farm: &Farm) -> String {
        let scope = json!({"sources": ["sync.example"], "locations": [place()]});
        let (status, begun) = self.send(farm, &format!("{SET}/full-syncs"), &scope).await;
        assert_eq!(status, 201, "{begun}");
        begun["id"].as_str().unwrap().to_owned()
    }

    async fn push(&self, farm: &Farm, id: &str, all: impl Iterator<Item = Value>, what: &str) {
        let path = format!("{SET}/resources?full-sync={id}");
        let (started, mut count) = (Instant::now(), 0);
        let mut all = all.peekable();
        let pushes = std::iter::from_fn(|| {
            all.peek()?;
            let push: Vec<Value> = all.by_ref().take(PUSH).collect();
            count += push.len();
            let path = &path;
            Some(async move {
                let (status, told) = self.send(farm, path, &Value::from(push)).await;
                assert_eq!(status, 200, "{told}");
            })
        });
        let pushes = stream::iter(pushes).buffer_unordered(AT_ONCE);
        pushes.for_each(async |()| {}).await;
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "full sync, {what}: {count} documents named in {seconds:.1} s, {:.0} a second",
            count as f64 / seconds
        );
    }

    async fn end(&self, farm: &Farm, other: &Farm, id: &str, expect: usize, gone: usize) {
        let (tell, over) = watch::channel(false);
        let started = Instant::now();
        let ending = async {
            let at = format!("{SET}/full-syncs/{id}");
            let end = format!("{at}/end");
            let (status, mut told) = self.send(farm, &end, &json!({"expect": expect})).await;
            assert!(matches!(status, 200 | 202), "{status}: {told}");
            let answered = started.elapsed().as_secs_f64();
            while told["state"] != "ended" {
                // The task of the program.
                let work = cli::jobs::full_sync_ends(&self.hub);
                let worked = self.hub.book.run_job(&work).await.unwrap();
                if !worked {
                    tokio::time::sleep(LOOK).await;
                }
                let asked = self.client.get(format!("{}{at}", self.url));
                let answer = asked.bearer_auth(&farm.token).send().await.unwrap();
                told = answer.json().await.unwrap();
            }
            assert_eq!(told["deleted"]["count"], json!(gone), "{told}");
            tell.send_replace(true);
            (answered, started.elapsed().as_secs_f64())
        };
        let before = memory();
        let reading = async {
            let mut longest = Duration::ZERO;
            while !*over.borrow() {
                let asked = Instant::now();
                let url = format!("{}{}?pageSize=10", self.url, weights(other.id));
                let answer = self.client.get(url).bearer_auth(&other.token).send().await;
                assert!(answer.unwrap().status().is_success());
                longest = longest.max(asked.elapsed());
                tokio::time::sleep(EVERY).await;
            }
            longest
        };
        let writing = async {
            let (mut longest, mut refused, mut most) = (Duration::ZERO, 0, 0);
            while !*over.borrow() {
                let asked = Instant::now();
                let weight = super::spread::weight(other.id);
                let (status, told) = self.send(other, &weights(other.id), &weight).await;
                assert!(matches!(status, 200 | 201 | 503), "{status}: {told}");
                match status {
                    503 => refused += 1,
                    _ => longest = longest.max(asked.elapsed()),
                }
                most = most.max(memory());
                tokio::time::sleep(EVERY).await;
            }
            (longest, refused, most)
        };
        let ((answered, seconds), read, (written, refused, most)) =
            tokio::join!(ending, reading, writing);
        println!(
            "   its end, {gone} gone: {seconds:.2} s, answered after {answered:.2} s; meanwhile of another farm: longest read {:.0} ms, longest write {:.0} ms, {refused} writes refused; memory before {before} MB, at most {most} MB",
            read.as_secs_f64() * 1e3,
            written.as_secs_f64() * 1e3,
        );
    }

    async fn send(&self, farm: &Farm, path: &str, body: &Value) -> (u16, Value) {
        let sent = self.client.post(format!("{}{path}", self.url));
        let answer = sent
            .bearer_auth(&farm.token)
            .json(body)
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }
}

/// The location of the farm.
fn place() -> Value {
    json!({"scheme": "org.herdbook.orgid", "id": FIRST.to_string()})
}

fn number(cow: usize) -> String {
    (975_000_000_000 + cow).to_string()
}

fn document(n: usize, more: usize) -> Value {
    let (day, second) = (n / COWS / 86_400, n / COWS % 86_400);
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "sync.example", "sourceId": format!("s{n}"),
            "modified": "2026-01-01T00:00:00Z"},
        "location": place(),
        "animal": {"scheme": "org.herdbook.animal", "id": number(n % COWS)},
        "eventDateTime": format!("2023-01-{:02}T{:02}:{:02}:{:02}Z",
            day + 1, second / 3_600, second / 60 % 60, second % 60),
        "weight": {"measurement": 400 + n % 200 + more, "units": "KGM"},
    })
}

/// Memory of this process, if the system states it.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1_024
}
