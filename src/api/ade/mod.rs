//! The ADE face (the ADE standard 1.5.1): locations, collections, batches, and the generic
//! data exchange. Here stands its whole surface. Bodies of documents pass unread from the
//! exchange store to the wire. Must not know any single collection.

pub(super) mod changes;
mod datasets;
mod deployed;
mod discovery;
mod error;
mod forms;
mod intake;
mod lists;
mod locations;
pub(super) mod query;
mod target;

pub(crate) use changes::read_ahead::ReadAhead;
pub use intake::answers::teller as batch_teller;
pub use intake::full_syncs::end_options;
pub use query::request_options::default_intake;

use crate::caller::Who;
use crate::layers::scoped;
use crate::layers::shared::{ServiceFn, SharedLayer};
use crate::{AppState, limit, panicked};
use ade::VERSION_HEADER;
use axum::Router;
use axum::extract::{OriginalUri, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use error::Refusal;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// The path of the face.
const ROOT: &str = "/ade/v1";
/// The list of locations.
const LOCATIONS: &str = "/locations";
const COLLECTION: &str = "/locations/{scheme}/{id}/{collection}";
const RESOURCE: &str = "/locations/{scheme}/{id}/{collection}/{resource}";
/// The identifier schemes of a location.
const SCHEMATA: &str = "/locations/{scheme}/{id}/schemata";
/// Where a collection takes batches.
const BATCH: &str = "/batches/locations/{scheme}/{id}/{collection}";

pub(super) fn router(app: &Arc<AppState>) -> Router<Arc<AppState>> {
    // A nest does not cover its own address with a slash at the end.
    let root = Router::new()
        .route(&format!("{ROOT}/"), get(discovery::show))
        .route(discovery::WELL_KNOWN, get(discovery::show))
        .method_not_allowed_fallback(no_method);
    Router::new()
        .nest(ROOT, layered(app, timely(app, api()).merge(waiting(app))))
        .merge(layered(app, timely(app, root)))
}

fn api() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", get(discovery::show))
        .route("/openapi.json", get(discovery::described_for))
        .route("/match", post(discovery::matched))
        .route(&format!("/{}", lists::sires::NAME), get(lists::sires::list))
        .route(LOCATIONS, get(locations::list))
        .route(COLLECTION, get(lists::collection::list).post(intake::post).fallback(lists::collection::no_method))
        .route(RESOURCE, get(lists::collection::one))
        .route(BATCH, post(intake::batch))
        .route("/batches/{id}", get(intake::batches::get).delete(intake::batches::delete))
        .route(&format!("{SCHEMATA}/{{kind}}"), get(discovery::schemata::of_kind))
        .route(&format!("{SCHEMATA}/{{kind}}/{{name}}"), get(discovery::schemata::values))
        .route(SCHEMATA, get(discovery::schemata::kinds))
        .route(&format!("{RESOURCE}/sorting"), get(lists::sorting::one).delete(lists::sorting::delete))
        .route("/datasets", get(datasets::list))
        .route("/datasets/{set}", get(datasets::one))
        .route("/datasets/{set}/resources", post(intake::push::push))
        .route("/dataset/{set}/resources", post(intake::push::push))
        .route("/datasets/{set}/full-syncs", post(intake::full_syncs::start))
        .route("/datasets/{set}/full-syncs/{id}", get(intake::full_syncs::get).delete(intake::full_syncs::give_up))
        .route("/datasets/{set}/full-syncs/{id}/end", post(intake::full_syncs::end))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
}

/// What may take longer, since it may wait.
fn waiting(app: &Arc<AppState>) -> Router<Arc<AppState>> {
    Router::new()
        .route("/datasets/{set}/changes", get(changes::changes))
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(app), changes::in_time))
}

fn timely(app: &Arc<AppState>, routes: Router<Arc<AppState>>) -> Router<Arc<AppState>> {
    routes.layer(from_fn_with_state(Arc::clone(app), in_time))
}

fn layered(app: &Arc<AppState>, routes: Router<Arc<AppState>>) -> Router<Arc<AppState>> {
    routes.layer((
        from_fn_with_state(Arc::clone(app), with_caller),
        SharedLayer,
        from_fn_with_state(Arc::clone(app), forms::spoken),
        from_fn_with_state(Arc::clone(app), deployed::bodies),
        from_fn(admitted),
        CatchPanicLayer::custom(panicked::<Refusal>),
    ))
}

/// Whether an address is of this face.
pub(super) fn speaks(path: &str) -> bool {
    path.starts_with(ROOT) || path == discovery::WELL_KNOWN
}

/// The refusal of a body with an unknown compression.
pub(super) fn packed() -> Response {
    let detail = "Content-Encoding may be gzip or zstd.";
    Refusal::from(error::Fault::new(error::MEDIA, detail).fine("packing-unknown")).into_response()
}

async fn no_route(OriginalUri(uri): OriginalUri) -> Refusal {
    Refusal::no_route(uri.path())
}

/// The router adds `Allow`.
async fn no_method() -> Refusal {
    Refusal::no_method()
}

/// Gives a handler so long until its answer begins.
async fn in_time(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(app.settings.request_time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refusal::late().into_response(),
    }
}

/// Resolves the caller, takes the cost of the request, and answers from the response cache. Invalid credentials are
/// refused by the handler; until then the request is counted by its address.
async fn with_caller(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let [keeps, counts] = std::array::from_fn(|_| Arc::clone(&app));
    let cached = ServiceFn(|request| cached(keeps, request, next));
    let answered = ServiceFn(async move |mut request: Request| {
        if let Ok(who) = target::who(&counts, request.headers()).await {
            let who = who.unwrap_or_else(Who::anonymous);
            let dataset = |name: &str, batch: bool| target::dataset(&counts, name, batch);
            if let Err(closed) = scoped::exchange(&who.principal, &request, dataset) {
                return target::closed(closed).into_response();
            }
            request.extensions_mut().insert(who);
        }
        marked(limit::metered(counts, request, cached).await)
    });
    crate::layers::origin::share(app, request, answered).await
}

/// Lets requests through that are not refused, and says so in the form of the standard when they are.
async fn admitted(request: Request, next: Next) -> Response {
    match limit::admitted(request, next).await {
        Ok(response) => response,
        Err(denied) => Refusal::from(denied).into_response(),
    }
}

async fn cached(app: Arc<AppState>, request: Request, next: Next) -> Response {
    if !request.method().is_safe() {
        return next.run(request).await;
    }
    crate::layers::response_cache::cached(app, request, next).await
}

/// Successes name the release of the standard, and no cache may store them unless they say so.
fn marked(mut response: Response) -> Response {
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        let headers = response.headers_mut();
        headers.insert(VERSION_HEADER, HeaderValue::from_static(ade::VERSION));
        let never = HeaderValue::from_static("no-store");
        headers.entry(header::CACHE_CONTROL).or_insert(never);
    }
    response
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
        let router: Router =
            Router::new().route("/boom", get(boom)).layer(CatchPanicLayer::custom(panicked::<Refusal>));
        let request = Request::get("/boom").body(Body::empty()).unwrap();
        let response = marked(router.oneshot(request).await.unwrap());
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
