//! The task that folds what was counted of clients into the book.

use api::AppState;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How often.
const FOLDING: Duration = Duration::from_secs(60);
/// How long the last time may take.
const ENDING: Duration = Duration::from_secs(5);

/// Folds, again and again.
pub(crate) async fn keep(hub: Arc<AppState>) {
    loop {
        tokio::time::sleep(FOLDING).await;
        fold(&hub).await;
    }
}

/// Folds what is left, after the last request; waits for the task that folds before it is
/// ended, so that it loses nothing that it took.
pub(crate) async fn end(hub: &AppState, task: JoinHandle<()>) {
    let outcome = tokio::time::timeout(ENDING, fold(hub)).await;
    task.abort();
    if outcome.is_err() {
        tracing::warn!("request counts of clients were not written before shutdown");
    }
}

async fn fold(hub: &AppState) {
    let now = hub.book.clock.now();
    if let Err(error) = hub.traffic.fold(&hub.book.store, now).await {
        tracing::warn!(%error, "request counts of clients could not be written; trying again later");
    }
    let lifetime = hub.settings.session_lifetime.saturating_mul(1000);
    if let Err(error) = hub.session_uses.fold(&hub.book.store, now, lifetime).await {
        tracing::warn!(%error, "times of use of sessions could not be written; trying again later");
    }
}
