//! What every request leaves behind: an id, lines in the log, and numbers for Prometheus. Labels are bounded: the route
//! is the matched pattern, never a path with ids, and the client one of three classes.

pub(crate) mod health;
pub(crate) mod metrics;
#[cfg(feature = "otlp")]
pub(crate) mod trace_context;
pub mod traffic;

use self::metrics::{Area, EVENTS, Event};
use crate::AppState;
use crate::caller::client::{self, Client};
use crate::layers::shared::InnerService;
use crate::observe::traffic::{Answered, Class};
use ::metrics::{Counter, Gauge, Histogram, counter, gauge, histogram, with_local_recorder};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use indexmap::IndexMap;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::convert::Infallible;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use tracing::{Instrument, Span};

/// Names a request in answers and in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id taken over from a caller, characters.
const REQUEST_ID_MAX: usize = 64;
/// Upper ends of the histogram, seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

pub struct Metrics {
    pub(super) recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    /// Counters of answers, by their labels: a look-up by labels each time costs more than counting.
    answers: RwLock<IndexMap<Labels, Answers>>,
    events: [Counter; EVENTS.len()],
    running: Gauge,
    /// When the server began, epoch milliseconds.
    pub(super) started: f64,
    /// When numbers of the book were read last.
    pub(super) looked: tokio::sync::Mutex<Option<Instant>>,
}

/// Method, matched route, status, client.
type Labels = (&'static str, Arc<str>, u16, Class);

#[derive(Clone)]
struct Answers {
    count: Counter,
    seconds: Histogram,
    area: Area,
}

/// A request that is being answered.
struct Running<'m>(&'m Gauge);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    pub(super) fn new(started: i64) -> Self {
        // Refused for an empty list only; summaries would stand in.
        let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        let events =
            EVENTS.map(|(_, name, outcome)| with_local_recorder(&recorder, || counter!(name, "outcome" => outcome)));
        metrics::describe(&recorder);
        Self {
            events,
            running: with_local_recorder(&recorder, || gauge!("herdbook_http_requests_running")),
            recorder,
            handle,
            answers: RwLock::default(),
            started: metrics::float(u64::try_from(started).unwrap_or_default()),
            looked: tokio::sync::Mutex::default(),
        }
    }

    /// The text of `/metrics`, as far as it was counted.
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Folds what was recorded into the buckets; to be called every few seconds, so that memory
    /// stays bounded when the numbers are not read.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }

    pub(super) fn count(&self, event: Event) {
        for ((one, ..), counter) in EVENTS.iter().zip(&self.events) {
            if *one == event {
                counter.increment(1);
            }
        }
    }

    fn running(&self) -> Running<'_> {
        self.running.increment(1);
        Running(&self.running)
    }

    fn record(&self, labels: Labels, seconds: f64) -> Area {
        let answers = self.answers(labels);
        answers.count.increment(1);
        answers.seconds.record(seconds);
        answers.area
    }

    fn answers(&self, labels: Labels) -> Answers {
        let counters = self.answers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = counters.get(&labels) {
            return answers.clone();
        }
        drop(counters);
        let (method, route, status, client) = labels.clone();
        let (area, client) = (Area::of(method, &route), client.word());
        let (face, class) = area.labels();
        let answers = with_local_recorder(&self.recorder, || Answers {
            count: counter!(
                "herdbook_http_requests_total",
                "face" => face, "class" => class, "client" => client,
                "method" => method, "route" => route.to_string(), "status" => status.to_string()
            ),
            seconds: histogram!(
                "herdbook_http_request_duration_seconds",
                "class" => class, "client" => client
            ),
            area,
        });
        let mut counters = self.answers.write().unwrap_or_else(PoisonError::into_inner);
        counters.insert(labels, answers.clone());
        answers
    }
}

/// Wraps every request.
pub(super) async fn observe(app: Arc<AppState>, request: Request, next: impl InnerService) -> Response {
    let started = Instant::now();
    let running = app.metrics.running();
    let id = request_id(&request);
    let method = name(request.method());
    let matched = request.extensions().get::<MatchedPath>();
    let route: Arc<str> = matched.map_or("none", MatchedPath::as_str).into();
    let agent = request.headers().get(header::USER_AGENT).cloned();
    let text = id.to_str().unwrap_or_default();
    let path = logged(&request, &route);
    let span = tracing::info_span!("request", id = text, method, path, route = &*route);
    #[cfg(feature = "otlp")]
    trace_context::follow(&span, request.headers());
    span.in_scope(|| tracing::debug!("accepted"));
    let answering = client::noting(next.run(request)).instrument(span.clone());
    let (mut response, noted) = answering.await;
    let seconds = started.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    let client = noted.client;
    let area = (app.metrics).record((method, Arc::clone(&route), status, client.class), seconds);
    let counted = Answered {
        client,
        face: area.labels().0,
        status,
        poll: area.is_read(method),
        what: (method, &route),
        agent: agent.as_ref().and_then(|agent| agent.to_str().ok()),
        now: app.book.clock.now(),
    };
    // Whether it is alive says nothing of who polls.
    if area != Area::Service {
        app.traffic.count(counted, noted.progress);
    }
    drop(running);
    response.headers_mut().insert(REQUEST_ID, id);
    let returned = Returned { span, started, status, client, bytes: 0, whole: false };
    returned.span.in_scope(|| {
        tracing::debug!(status, ms = seconds * 1000.0, "made");
    });
    let response = recorded(response, returned);
    match (method, response.status()) {
        ("HEAD", StatusCode::NOT_MODIFIED) => response.map(unmeasured),
        _ => response,
    }
}

/// An empty body whose length the router does not know: a client that asks with `HEAD` whether
/// its copy is current would take a length for that of the answer (RFC 9110, 8.6).
fn unmeasured(_: Body) -> Body {
    Body::from_stream(stream::empty::<Result<Bytes, Infallible>>())
}

/// What the log says of an address: never a word that opens something, nor one of which nothing is known.
fn logged<'r>(request: &'r Request, route: &'r str) -> &'r str {
    match route {
        "none" => "none",
        // Files are named by people, often after people.
        route if route.contains("{token}") || route.contains("{*filename}") => route,
        _ => request.uri().path(),
    }
}

/// What is said of an answer once it has left, or broke off.
struct Returned {
    span: Span,
    started: Instant,
    status: u16,
    client: Client,
    bytes: u64,
    whole: bool,
}

impl Drop for Returned {
    fn drop(&mut self) {
        let ms = self.started.elapsed().as_secs_f64() * 1000.0;
        let Client { class, organization, user, .. } = self.client;
        let (status, bytes, client) = (self.status, self.bytes, class.word());
        let how = if self.whole { "returned" } else { "broke off" };
        self.span.in_scope(|| {
            tracing::info!(status, bytes, ms, client, organization, account = user, "{how}");
        });
    }
}

/// Records when an answer was sent. One that is in memory as a whole counts as sent.
fn recorded(response: Response, mut returned: Returned) -> Response {
    if let Some(bytes) = response.body().size_hint().exact() {
        returned.bytes = bytes;
        returned.whole = true;
        return response;
    }
    response.map(|body| {
        Body::from_stream(async_stream::stream! {
            let mut returned = returned;
            let mut pieces = body.into_data_stream();
            let mut broken = false;
            while let Some(piece) = pieces.next().await {
                match &piece {
                    Ok(bytes) => returned.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX),
                    Err(_) => broken = true,
                }
                yield piece;
            }
            returned.whole = !broken;
        })
    })
}

/// The caller's id when it is short and plain, else a new one.
fn request_id(request: &Request) -> HeaderValue {
    let plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let word = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b);
        !bytes.is_empty() && bytes.len() <= REQUEST_ID_MAX && bytes.iter().all(word)
    };
    let own = request.headers().get(REQUEST_ID).filter(plain);
    own.cloned().unwrap_or_else(|| {
        // Of the thread's own generator: the system's costs a call of it each time.
        let id = uuid::Builder::from_random_bytes(rand::random()).into_uuid();
        let id = id.to_string();
        HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("none"))
    })
}

fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
