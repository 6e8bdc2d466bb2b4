//! Whether the service is well: `/healthz` (asks the database), `/healthz/live` (does not)
//! and `/metrics`. Open to everybody; tells nothing of the configuration.

use super::{Hub, numbers};
use crate::error::{Error, Result};
use crate::store::{Migrations, Sql};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn router() -> Router<Arc<Hub>> {
    Router::new()
        .route("/healthz", get(ready))
        .route("/healthz/live", get(live))
        .route("/metrics", get(counted))
}

async fn live(State(hub): State<Arc<Hub>>) -> Json<Value> {
    Json(json!({"status": "ok", "service": hub.settings.service}))
}

async fn counted(State(hub): State<Arc<Hub>>) -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], numbers::text(&hub).await).into_response()
}

async fn ready(State(hub): State<Arc<Hub>>) -> Response {
    let started = Instant::now();
    let state = tokio::time::timeout(PATIENCE, look(&hub)).await;
    let state = state.unwrap_or_else(|_| Err(Error::Unavailable("no answer in time".to_owned())));
    let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let service = &hub.settings.service;
    let (status, body) = match state {
        Ok(Database {
            slug,
            animals,
            applied,
            known,
        }) => {
            let migrated = applied >= known;
            let (status, word) = if migrated {
                (StatusCode::OK, "ok")
            } else {
                (StatusCode::SERVICE_UNAVAILABLE, "error")
            };
            let body = json!({
                "status": word, "service": service,
                "database": {"connected": true, slug: animals},
                "migrations": {"applied": applied, "known": known}, "tookMs": took,
            });
            (status, body)
        }
        Err(error) => {
            tracing::warn!(%error, "not healthy");
            let body = json!({
                "status": "error", "service": service,
                "database": {"connected": false, "error": "The database does not answer."},
                "tookMs": took,
            });
            (StatusCode::SERVICE_UNAVAILABLE, body)
        }
    };
    (status, Json(body)).into_response()
}

/// What the database says of itself.
struct Database {
    slug: &'static str,
    animals: i64,
    applied: usize,
    known: usize,
}

async fn look(hub: &Hub) -> Result<Database> {
    let Migrations { applied, known, .. } = hub.book.store.migrations().await?;
    let registry = hub.book.registry;
    // The collection that events are about.
    let mut about = registry.iter().filter_map(|c| c.field(c.animal?)?.target());
    let counted = about.next().and_then(|slug| registry.get(slug));
    let counted = counted.ok_or_else(|| Error::internal("nothing is about an animal"))?;
    let mut sql = Sql::new("SELECT count(*) FROM ");
    sql.name(&counted.table);
    let rows = hub.book.store.rows(sql).await?;
    let animals = rows.first().and_then(|row| row.int(0)).unwrap_or(0);
    Ok(Database {
        slug: counted.slug,
        animals,
        applied,
        known,
    })
}
