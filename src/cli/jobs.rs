//! The jobs of the server (docs/design/jobs.md), and deleting what old ones left.

use super::averages::ComputeAverages;
use super::check::check_runs::CheckBook;
use super::evaluation_runs::{Evaluate, Release};
use super::index_runs::ComputeIndexes;
use api::{AppState, batch_teller, default_intake, end_options};
use exchange::{BatchJob, EndJob};
use ingest::Reader;
use model::error::Result;
use model::letter::Mail;
use ops::SendLetters;
use ops::jobs::{Job, work};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How often rows of packages that wait are tried again, if anything was written.
const AGAIN: Duration = Duration::from_secs(60);
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Starts the work on jobs of each kind.
pub(super) fn start(tasks: &mut JoinSet<()>, hub: &AppState, mail: Arc<dyn Mail>) {
    let book = || Arc::clone(&hub.book);
    let letters = SendLetters::new(hub.settings.mail.branding.clone(), mail);
    tasks.spawn(work(book(), batches(hub)));
    tasks.spawn(work(book(), full_sync_ends(hub)));
    tasks.spawn(work(book(), reader(hub)));
    tasks.spawn(work(book(), CheckBook));
    tasks.spawn(work(book(), Evaluate));
    tasks.spawn(work(book(), Release));
    tasks.spawn(work(book(), ComputeIndexes));
    tasks.spawn(work(book(), ComputeAverages));
    tasks.spawn(work(book(), letters));
}

/// Work on batches that are answered later.
pub fn batches(hub: &AppState) -> impl Job + use<> {
    BatchJob {
        exchange: hub.exchange.clone(),
        options: default_intake(hub),
        lease: hub.settings.exchange_lease.saturating_mul(1_000),
        tell: batch_teller(&hub.exchange),
    }
}

/// Work on ends of full syncs.
pub fn full_sync_ends(hub: &AppState) -> EndJob {
    EndJob { exchange: hub.exchange.clone(), options: end_options(hub, false) }
}

pub(super) fn reader(hub: &AppState) -> Reader {
    let schemes = Arc::clone(&hub.schemes);
    let reader = Reader::new(Arc::clone(&hub.book), schemes, hub.exchange.clone());
    match hub.settings.packages_replacing {
        Some(rows) => reader.replacing_together(rows),
        None => reader,
    }
}

/// Tries rows of packages that wait for other records, again and again.
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

/// Deletes batches and full syncs whose results are older than `exchange.results_kept`.
pub(super) async fn forget(hub: Arc<AppState>) -> Result<()> {
    let retention = hub.settings.exchange_result_days.saturating_mul(DAY);
    let before = hub.book.clock.now().saturating_sub(retention);
    let (book, exchange) = (&hub.book, &hub.exchange);
    while exchange.batches().forget_batches(book, before).await? {}
    while exchange.full_syncs().forget_full_syncs(book, before).await? {}
    Ok(())
}
