//! The channel to the task that writes: jobs, the callers that wait for them, and their results.

use super::fair_queue::{ClientNumber, FairQueue, RecentWriters};
use super::{Backend, Tx, Writer};
use crate::Watch;
use crate::readers::terms;
use crate::unwritable::Unwritable;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::clock::Clock;
use model::error::{Error, Result};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Jobs waiting before callers wait themselves.
const QUEUE: usize = 1_024;

/// How a job ends: whether it may be committed, and the caller to notify.
pub(super) struct JobResult {
    pub(super) keep: bool,
    pub(super) notify: Box<dyn FnOnce(Result<()>) + Send>,
}

/// With a transaction, or the reason why there is none.
pub(super) type Job = Box<dyn for<'t> FnOnce(Result<&'t mut Tx>) -> BoxFuture<'t, JobResult> + Send>;

/// The way to the writing task.
#[derive(Clone)]
pub(crate) struct Queue {
    jobs: mpsc::Sender<Message>,
    /// Jobs that the writer took from the channel and did not do yet.
    taken: Arc<AtomicUsize>,
    recent_writers: Arc<RecentWriters>,
    unwritable: Arc<Unwritable>,
}

pub(super) enum Message {
    Job(ClientNumber, Job),
    Close(oneshot::Sender<()>),
}

impl Queue {
    pub(crate) fn start(backend: Backend, clock: Clock, watch: Arc<Watch>, wait: Duration) -> Self {
        let (jobs, inbox) = mpsc::channel(QUEUE);
        let taken = Arc::default();
        let writer = Writer {
            backend: Some(backend),
            clock,
            watch,
            wait,
            written: false,
            jobs: FairQueue::new(Arc::clone(&taken)),
        };
        tokio::spawn(writer.run(inbox));
        Self { jobs, taken, recent_writers: Arc::default(), unwritable: Arc::default() }
    }

    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let (notify, receiver) = oneshot::channel();
        let recent_writers = Arc::clone(&self.recent_writers);
        let writes = client().filter(|_| terms::current().is_none_or(|terms| terms.writes));
        let job: Job = Box::new(move |tx| {
            Box::pin(async move {
                let outcome = match tx {
                    Ok(tx) => {
                        let begun = Instant::now();
                        let ran = AssertUnwindSafe(job(tx)).catch_unwind().await;
                        recent_writers.wrote(writes, begun.elapsed());
                        ran.unwrap_or_else(|_| Err(Error::internal("a write panicked")))
                    }
                    Err(error) => Err(error),
                };
                JobResult {
                    keep: outcome.is_ok(),
                    notify: Box::new(move |committed| {
                        // A missing receiver is no fault: the caller went away.
                        let _ = notify.send(committed.and(outcome));
                    }),
                }
            })
        });
        let closed = || Error::Unavailable("the book cannot be written to now".to_owned());
        self.jobs.send(Message::Job(client(), job)).await.map_err(|_| closed())?;
        receiver.await.map_err(|_| closed())?.inspect_err(|error| self.unwritable.note(error))
    }

    pub(crate) fn unwritable(&self) -> Arc<Unwritable> {
        Arc::clone(&self.unwritable)
    }

    /// Jobs that wait.
    pub(crate) fn depth(&self) -> usize {
        let sent = self.jobs.max_capacity();
        let sent = sent.saturating_sub(self.jobs.capacity());
        sent.saturating_add(self.taken.load(Ordering::Relaxed))
    }

    /// Whether other clients than the one who asks wrote something small lately.
    pub(crate) fn others_write(&self) -> bool {
        self.recent_writers.others(client())
    }

    pub(crate) async fn close(&self) {
        let (notify, receiver) = oneshot::channel();
        if self.jobs.send(Message::Close(notify)).await.is_ok() {
            let _ = receiver.await;
        }
    }
}

/// The client of the present request.
fn client() -> ClientNumber {
    terms::current().map(|terms| terms.client)
}

/// Reports to the caller of a job that never ran the reason.
pub(super) async fn refuse(job: Job, error: Error) {
    tracing::warn!(%error, "no transaction could be begun");
    let finish = job(Err(error)).await;
    (finish.notify)(Ok(()));
}
