//! `kill -9` of a server while it accepts batches: acknowledged documents are stored, none is stored in part, and the
//! feed goes on. `HERDBOOK_CRASH=<seed>` sets another beginning, `HERDBOOK_CRASHES=<n>` another number of kills.

use super::draw::Draw;
use super::process::{Caller, Database, Follower};
use super::stage::{number, weight};
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::sync::watch;

/// Quick and full.
const ROUNDS: (u64, u64) = (8, 15);
const CLIENTS: usize = 3;

/// The knowledge of a sender about one of its resources.
#[derive(Debug, Clone, Default)]
struct Acknowledged {
    /// Weight as last acknowledged; none: deleted, or never acknowledged.
    acknowledged: Option<u64>,
    /// Values that were sent since without an answer.
    open: Vec<Option<u64>>,
}

/// A sender with its own keys.
struct Sender {
    at: usize,
    draw: Draw,
    known: BTreeMap<String, Acknowledged>,
    sent: u64,
}

impl Sender {
    /// Sends batches until the server is gone; reports each answer to the test.
    async fn send(&mut self, caller: Caller, url: &str, place: &Database, answered: &watch::Sender<usize>) {
        let farm = place.herd.farms()[self.at % 2];
        let cow = number(place.herd.cow(self.at % 2 * 6));
        loop {
            let mut batch: BTreeMap<String, Option<u64>> = BTreeMap::new();
            for _ in 0..3 {
                self.sent += 1;
                let old = self.draw.once_in(3);
                let key = format!("c{}-{}", self.at, if old { self.draw.below(20) } else { 20 + self.draw.below(400) });
                batch.insert(key, (!self.draw.once_in(5)).then_some(300 + self.sent));
            }
            let docs: Vec<Value> = batch.iter().map(|(key, weight)| document(key, &cow, *weight)).collect();
            for (key, weight) in &batch {
                self.known.entry(key.clone()).or_default().open.push(*weight);
            }
            let Some((status, results)) = caller.batch(url, farm, "weights", &docs).await else {
                return;
            };
            assert_eq!(status, 200, "{results}");
            for ((key, weight), result) in batch.iter().zip(results.as_array().unwrap()) {
                let refused = (result["messages"].as_array().unwrap()).iter().any(|m| m["severity"] == "Error");
                assert!(!refused, "{key}: {result}");
                let known = self.known.get_mut(key).unwrap();
                known.acknowledged = *weight;
                known.open.clear();
            }
            answered.send_modify(|n| *n += 1);
        }
    }
}

fn document(key: &str, cow: &str, kilograms: Option<u64>) -> Value {
    let mut doc = weight(key, cow, kilograms.unwrap_or(1));
    doc["meta"]["isDeleted"] = kilograms.is_none().into();
    doc
}

async fn rounds(place: Database, seed: u64) {
    let mut server = place.serve();
    let caller = Caller::sign_in(&server).await;
    let mut follower = Follower::new(caller.clone());
    let mut draw = Draw::new(seed, 99);
    let mut senders: Vec<Sender> = (0..CLIENTS)
        .map(|at| Sender { at, draw: Draw::new(seed, u64::try_from(at).unwrap()), known: BTreeMap::new(), sent: 0 })
        .collect();
    let rounds = test_support::number("HERDBOOK_CRASHES", ROUNDS.0, ROUNDS.1);
    for round in 0..rounds {
        let place_name = format!("HERDBOOK_CRASH={seed}, round {round}");
        let (answered, mut answers) = watch::channel(0);
        let url = server.url.clone();
        let caller = caller.anew();
        follower.caller = caller.clone();
        let killed = async {
            let after = draw.below(13);
            answers.wait_for(|n| *n >= after).await.unwrap();
            for _ in 0..draw.below(400) {
                tokio::task::yield_now().await;
            }
            server.kill();
        };
        let limit = 1 + round as usize % 7;
        let reading = async {
            while follower.catch_up(&url, limit).await {
                tokio::task::yield_now().await;
            }
        };
        let sending = futures_util::future::join_all(
            (senders.iter_mut()).map(|s| s.send(caller.clone(), &url, &place, &answered)),
        );
        tokio::join!(killed, reading, sending);
        if round % 4 == 0 {
            whole(&place, &place_name).await;
        }
        server = place.serve();
        follower.caller = caller.anew();
        assert!(follower.catch_up(&server.url, 50).await);
        for sender in &senders {
            let farm = place.herd.farms()[sender.at % 2].to_string();
            for (key, known) in &sender.known {
                let doc = follower.state.get(&(farm.clone(), key.clone()));
                let live = doc.filter(|d| d["meta"]["isDeleted"] != true);
                let weight = live.map(|d| d["weight"]["measurement"].as_f64().unwrap() as u64);
                let fits = weight == known.acknowledged || known.open.contains(&weight);
                assert!(fits, "{place_name}: {key} is {weight:?}, should be {known:?}");
            }
        }
    }
    server.kill();
    whole(&place, &format!("HERDBOOK_CRASH={seed}, end")).await;
    let acknowledged = senders.iter().flat_map(|s| s.known.values()).filter(|k| k.acknowledged.is_some());
    assert!(acknowledged.count() > 50, "enough was acknowledged to prove something");
}

/// Asserts that rows, documents, counts and the sequence are consistent.
async fn whole(place: &Database, name: &str) {
    let look = place.look().await;
    if place.is_sqlite() {
        let integrity = look.rows("PRAGMA integrity_check").await;
        assert_eq!(integrity[0].text(0), Some("ok"), "{name}");
    }
    for mapping in look.exchange.rules().mappings().iter() {
        let set = mapping.dataset();
        let no_row = format!(
            "SELECT d.source_id FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
             WHERE n.name = '{set}' AND NOT d.deleted \
             AND NOT EXISTS (SELECT 1 FROM \"{}\" t WHERE t.id = d.record)",
            mapping.collection().replace('-', "_")
        );
        assert_eq!(look.rows(&no_row).await.len(), 0, "{name}: documents of {set} without a row");
    }
    let half = "SELECT t.id FROM weighings t WHERE (SELECT count(*) FROM exchange_documents d \
        WHERE d.dataset = (SELECT n.id FROM exchange_names n WHERE n.name = 'weights') AND d.record = t.id AND NOT d.deleted \
        AND d.source_id = t.ade_source_id AND d.location = t.owner_org) <> 1";
    assert_eq!(look.rows(half).await.len(), 0, "{name}: rows without a document");
    let counts = "SELECT c.location, c.dataset FROM exchange_counts c WHERE c.live <> (SELECT count(*) \
        FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
        WHERE d.location = c.location AND n.name = c.dataset AND NOT d.deleted)";
    assert_eq!(look.rows(counts).await.len(), 0, "{name}: counts");
    let ahead = "SELECT d.seq FROM exchange_documents d WHERE d.seq > (SELECT s.seq FROM book_sequence s) \
        OR d.modified > (SELECT s.modified FROM book_sequence s)";
    assert_eq!(look.rows(ahead).await.len(), 0, "{name}: ahead of the sequence");
    look.store.close().await;
}

fn seed(otherwise: u64) -> u64 {
    test_support::named("HERDBOOK_CRASH").unwrap_or(otherwise)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_on_sqlite() {
    rounds(Database::sqlite().await, seed(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_on_postgres() {
    let Some(place) = Database::postgres().await else {
        return;
    };
    rounds(place, seed(2)).await;
}
