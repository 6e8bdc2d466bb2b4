//! Answers that are given again (docs/design/cache.md, *Response cache*). An answer to a `GET` is
//! kept with what it rests on, and given again to the same caller for the same request as long as
//! none of that has changed; who shows that he has it hears 304, for which no table is read. Tags
//! are made of the bytes, so that two processes, and the same one after a restart, tag the same
//! answer alike.
//!
//! Nothing here rests on notices of other processes: before an answer is given again, the
//! book is asked whether anything was committed since (`store/versions.rs`). What depends
//! on the time besides is kept for seconds, as callers are.

use super::Hub;
use super::ade::poll_interval;
use super::caller::Who;
use super::limit::Denied;
use super::pack::{self, Packing, Packs};
use super::peer;
use crate::exchange::ChangeRate;
use crate::registry::Principal;
use crate::store::{Footprint, Moment, versions};
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use moka::sync::Cache;
use std::sync::Arc;
use std::time::Duration;

/// Largest body that is kept or tagged, bytes.
const LARGEST: u64 = 8 << 20;
/// Longest description of a request that is kept, bytes.
const LONGEST: usize = 16 << 10;
/// How long an answer is given again that depends on the time, milliseconds; as long as a
/// caller is believed.
const TIMED: i64 = 5_000;
/// How long one is remembered that nobody asks for.
const IDLE: Duration = Duration::from_secs(3_600);

/// What tells callers apart.
pub(super) const CALLERS: HeaderValue = HeaderValue::from_static("Authorization, Cookie");

/// Request headers that handlers look at.
const VARYING: [HeaderName; 5] = [
    header::ACCEPT,
    HeaderName::from_static("prefer"),
    header::HOST,
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-forwarded-host"),
];

/// Marks an answer that depends on caller, request and book alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keep;

/// Marks an answer that was in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Again;

/// The answers that are kept.
#[derive(Debug)]
pub struct Pages {
    /// None when none are kept.
    entries: Option<Cache<String, Arc<Entry>>>,
    /// Their bodies in fewer bytes.
    packs: Packs,
}

impl Pages {
    /// Room for so many bytes.
    pub(super) fn new(room: u64) -> Self {
        let weight = |key: &String, entry: &Arc<Entry>| {
            let bytes = key.len() + entry.answer.body.len() + 1_024;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let entries = (room > 0).then(|| {
            Cache::builder()
                .weigher(weight)
                .max_capacity(room)
                .time_to_idle(IDLE)
                .build()
        });
        let packs = Packs::new(room);
        Self { entries, packs }
    }

    /// Answers a request that only reads. Nothing of it was read before the book was in the
    /// state of `since`; none: nothing was read so far.
    pub(super) async fn through(
        &self,
        hub: &Hub,
        (caller, since): (&Principal, Option<Moment>),
        mut request: Request,
        next: Next,
    ) -> Response {
        let head = request.method() == Method::HEAD;
        if !head && request.method() != Method::GET {
            return next.run(request).await;
        }
        let born = hub.book.clock.now();
        let asked = Wanted::of(&request, born);
        let key = key(hub, caller, &request).filter(|_| self.entries.is_some());
        // Before anything is read: what is kept may be newer than this, never older.
        let since = match (&key, since) {
            (Some(_), None) => hub.book.store.moment().await.ok(),
            (_, since) => since,
        };
        if let (Some(key), Some(entries)) = (&key, &self.entries)
            && since.is_some()
            && let Some(entry) = entries.get(key)
        {
            if entry.holds(hub) {
                for (slug, id) in entry.read.seen() {
                    if let Some(c) = hub.book.registry.get(slug) {
                        hub.book.seen(caller, c, *id, hub.book.clock.now());
                    }
                }
                hub.metrics.hit();
                let mut response = entry.answer.respond(&asked, &self.packs, true).await;
                response.extensions_mut().insert(Again);
                return response;
            }
            entries.invalidate(key);
        }
        if head {
            // The tag is made of the body.
            *request.method_mut() = Method::GET;
        }
        let (response, read) = versions::footprint(next.run(request)).await;
        let (parts, body) = match whole(response).await {
            Ok(whole) => whole,
            Err(response) => return bodiless(response, head),
        };
        let keep = parts.extensions.get::<Keep>().is_some();
        let rate = parts.extensions.get().copied();
        let answer = Answer::new(parts.headers, body).with_rate(rate);
        let response = answer.respond(&asked, &self.packs, false).await;
        if keep {
            hub.metrics.missed();
            if let (Some(key), Some(entries), Some(since)) = (key, &self.entries, since)
                && read.is_closed()
            {
                let entry = Entry {
                    since,
                    read,
                    born,
                    answer,
                };
                entries.insert(key, Arc::new(entry));
            }
        }
        response
    }
}

/// Answers that are given again: the REST face, which knows who calls.
pub(super) async fn rest(hub: Arc<Hub>, request: Request, next: Next) -> Response {
    let who = request.extensions().get::<Who>().cloned();
    // Who is refused is so whatever is kept.
    let denied = request.extensions().get::<Denied>().is_some();
    match who.filter(|_| !denied) {
        Some(who) => {
            let caller = (&*who.principal, who.since);
            hub.kept.through(&hub, caller, request, next).await
        }
        None => next.run(request).await,
    }
}

/// Answers of any other `GET`: made each time, and left out when the client has them.
pub(super) async fn tagged(hub: Arc<Hub>, mut request: Request, next: Next) -> Response {
    let head = request.method() == Method::HEAD;
    if !head && request.method() != Method::GET {
        return next.run(request).await;
    }
    let asked = Wanted::of(&request, hub.book.clock.now());
    if head {
        *request.method_mut() = Method::GET;
    }
    match whole(next.run(request).await).await {
        Ok((parts, body)) => {
            let answer = Answer::new(parts.headers, body);
            answer.respond(&asked, &hub.kept.packs, true).await
        }
        Err(response) => bodiless(response, head),
    }
}

/// An answer and what it rests on.
#[derive(Debug)]
struct Entry {
    since: Moment,
    read: Footprint,
    /// By the clock of the book.
    born: i64,
    answer: Answer,
}

impl Entry {
    fn holds(&self, hub: &Hub) -> bool {
        let age = hub.book.clock.now() - self.born;
        let fresh = !self.read.is_timed() || (0..TIMED).contains(&age);
        fresh && hub.book.store.versions().holds(self.since, &self.read)
    }
}

/// A body with its tag.
#[derive(Debug)]
struct Answer {
    tag: HeaderValue,
    headers: HeaderMap,
    body: Bytes,
    /// How often it changes, as far as that is told.
    rate: Option<ChangeRate>,
}

impl Answer {
    fn new(mut headers: HeaderMap, body: Bytes) -> Self {
        let own = headers.get(header::ETAG).cloned();
        let tag = own.unwrap_or_else(|| tag(&body));
        headers.insert(header::ETAG, tag.clone());
        let checked = HeaderValue::from_static("private, no-cache");
        headers.entry(header::CACHE_CONTROL).or_insert(checked);
        headers.append(header::VARY, CALLERS);
        if pack::worth(&headers, body.len()) {
            varies_by_packing(&mut headers);
        }
        Self {
            tag,
            headers,
            body,
            rate: None,
        }
    }

    fn with_rate(self, rate: Option<ChangeRate>) -> Self {
        Self { rate, ..self }
    }

    /// The answer as the client takes it, or that he has it. `again`: it is given more than
    /// once, so that what was packed is kept.
    async fn respond(&self, asked: &Wanted, packs: &Packs, again: bool) -> Response {
        let mut headers = self.headers.clone();
        if let Some(rate) = self.rate {
            headers.insert(
                poll_interval::POLL_INTERVAL,
                poll_interval::seconds(rate, asked.now),
            );
        }
        let packing = asked.packing;
        let packing = packing.filter(|_| pack::worth(&self.headers, self.body.len()));
        if let Some(packing) = packing {
            headers.insert(header::ETAG, packing.tag(&self.tag));
        }
        if has(&asked.headers, &self.tag) {
            for of_body in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
                headers.remove(of_body);
            }
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let mut body = self.body.clone();
        if let Some(packing) = packing {
            match packs.of((&self.tag, &body), packing, again).await {
                Some(packed) => {
                    headers.insert(header::CONTENT_ENCODING, packing.word());
                    body = packed;
                }
                None => {
                    headers.insert(header::ETAG, self.tag.clone());
                }
            }
        }
        headers.insert(header::CONTENT_LENGTH, body.len().into());
        let body = if asked.head {
            Body::empty()
        } else {
            Body::from(body)
        };
        (headers, body).into_response()
    }
}

/// What a client said of the answer that he wants.
#[derive(Debug)]
struct Wanted {
    headers: HeaderMap,
    packing: Option<Packing>,
    /// Without its body.
    head: bool,
    /// When, epoch milliseconds.
    now: i64,
}

impl Wanted {
    fn of(request: &Request, now: i64) -> Self {
        Self {
            now,
            headers: request.headers().clone(),
            packing: request.extensions().get::<Packing>().copied(),
            head: request.method() == Method::HEAD,
        }
    }
}

/// The same answer has other bytes for those who take it packed.
pub(super) fn varies_by_packing(headers: &mut HeaderMap) {
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
}

/// Whether the client says that he has the bytes of that tag, packed or not (RFC 9110,
/// 13.1.2).
fn has(asked: &HeaderMap, tag: &HeaderValue) -> bool {
    let fields = asked.get_all(header::IF_NONE_MATCH).iter();
    fields
        .flat_map(|field| field.as_bytes().split(|b| *b == b','))
        .map(<[u8]>::trim_ascii)
        .map(|one| one.strip_prefix(b"W/").unwrap_or(one))
        .any(|one| {
            let same = |one: &[u8]| one == tag.as_bytes();
            same(one) || one == b"*" || pack::plain(one).is_some_and(|plain| same(&plain))
        })
}

/// A strong tag of these bytes.
fn tag(body: &[u8]) -> HeaderValue {
    let digest = blake3::hash(body);
    let short: Vec<u8> = digest.as_bytes().iter().take(16).copied().collect();
    let text = format!("\"{}\"", URL_SAFE_NO_PAD.encode(short));
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// A success that is there as a whole and is nobody's sign-in.
async fn whole(response: Response) -> Result<(Parts, Bytes), Response> {
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
        // It was in memory already; whatever broke, nothing of it may look whole.
        Err(error) => {
            let broken = crate::error::Error::internal(error);
            Err(super::Refusal::from(broken).into_response())
        }
    }
}

/// The answer to `HEAD` is that to `GET` without its body.
fn bodiless(mut response: Response, head: bool) -> Response {
    if head {
        let size = response.body().size_hint().exact();
        *response.body_mut() = Body::empty();
        if let Some(size) = size {
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, size.into());
        }
    }
    response
}

/// What an answer depends on besides the book: who asks, for what, in which form. None when
/// it is too long.
fn key(hub: &Hub, caller: &Principal, request: &Request) -> Option<String> {
    let mut key = request.uri().to_string();
    key.push_str(&varying(request.headers())?);
    if let Some(own) = peer::own() {
        key.push_str(&own.to_string());
    }
    key.push_str(&caller.print(hub.book.clock.now()));
    (key.len() <= LONGEST).then_some(key)
}

/// The fields that handlers look at. None for what is not plain text.
fn varying(headers: &HeaderMap) -> Option<String> {
    let mut all = String::new();
    for name in &VARYING {
        all.push('\n');
        for value in headers.get_all(name) {
            all.push_str(value.to_str().ok()?);
            // No value has it, so that two fields are never taken for one.
            all.push('\r');
        }
    }
    all.push('\n');
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_tag_is_known_again_in_any_of_its_spellings() {
        let tag = tag(b"one");
        let text = tag.to_str().unwrap().to_owned();
        assert!(
            text.starts_with('"') && text.ends_with('"') && text.len() == 24,
            "{text}"
        );
        assert_ne!(tag, super::tag(b"two"));
        let leaked: &'static str = format!("\"x\" , W/{text}").leak();
        assert!(has(&asked(leaked), &tag));
        assert!(has(&asked("*"), &tag));
        assert!(!has(&asked("\"x\""), &tag));
        assert!(!has(&HeaderMap::new(), &tag));
    }

    #[test]
    fn two_fields_are_not_taken_for_one() {
        let told = |values: &[&'static str]| {
            let accept = |value: &&'static str| (header::ACCEPT, HeaderValue::from_static(value));
            let mut headers = HeaderMap::new();
            for (name, value) in values.iter().map(accept) {
                headers.append(name, value);
            }
            varying(&headers).unwrap()
        };
        assert_eq!(told(&["text/csv;q=0"]), told(&["text/csv;q=0"]));
        assert_ne!(told(&["text/csv;q=0"]), told(&["text/csv", "q=0"]));
        assert_ne!(told(&["text/csv"]), told(&[]));
    }

    #[tokio::test]
    async fn who_has_it_gets_no_body() {
        let headers = HeaderMap::from_iter([(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )]);
        let answer = Answer::new(headers, Bytes::from_static(b"{}"));
        let packs = Packs::new(0);
        let wanted = |known: Option<&HeaderValue>| Wanted {
            headers: (known.into_iter())
                .map(|tag| (header::IF_NONE_MATCH, tag.clone()))
                .collect(),
            packing: Some(Packing::Gzip),
            head: false,
            now: 0,
        };
        let whole = answer.respond(&wanted(None), &packs, false).await;
        assert_eq!(whole.status(), 200);
        assert_eq!(whole.headers()["content-length"], "2");
        assert!(!whole.headers().contains_key("content-encoding"), "tiny");
        let known = wanted(Some(&answer.tag));
        let same = answer.respond(&known, &packs, false).await;
        assert_eq!(same.status(), 304);
        assert!(!same.headers().contains_key("content-type"));
        assert_eq!(same.headers()["etag"], whole.headers()["etag"]);
    }
}
