//! Full syncs over processes: `kill -9` between any two steps and during the end, which the next
//! process goes on with, and two servers that start one at once. `HERDBOOK_CRASH=<seed>` sets another beginning.

use super::draw::Draw;
use super::process::{Caller, Database, Follower, Server};
use super::stage::{number, weight};
use serde_json::{Value, json};
use std::time::Duration;

const SET: &str = "/ade/v1/datasets/weights";
const ALL: usize = 60;
const NAMED: usize = 20;
/// Ends are worked off in many pieces, and taken over soon.
const PIECES: [(&str, &str); 2] = [("HERDBOOK_EXCHANGE_CHUNK", "3"), ("HERDBOOK_EXCHANGE_LEASE", "1")];
const PATIENCE: Duration = Duration::from_secs(60);

fn documents(place: &Database, keys: std::ops::Range<usize>) -> Value {
    let farm = place.herd.farms()[0].to_string();
    let cow = number(place.herd.cow(0));
    let all = keys.map(|key| {
        let mut doc = weight(&format!("k{key}"), &cow, 400 + key);
        doc["location"] = json!({"scheme": "org.herdbook.orgid", "id": farm});
        doc["eventDateTime"] = format!("2026-02-{:02}T00:{:02}:00Z", key % 28 + 1, key % 60).into();
        doc
    });
    all.collect::<Vec<_>>().into()
}

fn scope(place: &Database) -> Value {
    let farm = place.herd.farms()[0].to_string();
    json!({"sources": ["scale.example"], "locations": [{"scheme": "org.herdbook.orgid", "id": farm}]})
}

async fn total(place: &Database, caller: &Caller, server: &Server) -> u64 {
    let farm = place.herd.farms()[0];
    let list = format!("{}/ade/v1/locations/org.herdbook.orgid/{farm}/weights", server.url);
    let (status, page) = caller.get(&list).await.unwrap();
    assert_eq!(status, 200, "{page}");
    page["view"]["totalItems"].as_u64().unwrap()
}

/// Another server in place of one that is killed.
fn again(server: &mut Server, caller: &mut Caller, place: &Database) {
    server.kill();
    *server = place.serve_with(&PIECES);
    *caller = caller.anew();
}

/// A full sync when its end is not worked off any more.
async fn settled(caller: &Caller, url: &str) -> Value {
    let look = async {
        loop {
            let (status, body) = caller.get(url).await.unwrap();
            assert_eq!(status, 200, "{body}");
            if body["state"] != "ending" {
                return body;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let settled = tokio::time::timeout(PATIENCE, look).await;
    settled.expect("the end does not go on by itself")
}

async fn survives(place: Database, seed: u64) {
    let mut server = place.serve_with(&PIECES);
    let mut caller = Caller::sign_in(&server).await;
    let mut follower = Follower::new(caller.clone());
    let mut draw = Draw::new(seed, 1);
    for round in 0..test_support::at(2, 4) {
        let name = format!("HERDBOOK_CRASH={seed}, round {round}");
        let push = format!("{SET}/resources");
        let url = |server: &Server, path: &str| format!("{}{path}", server.url);
        let (status, body) = caller.post(&url(&server, &push), &documents(&place, 0..ALL)).await.unwrap();
        assert_eq!(status, 200, "{name}: {body}");
        // Between any two steps in the first round; in each while it ends.
        if round == 0 {
            again(&mut server, &mut caller, &place);
        }
        let starts = format!("{SET}/full-syncs");
        let (status, begun) = caller.post(&url(&server, &starts), &scope(&place)).await.unwrap();
        assert_eq!(status, 201, "{name}: {begun}");
        let id = begun["id"].as_str().unwrap();
        for part in [0..NAMED / 2, NAMED / 2..NAMED] {
            if round == 0 {
                again(&mut server, &mut caller, &place);
            }
            let path = url(&server, &format!("{push}?full-sync={id}"));
            let (status, body) = caller.post(&path, &documents(&place, part)).await.unwrap();
            assert_eq!(status, 200, "{name}: {body}");
        }
        if round == 0 {
            again(&mut server, &mut caller, &place);
        }
        // Killed while it ends: nothing of it is done, or the next process goes on with it; and it can be sent again.
        let at = format!("{starts}/{id}");
        let end = url(&server, &format!("{at}/end"));
        let expect = json!({"expect": NAMED});
        let sender = caller.clone();
        let asking = async { sender.post(&end, &expect).await };
        let wait = Duration::from_micros(1_000 * draw.below(200) as u64);
        let killed = async {
            tokio::time::sleep(wait).await;
            server.kill();
        };
        let (answer, ()) = tokio::join!(asking, killed);
        server = place.serve_with(&PIECES);
        caller = caller.anew();
        let (status, stood) = caller.get(&url(&server, &at)).await.unwrap();
        assert_eq!(status, 200, "{name}: {stood}");
        let stands = settled(&caller, &url(&server, &at)).await;
        println!("{name}: killed {}, then {}", stood["state"], stands["state"]);
        let whole = stood["state"] != "ending" || stands["state"] == "ended";
        assert!(whole, "{name}: {stood}, {stands}");
        let ended = stands["state"] == "ended";
        assert!(ended || answer.is_none(), "{name}: {answer:?}, {stands}");
        let remaining = if ended { NAMED } else { ALL };
        assert_eq!(total(&place, &caller, &server).await, remaining as u64, "{name}");
        let end = url(&server, &format!("{at}/end"));
        assert_ended_once((&place, &caller, &server), &end, answer, &name).await;
        follower.caller = caller.anew();
        assert!(follower.catch_up(&server.url, 7).await);
        let live = follower
            .state
            .values()
            .filter(|doc| doc["meta"]["source"] == "scale.example" && doc["meta"]["isDeleted"] != true);
        assert_eq!(live.count(), NAMED, "{name}");
    }
}

/// Sent again, an end has the same answer, and is the whole of it.
async fn assert_ended_once(
    (place, caller, server): (&Database, &Caller, &Server),
    end: &str,
    answer: Option<(u16, Value)>,
    name: &str,
) {
    let (status, reply) = caller.post(end, &json!({"expect": NAMED})).await.unwrap();
    assert_eq!((status, &reply["deleted"]["count"]), (200, &json!(ALL - NAMED)), "{name}");
    if let Some((_, before)) = answer {
        assert_eq!(reply, before, "{name}");
    }
    assert_eq!(total(place, caller, server).await, NAMED as u64, "{name}");
}

async fn one_wins(place: Database) {
    let servers = [place.serve(), place.serve()];
    let caller = Caller::sign_in(&servers[0]).await;
    for round in 0..test_support::at(3, 10) {
        let path = format!("{SET}/full-syncs");
        let body = scope(&place);
        let urls = [0, 1].map(|at| format!("{}{path}", servers[at].url));
        let (one, two) = tokio::join!(caller.post(&urls[0], &body), caller.post(&urls[1], &body));
        let ids = [one, two].map(|answer| {
            let (status, begun) = answer.unwrap();
            assert_eq!(status, 201, "{begun}");
            begun["id"].as_str().unwrap().to_owned()
        });
        let mut seen = Vec::new();
        for url in &urls {
            let mut states = Vec::new();
            for id in &ids {
                let (_, reply) = caller.get(&format!("{url}/{id}")).await.unwrap();
                states.push(reply["state"].as_str().unwrap().to_owned());
            }
            seen.push(states);
        }
        assert_eq!(seen[0], seen[1], "both know the same");
        let mut sorted = seen[0].clone();
        sorted.sort();
        assert_eq!(sorted, ["started", "superseded"], "round {round}");
        for (id, state) in ids.iter().zip(&seen[0]) {
            for (at, server) in servers.iter().enumerate() {
                let push = format!("{}{SET}/resources?full-sync={id}", server.url);
                let docs = documents(&place, at..at + 3);
                let (status, reply) = caller.post(&push, &docs).await.unwrap();
                let going = state == "started";
                assert_eq!(status, if going { 200 } else { 409 }, "{reply}");
                if !going {
                    assert_eq!(reply["errors"][0]["type"], "full-sync-superseded");
                }
            }
        }
    }
}

fn seed() -> u64 {
    test_support::named("HERDBOOK_CRASH").unwrap_or(1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_sync_survives_kill_on_sqlite() {
    survives(Database::sqlite().await, seed()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_sync_survives_kill_on_postgres() {
    if let Some(place) = Database::postgres().await {
        survives(place, seed()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_starts_at_once_wins_on_sqlite() {
    one_wins(Database::sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_starts_at_once_wins_on_postgres() {
    if let Some(place) = Database::postgres().await {
        one_wins(place).await;
    }
}
