//! Runs that compute index values of many animals, and compare bases (docs/design/jobs.md, *Indexes*).

use domain::collections::{INDEX_JOB, IndexRun, give_index_run_up, index_step};
use model::error::Result;
use ops::Book;
use ops::jobs::{Job, Lease};

/// How long a process may show no progress before another one goes on, milliseconds.
const LEASE: i64 = 60_000;

/// Works on them step by step, each in a transaction of its own.
#[derive(Debug)]
pub struct ComputeIndexes;

impl Job for ComputeIndexes {
    const KIND: &'static str = INDEX_JOB;

    fn lease(&self) -> i64 {
        LEASE
    }

    async fn run(&self, book: &Book, lease: Lease) -> Result<()> {
        let mut next = Some((lease, None));
        while let Some((lease, run)) = next {
            next = step(book, lease, run).await?;
        }
        Ok(())
    }
}

/// One step; none when the run came to its end, or is not this process's any more.
async fn step(book: &Book, mut lease: Lease, run: Option<IndexRun>) -> Result<Option<(Lease, Option<IndexRun>)>> {
    let step = book.transact(move |work| {
        Box::pin(async move {
            if !lease.renew(work.tx()).await? {
                tracing::info!("a run of the indexes was taken over or requested again");
                return Ok(None);
            }
            if run.is_none() && lease.is_hopeless() {
                give_index_run_up(work, lease.id()).await?;
                lease.finish(work.tx()).await?;
                return Ok(None);
            }
            let goes_on = run.is_some();
            let Some(run) = index_step(work, lease.id(), run).await? else {
                lease.finish(work.tx()).await?;
                return Ok(None);
            };
            // To be taken is no progress.
            if goes_on {
                lease.advance(work.tx()).await?;
            }
            Ok(Some((lease, Some(run))))
        })
    });
    step.await
}
