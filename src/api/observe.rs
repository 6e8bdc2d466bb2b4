//! What every request leaves behind: an id, a line in the log, and numbers for Prometheus.
//! Labels are bounded: the route is the matched pattern, never a path with ids.

use super::Hub;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use indexmap::IndexMap;
use metrics::{Counter, Histogram, counter, histogram, with_local_recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use tracing::Instrument;

/// Names a request in answers and in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id taken over from a caller, characters.
const REQUEST_ID_MAX: usize = 64;
/// Upper ends of the histogram, seconds.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// Numbers of one hub.
pub struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    /// Numbers of answers, by what tells them apart: finding them by their labels each time
    /// costs more than counting.
    answers: RwLock<IndexMap<Labels, Answers>>,
    hits: Counter,
    misses: Counter,
}

/// Face, method, matched route, status.
type Labels = (&'static str, &'static str, Arc<str>, u16);

#[derive(Clone)]
struct Answers {
    count: Counter,
    seconds: Histogram,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    pub(super) fn new() -> Self {
        // Refused for an empty list only; summaries would stand in.
        let builder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)
            .unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        let kept = |outcome: &'static str| {
            with_local_recorder(
                &recorder,
                || counter!("herdbook_http_kept_total", "outcome" => outcome),
            )
        };
        Self {
            hits: kept("hit"),
            misses: kept("miss"),
            recorder,
            handle,
            answers: RwLock::default(),
        }
    }

    /// The text of `/metrics`.
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Folds what was recorded into the buckets; to be called every few seconds, so that
    /// memory stays bounded when nobody reads the numbers.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }

    /// Counts an answer that was given again.
    pub(super) fn hit(&self) {
        self.hits.increment(1);
    }

    /// Counts an answer that can be given again from now on.
    pub(super) fn missed(&self) {
        self.misses.increment(1);
    }

    fn record(&self, labels: Labels, seconds: f64) {
        let answers = self.answers(labels);
        answers.count.increment(1);
        answers.seconds.record(seconds);
    }

    fn answers(&self, labels: Labels) -> Answers {
        let known = self.answers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = known.get(&labels) {
            return answers.clone();
        }
        drop(known);
        let (face, method, route, status) = labels.clone();
        let answers = with_local_recorder(&self.recorder, || Answers {
            count: counter!(
                "herdbook_http_requests_total",
                "face" => face, "method" => method,
                "route" => route.to_string(), "status" => status.to_string()
            ),
            seconds: histogram!(
                "herdbook_http_request_duration_seconds",
                "face" => face, "method" => method, "route" => route.to_string()
            ),
        });
        let mut known = self.answers.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(labels, answers.clone());
        answers
    }
}

/// Wraps every request.
pub(super) async fn observe(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let matched = request.extensions().get::<MatchedPath>();
    let route: Arc<str> = matched.map_or("none", MatchedPath::as_str).into();
    let shown = id.to_str().unwrap_or_default();
    // What opens something does not belong into a log.
    let logged = match route.contains("{token}") {
        true => &*route,
        false => &path,
    };
    let span = tracing::info_span!("request", id = shown, %method, path = logged);
    let mut response = next.run(request).instrument(span.clone()).await;
    let seconds = started.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    let labels = (face(&path), name(&method), route, status);
    hub.metrics.record(labels, seconds);
    span.in_scope(|| tracing::info!(status, ms = seconds * 1000.0, "answered"));
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// The caller's id when it is short and plain, else a new one.
fn request_id(request: &Request) -> HeaderValue {
    let plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let word = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b);
        !bytes.is_empty() && bytes.len() <= REQUEST_ID_MAX && bytes.iter().all(word)
    };
    let sent = request.headers().get(REQUEST_ID).filter(plain);
    sent.cloned().unwrap_or_else(|| {
        // Of the thread's own generator: the system's costs a call of it each time.
        let id = uuid::Builder::from_random_bytes(rand::random()).into_uuid();
        let id = id.to_string();
        HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("none"))
    })
}

fn face(path: &str) -> &'static str {
    let under = |root: &str| {
        path.strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if under("/api") {
        "rest"
    } else if under("/ade") {
        "ade"
    } else {
        "service"
    }
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
