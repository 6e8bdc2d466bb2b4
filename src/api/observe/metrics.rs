//! The metrics of `/metrics`: names and meanings, the labels of requests, and the gauges that are read on demand.

use crate::AppState;
use crate::limit::DOORS;
use crate::observe::health::probe::Writes;
use ::metrics::{Recorder, Unit, counter, gauge, with_local_recorder};
use metrics_exporter_prometheus::PrometheusRecorder;
use model::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use store::{QUEUES, QueueLength};

/// Time to live of cached gauges.
const REMEMBERED: Duration = Duration::from_secs(5);
/// Time limit for reading the gauges from the database.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    /// What it counts, and by which labels.
    pub meaning: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Times, in buckets.
    Histogram,
}

macro_rules! metrics {
    ($($kind:ident $name:literal => $meaning:literal,)+) => {
        [$(Metric { name: $name, kind: Kind::$kind, meaning: $meaning }),+]
    };
}

/// All metrics.
pub const METRICS: [Metric; 22] = metrics![
    Counter "herdbook_http_requests_total" => "Answers by face, class of route, class of client, method, matched route and status",
    Histogram "herdbook_http_request_duration_seconds" => "Time until an answer began, by class of route and class of client",
    Gauge "herdbook_http_requests_running" => "Requests that are being answered, those that wait for changes among them",
    Gauge "herdbook_connections_open" => "Connections from outside",
    Counter "herdbook_connections_refused_total" => "Connections beyond the limits, by what became of them: closed at once, or asked for health alone",
    Counter "herdbook_connections_ended_total" => "Connections that the server ended, by why: another needed the room, or their time was over",
    Counter "herdbook_feed_ahead_total" => "Pages of feeds read before they were asked for (read), and of those served (taken) or out of date (stale)",
    Counter "herdbook_http_kept_total" => "Answers given again (hit), and made to be given again (miss)",
    Counter "herdbook_intake_documents_total" => "Documents that came in by the exchange, by what became of them",
    Gauge "herdbook_queue_depth" => "What waits in the book: documents to be rendered (rows of the queue), batches, emails, webhooks; 10000 at most",
    Gauge "herdbook_queue_age_seconds" => "How long the oldest of these has waited",
    Gauge "herdbook_feed_lag_seconds" => "How far feeds and their readers are behind the book: the oldest of documents, batches and webhooks",
    Gauge "herdbook_database_connections" => "Connections that read, by state: idle, used, max",
    Counter "herdbook_database_waits_total" => "Statements that found no connection free",
    Gauge "herdbook_database_writes_waiting" => "Writes that wait for the one that runs",
    Gauge "herdbook_database_writable" => "1 when the last write that was tried for this was taken, else 0; tried every few seconds at most",
    Gauge "herdbook_traffic_held" => "Clients whose traffic is held until it is folded into the book",
    Gauge "herdbook_book_changes" => "The last place in commit order",
    Counter "herdbook_looks_failed_total" => "Times that the book did not report these numbers in time",
    Gauge "herdbook_build_info" => "1, with the version of the program",
    Gauge "process_resident_memory_bytes" => "Memory of the process (Linux)",
    Gauge "process_start_time_seconds" => "When the process began, seconds since 1970",
];

/// What is counted besides answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// An answer was given again.
    Hit,
    /// One was made that can be given again.
    Miss,
    /// A page of a feed was read in advance.
    PageAhead,
    PageTaken,
    /// Such a page was requested and out of date.
    PageStale,
}

/// The events, each with its metric and the label `outcome`.
pub(crate) const EVENTS: [(Event, &str, &str); 5] = [
    (Event::Hit, "herdbook_http_kept_total", "hit"),
    (Event::Miss, "herdbook_http_kept_total", "miss"),
    (Event::PageAhead, "herdbook_feed_ahead_total", "read"),
    (Event::PageTaken, "herdbook_feed_ahead_total", "taken"),
    (Event::PageStale, "herdbook_feed_ahead_total", "stale"),
];

/// Counters of connections, updated by the accept loop.
#[derive(Debug, Default)]
pub struct Connected {
    pub open: AtomicU64,
    pub closed: AtomicU64,
    /// Connections that could ask for health alone.
    pub health: AtomicU64,
    /// Connections closed to make room for another.
    pub room: AtomicU64,
    /// Connections closed because their time was over.
    pub time: AtomicU64,
}

/// What a request is about, as far as it says what it costs and who makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Area {
    AdeList,
    AdeItem,
    AdeFeed,
    AdeIntake,
    RestRead,
    RestWrite,
    Graphql,
    SignIn,
    Media,
    Service,
}

/// Last segments of addresses about signing in, besides the doors.
const SESSIONS: [&str; 5] = ["logout", "me", "refresh-token", "init", "sessions"];
/// Addresses of REST that may be posted to for reading.
const READ_POSTED: [&str; 2] = ["/api/{slug}/{id}", "/api/{slug}/count"];
/// Addresses of ADE that are lists.
const LISTS: [&str; 3] = ["/ade/v1/locations", "/ade/v1/locations/{scheme}/{id}/{collection}", "/ade/v1/service-sires"];
/// The feed of a data set.
const FEED: &str = "/ade/v1/datasets/{set}/changes";

impl Area {
    pub(crate) fn of(method: &str, route: &str) -> Self {
        let reads = matches!(method, "GET" | "HEAD" | "OPTIONS");
        if route.starts_with("/ade/") || route == "/.well-known/ade" {
            return match route {
                FEED => Self::AdeFeed,
                "/ade/v1/match" => Self::AdeItem,
                _ if !reads => Self::AdeIntake,
                list if LISTS.contains(&list) => Self::AdeList,
                _ => Self::AdeItem,
            };
        }
        let Some(rest) = route.strip_prefix("/api/") else {
            return match route {
                "/api" => Self::RestRead,
                _ => Self::Service,
            };
        };
        let last = rest.rsplit('/').next().unwrap_or_default();
        match rest {
            "graphql" => Self::Graphql,
            "graphql-playground" | "graphql-playground/{file}" => Self::Service,
            "{slug}/file/{*filename}" => Self::Media,
            _ if DOORS.contains(&last) || SESSIONS.contains(&last) => Self::SignIn,
            _ if rest.ends_with("verify/{token}") => Self::SignIn,
            _ if rest.contains("/passkey") => Self::SignIn,
            _ if reads || READ_POSTED.contains(&route) || rest.contains("access") => Self::RestRead,
            _ => Self::RestWrite,
        }
    }

    /// The values of the labels `face` and `class`.
    pub(crate) fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::AdeList => ("ade", "ade-list"),
            Self::AdeItem => ("ade", "ade-item"),
            Self::AdeFeed => ("ade", "ade-feed"),
            Self::AdeIntake => ("ade", "ade-intake"),
            Self::RestRead => ("rest", "rest-read"),
            Self::RestWrite => ("rest", "rest-write"),
            Self::Graphql => ("graphql", "graphql"),
            Self::SignIn => ("rest", "sign-in"),
            Self::Media => ("rest", "media"),
            Self::Service => ("service", "service"),
        }
    }

    /// Whether a request of that method asks for data.
    pub(crate) fn is_read(self, method: &str) -> bool {
        matches!(method, "GET" | "HEAD") && !matches!(self, Self::SignIn | Self::Service)
    }
}

/// Describes all metrics to the recorder.
pub(crate) fn describe(recorder: &PrometheusRecorder) {
    for metric in METRICS {
        let (name, meaning) = (metric.name.into(), metric.meaning.into());
        match metric.kind {
            Kind::Counter => recorder.describe_counter(name, None, meaning),
            Kind::Gauge => recorder.describe_gauge(name, None, meaning),
            Kind::Histogram => recorder.describe_histogram(name, Some(Unit::Seconds), meaning),
        }
    }
}

/// The text of `/metrics`, with gauges of the book that are a few seconds old at most.
pub(crate) async fn text(app: &AppState) -> String {
    let metrics = &app.metrics;
    let mut looked = metrics.looked.lock().await;
    if looked.is_none_or(|at| at.elapsed() >= REMEMBERED) {
        let writable = app.health.writes(app).await == Writes::Taken;
        let readings = tokio::time::timeout(PATIENCE, waiting(app)).await;
        let readings = readings.unwrap_or_else(|_| Err(Error::Unavailable("no answer".to_owned())));
        with_local_recorder(&metrics.recorder, || {
            gauge!("herdbook_database_writable").set(f64::from(u8::from(writable)));
            let failed = counter!("herdbook_looks_failed_total");
            match readings {
                Ok(queues) => tell_queues(&queues, app.book.clock.now()),
                Err(error) => {
                    failed.increment(1);
                    tracing::warn!(%error, "the book did not report its numbers");
                }
            }
        });
        *looked = Some(Instant::now());
    }
    drop(looked);
    with_local_recorder(&metrics.recorder, || tell_own(app));
    metrics.render()
}

/// Gauges of the queues, and the last sequence number.
struct QueueReadings {
    queues: Vec<(&'static str, QueueLength)>,
    newest: i64,
}

/// Queues whose age is how far feeds and their readers are behind.
const LAG: [&str; 3] = ["documents", "batches", WEBHOOKS];
const WEBHOOKS: &str = "webhooks";

async fn waiting(app: &AppState) -> Result<QueueReadings> {
    let store = &app.book.store;
    let mut queues = Vec::new();
    for queue in QUEUES {
        queues.push((queue.name, store.queue_length(queue).await?));
    }
    let hooks = webhooks::waiting(app.book.registry, store).await?;
    queues.push((WEBHOOKS, hooks));
    let newest = app.exchange.feeds().newest(store).await?;
    Ok(QueueReadings { queues, newest })
}

fn seconds(since: Option<i64>, now: i64) -> f64 {
    let ms = since.map_or(0, |since| now.saturating_sub(since).max(0));
    float(u64::try_from(ms).unwrap_or_default()) / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "no number here needs sixteen digits")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

fn tell_queues(readings: &QueueReadings, now: i64) {
    let mut lag: f64 = 0.0;
    for (name, waiting) in &readings.queues {
        let age = seconds(waiting.oldest, now);
        let depth = u64::try_from(waiting.depth).unwrap_or_default();
        gauge!("herdbook_queue_depth", "queue" => *name).set(float(depth));
        gauge!("herdbook_queue_age_seconds", "queue" => *name).set(age);
        if LAG.contains(name) {
            lag = lag.max(age);
        }
    }
    gauge!("herdbook_feed_lag_seconds").set(lag);
    let newest = u64::try_from(readings.newest).unwrap_or_default();
    gauge!("herdbook_book_changes").set(float(newest));
}

fn tell_own(app: &AppState) {
    let pool = app.book.store.pool();
    for (state, count) in [("idle", pool.idle), ("used", pool.size.saturating_sub(pool.idle)), ("max", pool.max)] {
        gauge!("herdbook_database_connections", "state" => state).set(float(count));
    }
    counter!("herdbook_database_waits_total").absolute(pool.waited);
    gauge!("herdbook_database_writes_waiting").set(float(pool.writes));
    let lines = &app.connected;
    gauge!("herdbook_connections_open").set(float(lines.open.load(Relaxed)));
    for (how, count) in [("closed", &lines.closed), ("health", &lines.health)] {
        counter!("herdbook_connections_refused_total", "how" => how).absolute(count.load(Relaxed));
    }
    for (why, count) in [("room", &lines.room), ("time", &lines.time)] {
        counter!("herdbook_connections_ended_total", "why" => why).absolute(count.load(Relaxed));
    }
    for (state, count) in app.exchange.intake().fates() {
        counter!("herdbook_intake_documents_total", "state" => state.word()).absolute(count);
    }
    let clients = u64::try_from(app.traffic.clients()).unwrap_or(u64::MAX);
    gauge!("herdbook_traffic_held").set(float(clients));
    gauge!("herdbook_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
    gauge!("process_start_time_seconds").set(app.metrics.started / 1000.0);
    if let Some(bytes) = memory() {
        gauge!("process_resident_memory_bytes").set(float(bytes));
    }
}

/// Resident memory, bytes. None on systems that do not report it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = (status.lines()).find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{Area, Kind, METRICS};
    use test_support::table;

    #[test]
    fn routes_have_their_class() {
        for (method, route, class) in table![
            "GET", "/ade/v1/locations", "ade-list";
            "GET", "/ade/v1/locations/{scheme}/{id}/{collection}", "ade-list";
            "POST", "/ade/v1/locations/{scheme}/{id}/{collection}", "ade-intake";
            "GET", "/ade/v1/locations/{scheme}/{id}/{collection}/{resource}", "ade-item";
            "GET", "/ade/v1/datasets/{set}/changes", "ade-feed";
            "POST", "/ade/v1/datasets/{set}/resources", "ade-intake";
            "GET", "/.well-known/ade", "ade-item";
            "GET", "/api/{slug}", "rest-read";
            "POST", "/api/{slug}", "rest-write";
            "POST", "/api/{slug}/count", "rest-read";
            "POST", "/api/{slug}/login", "sign-in";
            "POST", "/api/{slug}/verify/{token}", "sign-in";
            "GET", "/api/{slug}/file/{*filename}", "media";
            "POST", "/api/graphql", "graphql";
            "GET", "/api/graphql-playground/{file}", "service";
            "GET", "/healthz", "service";
            "GET", "none", "service";
        ] {
            assert_eq!(Area::of(method, route).labels().1, class, "{method} {route}");
        }
        assert!(Area::AdeFeed.is_read("GET") && !Area::AdeIntake.is_read("POST"));
        assert!(!Area::SignIn.is_read("GET"));
    }

    #[test]
    fn numbers_are_named_as_prometheus_wants_them() {
        for metric in METRICS {
            let total = metric.name.ends_with("_total");
            assert_eq!(metric.kind == Kind::Counter, total, "{}", metric.name);
            let same = METRICS.iter().filter(|n| n.name == metric.name);
            assert_eq!(same.count(), 1, "{}", metric.name);
        }
    }
}
