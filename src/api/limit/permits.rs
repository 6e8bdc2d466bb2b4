//! How many requests run at a time. A request needs a permit of its request class; without a free one it waits. A client
//! holds at most half of the permits (rounded up), and of its waiting requests only the first stands in the queue with
//! those of other clients. So clients take turns, and a busy client delays only itself.
//!
//! A request that waited too long is refused. If its client has as many requests under way as it may, or others of them
//! got permits meanwhile, the client is the cause (429). Otherwise the server is late (503), and while it is, no new
//! request may wait.

use super::{Denied, Why};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// Requests that may wait, of all clients.
const WAITING: usize = 4_096;
/// Requests of one client that may wait, for each that it may run at a time.
const BEHIND: usize = 64;
/// Clients beyond which those that have no request are forgotten.
const CLIENTS: usize = 1_024;

#[derive(Debug)]
pub(super) struct Permits {
    all: Arc<Semaphore>,
    /// Permits that one client may hold.
    share: usize,
    /// How long a request may wait.
    age: Duration,
    waiting: Semaphore,
    /// A request waited too long for others, and none got a permit in time since.
    late: AtomicBool,
    /// Clients by their numbers, as long as they have a request.
    clients: Mutex<BTreeMap<u64, Weak<ClientRequests>>>,
}

#[derive(Debug)]
pub(super) struct ClientRequests {
    /// How many may be under way; 0: any number.
    most: usize,
    /// Those that may be under way: running, or with a body that arrives or an answer that is sent.
    open: Arc<Semaphore>,
    running: Arc<Semaphore>,
    /// Held by the one in the queue with those of other clients.
    first: tokio::sync::Mutex<()>,
    waiting: Semaphore,
    /// How many permits the client got so far.
    turns: AtomicU64,
}

/// As many permits; 0: any number.
fn semaphore(permits: usize) -> Semaphore {
    Semaphore::new(match permits {
        0 => Semaphore::MAX_PERMITS,
        permits => permits.min(Semaphore::MAX_PERMITS),
    })
}

/// The next permit of a semaphore, which is never closed.
async fn next(of: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(of).acquire_owned().await.ok()
}

fn free(of: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(of).try_acquire_owned().ok()
}

impl Permits {
    /// This number of permits; 0: no limit.
    pub(super) fn new(permits: usize, age: Duration) -> Self {
        let all = semaphore(permits);
        Self {
            share: all.available_permits().div_ceil(2),
            all: Arc::new(all),
            age,
            waiting: semaphore(WAITING),
            late: AtomicBool::new(false),
            clients: Mutex::default(),
        }
    }

    /// The requests of a client, which may have so many under way; 0: no limit.
    pub(super) fn client(&self, number: u64, most: usize) -> Arc<ClientRequests> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let client = clients.get(&number).and_then(Weak::upgrade);
        if let Some(client) = client.filter(|client| client.most == most) {
            return client;
        }
        if clients.len() >= CLIENTS {
            clients.retain(|_, client| client.strong_count() > 0);
        }
        let client = Arc::new(self.fresh(most));
        clients.insert(number, Arc::downgrade(&client));
        client
    }

    fn fresh(&self, most: usize) -> ClientRequests {
        let open = semaphore(most);
        let runs = open.available_permits().min(self.share);
        ClientRequests {
            most,
            open: Arc::new(open),
            running: Arc::new(semaphore(self.share)),
            first: tokio::sync::Mutex::default(),
            waiting: semaphore(runs.saturating_mul(BEHIND)),
            turns: AtomicU64::new(0),
        }
    }

    fn denied(&self, why: Why) -> Denied {
        // A client that waited in vain should not retry at once.
        Denied::new(why, self.age.min(Duration::from_secs(2)))
    }
}

/// Whose permits a request takes.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(super) permits: Arc<Permits>,
    pub(super) client: Arc<ClientRequests>,
}

impl Turn {
    /// Waits for a permit.
    pub(super) async fn enter(&self) -> Result<Permit, Denied> {
        let Self { permits, client } = self;
        let age = permits.age;
        if let Some(permit) = self.spare() {
            permits.late.store(false, Relaxed);
            client.turns.fetch_add(1, Relaxed);
            return Ok(permit);
        }
        let _waits = (client.waiting.try_acquire()).map_err(|_| permits.denied(Why::Busy))?;
        let turns = client.turns.load(Relaxed);
        let mut open = false;
        let mut in_queue = None;
        let entering = async {
            let under_way = next(&client.open).await;
            open = true;
            let own = next(&client.running).await;
            let _first = client.first.lock().await;
            let all = match free(&permits.all) {
                Some(permit) => {
                    permits.late.store(false, Relaxed);
                    Some(permit)
                }
                None if permits.late.load(Relaxed) => return Err(permits.denied(Why::Overloaded)),
                None => {
                    // Who waits for its own client takes no place of others.
                    let _place = (permits.waiting.try_acquire()).map_err(|_| permits.denied(Why::Overloaded))?;
                    let since = *in_queue.insert(Instant::now());
                    let permit = next(&permits.all).await;
                    if since.elapsed() < age / 2 {
                        permits.late.store(false, Relaxed);
                    }
                    permit
                }
            };
            client.turns.fetch_add(1, Relaxed);
            Ok(Permit { _client: Arc::clone(client), _open: under_way, running: [own, all] })
        };
        if let Ok(entered) = timeout(age, entering).await {
            return entered;
        }
        if in_queue.is_some_and(|since| since.elapsed() >= age / 2) {
            permits.late.store(true, Relaxed);
        }
        let own = !open || client.turns.load(Relaxed) != turns;
        Err(permits.denied(if own { Why::Busy } else { Why::Overloaded }))
    }

    /// A permit for work in advance of the client's next requests, if one is free and nobody waits for it.
    pub(crate) fn spare(&self) -> Option<Permit> {
        Some(Permit {
            _client: Arc::clone(&self.client),
            _open: Some(free(&self.client.open)?),
            running: [Some(free(&self.client.running)?), Some(free(&self.permits.all)?)],
        })
    }
}

/// The right of a request to run; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Permit {
    /// Counted for the client as long as this is there.
    _client: Arc<ClientRequests>,
    _open: Option<OwnedSemaphorePermit>,
    running: [Option<OwnedSemaphorePermit>; 2],
}

impl Permit {
    /// Lets others run while the body arrives or the answer is sent. The request still counts as one of its client's.
    pub(super) fn rests(&mut self) {
        self.running = [None, None];
    }
}

/// The permit of a request, shared with its handler, which gives it back while it only waits.
#[derive(Debug, Clone)]
pub(crate) struct PermitHandle {
    pub(crate) turn: Turn,
    permit: Arc<Mutex<Option<Permit>>>,
}

impl PermitHandle {
    /// Waits for a permit.
    pub(super) async fn enter(turn: Turn) -> Result<Self, Denied> {
        let permit = Arc::new(Mutex::new(Some(turn.enter().await?)));
        Ok(Self { turn, permit })
    }

    /// Gives the permit back; the request must not work until [`PermitHandle::reenter`].
    pub(crate) fn rest(&self) {
        drop(self.put(None));
    }

    /// Lets others run until [`PermitHandle::reenter`]; the request still counts as its client's.
    pub(super) fn arrives(&self) {
        let mut permit = self.permit.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permit) = permit.as_mut() {
            permit.rests();
        }
    }

    /// Waits for a permit again.
    pub(crate) async fn reenter(&self) -> Result<(), Denied> {
        // Counted once, also where a client has one request at a time.
        self.rest();
        let permit = self.turn.enter().await?;
        drop(self.put(Some(permit)));
        Ok(())
    }

    /// Lets others run while the answer is sent. Dropping the result ends the request.
    pub(super) fn answers(&self) -> Option<Permit> {
        self.arrives();
        self.put(None)
    }

    fn put(&self, permit: Option<Permit>) -> Option<Permit> {
        let mut slot = self.permit.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, permit)
    }
}
