//! A request and its answer.

use std::sync::OnceLock;

use serde_json::Value;
use url::Url;

use super::redact::Secrets;
use crate::report::Shown;

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
        Self {
            method,
            url: url.clone(),
            headers: Vec::new(),
            body: None,
            who: Who::Main,
        }
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

/// What was said.
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
            parsed: OnceLock::new(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
    }

    /// All values of a header, joined as if sent in one.
    pub(crate) fn header_all(&self, name: &str) -> String {
        let all: Vec<&str> = self
            .headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
            .collect();
        all.join(", ")
    }

    /// Whether the body is said to be JSON.
    pub(crate) fn says_json(&self) -> bool {
        self.header("content-type").is_some_and(|v| {
            let kind = v.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/json")
                || kind.to_ascii_lowercase().ends_with("+json")
        })
    }

    /// The body, if it is whole and JSON.
    pub(crate) fn json(&self) -> Option<&Value> {
        self.parsed
            .get_or_init(|| serde_json::from_slice(&self.body).ok())
            .as_ref()
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
        let time = jiff::fmt::rfc2822::DateTimeParser::new()
            .parse_timestamp(text)
            .ok()?;
        Some(time.as_nanosecond())
    }

    pub(super) fn show(&self, secrets: &Secrets, bound: usize) -> Shown {
        let (body, shortened) = cut(&secrets.clean(&String::from_utf8_lossy(&self.body)), bound);
        let (request_body, _) = cut(
            &secrets.clean(&String::from_utf8_lossy(&self.request_body)),
            bound,
        );
        Shown {
            number: self.number,
            method: self.method.to_owned(),
            url: secrets.clean(self.url.as_str()),
            request_headers: secrets.clean_headers(&self.request_headers),
            request_body,
            status: self.status,
            headers: secrets.clean_headers(&self.headers),
            body,
            shortened,
            broken: self.broken.clone(),
        }
    }
}

fn cut(text: &str, bound: usize) -> (String, bool) {
    match text.char_indices().nth(bound) {
        Some((end, _)) => (text.get(..end).unwrap_or_default().to_owned(), true),
        None => (text.to_owned(), false),
    }
}
