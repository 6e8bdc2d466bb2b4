//! Tasks of the server around the logs: what was noted aside is written, and animals that
//! were put away long ago go.

use api::Hub;
use domain::collections;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How often what was noted is written.
const KEEPING: Duration = Duration::from_secs(60);
/// The least time between two writes, however much there is.
const PAUSE: Duration = Duration::from_secs(5);
/// How often animals that are to go are looked for.
const PURGING: Duration = Duration::from_secs(3_600);
/// How long the last write may take.
const ENDING: Duration = Duration::from_secs(5);

/// Writes views and refused sign-ins, again and again.
pub(super) async fn keep(hub: Arc<Hub>) {
    loop {
        tokio::time::sleep(PAUSE).await;
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(KEEPING, hub.book.deferred_log_fills()).await;
        if let Err(error) = hub.book.write_deferred_log().await {
            tracing::warn!(%error, "views and refused sign-ins wait to be written");
        }
        if let Err(error) = hub.book.keep_key_uses().await {
            tracing::warn!(%error, "uses of API keys wait to be written");
        }
    }
}

/// Writes what is left, after the last request; waits for the task that writes before it
/// is ended, so that it loses nothing that it took.
pub(super) async fn end(hub: &Hub, task: JoinHandle<()>) {
    let kept = tokio::time::timeout(ENDING, hub.book.write_deferred_log()).await;
    task.abort();
    match kept {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "views and refused sign-ins were not written"),
        Err(_) => tracing::warn!("views and refused sign-ins were not written in time"),
    }
}

/// Lets animals go that were put away long ago.
pub(super) async fn purge(hub: Arc<Hub>) {
    let mut tick = tokio::time::interval(PURGING);
    loop {
        tick.tick().await;
        let mut at = Some(0);
        while let Some(after) = at {
            let step = (hub.book).transact(move |work| {
                Box::pin(async move { collections::purge(work, after).await })
            });
            at = step.await.unwrap_or_else(|error| {
                tracing::warn!(%error, "animals that were put away long ago were not deleted");
                None
            });
        }
    }
}
