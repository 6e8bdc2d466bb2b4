//! Requests as they are read from the wire.

use super::answer::Problem;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::str::FromStr;

/// A request whose body was read to its end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path as it was sent.
    pub(crate) path: String,
    /// Its segments, decoded.
    pub(crate) segments: Vec<String>,
    /// The parameters of the query, decoded, in their order.
    pub(crate) query: Vec<(String, String)>,
    /// The query as it was sent.
    pub(crate) raw_query: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Scheme and host under which the client knows the server.
    pub(crate) origin: String,
}

impl Request {
    /// Splits path and query.
    pub(crate) fn new(method: &str, path: &str, query: &str) -> Self {
        let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let segments = path.split('/').filter(|part| !part.is_empty());
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let query_pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (plain(name), plain(&value.replace('+', " ")))
        });
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            segments: segments.map(plain).collect(),
            query: query_pairs.collect(),
            raw_query: query.to_owned(),
            ..Self::default()
        }
    }

    /// Path and query, as they were sent.
    pub(crate) fn target(&self) -> String {
        match self.raw_query.is_empty() {
            true => self.path.clone(),
            false => format!("{}?{}", self.path, self.raw_query),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(had, _)| had == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(had, _)| had == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A parameter that is a number.
    pub(crate) fn number<N: FromStr>(&self, name: &str) -> Option<N> {
        self.parameter(name)?.parse().ok()
    }

    pub(crate) fn parameters<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        let found = self.query.iter().filter(move |(had, _)| had == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub(crate) fn json(&self, any_type: bool) -> Result<Value, Problem> {
        let kind = self.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !any_type && !kind.eq_ignore_ascii_case("application/json") {
            let detail = "The content type must be application/json.";
            return Err(Problem::new(415, "body-not-json", detail));
        }
        serde_json::from_slice(&self.body)
            .map_err(|why| Problem::new(400, "body-not-json", format!("invalid JSON: {why}")))
    }
}

/// A point in time of a parameter, which may have lost its plus sign.
pub(crate) fn instant(text: &str) -> Option<i64> {
    ade::time::parse(&text.replace(' ', "+"))
}
