//! Deleting old tombstones: once a day by the server, or by `herdbook drop-tombstones`.

use crate::{OpenBook, announce, open};
use api::AppState;
use config::Settings;
use model::error::Result;
use serde_json::json;
use std::sync::Arc;

/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Tombstones older than this time are deleted.
fn before(settings: &Settings, now: i64) -> i64 {
    now.saturating_sub(settings.exchange_tombstone_days.saturating_mul(DAY))
}

pub(crate) async fn drop_old(settings: &Settings) -> Result<()> {
    let OpenBook { book, exchange } = open(settings, settings.passing_ring()?).await?;
    let before = before(settings, book.clock.now());
    let done = exchange.projector().drop_tombstones(&book, before).await;
    let horizon = exchange.projector().horizon(&book).await;
    book.store.close().await;
    let dropped = done?;
    announce(&json!({
        "event": "tombstones-dropped", "documents": dropped.documents,
        "tombstones": dropped.tombstones, "words": dropped.last_states, "horizon": horizon?,
    }));
    Ok(())
}

/// Deletes old tombstones.
pub(crate) async fn drop_daily(hub: Arc<AppState>) -> Result<()> {
    let before = before(&hub.settings, hub.book.clock.now());
    let projector = hub.exchange.projector();
    let dropped = projector.drop_tombstones(&hub.book, before).await?;
    tracing::debug!(?dropped, "old tombstones were deleted");
    Ok(())
}
