//! Two farms with cows, and those who ask.

pub(super) use crate::support::fixture::codes;
use crate::support::fixture::{self, Answer, Fixture, TwoFarms, number};
use crate::support::worlds::Worlds;
use axum::http::{HeaderMap, Request};
use serde_json::{Value, json};
use store::{Dialect, Sql};
use test_books::{DIALECTS, dialects};

pub(super) struct Stage {
    pub(super) f: Fixture,
    /// Head of farm 1.
    pub(super) farm: String,
    /// Head of farm 2.
    pub(super) other: String,
    /// Expert of the Association.
    pub(super) expert: String,
}

pub(super) const FARM: &str = "/ade/v1/locations/org.herdbook.orgid/1";
pub(super) const OTHER: &str = "/ade/v1/locations/org.herdbook.orgid/2";

/// The weights of farm 1: the list, where batches go, and where pushes go.
pub(super) const WEIGHTS: &str = "/ade/v1/locations/org.herdbook.orgid/1/weights";
pub(super) const BATCH: &str = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
pub(super) const PUSH: &str = "/ade/v1/datasets/weights/resources";

async fn fill(f: &Fixture) -> TwoFarms {
    f.two_farms("First", &[(11, 1), (12, 1), (13, 1), (21, 2)]).await
}

impl Stage {
    /// On each database of this depth.
    pub(super) async fn each() -> Vec<Self> {
        Self::each_with(&[]).await
    }

    /// On each database at any depth: for feeds, and for what databases do differently.
    pub(super) async fn both() -> Vec<Self> {
        Self::on(&DIALECTS, &[]).await
    }

    /// On one of them; none where it is not there.
    pub(super) async fn one(dialect: Dialect) -> Option<Self> {
        Self::on(&[dialect], &[]).await.pop()
    }

    pub(super) async fn each_with(changed: &[(&'static str, &str)]) -> Vec<Self> {
        Self::on(dialects(), changed).await
    }

    /// On SQLite alone: for what the face answers before and after any statement.
    pub(super) async fn plain() -> Self {
        Self::plain_with(&[]).await
    }

    pub(super) async fn plain_with(changed: &[(&'static str, &str)]) -> Self {
        let stages = Self::on(&[Dialect::Sqlite], changed).await;
        stages.into_iter().next().expect("SQLite is always there")
    }

    /// With mapping files of the installation.
    pub(super) async fn each_mapped(files: &[(&str, &str)]) -> Vec<Self> {
        let mut all = Vec::new();
        for f in Fixture::each_mapped(files).await {
            let tokens = fill(&f).await;
            all.push(Self::of((f, tokens)));
        }
        all
    }

    async fn on(dialects: &[Dialect], changed: &[(&'static str, &str)]) -> Vec<Self> {
        static WORLDS: Worlds<TwoFarms> = Worlds::new();
        let copies = Fixture::copies(&WORLDS, dialects, [&[], changed], fill).await;
        copies.into_iter().map(Self::of).collect()
    }

    fn of((f, tokens): (Fixture, TwoFarms)) -> Self {
        let TwoFarms { farm, other, expert } = tokens;
        Self { f, farm, other, expert }
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Value) {
        let (status, _, body) = self.f.get(path, &self.farm).await;
        (status, body)
    }

    /// How many resources of a collection farm 1 has.
    pub(super) async fn total(&self, collection: &str) -> Value {
        let page = self.get(&format!("{FARM}/{collection}")).await.1;
        page["view"]["totalItems"].clone()
    }

    /// A request with further headers.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: Value,
    ) -> Answer {
        let text = match &body {
            Value::Null => Vec::new(),
            Value::String(text) => text.clone().into_bytes(),
            other => other.to_string().into_bytes(),
        };
        let mut request = Request::builder().method(method).uri(path);
        if !token.is_empty() {
            request = request.header("authorization", format!("JWT {token}"));
        }
        if !body.is_null() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.header("host", "book.example").body(text.into());
        self.f.ask(request.unwrap()).await
    }

    /// Rows of every table and the book's counters: equal before and after when nothing was written.
    pub(super) async fn tally(&self) -> Vec<String> {
        let own = [
            "exchange_documents",
            "exchange_queue",
            "exchange_counts",
            "exchange_sent",
            "exchange_said",
            "exchange_batches",
            "exchange_batch_parts",
            "exchange_full_syncs",
            "mail_outbox",
            "jobs",
            "rest_answers",
        ];
        let tables = self.f.book.registry.iter().map(|c| c.table.as_str());
        let mut all = vec![
            "SELECT 'seq', seq, commits, modified FROM book_sequence".to_owned(),
            "SELECT name, next, 0, 0 FROM book_ids".to_owned(),
        ];
        let count = |table: &str| format!("SELECT '{table}', count(*), 0, 0 FROM \"{table}\"");
        all.extend(tables.chain(own).map(count));
        let mut tally = Vec::new();
        for sql in all {
            for row in self.f.book.store.rows(Sql::new(&sql)).await.unwrap() {
                tally.push(format!("{:?} {:?} {:?}", row.text(0), row.int(1), row.int(2)));
            }
        }
        tally
    }

    /// The tally without batches and the number of commits.
    pub(super) async fn rows(&self) -> Vec<String> {
        let mut all = self.tally().await;
        all.retain(|line| !line.contains("exchange_batch") && !line.contains("\"seq"));
        all
    }

    /// Sends weights of cow 11 under these keys, a day apart.
    pub(super) async fn weigh(&self, keys: &[u32]) {
        self.weigh_as(&self.farm, keys).await;
    }

    pub(super) async fn weigh_as(&self, who: &str, keys: &[u32]) {
        let all: Vec<Value> = keys.iter().map(|key| weight(*key, 11)).collect();
        let body = ask!(self.f, who, "POST /ade/v1/batches/locations/org.herdbook.orgid/1/weights", all => 200);
        for result in body.as_array().unwrap() {
            assert_eq!(severities(result), ["Information"], "{result}");
        }
    }
}

/// A weight by another system.
pub(super) fn weight(key: u32, animal: i64) -> Value {
    fixture::weight("scale.example", key, animal)
}

/// The number of an animal as documents name it.
pub(super) fn animal(id: i64) -> Value {
    json!({"scheme": "org.herdbook.animal", "id": number(id)})
}

/// The deletion of a document.
pub(super) fn gone(doc: &Value) -> Value {
    let mut doc = doc.clone();
    doc["meta"]["isDeleted"] = true.into();
    doc
}

/// The document of a location.
pub(super) fn placed(mut doc: Value, location: &str) -> Value {
    doc["location"] = json!({"scheme": "org.herdbook.orgid", "id": location});
    doc
}

/// The keys of the weights of farm 1.
pub(super) async fn stored(s: &Stage) -> Vec<String> {
    keys(&s.get(WEIGHTS).await.1)
}

/// Types of the messages beside an answer.
pub(super) fn messages(headers: &HeaderMap) -> Vec<String> {
    let Some(all) = headers.get("x-icar-ade-messages") else {
        return Vec::new();
    };
    let all: Value = serde_json::from_slice(all.as_bytes()).unwrap();
    let all = all.as_array().unwrap().iter();
    all.map(|m| m["type"].as_str().unwrap().to_owned()).collect()
}

/// The messages of a result but for what the checks find in the values.
pub(super) fn without_findings(result: &Value) -> impl Iterator<Item = &Value> {
    let messages = result["messages"].as_array().unwrap().iter();
    messages.filter(|m| checks::check(m["type"].as_str().unwrap()).is_none())
}

pub(super) fn severities(result: &Value) -> Vec<&str> {
    without_findings(result).map(|m| m["severity"].as_str().unwrap()).collect()
}

/// Types and places of the messages of each result of a batch.
pub(super) fn outcomes(results: &Value) -> Vec<Vec<[String; 2]>> {
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let messages = |result: &Value| {
        let all = result["messages"].as_array().unwrap().iter();
        all.map(|m| ["type", "instance"].map(|name| text(m, name))).collect()
    };
    results.as_array().unwrap().iter().map(messages).collect()
}

/// Types and places, as [`outcomes`] has them.
pub(super) fn words(all: &[[&str; 2]]) -> Vec<[String; 2]> {
    all.iter().map(|pair| pair.map(str::to_owned)).collect()
}

/// `meta.sourceId` of the members of a page or array.
pub(super) fn keys(list: &Value) -> Vec<String> {
    let members = list.get("member").unwrap_or(list).as_array().unwrap();
    (members.iter()).filter_map(|m| m["meta"]["sourceId"].as_str().map(str::to_owned)).collect()
}
