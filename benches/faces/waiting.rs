//! Waiting for changes: from the commit to who waits for it, and what waiting costs.

use super::{Bench, number};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, watch};

/// Commits that are waited for.
const COMMITS: usize = 60;
const SET: &str = "/ade/v1/datasets/weights/changes";

/// When each waiting client was answered.
type Heard = Arc<Mutex<Vec<Instant>>>;

impl Bench {
    pub(super) async fn waiting(&self, clients: usize) {
        let heard: Heard = Arc::default();
        let (end, ended) = watch::channel(false);
        let begun = self.json(&format!("{SET}?from=now")).await;
        let tasks: Vec<_> = (0..clients)
            .map(|_| {
                let (heard, ended) = (Arc::clone(&heard), ended.clone());
                let (url, token) = (format!("{}{SET}", self.url), self.token.clone());
                let since = token_of(&begun);
                tokio::spawn(follow(url, token, since, heard, ended))
            })
            .collect();
        // All have asked once the processor is at rest.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (before, span) = (spent(), Duration::from_secs(5));
        tokio::time::sleep(span).await;
        let cost = before.zip(spent()).map(|(before, after)| after - before);
        let mut commits = self.opened.book.store.watch().subscribe();
        let mut late = Vec::new();
        for n in 0..COMMITS {
            heard.lock().await.clear();
            commits.borrow_and_update();
            let sent = self.client.post(format!(
                "{}/ade/v1/locations/org.herdbook.orgid/2/weights",
                self.url
            ));
            let sent = sent
                .bearer_auth(&self.token)
                .json(&weight(clients, n))
                .send();
            let (answer, at) = tokio::join!(sent, async {
                commits.changed().await.unwrap();
                Instant::now()
            });
            assert!(answer.unwrap().status().is_success());
            let all = Instant::now() + Duration::from_secs(20);
            while heard.lock().await.len() < clients {
                assert!(Instant::now() < all, "a client was not woken");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let times = heard.lock().await;
            late.extend(times.iter().map(|time| time.saturating_duration_since(at)));
        }
        end.send_replace(true);
        for task in tasks {
            task.abort();
        }
        late.sort();
        let at = |share: usize| late[(late.len() - 1) * share / 100].as_secs_f64() * 1e3;
        println!(
            "{clients} wait: from the commit until a client has the page, median {:.1} ms, 99 of 100 within {:.1} ms; {COMMITS} commits",
            at(50),
            at(99),
        );
        if let Some(cost) = cost {
            println!(
                "   waiting itself: {cost:.2} s of the processor in {:.0} s, servers and clients together",
                span.as_secs_f64()
            );
        }
    }

    async fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.get(path).await).unwrap()
    }
}

async fn follow(
    url: String,
    token: String,
    mut since: String,
    heard: Heard,
    ended: watch::Receiver<bool>,
) {
    let client = reqwest::Client::new();
    while !*ended.borrow() {
        let asked = client.get(format!("{url}?wait=60&since={since}"));
        let answer = asked.bearer_auth(&token).send().await.unwrap();
        let page: Value = answer.json().await.unwrap();
        if page.as_array().is_some_and(|all| all.len() > 2) {
            heard.lock().await.push(Instant::now());
        }
        since = token_of(&page);
    }
}

fn token_of(page: &Value) -> String {
    let last = page.as_array().and_then(|all| all.last());
    last.and_then(|last| last["token"].as_str())
        .unwrap()
        .to_owned()
}

fn weight(run: usize, n: usize) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "bench.example", "sourceId": format!("{run}-{n}"),
            "modified": "2026-01-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(0)},
        "eventDateTime": format!("2025-01-01T00:{n:02}:00Z"),
        "weight": {"measurement": 500, "units": "KGM"},
    })
}

/// Seconds of the processor that this process took so far, if the system states them.
fn spent() -> Option<f64> {
    seconds(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The same of the threads of that name, and of those that read the database for them: all
/// but what the others took, since threads end.
pub(super) fn spent_by(name: &str) -> Option<f64> {
    let mut all = spent()?;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let stat = std::fs::read_to_string(thread.ok()?.path().join("stat")).ok()?;
        let (_, rest) = stat.split_once('(')?;
        if !(rest.starts_with(name) || rest.starts_with("sqlx")) {
            all -= seconds(&stat)?;
        }
    }
    Some(all)
}

fn seconds(stat: &str) -> Option<f64> {
    let mut words = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let user: f64 = words.next()?.parse().ok()?;
    let system: f64 = words.next()?.parse().ok()?;
    // Linux counts in hundredths of a second on all that we run on.
    Some((user + system) / 100.0)
}
