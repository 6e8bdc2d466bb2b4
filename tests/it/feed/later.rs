//! Batches that are worked on later, over `kill -9` and over several processes: each element is
//! stored once, and none is left out.

use super::process::{Caller, Database};
use super::stage::{number, weight};
use serde_json::Value;
use std::time::Duration;
use store::Dialect;
use test_books::dialects;

const ITEMS: usize = 1_500;
/// Between two questions; a part takes longer.
const PAUSE: Duration = Duration::from_millis(5);

fn docs(place: &Database) -> Vec<Value> {
    let cow = number(place.herd.cow(0));
    let one = |key: usize| weight(&format!("k{key}"), &cow, 300 + key % 300);
    (0..ITEMS).map(one).collect()
}

/// Asks until there is a result; how far it was seen on the way goes to `seen`.
async fn result(caller: &Caller, url: &str, seen: &mut Vec<u64>) -> Value {
    loop {
        let (status, body) = caller.get(url).await.expect("an answer");
        if status == 200 {
            return body;
        }
        assert_eq!(status, 202, "{body}");
        seen.push(body["done"].as_u64().unwrap());
        tokio::time::sleep(PAUSE).await;
    }
}

/// Every element was stored once, and none in part.
async fn once_each(place: &Database, results: &Value) {
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), ITEMS);
    for (at, result) in results.iter().enumerate() {
        assert_eq!(result["meta"]["sourceId"], format!("k{at}"));
    }
    let look = place.look().await;
    let rows = look.rows("SELECT count(*), count(DISTINCT ade_source_id) FROM weighings").await;
    let items = i64::try_from(ITEMS).unwrap();
    assert_eq!((rows[0].int(0), rows[0].int(1)), (Some(items), Some(items)));
    let remaining = "SELECT count(*) FROM exchange_batch_parts WHERE sent IS NOT NULL";
    assert_eq!(look.rows(remaining).await[0].int(0), Some(0), "no element is stored twice");
    look.store.close().await;
}

const SETTINGS: [(&str, &str); 2] = [("HERDBOOK_EXCHANGE_CHUNK", "100"), ("HERDBOOK_EXCHANGE_LEASE", "1")];

/// Kills the server in the middle, twice; in a quick run once.
async fn killed(place: Database) {
    let mut server = place.serve_with(&SETTINGS);
    let mut caller = Caller::sign_in(&server).await;
    let farm = place.herd.farms()[0];
    let at = caller.later(&server.url, farm, "weights", &docs(&place)).await;
    for round in 1..=test_support::at(1, 2_u64) {
        loop {
            let (status, body) = caller.get(&format!("{}{at}", server.url)).await.unwrap();
            assert_eq!(status, 202, "it must not be done before it is killed: {body}");
            if body["done"].as_u64().unwrap() >= round * 200 {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        server.kill();
        server = place.serve_with(&SETTINGS);
        caller = caller.anew();
    }
    let results = result(&caller, &format!("{}{at}", server.url), &mut Vec::new()).await;
    server.kill();
    let words = results.as_array().unwrap().iter();
    let second = words.filter(|r| r["messages"][0]["type"] != "created").count();
    assert_eq!(second, 0, "no element was worked on twice");
    once_each(&place, &results).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_goes_on_after_kill_on_sqlite() {
    killed(Database::sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_goes_on_after_kill_on_postgres() {
    if !dialects().contains(&Dialect::Postgres) {
        return;
    }
    if let Some(place) = Database::postgres().await {
        killed(place).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_takes_over_what_a_killed_one_held() {
    let Some(place) = Database::postgres().await else {
        return;
    };
    let mut first = place.serve_with(&SETTINGS);
    // Before there is work: a server starts no faster than another one works.
    let second = place.serve_with(&SETTINGS);
    let caller = Caller::sign_in(&first).await;
    let farm = place.herd.farms()[0];
    let at = caller.later(&first.url, farm, "weights", &docs(&place)).await;
    loop {
        let (status, body) = caller.get(&format!("{}{at}", second.url)).await.unwrap();
        assert_eq!(status, 202, "{body}");
        if body["done"].as_u64().unwrap() >= 200 {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    first.kill();
    let caller = caller.anew();
    let mut seen = Vec::new();
    let results = result(&caller, &format!("{}{at}", second.url), &mut seen).await;
    assert!(seen.is_sorted(), "progress only goes on: {seen:?}");
    let words = results.as_array().unwrap().iter();
    assert_eq!(words.filter(|r| r["messages"][0]["type"] != "created").count(), 0);
    once_each(&place, &results).await;
}
