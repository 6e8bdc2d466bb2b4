//! The end of a full sync deletes the resources that the sync did not name, each by a retraction as a sender would send
//! it. It is worked off in pieces ([`crate::full_sync::steps`]), each a transaction with its deletions and its
//! progress, so that others write between. What fits into one piece is one transaction. A longer end is a row of stage
//! `ending` with a job, which the request that ends the sync leases first.

use crate::full_sync::outcome::Progress;
use crate::full_sync::steps::{EndStep, settle};
use crate::full_sync::{COLUMNS, FullSync, FullSyncs, SyncStage, by_id, read};
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{BookReader, Principal};
use ops::jobs::Lease;
use ops::{Book, WriteTransaction};
use std::sync::Arc;
use store::{Sql, Ty};
use tokio::sync::oneshot;

pub const END_JOB: &str = "full-sync-end";
/// Why a resource stays whose deletion failed again and again.
const FAILED: &str = "It could not be deleted because of an error in the service.";

#[derive(Debug, Clone, Copy)]
pub struct EndOptions {
    /// Resources that one transaction deletes at most.
    pub chunk: usize,
    /// Milliseconds without progress after which another worker takes it over.
    pub lease: i64,
    /// Nothing is stored.
    pub dry: bool,
}

/// The answer to the end of a full sync.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The sync in its new state.
    Done(Box<FullSync>),
    /// The end is accepted, and more pieces follow, by whoever has the lease; none: another process.
    GoesOn(Box<FullSync>, Option<Lease>),
    /// The number of resources named, when another was expected: nothing was done.
    Miscounted(i64),
}

impl FullSyncs {
    /// Ends a full sync whose sender expects to have named this number of resources: checks it,
    /// and works on the first piece. A repeated end returns the present state.
    ///
    /// # Errors
    /// The errors of the store; [`Error::NotFound`] without such a sync of the caller's
    /// organisation; [`Error::Invalid`] when it does not go on.
    pub async fn end_full_sync(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        id: &str,
        expected: i64,
        options: EndOptions,
    ) -> Result<Ending> {
        if options.dry {
            return self.try_end(book, caller, id, expected, options).await;
        }
        let (this, id) = (self.clone(), id.to_owned());
        let done = book.transact(move |work| {
            Box::pin(async move { this.first_step(work, &caller, &id, expected, options).await })
        });
        done.await
    }

    /// Accepts an end and works on its first piece, in one transaction.
    async fn first_step(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        id: &str,
        expected: i64,
        options: EndOptions,
    ) -> Result<Ending> {
        let sync = FullSync::own(work, caller, id).await?;
        match sync.stage {
            SyncStage::Ended => return Ok(Ending::Done(Box::new(sync))),
            SyncStage::Ending => return Ok(Ending::GoesOn(Box::new(sync), None)),
            _ => sync.goes_on()?,
        }
        if sync.resources != expected {
            return Ok(Ending::Miscounted(sync.resources));
        }
        let progress = Progress { user: caller.user, seen: work.tx().seq(), ..Progress::default() };
        let ending = self.advance(work, EndStep::new(&sync, caller, options.chunk), progress).await?;
        Ok(match ending {
            Ending::GoesOn(sync, _) => {
                let lease = Lease::begin(work.tx(), END_JOB, id, options.lease).await?;
                Ending::GoesOn(sync, Some(lease))
            }
            done => done,
        })
    }

    /// Works on the next piece of an end that this process leased, with the rights of `caller`; with
    /// `why` there are none any more, and what is left stays.
    ///
    /// # Errors
    /// The errors of the store; [`Error::Unavailable`] when another worker took it over.
    pub async fn continue_end(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        mut lease: Lease,
        why: Option<String>,
        options: EndOptions,
    ) -> Result<Ending> {
        let this = self.clone();
        let done = book.transact(move |work| {
            Box::pin(async move {
                let now = work.now();
                let rows = work.tx().rows(by_id(lease.key())).await?;
                let sync = rows.first().map(|row| read(row, now)).ok_or(Error::NotFound)?;
                if sync.stage != SyncStage::Ending {
                    lease.finish(work.tx()).await?;
                    return Ok(Ending::Done(Box::new(sync)));
                }
                // One that cannot be read is as one that has no rights: what is left stays.
                let progress = sync.progress.clone().unwrap_or_default();
                let hopeless = lease.is_hopeless();
                lease.advance(work.tx()).await?;
                let step = EndStep {
                    why: why.as_deref().or(hopeless.then_some(FAILED)),
                    // What fails is among the next that are deleted together.
                    once: hopeless,
                    ..EndStep::new(&sync, &caller, options.chunk)
                };
                let ending = this.advance(work, step, progress).await?;
                Ok(match ending {
                    Ending::GoesOn(sync, _) => Ending::GoesOn(sync, Some(lease)),
                    done => {
                        lease.finish(work.tx()).await?;
                        done
                    }
                })
            })
        });
        done.await
    }

    /// Works on a piece, and stores how far the end is with it.
    async fn advance(
        &self,
        work: &mut WriteTransaction<'_>,
        step: EndStep<'_>,
        mut progress: Progress,
    ) -> Result<Ending> {
        let over = self.step(work, step, &mut progress).await?;
        let now = work.now();
        let mut sync = step.sync.clone();
        sync.outcome = Some(progress.outcome.clone());
        if over {
            sync.stage = SyncStage::Ended;
            sync.ended = Some(now);
            sync.progress = None;
            work.tx().run(over_with(&sync)?).await?;
            return Ok(Ending::Done(Box::new(sync)));
        }
        if progress.pass > 0 {
            // What this piece changed was not changed by others.
            progress.seen = work.tx().seq();
        }
        sync.stage = SyncStage::Ending;
        work.tx().run(so_far(&sync, &progress)?).await?;
        sync.progress = Some(progress);
        Ok(Ending::GoesOn(Box::new(sync), None))
    }
}

/// Dry runs.
impl FullSyncs {
    /// What an end would do. If that is more than a piece, resources that are looked at together
    /// are tried by themselves: what could go only after others counts as refused.
    async fn try_end(
        &self,
        book: &Book,
        caller: Arc<Principal>,
        id: &str,
        expected: i64,
        options: EndOptions,
    ) -> Result<Ending> {
        let (this, by, at) = (self.clone(), Arc::clone(&caller), id.to_owned());
        let whole = rolled_back(book, move |work| {
            Box::pin(async move { this.first_step(work, &by, &at, expected, options).await })
        });
        match whole.await? {
            Ending::GoesOn(_, Some(_)) => {}
            other => return Ok(other),
        }
        let mut progress = Progress::default();
        loop {
            let (this, by, at) = (self.clone(), Arc::clone(&caller), id.to_owned());
            let so_far = progress.clone();
            let tried = rolled_back(book, move |work| {
                Box::pin(async move {
                    let sync = FullSync::own(work, &by, &at).await?;
                    sync.goes_on()?;
                    let mut progress = so_far;
                    let over = this.dry_run_step(work, EndStep::new(&sync, &by, options.chunk), &mut progress).await?;
                    let ended = over.then(|| FullSync {
                        stage: SyncStage::Ended,
                        ended: Some(work.now()),
                        outcome: Some(progress.outcome.clone()),
                        ..sync
                    });
                    Ok((progress, ended))
                })
            });
            match tried.await? {
                (_, Some(ended)) => return Ok(Ending::Done(Box::new(ended))),
                (further, None) => progress = further,
            }
        }
    }
}

async fn rolled_back<T, F>(book: &Book, job: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'w, 't> FnOnce(&'w mut WriteTransaction<'t>) -> futures_util::future::BoxFuture<'w, Result<T>>
        + Send
        + 'static,
{
    let (tx, mut rx) = oneshot::channel();
    let done: Result<()> = book
        .transact(move |work| {
            Box::pin(async move {
                // The receiver is gone when the caller went away.
                let _ = tx.send(job(work).await?);
                Err(Error::internal("nothing of a dry run stays"))
            })
        })
        .await;
    match done {
        Ok(()) => Err(Error::internal("a dry run was stored")),
        Err(error) => rx.try_recv().map_err(|_| error),
    }
}

/// Before a transaction that is no one's own renders documents: what others changed by now is
/// noted in the ends that go on, which afterwards do not take the renderings for changes.
pub(crate) async fn settle_all(work: &mut WriteTransaction<'_>) -> Result<Vec<FullSync>> {
    let now = work.now();
    let mut sql = Sql::new("SELECT ");
    sql.push(COLUMNS).push(" FROM exchange_full_syncs WHERE stage = ").bind(Ty::Text, SyncStage::Ending.word());
    let rows = work.tx().rows(sql).await?;
    let mut all: Vec<FullSync> = rows.iter().map(|row| read(row, now)).collect();
    for sync in &mut all {
        let Some(mut progress) = sync.progress.take() else { continue };
        if progress.pass > 0 {
            settle(work, sync, &mut progress).await?;
        }
        sync.progress = Some(progress);
    }
    Ok(all)
}

/// After it.
pub(crate) async fn note_changes(work: &mut WriteTransaction<'_>, all: Vec<FullSync>) -> Result<()> {
    for mut sync in all {
        let Some(mut progress) = sync.progress.take().filter(|p| p.pass > 0) else { continue };
        progress.seen = work.tx().seq();
        work.tx().run(so_far(&sync, &progress)?).await?;
    }
    Ok(())
}

fn over_with(sync: &FullSync) -> Result<Sql> {
    let outcome = serde_json::to_string(&sync.outcome).map_err(Error::internal)?;
    Ok(Sql::new("UPDATE exchange_full_syncs SET stage = ")
        .with(Ty::Text, sync.stage.word())
        .and(", ended_at = ")
        .with(Ty::Int, sync.ended.map_or(Value::Null, Value::Int))
        .and(", outcome = ")
        .with(Ty::Text, outcome)
        .and(" WHERE id = ")
        .with(Ty::Text, sync.id.as_str()))
}

/// Writes how far an end is.
fn so_far(sync: &FullSync, progress: &Progress) -> Result<Sql> {
    let progress = serde_json::to_string(progress).map_err(Error::internal)?;
    Ok(Sql::new("UPDATE exchange_full_syncs SET stage = ")
        .with(Ty::Text, SyncStage::Ending.word())
        .and(", outcome = ")
        .with(Ty::Text, progress)
        .and(" WHERE id = ")
        .with(Ty::Text, sync.id.as_str()))
}
