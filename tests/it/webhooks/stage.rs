//! Two farms with cows, a receiver, and the senders.

use super::receiver::Receiver;
use crate::support::fixture::{Answer, Fixture, TwoFarms, number};
use crate::support::worlds::Worlds;
use futures_util::future::BoxFuture;
use ops::Book;
use serde_json::{Value, json};
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use store::Sql;
use test_books::dialects;
use webhooks::{Lookup, SystemLookup, WebhookSender};

pub(super) const SETTINGS: [(&str, &str); 4] = [
    ("webhooks.http", "true"),
    ("webhooks.allow", "127.0.0.0/8"),
    ("webhooks.timeout", "1"),
    ("security.token_lifetime", "31536000"),
];

pub(super) struct Stage {
    pub(super) f: Fixture,
    pub(super) receiver: Receiver,
    /// Head of farm 1.
    pub(super) farm: String,
    /// Head of farm 2.
    pub(super) other: String,
    /// Expert of the Association.
    pub(super) expert: String,
}

/// Names as the test says.
#[derive(Debug, Default)]
pub(super) struct Names(pub(super) Mutex<Vec<IpAddr>>);

impl Names {
    pub(super) fn lead_to(&self, addresses: &[&str]) {
        let all = addresses.iter().map(|ip| ip.parse().unwrap());
        *self.0.lock().unwrap() = all.collect();
    }
}

impl Lookup for Names {
    fn look_up(&self, _name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let found = self.0.lock().unwrap().clone();
        Box::pin(async move { Ok(found) })
    }
}

impl Stage {
    /// On each database of this depth.
    pub(super) async fn each() -> Vec<Self> {
        Self::each_with(&[]).await
    }

    pub(super) async fn each_with(further: &[(&'static str, &str)]) -> Vec<Self> {
        let settings: Vec<_> = SETTINGS.iter().chain(further).copied().collect();
        static WORLDS: Worlds<TwoFarms> = Worlds::new();
        let fill = async |f: &Fixture| f.two_farms("First", &[(11, 1), (12, 1), (21, 2)]).await;
        // Under the same settings, since tokens live as long as they say.
        let copies = Fixture::copies(&WORLDS, dialects(), [&SETTINGS, &settings], fill).await;
        let mut all = Vec::new();
        for (f, tokens) in copies {
            all.push(Self {
                f,
                receiver: Receiver::start().await,
                farm: tokens.farm,
                other: tokens.other,
                expert: tokens.expert,
            });
        }
        all
    }

    /// A process that sends.
    pub(super) fn sender(&self) -> WebhookSender {
        self.sender_by(Arc::new(SystemLookup))
    }

    /// A process that shares only the database with the others.
    pub(super) async fn sender_beside(&self) -> WebhookSender {
        self.sender_of(self.f.other_process().await.book.clone(), Arc::new(SystemLookup))
    }

    pub(super) fn sender_by(&self, lookup: Arc<dyn Lookup>) -> WebhookSender {
        self.sender_of(Arc::clone(&self.f.book), lookup)
    }

    fn sender_of(&self, book: Arc<Book>, lookup: Arc<dyn Lookup>) -> WebhookSender {
        let exchange = self.f.exchange.clone();
        let settings = self.f.hub.settings.webhooks.clone();
        let datasets = "https://book.example/ade/v1/datasets";
        WebhookSender::new(book, exchange, settings, datasets, lookup).unwrap()
    }

    /// A registration; gives its document, with the signing key.
    pub(super) async fn register(&self, token: &str, body: Value) -> Value {
        let answer = ask!(self.f, token, "POST /api/webhooks", body => 201);
        answer["doc"].clone()
    }

    /// The same of farm 1, of the weights.
    pub(super) async fn weights(&self) -> Value {
        let body = json!({"url": self.receiver.url, "dataset": "weights"});
        self.register(&self.farm, body).await
    }

    pub(super) async fn refused(&self, token: &str, body: Value) -> Answer {
        let answer = self.f.post("/api/webhooks", token, body).await;
        assert!(answer.0 >= 400, "{}", answer.2);
        answer
    }

    pub(super) async fn patch(&self, token: &str, id: &Value, body: Value) -> Answer {
        let path = format!("/api/webhooks/{id}");
        let bytes = body.to_string().into_bytes();
        let mut request = axum::http::Request::builder().method("PATCH").uri(path);
        request = request.header("authorization", format!("JWT {token}"));
        request = request.header("content-type", "application/json");
        self.f.ask(request.body(bytes.into()).unwrap()).await
    }

    pub(super) async fn act(&self, token: &str, id: &Value, action: &str) -> Answer {
        let path = format!("/api/webhooks/{id}/{action}");
        self.f.request("POST", &path, token, Value::Null).await
    }

    /// A registration as the Association sees it.
    pub(super) async fn shown(&self, id: &Value) -> Value {
        ask!(self.f, self.expert, "GET /api/webhooks/{id}?depth=0" => 200)
    }

    /// The log of a registration, the first attempt first.
    pub(super) async fn log(&self, id: &Value) -> Vec<Value> {
        let path = format!("/api/webhook-deliveries?where[webhook][equals]={id}&sort=id&limit=0&depth=0");
        let list = ask!(self.f, self.expert, "GET {path}" => 200);
        list["docs"].as_array().unwrap().clone()
    }

    /// A weight of a cow by a partner, a day of February each.
    pub(super) async fn weigh(&self, token: &str, farm: i64, cow: i64, key: usize) {
        let weight = json!([{
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": format!("w{farm}-{key}"),
                "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": number(cow)},
            "eventDateTime": format!("2026-{:02}-{:02}T00:00:00Z", key / 28 % 2 + 1, key % 28 + 1),
            "weight": {"measurement": 400 + key, "units": "KGM"},
        }]);
        let body = ask!(self.f, token, "POST /ade/v1/batches/locations/org.herdbook.orgid/{farm}/weights", weight
            => 200);
        let text = body.to_string();
        assert!(!text.contains("\"Error\""), "{text}");
    }

    pub(super) async fn weigh_own(&self, key: usize) {
        self.weigh(&self.farm, 1, 11, key).await;
    }

    /// The highest place of a data set at a location.
    pub(super) async fn head(&self, location: i64, dataset: &str) -> i64 {
        let sql = format!(
            "SELECT max(seq) FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
             WHERE d.location = {location} AND n.name = '{dataset}'"
        );
        let rows = self.f.book.store.rows(Sql::new(&sql)).await.unwrap();
        rows[0].int(0).unwrap()
    }
}

/// Looks for changes until there are none, and sends the messages that are due; returns their number.
pub(super) async fn round(sender: &WebhookSender) -> usize {
    while sender.scan().await.unwrap() {}
    sender.deliver().await.unwrap()
}
