//! Two farms with cows, the callers, and answers that are not JSON.

use crate::support::book::answered;
pub(super) use crate::support::fixture::weight;
use crate::support::fixture::{Fixture, TwoFarms, get_request};
use crate::support::worlds::Worlds;
use axum::http::HeaderMap;
use serde_json::Value;
use test_books::dialects;

pub(super) const FEED: &str = "/ade/v1/datasets/weights/changes";
pub(super) const LIST: &str = "/ade/v1/locations/org.herdbook.orgid/1/weights";

pub(super) struct Stage {
    pub(super) f: Fixture,
    /// Head of farm 1, whose name contains markup.
    pub(super) farm: String,
    /// Head of farm 2.
    pub(super) other: String,
    /// Expert of the Association.
    pub(super) expert: String,
}

pub(super) const NAME: &str = "Farm <script>alert(1)</script> & \"Sons\"";

impl Stage {
    /// On each database of this depth.
    pub(super) async fn each() -> Vec<Self> {
        static WORLDS: Worlds<TwoFarms> = Worlds::new();
        let fill = async |f: &Fixture| f.two_farms(NAME, &[(11, 1), (12, 1), (21, 2)]).await;
        let all = Fixture::copies(&WORLDS, dialects(), [&[], &[]], fill).await;
        let of = |(f, tokens): (Fixture, TwoFarms)| Self {
            f,
            farm: tokens.farm,
            other: tokens.other,
            expert: tokens.expert,
        };
        all.into_iter().map(of).collect()
    }

    /// Status, headers and text.
    pub(super) async fn text(&self, path: &str, token: &str, headers: &[(&str, &str)]) -> (u16, HeaderMap, String) {
        text(&self.f, path, token, headers).await
    }

    /// The numbers of `/metrics`.
    pub(super) async fn metrics(&self) -> String {
        let (status, _, text) = self.text("/metrics", "", &[]).await;
        assert_eq!(status, 200);
        text
    }

    /// The content of the page, as JSON.
    pub(super) async fn page(&self) -> Value {
        ask!(self.f, self.expert, "GET /exchange.json" => 200)
    }

    /// Sends weights of a cow under these keys, by a farm.
    pub(super) async fn weigh(&self, farm: i64, keys: &[u32]) -> Value {
        self.weigh_from("scale.example", farm, keys).await
    }

    pub(super) async fn weigh_from(&self, source: &str, farm: i64, keys: &[u32]) -> Value {
        let all = keys.iter().map(|key| weight(source, *key, farm * 10 + 1));
        let all: Vec<Value> = all.collect();
        let token = if farm == 1 { &self.farm } else { &self.other };
        ask!(self.f, token, "POST /ade/v1/batches/locations/org.herdbook.orgid/{farm}/weights", all => 200)
    }
}

pub(super) async fn text(f: &Fixture, path: &str, token: &str, headers: &[(&str, &str)]) -> (u16, HeaderMap, String) {
    let (parts, body) = answered(&f.router, get_request(path, token, headers)).await;
    let text = String::from_utf8(body.to_vec()).unwrap();
    (parts.status.as_u16(), parts.headers, text)
}

/// The token that a page of a feed ends with.
pub(super) fn token_of(page: &Value) -> String {
    let last = page.as_array().unwrap().last().unwrap();
    last["token"].as_str().expect("a token").to_owned()
}
