//! The ADE face (the ADE standard 1.5.1): locations, collections, batches, and the generic
//! data exchange. Here stands its whole surface. Bodies of documents pass unread from the
//! exchange store to the wire. Must not know any single collection.

mod answers;
mod collection;
mod datasets;
mod error;
mod intake;
mod links;
mod locations;
mod prefer;
mod push;
mod query;
mod target;

use super::Hub;
use ade::VERSION_HEADER;
use axum::Router;
use axum::extract::{OriginalUri, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use error::Refusal;
use std::any::Any;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// Where the face stands.
const ROOT: &str = "/ade/v1";

/// The face at its place.
pub(super) fn router(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    // A nest does not cover its own address with a slash at the end.
    Router::new()
        .nest(ROOT, face(hub))
        .route(&format!("{ROOT}/"), any(no_route))
}

fn face(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    Router::new()
        .route("/locations", get(locations::list))
        .route(
            "/locations/{scheme}/{id}/{collection}",
            get(collection::list).post(intake::post),
        )
        .route(
            "/locations/{scheme}/{id}/{collection}/{resource}",
            get(collection::one),
        )
        .route(
            "/batches/locations/{scheme}/{id}/{collection}",
            post(intake::batch),
        )
        .route("/datasets", get(datasets::list))
        .route("/datasets/{set}", get(datasets::one))
        .route("/datasets/{set}/changes", get(datasets::changes))
        .route("/datasets/{set}/resources", post(push::push))
        .route("/dataset/{set}/resources", post(push::push))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(hub), in_time))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(marked))
        .layer(from_fn_with_state(Arc::clone(hub), super::origin::share))
}

async fn no_route(OriginalUri(uri): OriginalUri) -> Refusal {
    let path = uri.path();
    if path.trim_end_matches('/') == ROOT {
        return Refusal::begin_at(&[&format!("{ROOT}/locations"), &format!("{ROOT}/datasets")]);
    }
    Refusal::no_route(path)
}

/// The router adds `Allow`.
async fn no_method() -> Refusal {
    Refusal::no_method()
}

/// Gives a handler so long until its answer begins.
async fn in_time(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(hub.settings.request_time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refusal::late().into_response(),
    }
}

/// Successes name the release of the standard and are kept by nobody.
async fn marked(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if response.status().is_success() {
        let headers = response.headers_mut();
        headers.insert(VERSION_HEADER, HeaderValue::from_static(ade::VERSION));
        let never = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, never);
    }
    response
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature is that of the layer"
)]
fn panicked(what: Box<dyn Any + Send + 'static>) -> Response {
    let text = (what.downcast_ref::<&str>().copied())
        .or_else(|| what.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("of an unknown kind");
    Refusal::from(crate::error::Error::internal(format!("a panic: {text}"))).into_response()
}

/// An answer whose body is JSON already.
fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, to_bytes};
    use serde_json::Value;
    use tower::ServiceExt;

    async fn boom() {
        panic!("with a secret")
    }

    #[tokio::test]
    async fn a_panic_is_a_fault_of_ours_in_the_form_of_the_standard() {
        let router: Router = Router::new()
            .route("/boom", get(boom))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(from_fn(marked));
        let request = Request::get("/boom").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        assert!(!response.headers().contains_key(VERSION_HEADER));
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        let text = std::str::from_utf8(&body).unwrap();
        assert!(!text.contains("secret"), "{text}");
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read["errors"][0]["code"], "internal");
        assert_eq!(read["errors"][0]["status"], 500);
        assert_eq!(read["errors"][0]["severity"], "Error");
    }
}
