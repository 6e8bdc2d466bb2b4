//! The response cache (docs/design/cache.md, *Response cache*). It stores the answer to a `GET` with its read set, and
//! serves it to the same caller for the same request while nothing of the read set has changed. A matching
//! `If-None-Match` gets 304 without reading a table. Tags are made of the bytes, so that two processes, or one before
//! and after a restart, tag the same answer alike.
//!
//! Validity needs no notices of other processes: before a cached answer is served, the store checks whether anything
//! was committed since (`store/versions`). Answers that depend on the time are cached for seconds, like callers.

pub(crate) mod cache_marks;
mod fingerprint;

use self::cache_marks::{CacheHit, Cacheable};
use self::fingerprint::Fingerprints;
use crate::AppState;
use crate::caller::Who;
use crate::layers::compression::{self, CompressedBodies, ContentEncoding};
use crate::layers::poll_interval;
use crate::layers::request_facts;
use crate::limit::Denied;
use crate::observe::metrics::Event;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use exchange::ChangeRate;
use moka::sync::Cache;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{ReadSet, Snapshot, versions};

/// Largest body that is cached or tagged, bytes.
const LARGEST: u64 = 8 << 20;
/// Longest key of a request that is cached, bytes.
const LONGEST: usize = 16 << 10;
/// Bytes of a key beside caller and address, mostly.
const ROOM: usize = 128;
/// How long an answer that depends on the time is cached, milliseconds; as long as a caller.
const TIMED: i64 = 5_000;
/// How long an answer stays that is not requested again.
const IDLE: Duration = Duration::from_secs(3_600);

/// The request headers that identify a caller.
pub(crate) const CALLERS: HeaderValue = HeaderValue::from_static("Authorization, Cookie");

/// Request headers that handlers read.
const VARYING: [HeaderName; 5] = [
    header::ACCEPT,
    HeaderName::from_static("prefer"),
    header::HOST,
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-forwarded-host"),
];

#[derive(Debug)]
pub struct ResponseCache {
    /// None when the cache is off.
    entries: Option<Cache<String, Arc<Entry>>>,
    compressed: CompressedBodies,
    fingerprints: Fingerprints,
}

impl ResponseCache {
    /// A cache of this number of bytes; 0: off.
    pub(crate) fn new(room: u64) -> Self {
        let weight = |key: &String, entry: &Arc<Entry>| {
            let bytes = key.len() + entry.answer.body.len() + 1_024;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let entries =
            (room > 0).then(|| Cache::builder().weigher(weight).max_capacity(room).time_to_idle(IDLE).build());
        let compressed = CompressedBodies::new(room);
        Self { entries, compressed, fingerprints: Fingerprints::new() }
    }

    /// Answers a request, from the cache if it is a read of a caller that the cache holds; 304 on a match. Without a
    /// caller the answer is made each time.
    async fn through(&self, app: &AppState, who: Option<&Who>, mut request: Request, next: Next) -> Response {
        let head = request.method() == Method::HEAD;
        if !head && request.method() != Method::GET {
            return next.run(request).await;
        }
        let born = app.book.clock.now();
        let options = ReplyOptions::of(&request, born);
        let key = (who.filter(|_| self.entries.is_some()))
            .and_then(|who| key(&self.fingerprints.of(&who.principal, born), &request));
        // Taken before anything is read: the answer may be newer than this snapshot, never older.
        let since = match (&key, who.and_then(|who| who.since)) {
            (Some(_), None) => app.book.store.snapshot().await.ok(),
            (_, since) => since,
        };
        if let (Some(who), Some(key), Some(entries)) = (who, &key, &self.entries)
            && since.is_some()
            && let Some(entry) = entries.get(key)
        {
            if entry.holds(app) {
                for (slug, id) in entry.read.views() {
                    if let Some(c) = app.book.registry.get(slug) {
                        app.book.note_view(&who.principal, c, *id, app.book.clock.now());
                    }
                }
                app.metrics.count(Event::Hit);
                let mut response = entry.answer.respond(&options, &self.compressed, true).await;
                response.extensions_mut().insert(CacheHit);
                return response;
            }
            entries.invalidate(key);
        }
        if head {
            // The tag needs the body.
            *request.method_mut() = Method::GET;
        }
        let (response, read) = versions::read_set(next.run(request)).await;
        let (parts, body) = match buffered(response).await {
            Ok(buffered) => buffered,
            Err(response) => return bodiless(response, head),
        };
        let cacheable = parts.extensions.get::<Cacheable>().is_some();
        let rate = parts.extensions.get().copied();
        let answer = Answer::new(parts.headers, body, rate);
        // One that is made each time is mostly the same.
        let reused = who.is_none();
        let response = answer.respond(&options, &self.compressed, reused).await;
        if cacheable {
            app.metrics.count(Event::Miss);
            if let (Some(key), Some(entries), Some(since)) = (key, &self.entries, since)
                && read.is_closed()
            {
                let entry = Entry { since, read, born, answer };
                entries.insert(key, Arc::new(entry));
            }
        }
        response
    }
}

/// Layer of the faces that know their caller: REST and the exchange.
pub(crate) async fn cached(app: Arc<AppState>, request: Request, next: Next) -> Response {
    let who = request.extensions().get::<Who>().cloned();
    // A refusal of the limits wins over a cached answer.
    let denied = request.extensions().get::<Denied>().is_some();
    match who.filter(|_| !denied) {
        Some(who) => (app.response_cache.through(&app, Some(&who), request, next)).await,
        None => next.run(request).await,
    }
}

/// Layer of all other `GET`s: the answer is made each time, and replaced by 304 on a match.
pub(crate) async fn tagged(app: Arc<AppState>, request: Request, next: Next) -> Response {
    (app.response_cache.through(&app, None, request, next)).await
}

/// A cached answer with its read set.
#[derive(Debug)]
struct Entry {
    since: Snapshot,
    read: ReadSet,
    /// When it was made, by the clock of the book.
    born: i64,
    answer: Answer,
}

impl Entry {
    fn holds(&self, app: &AppState) -> bool {
        let age = app.book.clock.now() - self.born;
        let fresh = !self.read.is_timed() || (0..TIMED).contains(&age);
        fresh && app.book.store.versions().holds(self.since, &self.read)
    }
}

#[derive(Debug)]
struct Answer {
    tag: HeaderValue,
    headers: HeaderMap,
    body: Bytes,
    /// How often it changes, if it carries `Poll-Interval`.
    rate: Option<ChangeRate>,
}

impl Answer {
    fn new(mut headers: HeaderMap, body: Bytes, rate: Option<ChangeRate>) -> Self {
        let own = headers.get(header::ETAG).cloned();
        let tag = own.unwrap_or_else(|| tag(&body));
        headers.insert(header::ETAG, tag.clone());
        let checked = HeaderValue::from_static("private, no-cache");
        headers.entry(header::CACHE_CONTROL).or_insert(checked);
        headers.append(header::VARY, CALLERS);
        if compression::is_worthwhile(&headers, body.len()) {
            compression::vary_by_encoding(&mut headers);
        }
        Self { tag, headers, body, rate }
    }

    /// The response in the encoding of the client, or 304. `reused`: the answer is served more
    /// than once, so that its compressed body is stored.
    async fn respond(&self, options: &ReplyOptions, compressed: &CompressedBodies, reused: bool) -> Response {
        let mut headers = self.headers.clone();
        if let Some(rate) = self.rate {
            headers.insert(poll_interval::POLL_INTERVAL, poll_interval::seconds(rate, options.now));
        }
        let encoding = options.encoding;
        let encoding = encoding.filter(|_| compression::is_worthwhile(&self.headers, self.body.len()));
        if let Some(encoding) = encoding {
            headers.insert(header::ETAG, encoding.tag(&self.tag));
        }
        if has(&options.if_none_match, &self.tag) {
            for of_body in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
                headers.remove(of_body);
            }
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let mut body = self.body.clone();
        if let Some(encoding) = encoding {
            match compressed.of((&self.tag, &body), encoding, reused).await {
                Some(smaller) => {
                    headers.insert(header::CONTENT_ENCODING, encoding.word());
                    body = smaller;
                }
                None => {
                    headers.insert(header::ETAG, self.tag.clone());
                }
            }
        }
        headers.insert(header::CONTENT_LENGTH, body.len().into());
        let body = if options.head { Body::empty() } else { Body::from(body) };
        (headers, body).into_response()
    }
}

/// What a request says about the form of its answer.
#[derive(Debug)]
struct ReplyOptions {
    /// The fields `If-None-Match`.
    if_none_match: Vec<HeaderValue>,
    encoding: Option<ContentEncoding>,
    /// `HEAD`: without the body.
    head: bool,
    /// When, epoch milliseconds.
    now: i64,
}

impl ReplyOptions {
    fn of(request: &Request, now: i64) -> Self {
        Self {
            now,
            if_none_match: (request.headers().get_all(header::IF_NONE_MATCH)).into_iter().cloned().collect(),
            encoding: request.extensions().get::<ContentEncoding>().copied(),
            head: request.method() == Method::HEAD,
        }
    }
}

/// Whether `If-None-Match` has the tag, of any encoding (RFC 9110, 13.1.2).
fn has(if_none_match: &[HeaderValue], tag: &HeaderValue) -> bool {
    (if_none_match.iter())
        .flat_map(|field| field.as_bytes().split(|b| *b == b','))
        .map(<[u8]>::trim_ascii)
        .map(|one| one.strip_prefix(b"W/").unwrap_or(one))
        .any(|one| {
            let same = |one: &[u8]| one == tag.as_bytes();
            same(one) || one == b"*" || compression::plain(one).is_some_and(|plain| same(&plain))
        })
}

/// A strong tag of these bytes.
fn tag(body: &[u8]) -> HeaderValue {
    let digest = blake3::hash(body);
    let short: Vec<u8> = digest.as_bytes().iter().take(16).copied().collect();
    let text = format!("\"{}\"", URL_SAFE_NO_PAD.encode(short));
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// The body of a success that is in memory and sets no cookie.
async fn buffered(response: Response) -> Result<(Parts, Bytes), Response> {
    let plain = response.status() == StatusCode::OK
        && !response.headers().contains_key(header::SET_COOKIE)
        && !response.headers().contains_key(header::CONTENT_RANGE);
    let size = response.body().size_hint().exact();
    if !plain || size.is_none_or(|size| size > LARGEST) {
        return Err(response);
    }
    let (parts, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(body) => Ok((parts, body)),
        // The body was in memory already; a broken one must not look complete.
        Err(error) => {
            let broken = model::error::Error::internal(error);
            Err(crate::Refusal::from(broken).into_response())
        }
    }
}

/// The answer to `HEAD` is that to `GET` without its body.
fn bodiless(mut response: Response, head: bool) -> Response {
    if head {
        let size = response.body().size_hint().exact();
        *response.body_mut() = Body::empty();
        if let Some(size) = size {
            response.headers_mut().insert(header::CONTENT_LENGTH, size.into());
        }
    }
    response
}

/// The key: caller, address and varying headers. None when it is too long.
fn key(caller: &str, request: &Request) -> Option<String> {
    let uri = request.uri();
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    let mut key = String::with_capacity(caller.len() + path.len() + query.len() + ROOM);
    key.push_str(caller);
    if let Some(authority) = uri.authority() {
        key.push_str(uri.scheme_str().unwrap_or_default());
        key.push_str("://");
        key.push_str(authority.as_str());
    }
    key.push_str(path);
    if uri.query().is_some() {
        key.push('?');
        key.push_str(query);
    }
    varying(request.headers(), &mut key)?;
    if let Some(own) = request_facts::local_address() {
        // As many characters for each address.
        let address = match own.ip() {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        let bytes = (address.octets().into_iter()).chain(own.port().to_be_bytes());
        key.extend(bytes.map(char::from));
    }
    (key.len() <= LONGEST).then_some(key)
}

/// Appends the values of [`VARYING`]. None if one is not plain text.
fn varying(headers: &HeaderMap, all: &mut String) -> Option<()> {
    for name in &VARYING {
        all.push('\n');
        for value in headers.get_all(name) {
            all.push_str(value.to_str().ok()?);
            // No value has this character, so that two fields are never taken for one.
            all.push('\r');
        }
    }
    all.push('\n');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: &'static str) -> [HeaderValue; 1] {
        [HeaderValue::from_static(value)]
    }

    #[test]
    fn a_tag_is_known_again_in_any_of_its_spellings() {
        let tag = tag(b"one");
        let text = tag.to_str().unwrap().to_owned();
        assert!(text.starts_with('"') && text.ends_with('"') && text.len() == 24, "{text}");
        assert_ne!(tag, super::tag(b"two"));
        let leaked: &'static str = format!("\"x\" , W/{text}").leak();
        assert!(has(&field(leaked), &tag));
        assert!(has(&field("*"), &tag));
        assert!(!has(&field("\"x\""), &tag));
        assert!(!has(&[], &tag));
    }

    #[test]
    fn two_fields_are_not_taken_for_one() {
        let key_part = |values: &[&'static str]| {
            let accept = |value: &&'static str| (header::ACCEPT, HeaderValue::from_static(value));
            let mut headers = HeaderMap::new();
            for (name, value) in values.iter().map(accept) {
                headers.append(name, value);
            }
            let mut all = String::new();
            varying(&headers, &mut all).unwrap();
            all
        };
        assert_eq!(key_part(&["text/csv;q=0"]), key_part(&["text/csv;q=0"]));
        assert_ne!(key_part(&["text/csv;q=0"]), key_part(&["text/csv", "q=0"]));
        assert_ne!(key_part(&["text/csv"]), key_part(&[]));
    }

    #[tokio::test]
    async fn who_has_it_gets_no_body() {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let answer = Answer::new(headers, Bytes::from_static(b"{}"), None);
        let compressed = CompressedBodies::new(0);
        let options = |if_none_match: Option<&HeaderValue>| ReplyOptions {
            if_none_match: if_none_match.into_iter().cloned().collect(),
            encoding: Some(ContentEncoding::Gzip),
            head: false,
            now: 0,
        };
        let full = answer.respond(&options(None), &compressed, false).await;
        assert_eq!(full.status(), 200);
        assert_eq!(full.headers()["content-length"], "2");
        assert!(!full.headers().contains_key("content-encoding"), "tiny");
        let matching = options(Some(&answer.tag));
        let same = answer.respond(&matching, &compressed, false).await;
        assert_eq!(same.status(), 304);
        assert!(!same.headers().contains_key("content-type"));
        assert_eq!(same.headers()["etag"], full.headers()["etag"]);
    }
}
