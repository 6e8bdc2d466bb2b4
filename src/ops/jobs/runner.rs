//! Work on jobs in a process that serves: woken by commits of any process, and when the next job is due.

use super::Lease;
use crate::Book;
use model::error::Result;
use std::sync::Arc;
use std::time::Duration;
use store::{Sql, Ty};

/// The shortest time between two looks, however many commits there are.
const BREATH: Duration = Duration::from_millis(200);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest time between two looks: whoever changes a SQLite file from outside announces nothing.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// A kind of work that outlives the process.
pub trait Job: Send + Sync {
    const KIND: &'static str;

    /// How long a process may show no progress before another one takes a job over, milliseconds.
    fn lease(&self) -> i64;

    /// Works on one, and ends it in the transaction of its last change ([`Lease::finish`]), or puts it off. What
    /// fails is tried again when the lease is over.
    fn run(&self, book: &Book, lease: Lease) -> impl Future<Output = Result<()>> + Send;
}

/// Works on jobs of a kind, one after the other, until the task is cancelled.
pub async fn work<J: Job>(book: Arc<Book>, job: J) {
    let mut commits = book.store.watch().subscribe();
    loop {
        let wait = match book.run_job(&job).await {
            Ok(true) => continue,
            Ok(false) => book.until_due(J::KIND).await,
            Err(error) => Err(error),
        };
        let wait = wait.unwrap_or_else(|error| {
            tracing::warn!(kind = J::KIND, %error, "a job failed; it is tried again later");
            PAUSE
        });
        let news = async {
            // The sender lives as long as the book.
            let _ = commits.changed().await;
            tokio::time::sleep(BREATH).await;
        };
        tokio::select! {
            () = news => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}

impl Book {
    /// Works on the job of a kind that waits longest; false when none does.
    pub async fn run_job<J: Job>(&self, job: &J) -> Result<bool> {
        match self.lease_job(J::KIND, job.lease()).await? {
            Some(lease) => job.run(self, lease).await.map(|()| true),
            None => Ok(false),
        }
    }

    /// How long until a job of a kind is due.
    async fn until_due(&self, kind: &'static str) -> Result<Duration> {
        let rows = self.store.rows(Sql::new("SELECT min(due) FROM jobs WHERE kind = ").with(Ty::Text, kind)).await?;
        let due = rows.first().and_then(|row| row.int(0));
        let later = due.map(|due| u64::try_from(due - self.clock.now()).unwrap_or(0));
        Ok(later.map_or(LOOK_AGAIN, Duration::from_millis).min(LOOK_AGAIN))
    }
}
