//! Senders that send again and again: the same documents, changed ones, in any order, in pieces of
//! any size, many at once. The book ends as if each state had come once, and so do the answers.
//!
//! `HERDBOOK_RESENDS` is the number of resends (few unless it is set), `HERDBOOK_SEED` another schedule.

use crate::ade::stage::{BATCH, FARM, Stage, weight};
use crate::feed::draw::Draw;
use futures_util::future::join_all;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Resends, quick and full.
const RESENDS: (usize, usize) = (800, 1_600);
/// States of a resource, a second apart; every seventh deletes it.
const STATES: usize = 9;
/// Clients that send at the same time.
const WRITERS: usize = 16;
/// The key that all of them send.
const SHARED: u32 = 0;

/// Resources that are sent, each in several states.
fn keys(resends: usize) -> u32 {
    u32::try_from((resends / 15).clamp(100, 2_000)).unwrap()
}

/// A state of a resource.
fn state(key: u32, at: usize) -> Value {
    let mut doc = weight(key, 11 + i64::from(key % 3));
    doc["meta"]["modified"] = format!("2026-02-10T00:00:{at:02}Z").into();
    doc["weight"]["measurement"] = json!(400 + at);
    if is_gone(at) {
        doc["meta"]["isDeleted"] = true.into();
    }
    doc
}

fn is_gone(at: usize) -> bool {
    at % 7 == 6
}

/// Of each key in the order of sending: the state, the word or status of the answer, and whether it was stale.
type Heard = BTreeMap<u32, Vec<(usize, String, bool)>>;

/// Sends a piece and records the answers.
async fn send(s: &Stage, piece: &[(u32, usize)], heard: &mut Heard) {
    let docs: Vec<Value> = piece.iter().map(|(key, at)| state(*key, *at)).collect();
    if let ([one], [(key, at)]) = (docs.as_slice(), piece) {
        let path = format!("{FARM}/weights");
        let (status, headers, body) = s.f.post(&path, &s.farm, one.clone()).await;
        assert!(status == 200 || status == 201, "{body}");
        let notes = headers.get("x-icar-ade-messages");
        let stale = notes.is_some_and(|t| t.to_str().unwrap().contains("\"stale\""));
        heard.entry(*key).or_default().push((*at, format!("{status}"), stale));
        return;
    }
    let results = ask!(s.f, s.farm, "POST {BATCH}", docs => 200);
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), piece.len());
    for ((key, at), result) in piece.iter().zip(results) {
        let meta = &result["meta"];
        assert_eq!(meta["sourceId"], format!("w{key}"), "in the order sent");
        assert_eq!(meta["modified"], format!("2026-02-10T00:00:{at:02}Z"));
        let all = result["messages"].as_array().unwrap();
        assert!(all.iter().all(|m| m["severity"] != "Error"), "{result}");
        let stale = all.iter().any(|m| m["type"] == "stale");
        let word = all[0]["type"].as_str().unwrap().to_owned();
        heard.entry(*key).or_default().push((*at, word, stale));
    }
}

/// Judges the answers to one sender about keys that no other sender uses, by the states alone.
fn judge(heard: &Heard) {
    for (key, all) in heard.iter().filter(|(key, _)| **key != SHARED) {
        let mut last: Option<usize> = None;
        let mut live = false;
        for (at, word, stale) in all {
            let expected = match last {
                Some(last) if *at < last => ("unchanged", true),
                _ if is_gone(*at) => ("deleted", false),
                Some(last) if *at == last => ("unchanged", false),
                _ if live => ("updated", false),
                _ => ("created", false),
            };
            let status = if expected.0 == "created" { "201" } else { "200" };
            let fits = word == expected.0 || word == status;
            assert!(fits, "w{key}, state {at} after {last:?}: {word}");
            assert_eq!(*stale, expected.1, "w{key}, state {at} after {last:?}");
            if last.is_none_or(|last| *at >= last) {
                last = Some(*at);
                live = !is_gone(*at);
            }
        }
    }
}

async fn resend(s: &Stage, resends: usize, seed: u64) {
    let writers = (0..WRITERS).map(|writer| async move {
        let salt = u64::try_from(writer).unwrap();
        let mut draw = Draw::new(seed, salt);
        // Keys of its own, and the shared one; all states of each at least once.
        let writers = u32::try_from(WRITERS).unwrap();
        let mine: Vec<u32> =
            (1..keys(resends)).filter(|key| key % writers == u32::try_from(writer).unwrap()).chain([SHARED]).collect();
        let mut order: Vec<(u32, usize)> = (mine.iter()).flat_map(|key| (0..STATES).map(|at| (*key, at))).collect();
        while order.len() < resends / WRITERS {
            order.push((mine[draw.below(mine.len())], draw.below(STATES)));
        }
        for at in (1..order.len()).rev() {
            order.swap(at, draw.below(at + 1));
        }
        let mut heard = Heard::new();
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let size = [1, 2, 20, 150][draw.below(4)].min(rest.len());
            let (piece, further) = rest.split_at(size);
            send(s, piece, &mut heard).await;
            rest = further;
        }
        judge(&heard);
        order.len()
    });
    let sent: usize = join_all(writers).await.into_iter().sum();
    assert!(sent >= resends / WRITERS * WRITERS);
    // As if each state had come once, the last one last.
    let last = STATES - 1;
    let rows = s.f.book.store.rows(store::Sql::new(
        "SELECT ade_source_id, weight, count(*) FROM weighings GROUP BY ade_source_id, weight ORDER BY 1",
    ));
    let rows = rows.await.unwrap();
    assert_eq!(rows.len(), usize::try_from(keys(resends)).unwrap());
    for row in &rows {
        assert_eq!(row.int(2), Some(1), "{:?} stands once", row.text(0));
        assert_eq!(row.num(1), Some(f64::from(u32::try_from(400 + last).unwrap())));
    }
    let (_, page) = s.get(&format!("{FARM}/weights")).await;
    assert_eq!(page["view"]["totalItems"], keys(resends));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_book_and_the_answers_are_as_if_each_state_had_come_once() {
    let resends = test_support::number("HERDBOOK_RESENDS", RESENDS.0, RESENDS.1);
    let seed = test_support::named("HERDBOOK_SEED").unwrap_or(1);
    // The limit is high, since this test is not about a busy machine.
    for s in Stage::each_with(&[("limits.request_time", "3600")]).await {
        let began = std::time::Instant::now();
        resend(&s, resends, seed).await;
        println!("{resends} resends, seed {seed}: {:?}", began.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_repeated_is_unchanged_though_what_is_computed_of_it_changes() {
    for s in Stage::each().await {
        let of = |key: u32, kg: u32, second: u32| {
            let mut doc = weight(key, 11);
            doc["meta"]["modified"] = format!("2026-02-10T00:00:{second:02}Z").into();
            doc["weight"]["measurement"] = json!(kg);
            doc
        };
        // The gain of the second weighing follows from the first, which is corrected beside the repeated second one.
        let (first, second) = (of(1, 400, 1), of(9, 410, 1));
        let docs = json!([first, second, second, of(1, 402, 2)]);
        let results = ask!(s.f, s.farm, "POST {BATCH}", docs => 200);
        let word = |at: usize| results[at]["messages"][0]["type"].clone();
        let words: Vec<Value> = (0..4).map(word).collect();
        assert_eq!(words, ["created", "created", "unchanged", "updated"]);
        let gain = "SELECT daily_gain FROM weighings WHERE ade_source_id = 'w9'";
        let rows = s.f.book.store.rows(store::Sql::new(gain)).await.unwrap();
        assert_eq!(rows[0].num(0), Some(1_000.0), "g a day of 8 kg in 8 days");
    }
}

/// Many are compared with what is stored in one go; those that are long are read one by one, and long words of a
/// sender count as well as a long text.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_of_any_length_are_found_again() {
    for s in Stage::each().await {
        let mut draw = ChaCha8Rng::seed_from_u64(7);
        let mut digits =
            |count: usize| -> String { (0..count).map(|_| char::from(b'a' + (draw.next_u64() % 26) as u8)).collect() };
        let notes: Vec<String> = (0..80)
            .map(|key| match key {
                3 => digits(130_000),
                5 => "a quote ' and\na line ".repeat(4_000),
                7 => "'\n' NULL ".to_owned(),
                _ => digits(5),
            })
            .collect();
        let state = |second: u32, key: u32| {
            let mut doc = weight(key, 11);
            doc["meta"]["modified"] = format!("2026-02-10T00:00:{second:02}Z").into();
            doc["weight"]["measurement"] = json!(400 + second);
            let note = &notes[key as usize];
            // A member that the book has no field for.
            doc["deviceNote"] = note.as_str().into();
            doc
        };
        let listed = async || {
            let (_, page) = s.get(&format!("{FARM}/weights?pageSize=200")).await;
            assert_eq!(page["view"]["totalItems"], 80);
            page["member"].as_array().unwrap().clone()
        };
        // What is not found again is taken for new.
        let mut created: BTreeMap<String, Value> = BTreeMap::new();
        for (second, word) in [(1, "created"), (2, "updated"), (2, "unchanged")] {
            let docs: Vec<Value> = (0..80).map(|key| state(second, key)).collect();
            let results = ask!(s.f, s.farm, "POST {BATCH}", docs => 200);
            for result in results.as_array().unwrap() {
                assert_eq!(result["messages"][0]["type"], word, "{}", result["meta"]);
            }
            for member in listed().await {
                let meta = &member["meta"];
                let key = meta["sourceId"].as_str().unwrap().to_owned();
                let first = created.entry(key).or_insert_with(|| meta["created"].clone());
                assert_eq!(meta["created"], *first, "{meta}");
                assert!(first.is_string(), "{meta}");
            }
        }
        let members = listed().await;
        for member in &members {
            let key = member["meta"]["sourceId"].as_str().unwrap();
            let key: usize = key.trim_start_matches('w').parse().unwrap();
            assert_eq!(member["weight"]["measurement"], 402, "w{key}");
            assert_eq!(member["deviceNote"], notes[key].as_str(), "w{key}");
        }
        assert_eq!(members.len(), 80);
    }
}
