//! The cost of webhooks: changes of 100 farms, with and without a webhook of each farm, and the
//! time from a commit to its message.

use super::spread::{Farm, weight, weights};
use super::waiting::spent_by;
use super::{Bench, outside};
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use webhooks::{SystemLookup, WebhookSender};

/// Changes a second, and for how long.
const EVERY: Duration = Duration::from_millis(20);
const SPAN: Duration = Duration::from_secs(20);
/// Longest time until the last message has to be there.
const PATIENCE: Duration = Duration::from_secs(60);

/// When each farm changed first since its last message, and how late messages were.
#[derive(Default)]
struct Told {
    changed: Mutex<Vec<Option<Instant>>>,
    late: Mutex<Vec<Duration>>,
}

impl Bench {
    pub(super) async fn hooks(&self) {
        let farms = self.spread().await;
        let told = Arc::new(Told::default());
        *told.changed.lock().unwrap() = vec![None; farms.len()];
        let url = receive(Arc::clone(&told)).await;
        let none = self.changing(&farms, &told, false).await;
        for (n, farm) in farms.iter().enumerate() {
            let body = json!({"url": format!("{url}/{n}"), "dataset": "weights"});
            let sent = self.client.post(format!("{}/api/webhooks", self.url));
            let answer = sent.bearer_auth(&farm.token).json(&body).send().await;
            let status = answer.unwrap().status();
            assert_eq!(status, 201);
        }
        let (book, exchange) = (Arc::clone(&self.opened.book), self.opened.exchange.clone());
        let settings = self.webhooks.clone();
        let datasets = format!("{}/ade/v1/datasets", self.url);
        let sender =
            WebhookSender::new(book, exchange, settings, &datasets, Arc::new(SystemLookup));
        let sending = tokio::spawn(Arc::new(sender.unwrap()).run());
        let before = spent_by("server");
        tokio::time::sleep(SPAN / 4).await;
        if let Some(cost) = before.zip(spent_by("server")).map(|(a, b)| b - a) {
            let span = (SPAN / 4).as_secs_f64();
            println!(
                "{} webhooks at rest: {cost:.2} s of the processor in {span:.0} s",
                farms.len()
            );
        }
        let with = self.changing(&farms, &told, true).await;
        sending.abort();
        let again = self.changing(&farms, &told, false).await;
        let mut late = std::mem::take(&mut *told.late.lock().unwrap());
        late.sort();
        let at = |share: usize| late[(late.len() - 1) * share / 100].as_secs_f64();
        println!(
            "{} messages came, from the first change that one tells of: median {:.2} s, 99 of 100 within {:.2} s",
            late.len(),
            at(50),
            at(99),
        );
        println!(
            "server, seconds of the processor for {} changes: {none:.2} without webhooks, {with:.2} with, {again:.2} without",
            SPAN.as_millis() / EVERY.as_millis(),
        );
    }

    /// Changes the farms in turn; returns the processor time until the last message came, if there
    /// are any.
    async fn changing(&self, farms: &[Farm], told: &Arc<Told>, heard: bool) -> f64 {
        let before = spent_by("server");
        let mut turns = tokio::time::interval(EVERY);
        let (begun, mut times, mut n) = (Instant::now(), Vec::new(), 0_u64);
        while begun.elapsed() < SPAN {
            turns.tick().await;
            let at = usize::try_from(n).unwrap() % farms.len();
            let farm = &farms[at];
            n += 1;
            let sent = (self.client).post(format!("{}{}", self.url, weights(farm.id)));
            let started = Instant::now();
            if heard {
                (told.changed.lock().unwrap()[at]).get_or_insert(started);
            }
            let sent = sent.bearer_auth(&farm.token).json(&weight(farm.id));
            let status = sent.send().await.unwrap().status();
            assert!(status.is_success(), "{status}");
            times.push(started.elapsed());
        }
        let last = Instant::now() + PATIENCE;
        while heard && told.changed.lock().unwrap().iter().any(Option::is_some) {
            assert!(Instant::now() < last, "not all messages came");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let spent = before
            .zip(spent_by("server"))
            .map_or(f64::NAN, |(a, b)| b - a);
        times.sort();
        let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
        println!(
            "{n} changes of {} farms, {}: median {:.2} ms, 99 of 100 within {:.2} ms",
            farms.len(),
            if heard {
                "with webhooks"
            } else {
                "without webhooks"
            },
            at(50),
            at(99),
        );
        spent
    }
}

/// Receives messages, with the number of the farm in their address.
async fn receive(told: Arc<Told>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().route("/{n}", post(came)).with_state(told);
    let listener = listener.into_std().unwrap();
    outside().spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        axum::serve(listener, app).await.unwrap();
    });
    url
}

async fn came(State(told): State<Arc<Told>>, Path(n): Path<usize>) {
    if let Some(since) = told.changed.lock().unwrap()[n].take() {
        told.late.lock().unwrap().push(since.elapsed());
    }
}
