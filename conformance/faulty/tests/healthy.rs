//! The server without a fault follows the standard and the profile of the feed.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail by panicking"
)]

use faulty_server::{ASSOCIATION, FARM, LOCATION_SCHEME, Mode, Options, PASSWORD, Server, session};
use feed_oracle::{Answer, Asked, Chain, Profile};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use std::collections::BTreeMap;

struct Caller {
    http: Client,
    url: String,
    token: String,
}

impl Caller {
    fn new(server: &Server, account: &str) -> Self {
        Self {
            http: Client::new(),
            url: server.url(),
            token: session(account),
        }
    }

    fn address(&self, path: &str) -> String {
        match path.starts_with("http") {
            true => path.to_owned(),
            false => format!("{}/ade/v1{path}", self.url),
        }
    }

    async fn get(&self, path: &str) -> Response {
        let request = self.http.get(self.address(path)).bearer_auth(&self.token);
        request.send().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> Response {
        let request = self.http.post(self.address(path)).bearer_auth(&self.token);
        request.json(body).send().await.unwrap()
    }

    /// All members of a list, and the `view` of its first page.
    async fn list(&self, path: &str) -> (Vec<Value>, Value) {
        let mut all = Vec::new();
        let mut first = Value::Null;
        let mut next = Some(path.to_owned());
        while let Some(path) = next {
            let page: Value = self.get(&path).await.json().await.unwrap();
            all.extend(page["member"].as_array().unwrap().iter().cloned());
            next = page["view"]["next"].as_str().map(str::to_owned);
            if first.is_null() {
                first = page["view"].clone();
            }
        }
        (all, first)
    }

    /// The live documents of a feed, judged on the way.
    async fn feed(&self, set: &str, limit: usize) -> (BTreeMap<String, Value>, String) {
        let profile = Profile::herdbook_of(set);
        let mut chain = Chain::new(profile);
        let mut held = BTreeMap::new();
        let mut live = BTreeMap::new();
        let mut since: Option<String> = None;
        loop {
            let mut path = format!("/datasets/{set}/changes?limit={limit}");
            if let Some(since) = &since {
                path.push_str(&format!("&since={since}"));
            }
            let answer = self.get(&path).await;
            let status = answer.status().as_u16();
            let full_sync = answer.headers().contains_key("icar-full-sync");
            let body = answer.bytes().await.unwrap().to_vec();
            let answer = Answer {
                status,
                full_sync,
                body,
            };
            let asked = Asked {
                since: since.clone(),
                limit: Some(limit),
            };
            let judged = chain.page(&asked, &answer, &held).unwrap();
            assert_eq!(judged.violations, [], "{set}");
            for one in &judged.page.resources {
                held.insert(one.key.clone(), one.state);
                let key = one.key.to_string();
                match one.state.deleted {
                    true => drop(live.remove(&key)),
                    false => drop(live.insert(key, one.body.clone())),
                }
            }
            since = Some(judged.page.token.clone());
            if judged.page.is_current() {
                return (live, judged.page.token);
            }
        }
    }
}

async fn healthy(modes: &[Mode]) -> Server {
    let options = Options {
        modes: modes.to_vec(),
        ..Options::default()
    };
    Server::start(options).await.unwrap()
}

#[tokio::test]
async fn lists_are_whole_and_valid_and_the_feeds_have_the_same() {
    let server = healthy(&[]).await;
    let caller = Caller::new(&server, ASSOCIATION);
    let (locations, _) = caller.list("/locations").await;
    assert_eq!(locations.len(), 4);
    let mut documents = 0;
    for set in faulty_server::collections().iter().copied() {
        let mut listed = Vec::new();
        for location in &locations {
            let id = location["identifier"]["id"]
                .as_str()
                .unwrap()
                .replace('/', "%2F");
            let mut path = format!("/locations/{LOCATION_SCHEME}/{id}/{set}");
            if set == "observation-summary-metrics" {
                path.push_str("?duration=P1D&duration=PT1H");
            }
            let (members, view) = caller.list(&path).await;
            assert_eq!(view["totalItems"], json!(members.len()), "{path}");
            listed.extend(members);
        }
        for one in &listed {
            let kind = one["resourceType"].as_str().unwrap();
            assert_eq!(ade::validate(kind, one), [], "{set}");
        }
        let (fed, _) = caller.feed(set, 7).await;
        assert_eq!(fed.len(), listed.len(), "{set}");
        for one in &listed {
            assert!(fed.values().any(|fed| fed == one), "{set}");
        }
        documents += listed.len();
    }
    assert!(documents > 250, "{documents}");
    assert_eq!(caller.feed("everything", 20).await.0.len(), documents);
}

#[tokio::test]
async fn filters_find_what_they_should() {
    let server = healthy(&[]).await;
    let caller = Caller::new(&server, ASSOCIATION);
    let base = format!("/locations/{LOCATION_SCHEME}/north");
    let all = caller.list(&format!("{base}/weights")).await.0;
    let amid = all[11]["meta"]["modified"].as_str().unwrap();
    let count = async |query: &str| caller.list(&format!("{base}/{query}")).await.0.len();
    assert_eq!(all.len(), 23);
    assert_eq!(
        count(&format!("weights?meta-modified-from={amid}")).await,
        12
    );
    assert_eq!(
        count(&format!("weights?meta-modified-to={amid}&pageSize=2")).await,
        11
    );
    assert_eq!(
        count("weights?animal-scheme=org.example.animal&animal-id=N3").await,
        1
    );
    assert_eq!(
        count("weights?animal-scheme=std.iso.11785&animal-id=276001000000003").await,
        1
    );
    assert_eq!(count("weights?animal-scheme=other&animal-id=N3").await, 0);
    let day = &all[4]["eventDateTime"].as_str().unwrap()[..10];
    assert_eq!(
        count(&format!("remarks?date-from={day}&date-to={day}")).await,
        1
    );
    assert!(count("inventory-transactions?family=Milking+Supplies").await > 1);
    assert_eq!(count("inventory-transactions?family=None").await, 0);
    let wrong = [
        "weights?animal-id=N3",
        "weights?meta-modified-from=yesterday",
        "remarks?date-to=2025-02-30",
        "observation-summary-metrics",
    ];
    for query in wrong {
        let answer = caller.get(&format!("{base}/{query}")).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{query}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(ade::validate("icarErrorCollection", &body), []);
    }
}

fn weight(id: &str, kilograms: u32) -> Value {
    json!({"resourceType": "icarWeightEventResource", "meta": {"source": "scale.example",
        "sourceId": id, "modified": "2026-02-01T00:00:00Z"},
        "location": {"scheme": LOCATION_SCHEME, "id": "north"},
        "animal": {"scheme": "org.example.animal", "id": "N1"},
        "weight": {"measurement": kilograms, "units": "KGM"}})
}

#[tokio::test]
async fn what_is_sent_is_listed_fed_corrected_and_taken_back() {
    let server = healthy(&[]).await;
    let caller = Caller::new(&server, FARM);
    let path = format!("/locations/{LOCATION_SCHEME}/north/weights");
    let (_, token) = caller.feed("weights", 100).await;
    let first = caller.post(&path, &weight("1", 500)).await;
    assert_eq!(first.status(), StatusCode::CREATED);
    let address = first.headers()["location"].to_str().unwrap().to_owned();
    let stored = caller.get(&address.replace("/ade/v1", "")).await;
    assert_eq!(stored.status(), StatusCode::OK);
    assert_eq!(
        caller.post(&path, &weight("1", 500)).await.status(),
        StatusCode::OK
    );
    let mut gone = weight("3", 1);
    gone["meta"]["isDeleted"] = json!(true);
    let batch = json!([weight("1", 510), {}, weight("2", 1), gone]);
    let results = caller.post(&format!("/batches{path}"), &batch).await;
    let results: Vec<Value> = results.json().await.unwrap();
    let words: Vec<&str> = results
        .iter()
        .map(|one| one["messages"][0]["type"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["updated", "missing", "created", "deleted"]);
    let mut tombstone = weight("2", 1);
    tombstone["meta"]["isDeleted"] = json!(true);
    let push = json!([{"id": "@context"}, tombstone, {"resourceType": "x"}]);
    let refused = caller.post("/datasets/weights/resources", &push).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let push = json!([{"id": "@context"}, push[1]]);
    assert_eq!(
        caller
            .post("/dataset/everything/resources", &push)
            .await
            .status(),
        StatusCode::OK
    );
    let page = caller
        .get(&format!("/datasets/weights/changes?since={token}"))
        .await;
    let page: Vec<Value> = page.json().await.unwrap();
    assert_eq!(page.len(), 4, "{page:?}");
    assert_eq!(page[1]["weight"]["measurement"], 510);
    assert_eq!(page[2]["meta"]["isDeleted"], true);
    assert_eq!(caller.list(&path).await.0.len(), 24);
}

#[tokio::test]
async fn strangers_and_others_see_nothing() {
    let server = healthy(&[]).await;
    let farm = Caller::new(&server, FARM);
    let stranger = Caller {
        token: "none".to_owned(),
        ..Caller::new(&server, FARM)
    };
    assert_eq!(
        stranger.get("/locations").await.status(),
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(farm.list("/locations").await.0.len(), 1);
    let other = format!("/locations/{LOCATION_SCHEME}/south/weights");
    assert_eq!(farm.get(&other).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(
        farm.post(&other, &weight("1", 1)).await.status(),
        StatusCode::NOT_FOUND
    );
    let everything = farm.feed("everything", 50).await.0;
    assert!(
        everything
            .values()
            .all(|one| one["location"]["id"] == "north")
    );
    let token = Caller::new(&server, ASSOCIATION)
        .feed("weights", 100)
        .await
        .1;
    let foreign = farm
        .get(&format!("/datasets/weights/changes?since={token}"))
        .await;
    let body: Value = foreign.json().await.unwrap();
    assert_eq!(body["errors"][0]["type"], "token-foreign");
    let login = json!({"email": FARM, "password": PASSWORD});
    let answer = farm
        .http
        .post(format!("{}/api/users/login", server.url()))
        .json(&login)
        .send();
    let answer: Value = answer.await.unwrap().json().await.unwrap();
    assert_eq!(answer["token"], json!(session(FARM)));
}

#[tokio::test]
async fn a_tag_is_good_until_the_list_changes_and_waiting_ends_with_a_change() {
    let server = healthy(&[]).await;
    let caller = Caller::new(&server, ASSOCIATION);
    let path = format!("/locations/{LOCATION_SCHEME}/north/weights");
    let tag = caller.get(&path).await.headers()["etag"].clone();
    let ask = async || {
        let request = caller
            .http
            .get(caller.address(&path))
            .bearer_auth(&caller.token);
        request
            .header("if-none-match", &tag)
            .send()
            .await
            .unwrap()
            .status()
    };
    assert_eq!(ask().await, StatusCode::NOT_MODIFIED);
    let (_, token) = caller.feed("weights", 100).await;
    let waiting = format!("/datasets/weights/changes?wait=30&since={token}");
    let document = weight("9", 1);
    let (page, _) = tokio::join!(caller.get(&waiting), caller.post(&path, &document));
    let page: Vec<Value> = page.json().await.unwrap();
    assert_eq!(page.len(), 3);
}

#[tokio::test]
async fn awkward_servers_serve_the_same() {
    for mode in Mode::ALL
        .into_iter()
        .filter(|mode| *mode != Mode::DatasetsOnly)
    {
        let server = healthy(&[mode]).await;
        let caller = Caller::new(&server, ASSOCIATION);
        let path = format!("/locations/{LOCATION_SCHEME}/34%2F123%2F1234/weights");
        let page: Value = caller.get(&path).await.json().await.unwrap();
        let members = page["member"].as_array().unwrap();
        assert_eq!(
            members.len(),
            if mode == Mode::TinyPages { 3 } else { 5 },
            "{mode:?}"
        );
        for one in members {
            assert_eq!(
                ade::validate("icarWeightEventResource", one),
                [],
                "{mode:?}"
            );
        }
    }
}
