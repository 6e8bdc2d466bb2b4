//! What others notice of a client that asks ten times as much as each of them.

use super::Bench;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, MissedTickBehavior};

/// Well-behaved clients.
const OTHERS: u32 = 50;
/// How often each of them asks.
const EVERY: Duration = Duration::from_millis(200);
/// How many times as often the abuser does.
const TIMES: u32 = 10;
/// How long each of both is measured.
const SPAN: Duration = Duration::from_secs(20);

/// From when each request was due to the end of its answer.
type Times = Arc<Mutex<Vec<Duration>>>;

impl Bench {
    /// The same clients without and with him.
    pub(super) async fn abuser(&self) {
        for abusers in [0, 1] {
            let (times, end) = (Times::default(), Instant::now() + SPAN);
            let mut tasks = Vec::new();
            for n in 0..OTHERS {
                let address = format!("192.0.2.{n}");
                let late = EVERY * n / OTHERS;
                let asks = self.asks(address, EVERY, late, end, Arc::clone(&times));
                tasks.push(tokio::spawn(asks));
            }
            let his = Times::default();
            for _ in 0..abusers {
                let (address, every) = ("198.51.100.1".to_owned(), EVERY / TIMES);
                let asks = self.asks(address, every, Duration::ZERO, end, Arc::clone(&his));
                tasks.push(tokio::spawn(asks));
            }
            for task in tasks {
                task.await.unwrap();
            }
            let mut all = times.lock().await;
            all.sort();
            let at = |share: usize| all[(all.len() - 1) * share / 100].as_secs_f64() * 1e3;
            println!(
                "{OTHERS} clients, {abusers} abusers: the others' median {:.2} ms, 99 of 100 within {:.2} ms ({} answers; {} to the abuser)",
                at(50),
                at(99),
                all.len(),
                his.lock().await.len(),
            );
        }
    }

    /// Asks at that pace for pages that are made each time, whether or not the ones before
    /// were answered.
    fn asks(
        &self,
        address: String,
        every: Duration,
        late: Duration,
        end: Instant,
        times: Times,
    ) -> impl Future<Output = ()> + Send + use<> {
        let (client, url) = (self.client.clone(), self.url.clone());
        async move {
            let mut tick = tokio::time::interval_at(Instant::now() + late, every);
            tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
            let mut running = tokio::task::JoinSet::new();
            let mut n = 0_u64;
            loop {
                let due = tick.tick().await;
                if due >= end {
                    break;
                }
                n += 1;
                let path = format!(
                    "{url}/api/animals?depth=0&limit=10&page={}&n={n}",
                    n % 20 + 1
                );
                let asked = client.get(path).header("x-forwarded-for", &address);
                let times = Arc::clone(&times);
                running.spawn(async move {
                    let answer = asked.send().await.unwrap();
                    assert!(answer.status().is_success(), "{}", answer.status());
                    answer.bytes().await.unwrap();
                    times.lock().await.push(due.elapsed());
                });
            }
            while let Some(done) = running.join_next().await {
                done.unwrap();
            }
        }
    }
}
