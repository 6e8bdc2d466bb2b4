//! The style sheet and the script of all pages. Their addresses change with their content, so that browsers store them
//! for good.

use axum::Router;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use axum::routing::get;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

static STYLE_PATH: LazyLock<String> = LazyLock::new(|| path("style", STYLE, "css"));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| path("script", SCRIPT, "js"));

fn path(name: &str, content: &str, ending: &str) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("/pages/{name}-{:016x}.{ending}", hasher.finish())
}

pub(crate) fn style() -> &'static str {
    &STYLE_PATH
}

pub(crate) fn script() -> &'static str {
    &SCRIPT_PATH
}

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route(style(), get(async || asset("text/css; charset=utf-8", STYLE)))
        .route(script(), get(async || asset("text/javascript; charset=utf-8", SCRIPT)))
}

fn asset(kind: &'static str, content: &'static str) -> impl IntoResponse {
    let headers: [(HeaderName, &str); 2] =
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    (headers, content)
}
