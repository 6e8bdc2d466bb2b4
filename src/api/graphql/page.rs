//! The page to try queries on: `GraphiQL`, with all that it needs from here.

use crate::AppState;
use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

const PAGE: &str = include_str!("page/page.html");

/// Scripts come from here only. Styles may be inside the page: where a dialog opens, `GraphiQL` writes one that keeps the
/// page from scrolling. Its fonts are within its style sheet.
const POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; font-src data:; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/api/graphql-playground", get(page)).route("/api/graphql-playground/{file}", get(asset))
}

/// `GET /api/graphql-playground`
async fn page() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, PAGE).into_response()
}

struct Asset {
    name: &'static str,
    kind: &'static str,
    stored: &'static str,
    content: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
/// Files of others, whose versions change rarely.
const DAY: &str = "public, max-age=86400";
/// Our own, which belong to the page.
const NEVER: &str = "no-cache";

/// The files. The origin of those of others is stated beside them.
const ASSETS: [Asset; 6] = [
    Asset { name: "page.js", kind: SCRIPT, stored: NEVER, content: include_str!("page/page.js") },
    Asset { name: "page.css", kind: STYLE, stored: NEVER, content: include_str!("page/page.css") },
    Asset { name: "graphiql.min.js", kind: SCRIPT, stored: DAY, content: include_str!("graphiql/graphiql.min.js") },
    Asset { name: "graphiql.min.css", kind: STYLE, stored: DAY, content: include_str!("graphiql/graphiql.min.css") },
    Asset {
        name: "react.production.min.js",
        kind: SCRIPT,
        stored: DAY,
        content: include_str!("graphiql/react.production.min.js"),
    },
    Asset {
        name: "react-dom.production.min.js",
        kind: SCRIPT,
        stored: DAY,
        content: include_str!("graphiql/react-dom.production.min.js"),
    },
];

async fn asset(Path(file): Path<String>) -> Response {
    let Some(asset) = ASSETS.iter().find(|one| one.name == file) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.kind),
        (header::CACHE_CONTROL, asset.stored),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.content).into_response()
}
