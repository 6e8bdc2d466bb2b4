//! Tasks of the server around the logs: deferred entries are written, and animals that were
//! archived long ago are deleted.

use api::AppState;
use domain::collections;
use model::error::Result;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How often collected log lines are written.
const KEEPING: Duration = Duration::from_secs(60);
/// The least time between two writes, however much there is.
const PAUSE: Duration = Duration::from_secs(5);
/// How long the last write may take.
const ENDING: Duration = Duration::from_secs(5);

/// Writes log lines about views and refused sign-ins, again and again.
pub(crate) async fn keep(hub: Arc<AppState>) {
    loop {
        tokio::time::sleep(PAUSE).await;
        // Running out of time is the other way to wake.
        let _ = tokio::time::timeout(KEEPING, hub.book.deferred_log_fills()).await;
        if let Err(error) = hub.book.write_deferred_log().await {
            tracing::warn!(%error, "log lines about views and refused sign-ins could not be written; trying again later");
        }
        if let Err(error) = hub.book.keep_key_uses().await {
            tracing::warn!(%error, "times of use of API keys could not be written; trying again later");
        }
    }
}

/// Writes what is left, after the last request; waits for the task that writes before it
/// is ended, so that it loses nothing that it took.
pub(crate) async fn end(hub: &AppState, task: JoinHandle<()>) {
    let outcome = tokio::time::timeout(ENDING, hub.book.write_deferred_log()).await;
    task.abort();
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(%error, "log lines about views and refused sign-ins were lost at shutdown")
        }
        Err(_) => tracing::warn!("log lines about views and refused sign-ins were not written before shutdown"),
    }
}

/// Deletes animals that were archived long ago.
pub(crate) async fn purge(hub: Arc<AppState>) -> Result<()> {
    let mut at = Some(0);
    while let Some(after) = at {
        let step = (hub.book).transact(move |work| Box::pin(async move { collections::purge(work, after).await }));
        at = step.await?;
    }
    Ok(())
}
