//! The limits of one client, and how answers are compressed.

mod compression;
mod costs;
mod people;
mod quotas;
mod request_classes;
mod waiting;

use crate::support::book::answered;
use crate::support::fixture::{self, Answer, Fixture, TwoFarms, codes, get_request};
use crate::support::worlds::Worlds;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request};
use serde_json::Value;
use std::net::SocketAddr;
use store::Dialect;
use test_books::dialects;

const FARM: &str = "/ade/v1/locations/org.herdbook.orgid/1";

/// Two farms, the first with a cow, and the callers.
struct Stage {
    f: Fixture,
    /// Head of farm 1.
    farm: String,
    /// Head of farm 2.
    other: String,
    /// Expert of the Association.
    expert: String,
}

impl Stage {
    /// On SQLite: for tests that do not depend on the database.
    async fn with(changed: &[(&'static str, &str)]) -> Self {
        Self::each_with(changed).await.remove(0)
    }

    /// On each database of this depth.
    async fn each_with(changed: &[(&'static str, &str)]) -> Vec<Self> {
        static WORLDS: Worlds<TwoFarms> = Worlds::new();
        let fill = async |f: &Fixture| f.two_farms("First", &[(11, 1)]).await;
        let copies = Fixture::copies(&WORLDS, dialects(), [&[], changed], fill).await;
        let of = |(f, tokens): (Fixture, TwoFarms)| Self {
            f,
            farm: tokens.farm,
            other: tokens.other,
            expert: tokens.expert,
        };
        let all: Vec<Self> = copies.into_iter().map(of).collect();
        assert_eq!(all[0].f.book.store.dialect(), Dialect::Sqlite);
        all
    }

    /// Status, headers and body as it came.
    async fn raw(&self, path: &str, token: &str, headers: &[(&str, &str)]) -> (u16, HeaderMap, Vec<u8>) {
        let (parts, body) = answered(&self.f.router, get_request(path, token, headers)).await;
        (parts.status.as_u16(), parts.headers, body.to_vec())
    }
}

/// A weight of cow 11 by another system.
fn weight(key: u32) -> Value {
    fixture::weight("scale.example", key, 11)
}

/// A list that is computed each time: no two have the same address.
fn fresh(n: usize) -> String {
    format!("/api/herds?limit=1&page={}", n + 1)
}

fn field<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).map_or("", |v| v.to_str().unwrap())
}

/// A request from an address, with further headers.
async fn from(s: &Stage, peer: &str, (method, path): (&str, &str), headers: &[(&str, &str)], body: &str) -> Answer {
    let peer: SocketAddr = format!("{peer}:4711").parse().unwrap();
    let mut request = Request::builder().method(method).uri(path);
    request = request.header("host", "book.example").extension(ConnectInfo(peer));
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Body::from(body.to_owned());
    s.f.ask(request.body(body).unwrap()).await
}
