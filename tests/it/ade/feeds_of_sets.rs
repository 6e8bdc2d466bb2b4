//! A reader of a set of animals gains documents with animals that join and loses documents with
//! animals that leave, at any place in the feed (`docs/feed-profile.md`, P9).

use super::stage::{FARM, Stage, weight};
use crate::feed::draw::Draw;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Random histories, and steps of each.
/// Quick and full.
const HISTORIES: (u64, u64) = (4, 6);
const STEPS: usize = 40;

type Held = BTreeMap<String, Value>;

/// A reader: the documents that it holds, and its tokens.
struct Reader {
    held: Held,
    tokens: Vec<String>,
}

fn take(held: &mut Held, page: &Value) -> (String, bool) {
    let all = page.as_array().unwrap();
    for doc in &all[1..all.len() - 1] {
        let key = format!("{} {}", doc["meta"]["source"], doc["meta"]["sourceId"]);
        if doc["meta"]["isDeleted"] == true {
            assert!(doc["meta"]["reason"].is_string(), "{doc}");
            held.remove(&key);
        } else {
            held.insert(key, doc.clone());
        }
    }
    let end = all.last().unwrap();
    (
        end["token"].as_str().unwrap().to_owned(),
        end["current"] == true,
    )
}

impl Reader {
    async fn page(&mut self, s: &Stage, path: &str, limit: usize) -> bool {
        let since = match self.tokens.last() {
            Some(token) => format!("&since={token}"),
            None => String::new(),
        };
        let (headers, page) =
            ask!(s.f, s.farm, "GET {path}?limit={limit}{since}" => 200 with headers);
        assert!(!headers.contains_key("icar-full-sync"));
        let (token, current) = take(&mut self.held, &page);
        self.tokens.push(token);
        current
    }
}

#[tokio::test]
async fn readers_of_a_set_hold_what_its_members_have() {
    for s in Stage::both().await {
        for seed in 0..test_support::at(HISTORIES.0, HISTORIES.1) {
            history(&s, seed).await;
        }
    }
}

async fn history(s: &Stage, seed: u64) {
    let mut draw = Draw::new(seed, 1);
    let set = json!({"name": format!("Pen {seed}"), "place": "herd", "query": "q", "adeSet": true,
        "members": [11]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, set).await;
    let id = made["doc"]["id"].as_i64().unwrap();
    let path = format!("/ade/v1/datasets/set-{id}/changes");
    let mut reader = Reader {
        held: Held::new(),
        tokens: Vec::new(),
    };
    for step in 0..STEPS {
        match draw.below(6) {
            0 | 1 => {
                let members: Vec<i64> = [11, 12, 13]
                    .into_iter()
                    .filter(|_| draw.once_in(2))
                    .collect();
                update!(s.f, "saved-searches", id, {"members": members});
            }
            2 | 3 => {
                let key = u32::try_from(draw.below(6)).unwrap() + 10;
                let cow = [11, 12, 13][usize::try_from(key).unwrap() % 3];
                let mut doc = weight(key, cow);
                doc["weight"]["measurement"] = (300 + step).into();
                doc["meta"]["isDeleted"] = draw.once_in(3).into();
                let (status, _, body) = s.f.post(&format!("{FARM}/weights"), &s.farm, doc).await;
                assert!(status < 300, "{body}");
                s.f.pass(1);
            }
            4 if draw.once_in(3) && !reader.tokens.is_empty() => {
                // A cut: the last page is asked for again.
                reader.tokens.pop();
            }
            _ => {
                let limit = 1 + draw.below(4);
                reader.page(s, &path, limit).await;
            }
        }
    }
    while !reader.page(s, &path, 1 + draw.below(4)).await {}
    let mut fresh = Reader {
        held: Held::new(),
        tokens: Vec::new(),
    };
    while !fresh.page(s, &path, 100).await {}
    assert_eq!(reader.held, fresh.held, "seed {seed}");
}

/// A set of one animal with one weight, its feed, and a reader that has read all of that.
async fn of_one(s: &Stage) -> (i64, String, Reader) {
    s.weigh(&[1]).await;
    let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true,
        "members": [11]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, set).await;
    let id = made["doc"]["id"].as_i64().unwrap();
    let path = format!("/ade/v1/datasets/set-{id}/changes");
    let mut reader = Reader {
        held: Held::new(),
        tokens: Vec::new(),
    };
    while !reader.page(s, &path, 100).await {}
    (id, path, reader)
}

/// An animal that left and came back is in the order once; documents that were deleted in between
/// are withdrawn from the reader.
#[tokio::test]
async fn what_went_while_an_animal_was_out_is_withdrawn_when_it_is_back() {
    for s in Stage::both().await {
        let (id, path, mut reader) = of_one(&s).await;
        let weights = |held: &Held| held.keys().filter(|key| key.contains("w1")).count();
        assert_eq!(weights(&reader.held), 1);
        let members = async |list: Value| {
            update!(s.f, "saved-searches", id, {"members": list});
        };
        members(json!([])).await;
        let mut gone = weight(1, 11);
        gone["meta"]["isDeleted"] = true.into();
        let (status, _, body) = s.f.post(&format!("{FARM}/weights"), &s.farm, gone).await;
        assert!(status < 300, "{body}");
        members(json!([11])).await;
        while !reader.page(&s, &path, 1).await {}
        assert_eq!(weights(&reader.held), 0);
    }
}

/// A set that is not offered any more is unknown; when it is offered again, an earlier reader goes
/// on.
#[tokio::test]
async fn a_set_that_is_offered_no_longer_is_unknown_until_it_is_again() {
    for s in Stage::both().await {
        let (id, path, mut reader) = of_one(&s).await;
        assert!(!reader.held.is_empty());
        update!(s.f, "saved-searches", id, {"adeSet": false});
        assert_eq!(s.get(&path).await.0, 404);
        update!(s.f, "saved-searches", id, {"adeSet": true, "members": [12]});
        while !reader.page(&s, &path, 2).await {}
        let mut fresh = Reader {
            held: Held::new(),
            tokens: Vec::new(),
        };
        while !fresh.page(&s, &path, 100).await {}
        assert_eq!(reader.held, fresh.held);
        assert!(!reader.held.keys().any(|key| key.contains("w1")));
    }
}
