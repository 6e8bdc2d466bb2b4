//! Health and metrics: `/healthz` (asks the database, and tries a write now and then), `/healthz/live` (does not) and
//! `/metrics`. They reveal nothing of the configuration. Health is open to everyone; metrics are served at an address
//! of their own, to clients that send their token, or where only this machine connects.

pub(crate) mod probe;

use self::probe::Writes;

use crate::layers::peer;
use crate::observe::metrics;
use crate::{AppState, Refusal};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use model::error::{Error, Result};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Migrations, State as Applied};
use subtle::ConstantTimeEq;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn router() -> Router<Arc<AppState>> {
    Router::new().route("/healthz", get(ready)).route("/healthz/live", get(live)).route("/metrics", get(counted))
}

async fn live(State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(json!({"status": "ok", "service": app.settings.service}))
}

/// Numbers on an address of their own.
pub(crate) fn numbers_alone() -> Router<Arc<AppState>> {
    Router::new().route("/metrics", get(counted_alone))
}

async fn counted_alone(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    match app.settings.metrics.token.reveal().is_empty() || knows(&app, &headers) {
        true => metrics_text(&app).await,
        false => unknown(),
    }
}

async fn counted(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    let metrics = &app.settings.metrics;
    // A proxy may run on this machine, declared or not.
    let alone = app.settings.listen.ip().is_loopback()
        && app.settings.limits.trusted_proxies == 0
        && !peer::forwarded(&headers);
    let open = match (metrics.listen, metrics.token.reveal().is_empty()) {
        (Some(_), _) => false,
        (None, true) => alone,
        (None, false) if knows(&app, &headers) => true,
        (None, false) => return unknown(),
    };
    match open {
        true => metrics_text(&app).await,
        false => Refusal::NoRoute("/metrics".to_owned()).into_response(),
    }
}

/// Whether a request has the token of the numbers.
fn knows(app: &AppState, headers: &HeaderMap) -> bool {
    let bearer = headers.get(header::AUTHORIZATION);
    let bearer = bearer.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    let token = app.settings.metrics.token.reveal().as_bytes();
    bearer.is_some_and(|bearer| bool::from(bearer.ct_eq(token)))
}

fn unknown() -> Response {
    let ask = (header::WWW_AUTHENTICATE, "Bearer");
    (StatusCode::UNAUTHORIZED, [ask]).into_response()
}

async fn metrics_text(app: &AppState) -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], metrics::text(app).await).into_response()
}

async fn ready(State(app): State<Arc<AppState>>) -> Response {
    let started = Instant::now();
    let state = tokio::time::timeout(PATIENCE, look(&app)).await;
    let state = state.unwrap_or_else(|_| Err(Error::Unavailable("no answer in time".to_owned())));
    let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut body = Map::new();
    let well = match state {
        Ok(health) => {
            let well = health.is_well();
            body.extend(health.members());
            well
        }
        Err(error) => {
            tracing::warn!(%error, "not healthy");
            let away = json!({"connected": false, "error": "The database does not answer."});
            body.insert("database".to_owned(), away);
            false
        }
    };
    let (status, word) = match well {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "error"),
    };
    body.insert("status".to_owned(), word.into());
    body.insert("service".to_owned(), app.settings.service.as_str().into());
    body.insert("tookMs".to_owned(), took.into());
    (status, Json(Value::Object(body))).into_response()
}

struct Database {
    migrations: Migrations,
    /// Statements that would mend the tables.
    differences: usize,
    writes: Writes,
    /// By how much the book is ahead of the clock, milliseconds.
    ahead: Option<i64>,
}

impl Database {
    fn is_well(&self) -> bool {
        self.migrations.state == Applied::Current && self.differences == 0 && self.writes == Writes::Taken
    }

    fn members(&self) -> Map<String, Value> {
        let Migrations { applied, known, state } = self.migrations;
        let mut database = members(json!({"connected": true}));
        if let Writes::Refused(why) = self.writes {
            match why {
                store::DAMAGED => {
                    let error = "The database is damaged: docs/backup.md says how it is restored.";
                    database.extend(members(json!({"damaged": true, "error": error})));
                }
                _ => {
                    let error = format!("Nothing can be written: {why}.");
                    database.extend(members(json!({"writable": false, "error": error})));
                }
            }
        }
        if let Some(ahead) = self.ahead {
            let error = "The last change is later than the clock: docs/operations.md says what to do.";
            database.extend(members(json!({"aheadSeconds": ahead / 1000, "clock": error})));
        }
        let mut migrations = members(json!({"applied": applied, "known": known}));
        if state != Applied::Current {
            migrations.extend(members(json!({"state": state.word()})));
        }
        let mut all = members(json!({"database": database, "migrations": migrations}));
        if self.differences > 0 {
            let error = "The tables are not those of this program: herdbook schema --diff shows how.";
            let schema = json!({"differences": self.differences, "error": error});
            all.extend(members(json!({"schema": schema})));
        }
        all
    }
}

fn members(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

async fn look(app: &AppState) -> Result<Database> {
    let migrations = app.book.store.migrations().await?;
    let ahead = app.book.store.ahead(app.book.clock.now()).await?;
    // Of tables that an older or a newer program made no comparison says more.
    let shape = async {
        match migrations.state {
            Applied::Current => app.health.shape(app).await,
            _ => Ok(0),
        }
    };
    // Both at once: each may take most of the time that there is.
    let (differences, writes) = tokio::join!(shape, app.health.writes(app));
    Ok(Database { migrations, differences: differences?, writes, ahead })
}
