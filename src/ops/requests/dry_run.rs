//! Dry runs (docs/writing.md, *Only checked*): all that a request writes goes into one transaction, which its later
//! writes and readings see too, and which is undone when the request is answered. Must not know HTTP.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use model::error::{Error, Result};
use std::time::Duration;
use store::{Row, Sql, Store, Tx};
use tokio::sync::{mpsc, oneshot};

/// How long the transaction waits for the next step of its request. Other writers wait for its end.
const IDLE: Duration = Duration::from_secs(5);

/// A step in the open transaction.
type DryRunJob = Box<dyn for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, ()> + Send>;

/// A transaction that is undone when the answer is made, at the latest with its last owner.
#[derive(Debug, Clone)]
pub(crate) struct DryRun {
    steps: mpsc::Sender<Option<DryRunJob>>,
    undone: Shared<BoxFuture<'static, ()>>,
}

impl DryRun {
    pub(crate) fn begin(store: &Store) -> Self {
        let (steps, mut waiting) = mpsc::channel::<Option<DryRunJob>>(1);
        let store = store.clone();
        let transaction = tokio::spawn(async move {
            let undone = store.write(move |tx| {
                Box::pin(async move {
                    while let Ok(Some(Some(step))) = tokio::time::timeout(IDLE, waiting.recv()).await {
                        step(tx).await;
                    }
                    Err::<(), _>(Error::internal("nothing of a dry run stays"))
                })
            });
            let _ = undone.await;
        });
        Self { steps, undone: transaction.map(drop).boxed().shared() }
    }

    /// Ends the transaction, and waits until it is undone.
    pub(crate) async fn end(&self) {
        // One that has ended by itself takes no more.
        let _ = self.steps.send(None).await;
        self.undone.clone().await;
    }

    /// Does a step. One that fails is undone by itself.
    ///
    /// # Errors
    /// Its own; [`Error::Overloaded`] when there is no transaction.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let step: DryRunJob = Box::new(move |tx| {
            async move {
                // The receiver is gone when the caller went away.
                let _ = answer.send(within(tx, job).await);
            }
            .boxed()
        });
        let ended = || Error::Overloaded;
        self.steps.send(Some(step)).await.map_err(|_| ended())?;
        answered.await.map_err(|_| ended())?
    }

    /// Rows of a statement, of the book as it would be.
    pub(crate) async fn rows(&self, sql: Sql) -> Result<Vec<Row>> {
        self.run(move |tx| Box::pin(async move { tx.rows(sql).await })).await
    }
}

async fn within<T, F>(tx: &mut Tx, job: F) -> Result<T>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>>,
{
    let mark = tx.savepoint(0).await?;
    let done = job(tx).await;
    match done.is_ok() {
        true => tx.release(&mark).await?,
        false => tx.roll_back(mark).await?,
    }
    done
}
