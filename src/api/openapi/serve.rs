//! The document, whole and in parts, and a page that shows it, with everything it needs: it works without the internet.

use super::parts::Parts;
use super::{Facts, document};
use crate::AppState;
use crate::pages::assets::{Asset, DAY, NEVER, asset};
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// The document, whole and in parts, and the page that shows it. It is made at the first request: a server starts
/// sooner without it, and most never get a request.
pub(crate) fn router() -> Router<Arc<AppState>> {
    let whole = Arc::new(OnceLock::new());
    let parts = Arc::new(Parts::default());
    let listed = (Arc::clone(&whole), Arc::clone(&parts));
    let answer = move |State(app): State<Arc<AppState>>, RawQuery(query): RawQuery| {
        let all: &Bytes = whole.get_or_init(|| bytes(&app));
        let query = url::form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes());
        let tag = query.into_iter().find(|(name, _)| name == "tag");
        let text = match tag {
            Some((_, tag)) => parts.tagged(all, &tag),
            None => Some(all.clone()),
        };
        std::future::ready(match text {
            Some(bytes) => (HEADERS, bytes).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        })
    };
    let operations = move |State(app): State<Arc<AppState>>| {
        let (whole, parts) = &listed;
        let bytes = parts.operations(whole.get_or_init(|| bytes(&app)));
        std::future::ready((HEADERS, bytes).into_response())
    };
    Router::new()
        .route("/api-docs/openapi.json", get(answer))
        .route("/api-docs/operations.json", get(operations))
        .merge(viewer())
}

/// The document does not depend on the caller.
const HEADERS: [(HeaderName, &str); 3] = [
    (header::CONTENT_TYPE, "application/json"),
    (header::CACHE_CONTROL, "public, max-age=300"),
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
];

fn bytes(app: &AppState) -> Bytes {
    let facts = Facts { service: &app.settings.service, depth: app.settings.depth };
    let document = document(app.book.registry, app.exchange.rules().mappings(), &facts);
    Bytes::from(document.to_string())
}

const PAGE: &str = include_str!("view.html");

/// Scripts come from here only; styles may be inside the page, the viewer writes some.
const POLICY: &str =
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

fn viewer() -> Router<Arc<AppState>> {
    let page = || async { ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(PAGE)) };
    Router::new()
        .route("/api-docs/view", get(page))
        .route("/api-docs/", get(|| async { Redirect::permanent("/api-docs") }))
        .route("/api-docs/assets/{file}", get(viewer_file))
}

/// The files of the viewer, whose origin is stated beside them, and our own around it.
const ASSETS: [Asset; 4] = [
    ("view.js", NEVER, include_bytes!("view.js")),
    ("view.css", NEVER, include_bytes!("view.css")),
    ("swagger-ui-bundle.js", DAY, include_bytes!("swagger-ui/swagger-ui-bundle.js")),
    ("swagger-ui.css", DAY, include_bytes!("swagger-ui/swagger-ui.css")),
];

async fn viewer_file(Path(name): Path<String>) -> Response {
    asset(&ASSETS, &name)
}
