//! Scripts and style sheets of the pages that show the faces, within the program.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A file: its name, how long browsers store it, its content.
pub(crate) type Asset = (&'static str, &'static str, &'static [u8]);

/// Of files of others, whose versions change rarely.
pub(crate) const DAY: &str = "public, max-age=86400";
/// Of our own, which belong to the page.
pub(crate) const NEVER: &str = "no-cache";

pub(crate) fn asset(all: &[Asset], name: &str) -> Response {
    let Some((_, stored, content)) = all.iter().find(|(own, ..)| *own == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kind = match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, *stored)];
    (headers, *content).into_response()
}
