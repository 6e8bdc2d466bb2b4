//! Request classes, which clients know as lanes, and the cost of requests. Costs are tenths of a
//! request, so that a 304, which costs the server next to nothing, costs little.

use crate::layers::method_override::is_get;
use crate::layers::response_cache::cache_marks::CacheHit;
use crate::pages::certificate::check;
use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use std::num::NonZero;

/// A usual request, tenths.
pub(super) const REQUEST: u64 = 10;
/// What a read costs in advance: as much as a 304.
const ADVANCE: u64 = 1;
/// An answer from the response cache.
const AGAIN: u64 = 1;
/// Bytes of an answer that cost a tenth more.
const ANSWER_BYTES: u64 = 16 << 10;
/// Bytes of a request that cost a tenth more: writing is dearer than reading.
const BODY_BYTES: u64 = 4 << 10;

/// Reads at a time for each processor: while some wait for the database, others keep it busy.
/// More of them would slow down each other and those that come next.
const READING: usize = 4;
/// Writes at a time: most of them wait for the one commit that they share.
const WRITING: usize = 64;

/// Bytes of a row that is sent, about.
const ROW: u64 = 200;

/// Rows of a list beyond which it counts as many records.
const PAGE: u64 = 500;

/// Cost of the plan of a GraphQL query that costs a tenth.
const QUERY: u64 = 10;

/// Kinds of requests that are counted apart; clients call them lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RequestClass {
    Read,
    Write,
    /// Many records at once.
    Bulk,
    /// Sign-in and other ways into an account, and checks of certificates: a secret may be guessed.
    SignIn,
}

pub(super) const CLASSES: [RequestClass; 4] =
    [RequestClass::Read, RequestClass::Write, RequestClass::Bulk, RequestClass::SignIn];

/// Last segments of the routes that let people into an account.
pub(crate) const DOORS: [&str; 10] = [
    "login",
    "accept",
    "forgot-password",
    "reset-password",
    "unlock",
    "unlock-link",
    "first-register",
    // With a session, and a password that is checked.
    "second-factor",
    "passkeys",
    // Without one.
    "passkey-login",
];
/// Of others that take a secret; `open` is a view link, by its token.
const SECRETS: [&str; 3] = ["unsubscribe", "open", "verify"];

/// The answer cost more tenths than its form shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost(pub(crate) u64);

impl Cost {
    /// The cost of a GraphQL query, by the cost of its plan: ten fields of ten records are a usual request.
    pub(crate) fn of_query(plan: u64) -> Self {
        Self(plan / QUERY)
    }

    /// The cost of a short request that is about many rows: what a request costs that has each of them.
    pub(crate) fn of_rows(rows: usize) -> Self {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        Self(rows / (BODY_BYTES / ROW))
    }

    /// The cost of what is computed of a pedigree of so many animals, about so many pairs or rows.
    pub(crate) fn of_pedigree(rows: usize, animals: usize) -> Self {
        Self::of_rows(rows.saturating_add(animals / 10))
    }
}

impl RequestClass {
    /// The class of a request, by its matched route.
    pub(super) fn of(request: &Request) -> Self {
        let path = request.extensions().get::<MatchedPath>();
        let path = path.map_or_else(|| request.uri().path(), MatchedPath::as_str);
        if path == check::PATH {
            return Self::SignIn;
        }
        if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
            let query = request.uri().query().unwrap_or_default();
            return match whole(query, path.starts_with("/api/")) || path.ends_with("/kinship") {
                true => Self::Bulk,
                false => Self::Read,
            };
        }
        let rest = path.strip_prefix("/api/");
        let mut steps = rest.unwrap_or_default().split('/');
        let (_, action) = (steps.next(), steps.next());
        let reads = steps.next().is_none() && is_get(request.headers());
        match (rest, action) {
            // A mutation is counted as a write once the query is read (`Limits::writes`).
            (Some("graphql"), _) => Self::Read,
            (Some(_), Some(action)) if DOORS.contains(&action) || SECRETS.contains(&action) => Self::SignIn,
            (Some(_), None) if *request.method() != Method::POST => Self::Bulk,
            (Some(_), Some("count" | "access")) => Self::Read,
            (Some(_), Some("mating-plan")) => Self::Bulk,
            (Some(_), Some(_)) if reads => Self::Read,
            (None, _) if path.contains("/batches/locations/") || path.ends_with("/resources") => Self::Bulk,
            (None, _) if path.ends_with("/match") => Self::Read,
            _ => Self::Write,
        }
    }

    pub(super) fn entry<T>(self, all: &[T; CLASSES.len()]) -> Option<&T> {
        let mut entries = CLASSES.iter().zip(all);
        entries.find_map(|(class, entry)| (*class == self).then_some(entry))
    }

    /// The name that clients see.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Bulk => "bulk",
            Self::SignIn => "sign-in",
        }
    }

    /// Permits, unless configured.
    pub(super) fn permits(self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        match self {
            Self::Read | Self::SignIn => READING.saturating_mul(processors),
            Self::Write | Self::Bulk => WRITING,
        }
    }

    /// The cost that is charged in advance.
    pub(super) fn advance(self) -> u64 {
        match self {
            Self::Read | Self::Bulk => ADVANCE,
            Self::Write | Self::SignIn => REQUEST,
        }
    }
}

/// Whether a request is for many records: a list without an end, over REST a long one too, or
/// joins of that kind. A page of the feed is one text, however many elements it has.
fn whole(query: &str, rest: bool) -> bool {
    query.split('&').any(|part| {
        let Some((name, value)) = part.split_once('=') else {
            return false;
        };
        // Of a list, or `joins[name][limit]`, whose brackets may be written as they like.
        let limits = name == "limit" || (name.starts_with("joins") && name.contains("limit"));
        limits && (value.parse::<u64>()).is_ok_and(|n| n == 0 || (rest && n > PAGE))
    })
}

/// The additional cost of an answer, as far as its head shows it.
pub(super) fn head(class: RequestClass, response: &Response) -> u64 {
    if response.status() == StatusCode::NOT_MODIFIED {
        return 0;
    }
    let made = match response.extensions().get::<CacheHit>() {
        Some(_) => AGAIN,
        None => REQUEST.saturating_sub(class.advance()),
    };
    let more = response.extensions().get::<Cost>();
    made.max(more.map_or(0, |cost| cost.0))
}

/// The size of an answer, if it is known; for `HEAD`, that of the body of the `GET`.
pub(super) fn bytes(response: &Response) -> Option<u64> {
    let exact = response.body().size_hint().exact()?;
    let length = response.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    Some(length.unwrap_or(0).max(exact))
}

/// Seconds of the database that a minute's worth pays for.
const SECONDS: u64 = 24;

/// The cost of a second of the database where this number of requests a minute is allowed, tenths.
pub(super) fn second(requests: u32) -> u64 {
    u64::from(requests).saturating_mul(REQUEST) / SECONDS
}

/// The cost of this number of bytes of an answer.
pub(super) fn answer_cost(bytes: u64) -> u64 {
    bytes / ANSWER_BYTES
}

/// The cost of this number of bytes of a request.
pub(super) fn body_cost(bytes: u64) -> u64 {
    bytes / BODY_BYTES
}

#[cfg(test)]
mod tests {
    use super::{RequestClass, whole};
    use axum::body::Body;
    use axum::extract::Request;

    #[test]
    fn kinship_and_plans_are_of_the_class_of_many() {
        let of = |method: &str, uri: &str| {
            let request = Request::builder().method(method).uri(uri).body(Body::empty());
            RequestClass::of(&request.unwrap())
        };
        assert_eq!(of("GET", "/api/animals/1/kinship?with=2"), RequestClass::Bulk);
        assert_eq!(of("POST", "/api/animals/mating-plan"), RequestClass::Bulk);
        assert_eq!(of("GET", "/api/animals/1"), RequestClass::Read);
    }

    #[test]
    fn many_records_are_a_class_of_their_own() {
        for query in [
            "limit=0",
            "depth=0&limit=501&page=1",
            "joins[children][limit]=0",
            "limit=10&joins%5Bchildren%5D%5Blimit%5D=5000",
        ] {
            assert!(whole(query, true), "{query}");
        }
        for query in
            ["", "limit=", "limit=500", "where[limit][equals]=0", "joins[children][limit]=10&joins[children][page]=900"]
        {
            assert!(!whole(query, true), "{query}");
        }
        assert!(!whole("limit=1000", false), "a page of the feed");
        assert!(whole("limit=0", false));
    }
}
