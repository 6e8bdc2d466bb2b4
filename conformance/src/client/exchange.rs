//! A request and its answer.

use std::sync::OnceLock;

use serde_json::Value;
use url::Url;

use super::excerpt;
use super::redact::Secrets;
use crate::report::ShownExchange;

/// As whom a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// The account of the run.
    Main,
    /// The second account.
    Other,
    /// Without sign-in.
    Nobody,
    /// With the main account's sign-in, altered.
    Altered,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) who: Who,
}

impl Ask {
    pub(crate) fn get(url: &Url) -> Self {
        Self::new("GET", url)
    }

    pub(crate) fn new(method: &'static str, url: &Url) -> Self {
        Self { method, url: url.clone(), headers: Vec::new(), body: None, who: Who::Main }
    }

    pub(crate) fn post(url: &Url, body: &Value) -> Self {
        Self::new("POST", url).text("application/json", &body.to_string())
    }

    pub(crate) fn text(mut self, kind: &str, body: &str) -> Self {
        self.body = Some(body.as_bytes().to_vec());
        self.header("Content-Type", kind)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn by(mut self, who: Who) -> Self {
        self.who = who;
        self
    }
}

/// A request, its answer, and what is known of the transfer.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) number: u64,
    pub(crate) method: &'static str,
    pub(crate) url: Url,
    pub(crate) who: Who,
    pub(crate) request_headers: Vec<(String, String)>,
    pub(crate) request_body: Vec<u8>,
    /// 0 if nothing came.
    pub(crate) status: u16,
    /// Another than `url` after a redirect.
    pub(crate) answered_from: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Why nothing, or not everything, came.
    pub(crate) broken: Option<String>,
    pub(crate) seconds: f64,
    /// Whether the body was dropped to save memory.
    pub(crate) body_dropped: bool,
    /// Whether the bounds of the visit were reached before it, so that it was not sent.
    pub(crate) unsent: bool,
    parsed: OnceLock<Option<Value>>,
}

impl Exchange {
    pub(super) fn begun(number: u64, ask: &Ask, headers: Vec<(String, String)>) -> Self {
        Self {
            number,
            method: ask.method,
            url: ask.url.clone(),
            who: ask.who,
            request_headers: headers,
            request_body: ask.body.clone().unwrap_or_default(),
            status: 0,
            answered_from: ask.url.clone(),
            headers: Vec::new(),
            body: Vec::new(),
            broken: None,
            seconds: 0.0,
            body_dropped: false,
            unsent: false,
            parsed: OnceLock::new(),
        }
    }

    /// The same with headers alone.
    pub(super) fn without_body(&self) -> Self {
        Self {
            number: self.number,
            method: self.method,
            url: self.url.clone(),
            who: self.who,
            request_headers: self.request_headers.clone(),
            request_body: Vec::new(),
            status: self.status,
            answered_from: self.answered_from.clone(),
            headers: self.headers.clone(),
            body: Vec::new(),
            broken: self.broken.clone(),
            seconds: self.seconds,
            body_dropped: true,
            unsent: self.unsent,
            parsed: OnceLock::new(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// All values of a header, joined as if sent in one.
    pub(crate) fn header_all(&self, name: &str) -> String {
        let all: Vec<&str> =
            self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str()).collect();
        all.join(", ")
    }

    /// Whether the body is said to be JSON.
    pub(crate) fn says_json(&self) -> bool {
        self.header("content-type").is_some_and(|v| {
            let kind = v.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/json") || kind.to_ascii_lowercase().ends_with("+json")
        })
    }

    pub(crate) fn media_type(&self) -> &str {
        self.header("content-type").unwrap_or("none")
    }

    /// The body, if it is whole and JSON.
    pub(crate) fn json(&self) -> Option<&Value> {
        self.parsed.get_or_init(|| self.read()).as_ref()
    }

    /// The body, parsed anew: a result that no other caller needs is not stored.
    pub(crate) fn read(&self) -> Option<Value> {
        let whole = self.broken.is_none() && !self.body.is_empty();
        whole.then(|| serde_json::from_slice(&self.body).ok()).flatten()
    }

    /// Why the body is no JSON, if it is none.
    pub(crate) fn not_json(&self) -> Option<String> {
        // The parser does not check the encoding of values that it skips.
        let text = match std::str::from_utf8(&self.body) {
            Ok(text) => text,
            Err(why) => return Some(why.to_string()),
        };
        let read: Result<serde::de::IgnoredAny, _> = serde_json::from_str(text);
        let why = read.err().map(|why| why.to_string());
        why.or_else(|| self.broken.clone())
    }

    /// Whether the body reports errors under a status of success.
    pub(crate) fn disguised(&self) -> bool {
        let start = self.body.get(..200).unwrap_or(&self.body);
        let named = String::from_utf8_lossy(start).contains("\"errors\"");
        let errors = || self.json().and_then(|v| v.get("errors"));
        self.ok()
            && named
            && self.json().is_some_and(|v| v.get("member").is_none())
            && errors().and_then(Value::as_array).is_some_and(|all| !all.is_empty())
    }

    pub(crate) fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn refused(&self) -> bool {
        (400..500).contains(&self.status)
    }

    /// When the server says it answered, nanoseconds since 1970.
    pub(crate) fn date(&self) -> Option<i128> {
        let text = self.header("date")?;
        let time = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(time.as_nanosecond())
    }

    pub(super) fn show(&self, secrets: &Secrets, bound: usize, words: &str) -> ShownExchange {
        let text = |body: &[u8]| secrets.clean(&String::from_utf8_lossy(body));
        let (body, left_out) = excerpt::around(&text(&self.body), words, bound);
        let (request_body, _) = excerpt::around(&text(&self.request_body), words, bound);
        ShownExchange {
            number: self.number,
            method: self.method.to_owned(),
            url: secrets.clean(self.url.as_str()),
            request_headers: secrets.clean_headers(&self.request_headers),
            request_body,
            status: self.status,
            headers: secrets.clean_headers(&self.headers),
            body,
            shortened: left_out.before + left_out.behind > 0,
            left_out_before: left_out.before,
            broken: self.broken.clone(),
        }
    }
}
