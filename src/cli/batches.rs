//! Tasks of the server around batches that are accepted for later, and full syncs that are ending:
//! working on them, and deleting old ones.

use api::{AppState, work_batches, work_full_syncs};
use model::error::Result;
use std::sync::Arc;
use std::time::Duration;

/// How often batches and ends of full syncs are looked for without a wake-up in this process: those
/// queued by other processes, and those that a stopped process left.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How often old results are looked for.
const FORGETTING: Duration = Duration::from_secs(3_600);
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Works on batches, again and again.
pub(super) async fn work(hub: Arc<AppState>) {
    let worker = uuid::Uuid::new_v4().to_string();
    loop {
        match work_batches(&hub, &worker).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "work on a batch failed; it is tried again later"),
        }
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(LOOK_AGAIN, hub.exchange.batches().batches_wait()).await;
    }
}

/// Works on ends of full syncs, again and again.
pub(super) async fn end(hub: Arc<AppState>) {
    let worker = uuid::Uuid::new_v4().to_string();
    loop {
        match work_full_syncs(&hub, &worker).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "the end of a full sync failed; it is tried again later");
            }
        }
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(LOOK_AGAIN, hub.exchange.full_syncs().ends_wait()).await;
    }
}

/// Deletes batches and full syncs whose results are older than `exchange.results_kept`.
pub(super) async fn forget(hub: Arc<AppState>) {
    let mut tick = tokio::time::interval(FORGETTING);
    loop {
        tick.tick().await;
        let retention = hub.settings.exchange_results_kept.saturating_mul(DAY);
        let before = hub.book.clock.now().saturating_sub(retention);
        let (book, exchange) = (&hub.book, &hub.exchange);
        until_none("old batches", || {
            exchange.batches().forget_batches(book, before)
        })
        .await;
        until_none("old full syncs", || {
            exchange.full_syncs().forget_full_syncs(book, before)
        })
        .await;
    }
}

/// Forgets piece by piece until nothing is left.
async fn until_none<F: Future<Output = Result<bool>>>(what: &str, forget: impl Fn() -> F) {
    loop {
        match forget().await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                return tracing::warn!(%error, "{what} could not be deleted; trying again later");
            }
        }
    }
}
