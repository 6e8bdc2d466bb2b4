//! What others notice of a client that asks ten times as much as each of them, or ten times
//! as much as all of them together.

use super::Bench;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, MissedTickBehavior};

/// Well-behaved clients.
const OTHERS: u32 = 50;
/// How often each of them asks.
const EVERY: Duration = Duration::from_secs(1);
/// How many times as often the abuser does: as each of them, as all.
const TIMES: [u32; 2] = [10, 10 * OTHERS];
/// How long each of both is measured.
const SPAN: Duration = Duration::from_secs(20);

/// What somebody heard.
#[derive(Default)]
struct Heard {
    /// From when each request was due to the end of its answer.
    times: Vec<Duration>,
    /// Requests that he was told to ask again later.
    refused: u64,
}

impl Bench {
    /// The same clients without and with him.
    pub(super) async fn abuser(&self) {
        for times_as_often in [0, TIMES[0], 0, TIMES[1], 0] {
            let (others, end) = (Arc::<Mutex<Heard>>::default(), Instant::now() + SPAN);
            let mut tasks = Vec::new();
            for n in 0..OTHERS {
                let address = format!("192.0.2.{n}");
                let late = EVERY * n / OTHERS;
                let asks = self.asks(address, EVERY, late, end, Arc::clone(&others));
                tasks.push(tokio::spawn(asks));
            }
            let his = Arc::<Mutex<Heard>>::default();
            if times_as_often > 0 {
                let (address, every) = ("198.51.100.1".to_owned(), EVERY / times_as_often);
                let asks = self.asks(address, every, Duration::ZERO, end, Arc::clone(&his));
                tasks.push(tokio::spawn(asks));
            }
            for task in tasks {
                task.await.unwrap();
            }
            let (mut others, his) = (others.lock().await, his.lock().await);
            assert_eq!(others.refused, 0, "who behaves is not refused");
            let all = &mut others.times;
            all.sort();
            let at = |share: usize| all[(all.len() - 1) * share / 100].as_secs_f64() * 1e3;
            println!(
                "{OTHERS} clients beside one who asks {times_as_often} times as often as each: the others' median {:.2} ms, 99 of 100 within {:.2} ms ({} answers; to him {}, and {} refusals)",
                at(50),
                at(99),
                all.len(),
                his.times.len(),
                his.refused,
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
        heard: Arc<Mutex<Heard>>,
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
