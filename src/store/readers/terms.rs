//! The terms under which the statements of a request run: which connections they may use, how long one may take, how
//! long it waits for a connection, and the time used, which is charged to the client. Statements without terms (of
//! jobs, health checks and the look-up of callers) have no limits, and some connections are reserved for them.

use model::error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The groups of requests for which connections are reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Callers who choose their queries freely.
    Anybody,
    /// The exchange, and signing in: the server's own questions.
    Reserved,
}

#[derive(Debug)]
pub struct StatementTerms {
    /// The share of connections that the statements may use.
    pub share: Share,
    /// Time limit of one statement; for a long one, of its next row.
    pub each: Duration,
    /// Time limit of all rows of a long statement, without the time that its reader takes.
    pub whole: Duration,
    /// Time limit of waiting for a connection.
    pub patience: Duration,
    /// Time limit of all short statements together.
    pub all: Duration,
    /// Time limit of the reader of a long statement while others wait.
    pub slowness: Duration,
    /// The client as a number. The client that wrote least writes next, and no client gets more
    /// than half of the connections. 0: no particular client.
    pub client: u64,
    /// Whether small writes show that the client writes just now, so that others make room for more of them.
    pub writes: bool,
    /// Nanoseconds.
    spent: AtomicU64,
    rows: AtomicU64,
}

tokio::task_local! {
    static TERMS: Arc<StatementTerms>;
}

impl StatementTerms {
    /// New terms, of which nothing is used.
    pub fn new(share: Share, each: Duration, whole: Duration, patience: Duration) -> Self {
        Self {
            share,
            each,
            whole,
            patience,
            all: Duration::MAX,
            slowness: SLOWNESS,
            client: 0,
            writes: true,
            spent: AtomicU64::new(0),
            rows: AtomicU64::new(0),
        }
    }

    /// The terms of the request that is being answered.
    pub fn current() -> Option<Arc<Self>> {
        current()
    }

    /// These limits, of which nothing is used, for work in advance of the client's next request.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self { spent: AtomicU64::new(0), rows: AtomicU64::new(0), ..*self }
    }

    /// Adds what was used in advance, of which the present request has the benefit.
    pub fn charge(&self, used: &Self) {
        let add = |to: &AtomicU64, from: &AtomicU64| {
            to.fetch_add(from.load(Ordering::Relaxed), Ordering::Relaxed);
        };
        add(&self.spent, &used.spent);
        add(&self.rows, &used.rows);
    }

    /// Sets the client that pays for it.
    #[must_use]
    pub fn for_client(mut self, client: u64) -> Self {
        self.client = client;
        self
    }

    /// Small writes tell nothing of what follows: who signs in may read, or send a batch.
    #[must_use]
    pub fn without_write_hint(mut self) -> Self {
        self.writes = false;
        self
    }

    /// All statements that are no long ones may take so long.
    #[must_use]
    pub fn with_total(mut self, all: Duration) -> Self {
        self.all = all;
        self
    }

    /// How long the next statement may take.
    ///
    /// # Errors
    /// [`Error::Late`] when those before took all there was.
    pub(crate) fn next_limit(&self) -> Result<Duration> {
        let remaining = self.all.saturating_sub(self.spent());
        if remaining.is_zero() { Err(Error::Late) } else { Ok(self.each.min(remaining)) }
    }

    /// Runs something whose statements are under these terms. What outlives it, a stream that
    /// is read later, keeps them by [`crate::Store::bound`].
    pub async fn scope<T>(self: Arc<Self>, work: impl Future<Output = T>) -> T {
        TERMS.scope(self, work).await
    }

    /// Database time used so far.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    /// Number of rows read so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(crate) fn count_rows(&self, rows: usize) {
        self.rows.fetch_add(u64::try_from(rows).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// See [`StatementTerms::slowness`]: more than a client on a slow line needs for an answer of ten megabytes.
const SLOWNESS: Duration = Duration::from_secs(60);

/// How long a statement without terms waits for a connection.
const PATIENCE: Duration = Duration::from_secs(20);

impl crate::Store {
    /// How long to wait for resources that others hold.
    pub fn patience(&self) -> Duration {
        self.terms().map_or(PATIENCE, |terms| terms.patience)
    }
}

/// The terms of the request that is being answered.
pub(crate) fn current() -> Option<Arc<StatementTerms>> {
    TERMS.try_with(Arc::clone).ok()
}

/// Measures the time of a statement; adds it to the terms when dropped, also when the caller went away.
pub(crate) struct StatementTimer<'t>(Option<(&'t StatementTerms, Instant)>);

impl<'t> StatementTimer<'t> {
    pub(crate) fn under(terms: Option<&'t StatementTerms>) -> Self {
        Self(terms.map(|terms| (terms, Instant::now())))
    }

    /// How long it ran so far.
    pub(crate) fn time(&self) -> Duration {
        self.0.map(|(_, since)| since.elapsed()).unwrap_or_default()
    }
}

impl Drop for StatementTimer<'_> {
    fn drop(&mut self) {
        if let Some((terms, _)) = self.0 {
            // Not in larger units: thousands of rows are counted one by one.
            terms.spent.fetch_add(u64::try_from(self.time().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

/// Permits for connections of one kind. A client gets at most half of them, so that clients with
/// many queries leave some to others.
#[derive(Debug)]
struct Permits {
    all: Arc<Semaphore>,
    /// How many a client may have.
    each: usize,
    /// The permits of clients that have some.
    own: Mutex<BTreeMap<u64, Arc<Semaphore>>>,
    waiting: AtomicUsize,
}

/// Clients beyond which those that have no permit are forgotten.
const CLIENTS: usize = 256;

impl Permits {
    fn new(all: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            each: all.div_ceil(2),
            own: Mutex::default(),
            waiting: AtomicUsize::new(0),
        }
    }

    /// The limit of a client; none for work without a client.
    fn of(&self, client: u64) -> Option<Arc<Semaphore>> {
        if client == 0 {
            return None;
        }
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.len() > CLIENTS {
            own.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        Some(Arc::clone(own.entry(client).or_insert_with(|| Arc::new(Semaphore::new(self.each)))))
    }

    async fn acquire(&self, client: u64) -> ConnectionPermit {
        let own = match self.of(client) {
            Some(own) => own.acquire_owned().await.ok(),
            None => None,
        };
        if let Ok(permit) = Arc::clone(&self.all).try_acquire_owned() {
            return ConnectionPermit(vec![Some(permit), own]);
        }
        let _waits = WaitCount::at(&self.waiting);
        // The semaphore is never closed.
        let permit = Arc::clone(&self.all).acquire_owned().await.ok();
        ConnectionPermit(vec![permit, own])
    }
}

/// One more waits while this is there.
struct WaitCount<'w>(&'w AtomicUsize);

impl<'w> WaitCount<'w> {
    fn at(count: &'w AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Leave to use a connection; given back when this goes.
#[derive(Debug, Default)]
pub(crate) struct ConnectionPermit(Vec<Option<OwnedSemaphorePermit>>);

/// Connections by group. The rest is for work without terms.
#[derive(Debug)]
pub(crate) struct Shares {
    anybody: Permits,
    /// Long answers, which are read as slowly as their readers like.
    long: Permits,
    reserved: Permits,
    /// Long answers on reserved connections: one is always left for short questions.
    reserved_long: Permits,
    /// Statements that found none free.
    pub(crate) waited: AtomicU64,
}

impl Shares {
    pub(crate) fn new([anybody, long, reserved]: [usize; 3]) -> Self {
        Self {
            anybody: Permits::new(anybody),
            long: Permits::new(long),
            reserved: Permits::new(reserved),
            reserved_long: Permits::new(reserved.saturating_sub(1).max(1)),
            waited: AtomicU64::new(0),
        }
    }

    fn long_of(&self, share: Share) -> &Permits {
        match share {
            Share::Reserved => &self.reserved_long,
            Share::Anybody => &self.long,
        }
    }

    /// Waits until a connection of the share is free.
    ///
    /// # Errors
    /// [`Error::Overloaded`] when none is in time.
    pub(crate) async fn acquire(&self, terms: Option<&StatementTerms>, long: bool) -> Result<ConnectionPermit> {
        let Some(terms) = terms else { return Ok(ConnectionPermit::default()) };
        let client = terms.client;
        let permit = async {
            match (terms.share, long) {
                (Share::Anybody, true) => self.long.acquire(client).await,
                (Share::Anybody, false) => self.anybody.acquire(client).await,
                (Share::Reserved, false) => self.reserved.acquire(client).await,
                (Share::Reserved, true) => {
                    let mut permit = self.reserved_long.acquire(client).await;
                    // Which of these a client has is bounded by the others.
                    permit.0.append(&mut self.reserved.acquire(0).await.0);
                    permit
                }
            }
        };
        let mut permit = std::pin::pin!(permit);
        if let Poll::Ready(permit) = futures_util::poll!(permit.as_mut()) {
            return Ok(permit);
        }
        self.waited.fetch_add(1, Ordering::Relaxed);
        tokio::time::timeout(terms.patience, permit).await.map_err(|_| Error::Overloaded)
    }

    /// Whether a long answer must end: its reader took this time, while others wait for the connection.
    pub(crate) fn is_overdue(&self, terms: Option<&StatementTerms>, rested: Duration) -> bool {
        terms.is_some_and(|terms| {
            rested > terms.slowness && self.long_of(terms.share).waiting.load(Ordering::Relaxed) > 0
        })
    }
}
