//! The effect on others of a client that asks ten times as much as each of them, or ten times as
//! much as all of them together. All clients ask at random moments: at regular ones, the result
//! would depend on the order of the clients.

use super::Bench;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Well-behaved clients.
const OTHERS: u32 = 50;
/// How often each of them asks.
const EVERY: Duration = Duration::from_secs(1);
/// How many times as often the abuser asks: as each of them, as all of them together.
const TIMES: [u32; 2] = [10, 10 * OTHERS];
/// How often both are measured, in turns with no abuser, and how long each time.
const TURNS: usize = 3;
const SPAN: Duration = Duration::from_secs(30);

/// The answers to a client.
#[derive(Default)]
struct Heard {
    /// From when each request was due to the end of its answer.
    times: Vec<Duration>,
    /// Requests that the server asked to repeat later.
    refused: u64,
}

impl Bench {
    /// The same clients without and with the abuser.
    pub(super) async fn abuser(&self) {
        let mut all = [0, TIMES[0], TIMES[1]].map(|times| (times, Vec::new()));
        for turn in 0..TURNS * all.len() {
            let (times_as_often, heard) = &mut all[turn % 3];
            heard.extend(self.turn(turn, *times_as_often).await);
        }
        for (times_as_often, mut heard) in all {
            heard.sort();
            let at = |share: usize| heard[(heard.len() - 1) * share / 1000].as_secs_f64() * 1e3;
            println!(
                "{OTHERS} clients beside one that asks {times_as_often} times as often as each, {TURNS} turns: median {:.2} ms, 95 of 100 within {:.2} ms, 99 of 100 within {:.2} ms",
                at(500),
                at(950),
                at(990),
            );
        }
    }

    /// How long the others waited for their answers beside the abuser.
    async fn turn(&self, turn: usize, times_as_often: u32) -> Vec<Duration> {
        let (others, his) = (
            Arc::<Mutex<Heard>>::default(),
            Arc::<Mutex<Heard>>::default(),
        );
        let end = Instant::now() + SPAN;
        let mut tasks = Vec::new();
        for n in 0..OTHERS {
            let who = (format!("192.0.2.{n}"), u64::from(n));
            tasks.push(super::outside().spawn(self.asks(who, EVERY, end, Arc::clone(&others))));
        }
        if times_as_often > 0 {
            let (who, every) = (("198.51.100.1".to_owned(), 1_000), EVERY / times_as_often);
            tasks.push(super::outside().spawn(self.asks(who, every, end, Arc::clone(&his))));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let (mut others, his) = (others.lock().await, his.lock().await);
        assert_eq!(others.refused, 0, "who behaves is not refused");
        let times = &mut others.times;
        times.sort();
        let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
        println!(
            "turn {turn}: beside {times_as_often} times: median {:.2} ms, 99 of 100 within {:.2} ms ({} answers; to the abuser {}, and {} refusals)",
            at(50),
            at(99),
            times.len(),
            his.times.len(),
            his.refused,
        );
        std::mem::take(times)
    }

    /// Asks at that pace for pages that are computed each time, whether or not earlier requests
    /// were answered.
    fn asks(
        &self,
        (address, seed): (String, u64),
        every: Duration,
        end: Instant,
        heard: Arc<Mutex<Heard>>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let (client, url) = (self.client.clone(), self.url.clone());
        async move {
            let mut draw = ChaCha8Rng::seed_from_u64(seed);
            let mut running = tokio::task::JoinSet::new();
            let (begun, mut n) = (Instant::now(), 0_u32);
            loop {
                let due = begun + every.mul_f64(f64::from(n) + draw.random::<f64>());
                if due >= end {
                    break;
                }
                tokio::time::sleep_until(due).await;
                n += 1;
                let path = format!(
                    "{url}/api/animals?depth=0&limit=10&page={}&n={n}",
                    n % 20 + 1
                );
                let asked = client.get(path).header("x-forwarded-for", &address);
                let heard = Arc::clone(&heard);
                running.spawn(async move {
                    let answer = asked.send().await.unwrap();
                    let status = answer.status();
                    answer.bytes().await.unwrap();
                    let mut heard = heard.lock().await;
                    if status.as_u16() == 429 {
                        heard.refused += 1;
                        return;
                    }
                    assert!(status.is_success(), "{status}");
                    heard.times.push(due.elapsed());
                });
            }
            while let Some(done) = running.join_next().await {
                done.unwrap();
            }
        }
    }
}
