//! Answers to pages of other origins (docs/dialect.md, *Pages of other origins*): a listed origin is echoed with leave
//! to send credentials; preflights answer 200 `{}`. Whether a cookie counts is decided apart, in `secure::session`.

use crate::AppState;
use crate::layers::shared::InnerService;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Methods that pages may use.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS");
/// Headers that pages may send.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "Origin, X-Requested-With, Content-Type, Accept, Accept-Language, Authorization, If-Match, If-None-Match, Prefer, X-Request-Id, X-HTTP-Method-Override, X-Payload-HTTP-Method-Override",
);
/// Headers of answers that pages may read.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Allow, Content-Range, ETag, Link, Location, Poll-Interval, Preference-Applied, Retry-After, WWW-Authenticate, X-ICAR-ADE-Full-Sync-Reason, X-ICAR-ADE-Ignored-Filters, X-ICAR-ADE-Messages, X-ICAR-ADE-Version, X-Ignored, X-Request-Id, icar-full-sync",
);

pub(crate) async fn share(app: Arc<AppState>, request: Request, next: impl InnerService) -> Response {
    let trusted = &app.settings.trusted_origins;
    let origin = request.headers().get(header::ORIGIN).cloned();
    let listed = origin.filter(|origin| trusted.iter().any(|t| t.as_bytes() == origin.as_bytes()));
    let mut response = if preflight(&request) {
        ([(header::CONTENT_TYPE, "application/json")], "{}").into_response()
    } else {
        next.run(request).await
    };
    if !trusted.is_empty() {
        let vary = HeaderValue::from_static("Origin");
        response.headers_mut().append(header::VARY, vary);
    }
    if let Some(origin) = listed {
        allow(response.headers_mut(), origin);
    }
    response
}

fn preflight(request: &Request) -> bool {
    let asks = header::ACCESS_CONTROL_REQUEST_METHOD;
    request.method() == Method::OPTIONS && request.headers().contains_key(asks)
}

fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    let yes = HeaderValue::from_static("true");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
