//! Several server processes over one PostgreSQL database: writers and readers at all of them.
//! `HERDBOOK_SOAK=<seconds>` lets 50 writers and 20 readers of three processes go on for so long.

use super::draw::Draw;
use super::process::{Caller, Database, Follower, Server};
use super::stage::{number, weight};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The participants, and the duration.
struct Cast {
    servers: usize,
    writers: usize,
    readers: usize,
    /// Resources of each farm, which all writers share.
    keys: usize,
    /// Batches of each writer at least.
    rounds: usize,
    time: Duration,
}

impl Cast {
    fn read() -> Self {
        match test_support::named("HERDBOOK_SOAK") {
            None => Self { servers: 2, writers: 4, readers: 2, keys: 8, rounds: 15, time: Duration::ZERO },
            Some(seconds) => {
                Self { servers: 3, writers: 50, readers: 20, keys: 200, rounds: 1, time: Duration::from_secs(seconds) }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_several_processes_hear_of_every_write() {
    let Some(place) = Database::postgres().await else {
        return;
    };
    let cast = Cast::read();
    let servers: Vec<Server> = (0..cast.servers).map(|_| place.serve()).collect();
    let caller = Caller::sign_in(&servers[0]).await;
    let (tell, done) = watch::channel(false);
    let mut readers = Vec::new();
    for at in 0..cast.readers {
        let (mut follower, url, done) =
            (Follower::new(caller.anew()), servers[at % servers.len()].url.clone(), done.clone());
        readers.push(tokio::spawn(async move {
            let mut readings = 0_u64;
            loop {
                let ended = *done.borrow();
                assert!(follower.catch_up(&url, 3 + 40 * (at / 2)).await);
                readings += 1;
                if ended {
                    return (readings, follower.state);
                }
            }
        }));
    }
    let began = Instant::now();
    let mut writers = Vec::new();
    for at in 0..cast.writers {
        let (caller, url) = (caller.anew(), servers[at % servers.len()].url.clone());
        // Each farm is written through every server.
        let farm = at / servers.len() % 2;
        let (farm, cow) = (place.herd.farms()[farm], number(place.herd.cow(farm * 6)));
        let (keys, rounds, time) = (cast.keys, cast.rounds, cast.time);
        writers.push(tokio::spawn(async move {
            let mut draw = Draw::new(3, u64::try_from(at).unwrap());
            let mut n = 0;
            while n < rounds || began.elapsed() < time {
                let half = keys / 2;
                let docs = [draw.below(half), half + draw.below(half)].map(|key| {
                    let kilograms = 300 + (100 * at + n) % 700;
                    let mut doc = weight(&format!("w{key}"), &cow, kilograms);
                    doc["meta"]["isDeleted"] = draw.once_in(5).into();
                    doc
                });
                let (status, results) = caller.batch(&url, farm, "weights", &docs).await.unwrap();
                assert_eq!(status, 200, "{results}");
                let text = results.to_string();
                assert!(!text.contains("\"Error\""), "{text}");
                n += 1;
            }
            n
        }));
    }
    let mut batches = 0;
    for writer in writers {
        batches += writer.await.unwrap();
    }
    tell.send(true).unwrap();
    let stored = stored(&place).await;
    assert!(stored.len() > 16);
    let mut readings = 0;
    for reader in readers {
        let (read, state) = reader.await.unwrap();
        assert_eq!(state, stored);
        readings += read;
    }
    println!("{batches} batches, {readings} readings to the end");
}

/// All documents, by location and key.
async fn stored(place: &Database) -> BTreeMap<(String, String), serde_json::Value> {
    let look = place.look().await;
    let rows = look.rows("SELECT location, source_id, body FROM exchange_documents").await;
    let stored: BTreeMap<(String, String), serde_json::Value> = (rows.iter())
        .map(|r| {
            let key = (r.int(0).unwrap().to_string(), r.text(1).unwrap().to_owned());
            (key, serde_json::from_str(&r.compressed(2).unwrap()).unwrap())
        })
        .collect();
    look.store.close().await;
    stored
}
