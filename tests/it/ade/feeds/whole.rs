//! The first reading of a large book while others write (`docs/feed-profile.md`, P7): complete,
//! nothing twice except changed documents, cut off at any byte and continued, and after it the
//! changes. `HERDBOOK_SNAPSHOT=<n>` sets the number of documents.

use crate::ade::stage::{FARM, Stage, weight};
use crate::feed::draw::Draw;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Sql, Ty};
use tokio::sync::watch;

/// Quick and full.
const DOCUMENTS: (usize, usize) = (1_500, 3_000);
const PIECE: usize = 1_000;
const FEED: &str = "/ade/v1/datasets/weights/changes";

/// Documents of a location as if they had come long ago.
async fn old(s: &Stage, from: usize, count: usize) {
    let done = s.f.book.transact(move |work| {
        Box::pin(async move {
            let names = ["weights", "weighings", "icarWeightEventResource", "old.example"];
            for (id, name) in (1_000..).zip(names) {
                let sql = Sql::new("INSERT INTO exchange_names (id, name) VALUES (")
                    .with(Ty::Int, id)
                    .and(", ")
                    .with(Ty::Text, name)
                    .and(") ON CONFLICT (name) DO NOTHING");
                work.tx().run(sql).await?;
            }
            let mut sql = Sql::new(
                "INSERT INTO exchange_documents (id, seq, dataset, collection, resource_type, source, \
                 source_id, location, modified, created, record, deleted, body) VALUES ",
            );
            for n in from..from + count {
                let seq = work.tx().next_seq();
                let name = format!("old{n}");
                let body = json!({
                    "resourceType": "icarWeightEventResource",
                    "meta": {"source": "old.example", "sourceId": name,
                        "modified": "2026-01-01T00:00:00Z", "created": "2026-01-01T00:00:00Z"},
                    "location": {"id": "1", "scheme": "org.herdbook.orgid"}, "weight": n,
                });
                sql.push(if n > from { ",(" } else { "(" });
                for value in [seq, seq] {
                    sql.bind(Ty::Int, value).push(",");
                }
                for name in names {
                    let number = "(SELECT id FROM exchange_names WHERE name = ";
                    sql.push(number).bind(Ty::Text, name).push("),");
                }
                sql.bind(Ty::Text, name).push(",1,1767225600000,1767225600000,");
                sql.bind(Ty::Int, -i64::try_from(n).unwrap() - 1).push(",");
                sql.bind(Ty::Bool, false).push(",");
                sql.bind(Ty::Compressed, body.to_string()).push(")");
            }
            work.tx().run(sql.one_off()).await
        })
    });
    done.await.unwrap();
}

/// Sends weights until it is stopped, then signals that; returns the last state of each.
async fn write(s: &Stage, mut ended: watch::Receiver<bool>, done: watch::Sender<bool>) -> BTreeMap<String, u64> {
    let mut draw = Draw::new(4, 0);
    let mut sent = BTreeMap::new();
    let mut n = 300;
    while !*ended.borrow_and_update() {
        n += 1;
        let key = u32::try_from(draw.below(50)).unwrap();
        let mut doc = weight(key, 11);
        doc["weight"]["measurement"] = n.into();
        let (status, _, body) = s.f.post(&format!("{FARM}/weights"), &s.farm, doc).await;
        assert!(status < 300, "{body}");
        sent.insert(format!("w{key}"), n);
    }
    done.send_replace(true);
    sent
}

/// A client that stores a page together with its token, or neither.
async fn read(
    s: &Stage,
    tell: watch::Sender<bool>,
    done: watch::Receiver<bool>,
    old: usize,
) -> BTreeMap<String, Value> {
    let mut draw = Draw::new(4, 1);
    let mut documents: BTreeMap<String, Value> = BTreeMap::new();
    let (mut since, mut cuts) = (String::new(), 0);
    loop {
        // A cached answer never waits: without this, the writer, which belongs to the same task,
        // would never run, and nothing new would ever come.
        tokio::task::yield_now().await;
        let ended = *done.borrow();
        let (headers, page) = ask!(s.f, s.farm, "GET {FEED}?limit=500{since}" => 200 with headers);
        let anew = headers.get("x-icar-ade-full-sync-reason");
        assert!(!headers.contains_key("icar-full-sync"), "{anew:?}");
        if draw.once_in(4) {
            // The connection breaks at some byte: the received part is no JSON, and is not stored.
            let text = page.to_string();
            let cut = text.get(..draw.below(text.len())).unwrap_or_default();
            assert!(serde_json::from_str::<Value>(cut).is_err());
            cuts += 1;
            continue;
        }
        let all = page.as_array().unwrap();
        for doc in &all[1..all.len() - 1] {
            let key = doc["meta"]["sourceId"].as_str().unwrap().to_owned();
            let before = documents.insert(key, doc.clone());
            assert_ne!(before.as_ref(), Some(doc), "delivered twice though it did not change");
        }
        let end = all.last().unwrap();
        since = format!("&since={}", end["token"].as_str().unwrap());
        if documents.len() > old + 20 {
            // Everything old was read, and some of what came meanwhile.
            tell.send_replace(true);
        }
        if ended && end["current"] == true {
            assert!(cuts > 0);
            return documents;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_reading_under_writes_is_whole() {
    let documents = test_support::number("HERDBOOK_SNAPSHOT", DOCUMENTS.0, DOCUMENTS.1);
    for s in Stage::both().await {
        for from in (0..documents).step_by(PIECE) {
            old(&s, from, PIECE.min(documents - from)).await;
        }
        let (tell, ended) = watch::channel(false);
        let (say, done) = watch::channel(false);
        let reader = read(&s, tell, done, documents);
        let (held, sent) = tokio::join!(reader, write(&s, ended, say));
        let mut olds = 0;
        for (key, doc) in &held {
            if let Some(n) = key.strip_prefix("old") {
                assert_eq!(doc["weight"].to_string(), n);
                olds += 1;
            }
        }
        assert_eq!(olds, documents);
        let weights: BTreeMap<String, u64> = (held.into_iter())
            .filter(|(key, _)| key.starts_with('w'))
            .map(|(key, doc)| (key, doc["weight"]["measurement"].as_u64().unwrap()))
            .collect();
        assert_eq!(weights, sent);
    }
}
