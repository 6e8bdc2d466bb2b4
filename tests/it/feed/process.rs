//! Servers as processes of their own, and clients that speak HTTP to them.

use super::stage::{Herd, Side, row};
pub(crate) use crate::support::program::Server;
use crate::support::program::herdbook;
use exchange::Exchange;
use feed_oracle::{Answer, Chain, Key, PageRequest, Profile, State};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use store::{Row, Sql, Store};
use tempfile::TempDir;
use test_support::postgres::cluster;

pub(crate) const PASSWORD: &str = "demo-herdbook";

/// A database with a herd and an expert of the Association.
pub(crate) struct Database {
    url: String,
    dir: TempDir,
    pub(crate) herd: Herd,
}

impl Database {
    pub(crate) async fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("book.db").display());
        Self::settle(url, dir).await
    }

    /// None where there is no server.
    pub(crate) async fn postgres() -> Option<Self> {
        let url = cluster()?.fresh_database().await;
        Some(Self::settle(url, tempfile::tempdir().unwrap()).await)
    }

    async fn settle(url: String, dir: TempDir) -> Self {
        let side = Side::open(&url).await;
        side.exchange.projector().set_generation(&side.book).await.unwrap();
        let herd = Herd::new(0);
        herd.settle(&side).await;
        let data = json!({"email": "ann@example.org", "role": "expert", "lastName": "Smith", "firstName": "Ann"});
        let mut user = row("users", 1, data);
        let verifier = side.book.passwords.hash(PASSWORD).unwrap();
        user.hidden = vec![("verifier", verifier.into())];
        side.book.fill(vec![user]).await.unwrap();
        side.book.store.close().await;
        Self { url, dir, herd }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A server over it.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// With further variables of the configuration.
    pub(crate) fn serve_with(&self, variables: &[(&str, &str)]) -> Server {
        let words = ["serve", "--listen", "127.0.0.1:0", "--log", "off"];
        let mut command = herdbook(self.dir(), &words);
        command.args(["--database-url", &self.url]);
        command.envs(variables.iter().copied());
        Server::of(self.dir(), command)
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The herd and its people in another book, which was made of this one.
    pub(crate) fn moved(&self, url: String) -> Self {
        Self { url, dir: tempfile::tempdir().unwrap(), herd: self.herd }
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    /// The documents belong to another data generation now, one that lacks some of them, as
    /// after a restored backup: tokens of the one before lead to a new beginning.
    pub(crate) async fn another_generation(&self, without: &'static str) {
        let side = Side::open(&self.url).await;
        let done = side.book.transact(move |work| {
            Box::pin(async move {
                let other = "UPDATE exchange_state SET value = '12345' WHERE name = 'generation'";
                work.tx().next_seq();
                work.tx().run(Sql::new(other)).await?;
                let gone = Sql::new("DELETE FROM exchange_documents WHERE ");
                work.tx().run(gone.and(without)).await.map(|_| ())
            })
        });
        done.await.unwrap();
        side.book.store.close().await;
    }

    /// Looks into the database beside the servers.
    pub(crate) async fn look(&self) -> Look {
        let side = Side::open(&self.url).await;
        Look { exchange: side.exchange.clone(), store: side.book.store.clone(), _side: side }
    }
}

pub(crate) struct Look {
    pub(crate) store: Store,
    pub(crate) exchange: Exchange,
    _side: Side,
}

impl Look {
    pub(crate) async fn rows(&self, sql: &str) -> Vec<Row> {
        self.store.rows(Sql::new(sql)).await.unwrap()
    }
}

/// A client with a token that outlives servers.
#[derive(Clone)]
pub(crate) struct Caller {
    http: Client,
    pub(crate) token: String,
}

impl Caller {
    pub(crate) async fn sign_in(server: &Server) -> Self {
        let http = Client::new();
        let body = json!({"email": "ann@example.org", "password": PASSWORD}).to_string();
        let request = http.post(format!("{}/api/users/login", server.url));
        let answer = request.header("content-type", "application/json").body(body).send().await;
        let answer: Value = answer.unwrap().json().await.unwrap();
        let token = answer["token"].as_str().expect("a token").to_owned();
        Self { http, token }
    }

    /// Connections to a server that has stopped are dropped.
    pub(crate) fn anew(&self) -> Self {
        Self { http: Client::new(), token: self.token.clone() }
    }

    /// Status and body, or `None` when the server stopped.
    pub(crate) async fn batch(&self, url: &str, farm: i64, set: &str, docs: &[Value]) -> Option<(u16, Value)> {
        let path = format!("{url}/ade/v1/batches/locations/org.herdbook.orgid/{farm}/{set}");
        let body = Value::from(docs.to_vec()).to_string();
        let request = self.http.post(path).header("content-type", "application/json").body(body);
        read(request.header("authorization", format!("JWT {}", self.token)).send().await).await
    }

    /// Sends a batch to be worked on later; gives its address.
    pub(crate) async fn later(&self, url: &str, farm: i64, set: &str, docs: &[Value]) -> String {
        let path = format!("{url}/ade/v1/batches/locations/org.herdbook.orgid/{farm}/{set}");
        let request = self
            .http
            .post(path)
            .header("content-type", "application/json")
            .header("prefer", "respond-async")
            .header("authorization", format!("JWT {}", self.token))
            .body(Value::from(docs.to_vec()).to_string());
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 202);
        answer.headers()["location"].to_str().unwrap().to_owned()
    }

    pub(crate) async fn post(&self, url: &str, body: &Value) -> Option<(u16, Value)> {
        let request = (self.http.post(url))
            .header("content-type", "application/json")
            .header("authorization", format!("JWT {}", self.token))
            .body(body.to_string());
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let text = answer.text().await.ok()?;
        if text.is_empty() {
            return Some((status, Value::Null));
        }
        Some((status, serde_json::from_str(&text).unwrap()))
    }

    pub(crate) async fn get(&self, url: &str) -> Option<(u16, Value)> {
        let request = self.http.get(url).header("authorization", format!("JWT {}", self.token));
        read(request.send().await).await
    }

    /// The answer as it was received, or `None` when the server stopped.
    async fn answer(&self, url: &str) -> Option<Answer> {
        let request = self.http.get(url).header("authorization", format!("JWT {}", self.token));
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let headers = answer.headers().clone();
        let body = answer.bytes().await.ok()?;
        let headers = headers.iter();
        let headers = headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        Some(Answer::new(status, headers, body))
    }
}

async fn read(answer: Result<Response, reqwest::Error>) -> Option<(u16, Value)> {
    let answer = answer.ok()?;
    let status = answer.status().as_u16();
    Some((status, answer.json().await.ok()?))
}

/// Follows all changes by token, over restarts.
pub(crate) struct Follower {
    pub(crate) caller: Caller,
    token: Option<String>,
    chain: Chain,
    states: BTreeMap<Key, State>,
    /// Documents by location and `meta.sourceId`, with the time of their change.
    pub(crate) state: BTreeMap<(String, String), Value>,
}

impl Follower {
    pub(crate) fn new(caller: Caller) -> Self {
        Self {
            caller,
            token: None,
            chain: Chain::new(Profile::herdbook()),
            states: BTreeMap::new(),
            state: BTreeMap::new(),
        }
    }

    /// Reads to the end; false when the server stopped before.
    pub(crate) async fn catch_up(&mut self, url: &str, limit: usize) -> bool {
        loop {
            let since = self.token.as_ref().map_or(String::new(), |t| format!("&since={t}"));
            let path = format!("{url}/ade/v1/datasets/everything/changes?limit={limit}{since}");
            let Some(answer) = self.caller.answer(&path).await else {
                return false;
            };
            let request = PageRequest { since: self.token.clone(), limit: Some(limit) };
            let judged = self.chain.page(&request, &answer, &self.states);
            let judged = judged.unwrap_or_else(|violation| panic!("{violation}"));
            assert_eq!(judged.violations, [], "{path}");
            assert!(!judged.page.full_sync, "{path}");
            let current = judged.page.is_current();
            self.token = Some(judged.page.token);
            for resource in judged.page.resources {
                let [_, _, _, id] = resource.key.parts();
                let (_, location) = resource.location.rsplit_once('/').unwrap();
                let key = (location.to_owned(), id.clone());
                self.states.insert(resource.key, resource.state);
                self.state.insert(key, resource.body);
            }
            if current {
                return true;
            }
        }
    }
}
