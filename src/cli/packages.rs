//! Tasks of the server around packages: reading their files, and trying rows again that wait for other records.

use api::AppState;
use ingest::Reader;
use std::sync::Arc;
use std::time::Duration;

/// How often packages are looked for that wait to be read.
const LOOK: Duration = Duration::from_secs(1);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(10);
/// How often rows that wait are tried again, if anything was written.
const AGAIN: Duration = Duration::from_secs(60);

fn reader(hub: &AppState) -> Reader {
    let worker = uuid::Uuid::new_v4().to_string();
    let schemes = Arc::clone(&hub.schemes);
    let reader = Reader::new(Arc::clone(&hub.book), schemes, hub.exchange.clone(), worker);
    match hub.settings.packages_replacing {
        Some(rows) => reader.replacing_together(rows),
        None => reader,
    }
}

/// Reads packages, again and again.
pub(super) async fn read(hub: Arc<AppState>) {
    let reader = reader(&hub);
    loop {
        match reader.read_next().await {
            Ok(true) => continue,
            Ok(false) => tokio::time::sleep(LOOK).await,
            Err(error) => {
                tracing::warn!(%error, "a package could not be read; it is tried again later");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Tries rows that wait, again and again.
pub(super) async fn try_waiting(hub: Arc<AppState>) {
    let reader = reader(&hub);
    let mut commits = hub.book.store.watch().subscribe();
    loop {
        tokio::time::sleep(AGAIN).await;
        // Without a commit nothing came for which a row could wait.
        if commits.changed().await.is_err() {
            return;
        }
        match reader.try_waiting().await {
            Ok(0) => {}
            Ok(taken) => tracing::info!(taken, "rows of packages that had waited were taken"),
            Err(error) => {
                tracing::warn!(%error, "rows of packages that wait could not be tried again")
            }
        }
    }
}
