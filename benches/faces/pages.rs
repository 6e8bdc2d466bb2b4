//! People of 50 farms who click through the pages beside 300 programs that poll the exchange: how long each waits for
//! the first byte, alone and beside the others.

use super::spread::{Crowd, Farm, PAUSE, clients};
use super::{Bench, COWS};
use reqwest::Client;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Farms whose people look at pages, each at the next one a second after the last.
const FARMS: usize = 50;
const LOOK: Duration = Duration::from_secs(1);
/// Programs, each of which polls twice a second.
const POLLERS: i64 = 300;
const SPAN: Duration = Duration::from_secs(20);

impl Bench {
    /// Pages alone, polls alone, and both.
    pub(super) async fn people(&self) {
        let mut farms = self.spread().await;
        // One of them has a large herd.
        if let Some(first) = farms.first_mut() {
            *first = Farm {
                id: 2,
                token: self.token.clone(),
            };
        }
        let crowd = Crowd {
            count: POLLERS,
            pause: PAUSE,
        };
        for (people, programs) in [(true, false), (false, true), (true, true)] {
            let end = Instant::now() + SPAN;
            let polls = Arc::new(AtomicU64::new(0));
            let over = Arc::new(AtomicBool::new(false));
            let visitors = people.then(|| {
                let visits = visits(self.url.clone(), farms.clone(), end);
                super::outside().spawn(visits)
            });
            let pollers = programs.then(|| {
                let farms = farms.iter().skip(1).cloned().collect();
                let asked = clients(
                    (self.url.clone(), farms),
                    (end, true),
                    crowd,
                    Arc::clone(&polls),
                );
                super::outside().spawn(asked)
            });
            let all = async {
                if let Some(visitors) = visitors {
                    told("pages", visitors.await.unwrap(), programs);
                }
                if let Some(pollers) = pollers {
                    let (times, unchanged) = pollers.await.unwrap();
                    told("polls", times, people);
                    println!("  {unchanged} of them unchanged");
                }
                over.store(true, Ordering::Relaxed);
            };
            let writer = async {
                if programs {
                    let changes = self.changes(&farms[1..], polls, Arc::clone(&over)).await;
                    println!("  {changes} changes beside them");
                }
            };
            tokio::join!(all, writer);
        }
    }
}

/// The first byte of each page, until the end. A page that is not answered with 200 ends the bench.
async fn visits(url: String, farms: Vec<Farm>, end: Instant) -> Vec<Duration> {
    let tasks = farms.into_iter().take(FARMS).enumerate().map(|(n, farm)| {
        let url = url.clone();
        tokio::spawn(async move {
            let client = Client::new();
            let cow = if n == 0 {
                1_000_000 + COWS / 2
            } else {
                2_000_000 + farm.id
            };
            let way = [
                "/".to_owned(),
                "/book/animals".to_owned(),
                format!("/book/animals/{cow}"),
                "/book/weighings?sort=-date".to_owned(),
                format!("/book/weighings/new?animal={cow}"),
                "/book".to_owned(),
            ];
            let mut times = Vec::new();
            tokio::time::sleep(LOOK.mul_f64(n as f64 / FARMS as f64)).await;
            let mut turns = tokio::time::interval(LOOK);
            for path in way.iter().cycle() {
                turns.tick().await;
                if Instant::now() >= end {
                    break;
                }
                let asked = client.get(format!("{url}{path}")).bearer_auth(&farm.token);
                let started = Instant::now();
                let answer = asked.header("accept", "text/html").send().await.unwrap();
                times.push(started.elapsed());
                assert_eq!(answer.status(), 200, "{path}");
                answer.bytes().await.unwrap();
            }
            times
        })
    });
    let all = futures_util::future::join_all(tasks).await;
    all.into_iter().flat_map(Result::unwrap).collect()
}

fn told(what: &str, mut times: Vec<Duration>, beside: bool) {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "{} {what} {}: median {:.1} ms, 99 of 100 within {:.1} ms, longest {:.1} ms, none refused",
        times.len(),
        if beside { "beside the others" } else { "alone" },
        at(50),
        at(99),
        at(100),
    );
}
