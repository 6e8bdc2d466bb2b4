//! A set of animals that is not offered for a while (`docs/feed-profile.md`, P9). That a reader of a set holds what its
//! members have, whoever joins and leaves, is a law of the simulations (`simulated`).

use crate::ade::stage::Stage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Documents = BTreeMap<String, Value>;

/// A reader: the documents that it holds, and its tokens.
struct Reader {
    documents: Documents,
    tokens: Vec<String>,
}

fn take(held: &mut Documents, page: &Value) -> (String, bool) {
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
    (end["token"].as_str().unwrap().to_owned(), end["current"] == true)
}

impl Reader {
    async fn page(&mut self, s: &Stage, path: &str, limit: usize) -> bool {
        let since = match self.tokens.last() {
            Some(token) => format!("&since={token}"),
            None => String::new(),
        };
        let (headers, page) = ask!(s.f, s.farm, "GET {path}?limit={limit}{since}" => 200 with headers);
        assert!(!headers.contains_key("icar-full-sync"));
        let (token, current) = take(&mut self.documents, &page);
        self.tokens.push(token);
        current
    }
}

/// A set of one animal with one weight, its feed, and a reader that has read all of that.
async fn of_one(s: &Stage) -> (i64, String, Reader) {
    s.weigh(&[1]).await;
    let set = json!({"name": "Pen", "place": "herd", "query": "q", "adeSet": true, "members": [11]});
    let (_, _, made) = s.f.post("/api/saved-searches", &s.farm, set).await;
    let id = made["doc"]["id"].as_i64().unwrap();
    let path = format!("/ade/v1/datasets/set-{id}/changes");
    let mut reader = Reader { documents: Documents::new(), tokens: Vec::new() };
    while !reader.page(s, &path, 100).await {}
    (id, path, reader)
}

/// A set that is not offered any more is unknown; when it is offered again, an earlier reader goes on.
#[test_each(Stage::both())]
async fn a_set_that_is_offered_no_longer_is_unknown_until_it_is_again(s: Stage) {
    let (id, path, mut reader) = of_one(&s).await;
    assert!(!reader.documents.is_empty());
    update!(s.f, "saved-searches", id, {"adeSet": false});
    assert_eq!(s.get(&path).await.0, 404);
    update!(s.f, "saved-searches", id, {"adeSet": true, "members": [12]});
    while !reader.page(&s, &path, 2).await {}
    let mut fresh = Reader { documents: Documents::new(), tokens: Vec::new() };
    while !fresh.page(&s, &path, 100).await {}
    assert_eq!(reader.documents, fresh.documents);
    assert!(!reader.documents.keys().any(|key| key.contains("w1")));
}
