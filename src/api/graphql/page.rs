//! The page to try queries on: `GraphiQL`, with all that it needs from here.

use crate::AppState;
use crate::pages::assets::{Asset, DAY, NEVER, asset};
use axum::Router;
use axum::extract::Path;
use axum::http::header;
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
    Router::new().route("/api/graphql-playground", get(page)).route("/api/graphql-playground/{file}", get(file))
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

/// The files. The origin of those of others is stated beside them.
const ASSETS: [Asset; 6] = [
    ("page.js", NEVER, include_bytes!("page/page.js")),
    ("page.css", NEVER, include_bytes!("page/page.css")),
    ("graphiql.min.js", DAY, include_bytes!("graphiql/graphiql.min.js")),
    ("graphiql.min.css", DAY, include_bytes!("graphiql/graphiql.min.css")),
    ("react.production.min.js", DAY, include_bytes!("graphiql/react.production.min.js")),
    ("react-dom.production.min.js", DAY, include_bytes!("graphiql/react-dom.production.min.js")),
];

async fn file(Path(name): Path<String>) -> Response {
    asset(&ASSETS, &name)
}
