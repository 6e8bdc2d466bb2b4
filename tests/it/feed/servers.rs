//! Two server processes over one PostgreSQL database: writers and readers at both.

use super::draw::Draw;
use super::process::{Caller, Follower, Place, Server};
use super::stage::number;
use serde_json::json;
use std::collections::BTreeMap;
use tokio::sync::watch;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_two_processes_hear_of_every_write() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let servers = [Server::start(&place), Server::start(&place)];
    let caller = Caller::sign_in(&servers[0]).await;
    let (tell, done) = watch::channel(false);
    let mut readers = Vec::new();
    for server in &servers {
        let (mut follower, url, done) = (
            Follower::new(caller.anew()),
            server.url.clone(),
            done.clone(),
        );
        readers.push(tokio::spawn(async move {
            loop {
                let ended = *done.borrow();
                assert!(follower.catch_up(&url, 3).await);
                if ended {
                    return follower.state;
                }
            }
        }));
    }
    let mut writers = Vec::new();
    for at in 0..4_usize {
        let (caller, url) = (caller.anew(), servers[at % 2].url.clone());
        let (farm, cow) = (
            place.herd.farms()[at / 2],
            number(place.herd.cow(at / 2 * 6)),
        );
        writers.push(tokio::spawn(async move {
            let mut draw = Draw::new(3, u64::try_from(at).unwrap());
            for n in 0..15_usize {
                // Both servers write the same resources.
                let docs = [draw.below(4), 4 + draw.below(4)].map(|key| {
                    json!({
                        "resourceType": "icarWeightEventResource",
                        "meta": {"source": "scale.example", "sourceId": format!("w{key}"),
                            "modified": "2026-02-01T00:00:00Z", "isDeleted": draw.once_in(5)},
                        "animal": {"scheme": "org.herdbook.animal", "id": cow},
                        "eventDateTime": "2026-02-01T00:00:00Z",
                        "weight": {"measurement": 300 + 100 * at + n, "units": "KGM"},
                    })
                });
                let (status, results) = caller.batch(&url, farm, "weights", &docs).await.unwrap();
                assert_eq!(status, 200, "{results}");
                let text = results.to_string();
                assert!(!text.contains("\"Error\""), "{text}");
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    tell.send(true).unwrap();
    let look = place.look().await;
    let rows = look
        .rows("SELECT location, source_id, body FROM exchange_documents")
        .await;
    let stored: BTreeMap<(String, String), serde_json::Value> = (rows.iter())
        .map(|r| {
            let key = (r.int(0).unwrap().to_string(), r.text(1).unwrap().to_owned());
            (key, serde_json::from_str(r.text(2).unwrap()).unwrap())
        })
        .collect();
    look.store.close().await;
    assert!(stored.len() > 16);
    for reader in readers {
        assert_eq!(reader.await.unwrap(), stored);
    }
}
