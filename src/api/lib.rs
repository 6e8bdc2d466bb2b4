//! The HTTP faces over one book. This file has the whole surface; each face has a module of its
//! own. Status codes live in this part of the tree only.

mod ade;
mod body;
mod cache;
mod caller;
mod error;
pub mod graphql;
mod layers;
mod limit;
mod observe;
pub mod openapi;
mod pages;
mod rest;
pub mod sign_in;

pub use ade::{batch_teller, default_intake, end_options};
pub use caller::{Proof, SignedIn, Token, Tokens, Who};
pub use error::Refusal;
pub use layers::peer::LocalAddress;
pub use layers::poll_interval::ChangeRates;
pub use observe::metrics::{Connected, Kind, METRICS, Metric};
pub use observe::traffic;
pub use rest::mating::read_pedigrees;

use crate::observe::traffic::Traffic;
use axum::Router;
use axum::extract::{OriginalUri, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{self, AUTHORIZATION, COOKIE, SET_COOKIE};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use config::Settings;
use exchange::Exchange;
use layers::shared::{InnerService, ServiceFn, SharedLayer};
use model::error::Error;
use ops::Book;
use secure::session::SessionCookies;
use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::watch;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::sensitive_headers::{SetSensitiveRequestHeadersLayer, SetSensitiveResponseHeadersLayer};

/// Everything that handlers share.
#[derive(Debug)]
pub struct AppState {
    pub book: Arc<Book>,
    pub exchange: Exchange,
    pub settings: Settings,
    pub cookies: SessionCookies,
    /// How many emails with tokens were requested, by address.
    pub email_throttle: sign_in::EmailThrottle,
    pub tokens: Tokens,
    /// When sessions were last used.
    pub session_uses: sign_in::SessionUses,
    /// Answers that are given again.
    pub response_cache: layers::response_cache::ResponseCache,
    /// Pages of feeds that were read in advance.
    pub(crate) read_ahead: ade::ReadAhead,
    /// Pedigrees in memory.
    pub(crate) pedigrees: rest::mating::Pedigrees,
    /// Identifier schemes by which files name animals.
    pub schemes: Arc<ingest::Schemes>,
    /// How often data sets change.
    pub change_rates: ChangeRates,
    /// The GraphQL face.
    pub graphql: graphql::Api,
    pub limits: limit::Limits,
    /// Whether the book can be served and written to, as of the last check.
    pub health: observe::health::probe::Health,
    pub metrics: observe::Metrics,
    /// How connections fare.
    pub connected: Arc<Connected>,
    /// Which clients call, and how far each has read.
    pub traffic: Traffic,
    /// Whether it was said that a proxy is not declared.
    pub proxy_warned: AtomicBool,
    /// Set when the server is about to end, for requests that wait for changes.
    pub closing: watch::Sender<bool>,
}

impl AppState {
    /// Puts a book on the net under these settings.
    pub fn new(book: Arc<Book>, exchange: Exchange, settings: Settings) -> Self {
        let (service, origins) = (&settings.service, &settings.trusted_origins);
        Self {
            cookies: SessionCookies::new(service, origins, settings.cookie_secure)
                .of_pages(&settings.mail.branding.url),
            email_throttle: sign_in::EmailThrottle::new(),
            tokens: Tokens::new(),
            session_uses: sign_in::SessionUses::default(),
            response_cache: layers::response_cache::ResponseCache::new(settings.cache_pages),
            read_ahead: ade::ReadAhead::new(settings.cache_pages > 0),
            pedigrees: rest::mating::Pedigrees::new(settings.cache_pedigrees),
            schemes: Arc::new(exchange.rules().schemes_of_names()),
            change_rates: ChangeRates::new(),
            graphql: graphql::Api::new(book.registry),
            limits: limit::Limits::new(&settings.limits, &book.clock),
            health: observe::health::probe::Health::default(),
            metrics: observe::Metrics::new(book.clock.now()),
            connected: Arc::default(),
            traffic: Traffic::default(),
            proxy_warned: AtomicBool::new(false),
            closing: watch::Sender::new(false),
            book,
            exchange,
            settings,
        }
    }
}

/// The whole surface. Collections and sign-in serve every declared collection from the same
/// handlers; a face beside `/api` is merged here with its own layers.
pub fn router(app: Arc<AppState>) -> Router {
    let rest = rest_api(&app);
    let site = pages::index::site(&app);
    let described = described(&app);
    let calls = rest.clone().merge(described.clone()).merge(ade::router(&app));
    let calls = calls.layer(from_fn(layers::language::spoken_within));
    let (people, lost) = ::pages::router(calls.with_state(Arc::clone(&app)), site);
    // Forms arrive as long as other requests may take.
    let people = people.layer(from_fn_with_state(Arc::clone(&app), timed));
    Router::new()
        .merge(rest)
        .merge(people)
        .merge(observe::health::router())
        .merge(ade::router(&app))
        .merge(described)
        .merge(checks(&app))
        .route(pages::security::PATH, get(pages::security::text))
        .fallback(async move |request: Request| nowhere(lost, request).await)
        .layer((
            SetSensitiveRequestHeadersLayer::new([AUTHORIZATION, COOKIE]),
            SetSensitiveResponseHeadersLayer::new([SET_COOKIE]),
            from_fn_with_state(Arc::clone(&app), all),
            CatchPanicLayer::custom(panicked::<Refusal>),
            SharedLayer,
        ))
        .with_state(app)
}

/// The numbers alone, for an address of their own (`server.metrics_listen`).
pub fn numbers_router(app: Arc<AppState>) -> Router {
    let guarding = async |request: Request, next: Next| guarded(next.run(request).await);
    Router::new().merge(observe::health::numbers_alone()).fallback(no_route).layer(from_fn(guarding)).with_state(app)
}

fn rest_api(app: &Arc<AppState>) -> Router<Arc<AppState>> {
    use rest::changes::{bulk, decision, for_many, write};
    use rest::mating;
    use rest::reads::{download, read};
    use rest::sheets::{card, certificates};
    use rest::submissions::{mended_rows, packages, signed_package, templates};
    let list = get(read::list).post(write::create).patch(bulk::update).delete(bulk::delete);
    let one = get(read::by_id).post(read::by_id_posted).patch(write::update).delete(write::delete);
    let mut many = Router::new();
    let registry = app.book.registry;
    let names = registry.iter().filter_map(|c| Some(c.for_many?.name));
    for name in names.collect::<BTreeSet<_>>() {
        many = many.route(&format!("/api/{{slug}}/{name}"), post(for_many::make));
    }
    many.route("/api/{slug}", list)
        .route("/api/{slug}/{id}", one)
        .route("/api/{slug}/{id}/duplicate", post(write::duplicate))
        .route("/api/{slug}/{id}/pedigree", get(read::pedigree))
        .route("/api/{slug}/{id}/kinship", get(mating::kinship::kinship))
        .route("/api/{slug}/mating-plan", post(mating::plan::plan))
        .route("/api/{slug}/{id}/card", get(card::card))
        .route("/api/{slug}/open", post(rest::view_links::open))
        .route("/api/{slug}/means", get(rest::means::means))
        .route("/api/{slug}/counts", get(rest::counts::counts))
        .route("/api/{slug}/work-lists", get(rest::work_lists::work_lists))
        .route("/api/{slug}/preview", post(packages::preview_file))
        .route("/api/{slug}/template", get(templates::template))
        .route("/api/{slug}/{id}/preview", post(packages::preview))
        .route("/api/{slug}/{id}/table", get(packages::table))
        .route("/api/{slug}/{id}/proposals", get(packages::proposals))
        .route("/api/{slug}/{id}/{action}", get(read::joined).post(write::act).patch(mended_rows::mend))
        .route("/api/{slug}/{id}/decision", get(decision::preview_decision))
        .route("/api/{slug}/{id}/signed", get(signed_package::signed))
        .route("/api/{slug}/{id}/certificate", get(certificates::certificate))
        .route("/api/{slug}/{id}/certificate-conditions", get(certificates::conditions))
        .route("/api/{slug}/{id}/sample", get(signed_package::sample))
        .route("/api/{slug}/{id}/protocol", get(signed_package::protocol))
        .route("/api/{slug}/count", get(read::count).post(read::count_posted))
        .route("/api/{slug}/file/{*filename}", get(download::file))
        .merge(sign_in::routes())
        .merge(graphql::routes())
        .merge(pages::exchange_page::routes())
        .route("/api", get(pages::index::rest))
        .route("/api/usage", get(rest::usage::usage))
        .method_not_allowed_fallback(no_route)
        .layer((
            from_fn_with_state(Arc::clone(app), shared_with),
            CatchPanicLayer::custom(panicked::<Refusal>),
            from_fn_with_state(Arc::clone(app), with_caller),
            SharedLayer,
            from_fn(limit::rest),
        ))
}

/// The descriptions of the faces and the public keys, open to everybody.
fn described(app: &Arc<AppState>) -> Router<Arc<AppState>> {
    let all = openapi::router().route(pages::keys::PATH, get(pages::keys::keys));
    all.layer((from_fn_with_state(Arc::clone(app), description), from_fn(limit::rest)))
}

/// Checks of certificates, open to everybody who has a number and a code.
fn checks(app: &Arc<AppState>) -> Router<Arc<AppState>> {
    use pages::certificate::check;
    Router::new()
        .route(check::PATH, get(check::check))
        .method_not_allowed_fallback(no_route)
        .layer((from_fn_with_state(Arc::clone(app), counted), from_fn(limit::rest)))
}

async fn all(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let own = Arc::clone(&app);
    let unpacked = ServiceFn(|request| layers::unpack::unpacked(request, next));
    let compressed = ServiceFn(|request| layers::compression::compressed(request, unpacked));
    let spoken = ServiceFn(|request| layers::language::spoken(request, compressed));
    let recorded = ServiceFn(move |request| layers::request_facts::record(own, request, spoken));
    let observed = ServiceFn(|request| observe::observe(app, request, recorded));
    guarded(store::versions::one_request(layers::drain::drain(request, observed)).await)
}

/// Wraps the REST face: answers depend on the caller, and pages of other origins may ask.
async fn shared_with(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let response = layers::origin::share(app, request, next).await;
    not_cached(response)
}

/// Layers of a face with callers: resolves the caller, takes the cost, answers from the
/// response cache, and names ignored parameters.
async fn with_caller(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let [keeps, names, counts, knows] = std::array::from_fn(|_| Arc::clone(&app));
    let cached = ServiceFn(|request| layers::response_cache::cached(keeps, request, next));
    let reported = ServiceFn(|request| layers::ignored::report_ignored(names, request, cached));
    let metered = ServiceFn(|request| limit::metered(counts, request, reported));
    let resolved = ServiceFn(|request| caller::resolve(knows, request, metered));
    in_time(app, request, resolved).await
}

/// Takes the cost of a request for the descriptions, and answers 304 on a match.
async fn description(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let own = Arc::clone(&app);
    let tagged = ServiceFn(|request| layers::response_cache::tagged(own, request, next));
    limit::metered(app, request, tagged).await
}

/// Takes the cost of a request whose caller does not matter.
async fn counted(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let counts = Arc::clone(&app);
    let metered = ServiceFn(|request| limit::metered(counts, request, next));
    in_time(app, request, metered).await
}

/// No such path, or not with this method: the dialect makes no difference.
async fn no_route(OriginalUri(uri): OriginalUri) -> Refusal {
    Refusal::NoRoute(uri.path().to_owned())
}

/// An address that nobody has: a page for browsers.
async fn nowhere(lost: Router, request: Request) -> Response {
    match ::pages::wants_page(request.method(), request.headers()) {
        true => match lost.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        false => Refusal::NoRoute(request.uri().path().to_owned()).into_response(),
    }
}

/// The answer on a connection beyond the limit to any request but health checks.
pub fn crowded() -> Response {
    let busy = limit::Denied::crowded();
    let mut response = Refusal::from(busy).into_response();
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    guarded(response)
}

/// No answer is taken for another type than it says.
fn guarded(mut response: Response) -> Response {
    let own = HeaderValue::from_static("nosniff");
    (response.headers_mut()).insert(header::X_CONTENT_TYPE_OPTIONS, own);
    response
}

/// Gives a page so long until its answer begins, the form that is sent with the request included.
async fn timed(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    in_time(app, request, next).await
}

/// Gives a handler so long until its answer begins.
async fn in_time(app: Arc<AppState>, request: Request, next: impl InnerService) -> Response {
    // What a request says of its body counts only where a body is read.
    let path = request.uri().path();
    let files = path.starts_with("/api/") || path.starts_with("/book/");
    let sends = !request.method().is_safe() && files && path != "/api/graphql";
    let time = if sends && body::multipart::is_multipart(request.headers()) {
        app.settings.upload_time
    } else {
        app.settings.request_time
    };
    match tokio::time::timeout(time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refusal::Late.into_response(),
    }
}

/// Answers depend on the caller, so that no cache on the way may store them.
fn not_cached(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let private = HeaderValue::from_static("private, no-cache");
    headers.entry(header::CACHE_CONTROL).or_insert(private);
    // A cached answer has the header already.
    let by_caller = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
        text.contains("authorization")
    };
    if !headers.get_all(header::VARY).iter().any(by_caller) {
        headers.append(header::VARY, layers::response_cache::CALLERS);
    }
    response
}

/// A handler that panicked is a fault of the service like any other.
#[expect(clippy::needless_pass_by_value, reason = "the signature is that of the layer")]
pub(crate) fn panicked<R: From<Error> + IntoResponse>(what: Box<dyn Any + Send + 'static>) -> Response {
    let text = (what.downcast_ref::<&str>().copied())
        .or_else(|| what.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("of an unknown kind");
    R::from(Error::internal(format!("a panic: {text}"))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, to_bytes};
    use tower::ServiceExt;

    async fn boom() {
        panic!("with a secret")
    }

    #[tokio::test]
    async fn a_panic_is_a_fault_of_ours_in_the_envelope() {
        let router: Router =
            Router::new().route("/api/boom", get(boom)).layer(CatchPanicLayer::custom(panicked::<Refusal>));
        let request = Request::get("/api/boom").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = to_bytes(response.into_body(), 1000).await.unwrap();
        let expected = r#"{"errors":[{"message":"Something went wrong."}]}"#;
        assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
    }

    #[test]
    fn being_late_is_503_with_a_time_to_come_back() {
        let response = Refusal::Late.into_response();
        assert_eq!(response.status(), 503);
        assert!(response.headers().contains_key("retry-after"));
    }
}
