//! Addresses that lead nowhere: browsers get a page, and programs what they always got.

use crate::Pages;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visitor;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Whether a browser asks for a page.
pub fn wants_page(method: &Method, headers: &HeaderMap) -> bool {
    let accept = headers.get_all(header::ACCEPT).iter();
    let mut accept = accept.filter_map(|field| field.to_str().ok());
    (method == Method::GET || method == Method::HEAD) && accept.any(|field| field.contains("text/html"))
}

pub(crate) async fn missing(State(pages): State<Pages>, visitor: Visitor) -> Page {
    Err(Stop::missing(&Shell::new(&pages, &visitor)))
}

/// An address whose parts are no numbers where they should be is refused before its page is made.
pub(crate) async fn page_for_bad_path(State(pages): State<Pages>, request: Request, next: Next) -> Response {
    if !wants_page(request.method(), request.headers()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let response = next.run(Request::from_parts(parts.clone(), body)).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    let plain = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if response.status() != StatusCode::BAD_REQUEST || !plain {
        return response;
    }
    match Visitor::from_request_parts(&mut parts, &pages).await {
        Ok(visitor) => missing(State(pages), visitor).await.into_response(),
        Err(never) => match never {},
    }
}
