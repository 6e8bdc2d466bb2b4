//! On what terms the statements of a request run: which connections are for it, how long one
//! may take, how long it waits for a connection; and what they took, so that whoever asked
//! pays for it. Without terms (jobs, health, looking callers up) nothing is bounded, and
//! some connections are left that nobody else takes.

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// For whom connections are reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Whoever asks freely: any question may come.
    Anybody,
    /// The exchange, and signing in: the server's own questions.
    Reserved,
}

/// The terms of one request.
#[derive(Debug)]
pub struct Terms {
    /// Which connections are for it.
    pub share: Share,
    /// How long one statement may take; of a long one, how long until its next row.
    pub each: Duration,
    /// How long all rows of a long one may take, without the time that its reader takes.
    pub whole: Duration,
    /// How long to wait for a connection.
    pub patience: Duration,
    /// Who asks, as a number of its own: whoever wrote least writes next.
    pub payer: u64,
    /// Nanoseconds.
    spent: AtomicU64,
    rows: AtomicU64,
}

tokio::task_local! {
    static TERMS: Arc<Terms>;
}

impl Terms {
    /// Nothing was taken yet.
    pub fn new(share: Share, each: Duration, whole: Duration, patience: Duration) -> Self {
        Self {
            share,
            each,
            whole,
            patience,
            payer: 0,
            spent: AtomicU64::new(0),
            rows: AtomicU64::new(0),
        }
    }

    /// For whom it is.
    #[must_use]
    pub fn of(mut self, payer: u64) -> Self {
        self.payer = payer;
        self
    }

    /// Runs something whose statements are under these terms. What outlives it, a stream that
    /// is read later, keeps them by [`super::Store::bound`].
    pub async fn over<T>(self: Arc<Self>, work: impl Future<Output = T>) -> T {
        TERMS.scope(self, work).await
    }

    /// Time that statements took so far.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    /// Rows that they brought so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(super) fn brought(&self, rows: usize) {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

/// How long whoever has no terms waits.
const PATIENCE: Duration = Duration::from_secs(20);

impl super::Store {
    /// How long to wait for what others hold.
    pub fn patience(&self) -> Duration {
        self.terms().map_or(PATIENCE, |terms| terms.patience)
    }
}

/// The terms of the request that is being answered.
pub(super) fn present() -> Option<Arc<Terms>> {
    TERMS.try_with(Arc::clone).ok()
}

/// The time that a statement runs is taken when this goes, also from whoever went away.
pub(super) struct Running<'t>(Option<(&'t Terms, Instant)>);

impl<'t> Running<'t> {
    pub(super) fn under(terms: Option<&'t Terms>) -> Self {
        Self(terms.map(|terms| (terms, Instant::now())))
    }

    /// How long it ran so far.
    pub(super) fn time(&self) -> Duration {
        let since = self.0.map(|(_, since)| since.elapsed());
        since.unwrap_or_default()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some((terms, _)) = self.0 {
            // Not in larger units: thousands of rows are counted one by one.
            let nanos = u64::try_from(self.time().as_nanos()).unwrap_or(u64::MAX);
            terms.spent.fetch_add(nanos, Ordering::Relaxed);
        }
    }
}

/// Connections by whom they are for. What all shares leave is for those without terms.
#[derive(Debug)]
pub(super) struct Shares {
    anybody: Arc<Semaphore>,
    /// Long answers, which are read as slowly as their readers like.
    long: Arc<Semaphore>,
    reserved: Arc<Semaphore>,
    /// Statements that found none free.
    pub(super) waited: AtomicU64,
}

impl Shares {
    pub(super) fn new([anybody, long, reserved]: [usize; 3]) -> Self {
        Self {
            anybody: Arc::new(Semaphore::new(anybody)),
            long: Arc::new(Semaphore::new(long)),
            reserved: Arc::new(Semaphore::new(reserved)),
            waited: AtomicU64::new(0),
        }
    }

    /// Waits until a connection of the share is free.
    ///
    /// # Errors
    /// [`Error::Overloaded`] when none is in time.
    pub(super) async fn turn(
        &self,
        terms: Option<&Terms>,
        long: bool,
    ) -> Result<Option<OwnedSemaphorePermit>> {
        let Some(terms) = terms else {
            return Ok(None);
        };
        let share = match (terms.share, long) {
            (Share::Reserved, _) => &self.reserved,
            (Share::Anybody, true) => &self.long,
            (Share::Anybody, false) => &self.anybody,
        };
        if let Ok(permit) = Arc::clone(share).try_acquire_owned() {
            return Ok(Some(permit));
        }
        self.waited.fetch_add(1, Ordering::Relaxed);
        let permit = Arc::clone(share).acquire_owned();
        match tokio::time::timeout(terms.patience, permit).await {
            // Nobody closes it.
            Ok(permit) => Ok(permit.ok()),
            Err(_) => Err(Error::Overloaded),
        }
    }
}
