//! What every request leaves behind: an id, a line in the log, and numbers for Prometheus.
//! Labels are bounded: the route is the matched pattern, never a path with ids.

use super::Hub;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use metrics::{counter, histogram, with_local_recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::sync::Arc;
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
        Self { recorder, handle }
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

    /// Counts an answer that was given again (`hit`), or could be from now on (`miss`).
    pub(super) fn kept(&self, outcome: &'static str) {
        with_local_recorder(&self.recorder, || {
            counter!("herdbook_http_kept_total", "outcome" => outcome).increment(1);
        });
    }

    fn record(&self, method: &Method, path: &str, route: &str, status: u16, seconds: f64) {
        let face = face(path);
        let method = name(method);
        let status = status.to_string();
        with_local_recorder(&self.recorder, || {
            counter!(
                "herdbook_http_requests_total",
                "face" => face, "method" => method,
                "route" => route.to_owned(), "status" => status
            )
            .increment(1);
            histogram!(
                "herdbook_http_request_duration_seconds",
                "face" => face, "method" => method, "route" => route.to_owned()
            )
            .record(seconds);
        });
    }
}

/// Wraps every request.
pub(super) async fn observe(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or_else(|| "none".to_owned(), |m| m.as_str().to_owned());
    let shown = id.to_str().unwrap_or_default();
    // What opens something does not belong into a log.
    let logged = if route.contains("{token}") {
        &route
    } else {
        &path
    };
    let span = tracing::info_span!("request", id = shown, %method, path = logged);
    let mut response = next.run(request).instrument(span.clone()).await;
    let seconds = started.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    hub.metrics.record(&method, &path, &route, status, seconds);
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
        let id = uuid::Uuid::new_v4().to_string();
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
