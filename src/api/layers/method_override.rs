//! A POST that is meant as a GET: its query is longer than an address may be.

use axum::http::HeaderMap;

const HEADERS: [&str; 2] = ["x-payload-http-method-override", "x-http-method-override"];

/// Whether a POST is meant as a GET.
pub(crate) fn is_get(headers: &HeaderMap) -> bool {
    HEADERS.iter().any(|name| headers.get(*name).is_some_and(|value| value == "GET"))
}
