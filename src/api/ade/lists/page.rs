//! Answers that are pages of a collection, and the address of one.

use super::super::query::{Ignored, quoted};
use super::super::{ROOT, json};
use crate::layers::response_cache::cache_marks::Cacheable;
use axum::http::StatusCode;
use axum::response::Response;

/// The address of a collection, quoted.
pub(in crate::ade) fn path(scheme: &str, id: &str, collection: &str) -> String {
    format!("{ROOT}/locations/{}/{}/{}", quoted(scheme), quoted(id), quoted(collection))
}

/// A page with a note on what did not count.
pub(in crate::ade) fn answer(body: Vec<u8>, ignored: &Ignored) -> Response {
    let mut response = cacheable(body);
    ignored.tell(&mut response);
    response
}

/// A page that is made anew for each request.
pub(in crate::ade) fn fresh(body: Vec<u8>, ignored: &Ignored) -> Response {
    let mut response = json(StatusCode::OK, body);
    ignored.tell(&mut response);
    response
}

/// An answer that holds as long as what was read for it.
pub(in crate::ade) fn cacheable(body: Vec<u8>) -> Response {
    let mut response = json(StatusCode::OK, body);
    response.extensions_mut().insert(Cacheable);
    response
}
