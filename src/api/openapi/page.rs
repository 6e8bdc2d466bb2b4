//! A page that shows the document, with everything it needs: it works without the internet.

use super::replies::ok;
use crate::AppState;
use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The tag of operations about the server itself.
pub(super) const TAG: &str = "Platform · Server";

const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Herdbook Hub: API</title>
<link rel="stylesheet" href="/api-docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/api-docs/assets/view.css">
<link rel="icon" href="data:,">
</head>
<body>
<nav class="bar" aria-label="Pages"><a href="/">Herdbook Hub</a> <a href="/api-docs">All operations</a></nav>
<main id="swagger-ui"></main>
<script src="/api-docs/assets/swagger-ui-bundle.js"></script>
<script src="/api-docs/assets/view.js"></script>
</body>
</html>
"#;

/// Scripts come from here only; styles may be inside the page, the viewer writes some.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

pub(super) fn router() -> Router<Arc<AppState>> {
    let page = || async { ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(PAGE)) };
    Router::new()
        .route("/api-docs/view", get(page))
        .route(
            "/api-docs/",
            get(|| async { Redirect::permanent("/api-docs") }),
        )
        .route("/api-docs/assets/{file}", get(asset))
}

/// Files of others, whose versions change rarely.
const DAY: &str = "public, max-age=86400";
/// Our own, which belong to the page.
const NEVER: &str = "no-cache";

/// The files of the viewer, whose origin is stated beside them, and our own around it: name, type, how long browsers
/// store it, content.
const ASSETS: [(&str, &str, &str, &[u8]); 4] = [
    (
        "view.js",
        "text/javascript",
        NEVER,
        include_bytes!("view.js"),
    ),
    ("view.css", "text/css", NEVER, include_bytes!("view.css")),
    (
        "swagger-ui-bundle.js",
        "text/javascript",
        DAY,
        include_bytes!("swagger-ui/swagger-ui-bundle.js"),
    ),
    (
        "swagger-ui.css",
        "text/css",
        DAY,
        include_bytes!("swagger-ui/swagger-ui.css"),
    ),
];

/// A file of the viewer.
async fn asset(Path(file): Path<String>) -> Response {
    let found = ASSETS.iter().find(|(name, ..)| *name == file);
    let Some((_, content_type, stored, bytes)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, *content_type),
        (header::CACHE_CONTROL, *stored),
    ];
    (headers, *bytes).into_response()
}

/// Operations about the server.
pub(super) fn paths() -> Map<String, Value> {
    let key = json!({
        "type": "object", "required": ["kty", "crv", "x", "kid"],
        "properties": {
            "kty": {"const": "OKP"}, "crv": {"const": "Ed25519"},
            "x": {"type": "string", "description": "Public half, base64url."},
            "kid": {"type": "string", "description": "Thumbprint (RFC 7638)."},
            "use": {"const": "sig"}, "alg": {"const": "EdDSA"},
        },
    });
    let set = json!({
        "type": "object", "required": ["keys"],
        "properties": {"keys": {"type": "array", "items": key}},
    });
    let about = "The public keys of the installation as JSON Web Keys (RFC 7517, RFC 8037), retired ones too.";
    let keys = json!({"get": {
        "operationId": "signingKeys", "tags": [TAG], "summary": "Keys that sign packages",
        "description": about, "security": [{}],
        "responses": {"200": {
            "description": about, "content": {"application/jwk-set+json": {"schema": set}},
        }},
    }});
    let health = json!({
        "type": "object", "required": ["status"],
        "properties": {"status": {"type": "string"}},
    });
    let get = |name: &str, summary: &str, about: &str, more: Value| {
        let mut responses = json!({"200": ok(about, &health)});
        if let (Some(all), Value::Object(more)) = (responses.as_object_mut(), more) {
            all.extend(more);
        }
        json!({"get": {
            "operationId": name, "tags": [TAG], "summary": summary, "description": about,
            "security": [{}], "responses": responses,
        }})
    };
    let away = json!({"503": ok("The database is away, not migrated, has other tables, is damaged, or takes no writes.", &health)});
    Map::from_iter([
        (crate::pages::keys::PATH.to_owned(), keys),
        (
            "/healthz".to_owned(),
            get(
                "health",
                "Is it ready",
                "With the state of the database, its migrations and tables, and whether it takes writes and is ahead of the clock.",
                away,
            ),
        ),
        (
            "/healthz/live".to_owned(),
            get(
                "live",
                "Is it there",
                "Whether the process answers at all.",
                json!({}),
            ),
        ),
    ])
}
