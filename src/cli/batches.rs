//! Tasks of the server around batches that are taken in later: working on them, and
//! forgetting them.

use crate::api::{Hub, work_batches};
use std::sync::Arc;
use std::time::Duration;

/// How often batches are looked for without being told: those of other processes, and those
/// that a stopped one left.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How often old results are looked for.
const FORGETTING: Duration = Duration::from_secs(3_600);
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Works on batches, again and again.
pub(super) async fn work(hub: Arc<Hub>) {
    let worker = uuid::Uuid::new_v4().to_string();
    loop {
        match work_batches(&hub, &worker).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "a batch waits to be worked on again"),
        }
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(LOOK_AGAIN, hub.exchange.batches_wait()).await;
    }
}

/// Forgets batches whose results were kept long enough.
pub(super) async fn forget(hub: Arc<Hub>) {
    let mut tick = tokio::time::interval(FORGETTING);
    loop {
        tick.tick().await;
        let kept = hub.settings.exchange_results_kept.saturating_mul(DAY);
        let before = hub.book.clock.now().saturating_sub(kept);
        loop {
            match hub.exchange.forget_batches(&hub.book, before).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "old batches were not forgotten");
                    break;
                }
            }
        }
    }
}
