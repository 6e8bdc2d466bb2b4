//! The fair queue bounds how many requests run at a time. A request needs a permit; without a
//! free one it waits in the queue of its client. Clients are served round-robin; a busy client
//! delays only itself. One client holds at most its own limit of permits, and never more than half of
//! all (rounded up), so that others find one.
//!
//! A request that waited too long is refused. The cause is read from the queue of its client: if
//! that got no permit for so long although the client might have had one, the server is late (503),
//! and while it is, no new request may wait; otherwise the client's own requests are the cause
//! (429).

use super::client::Client;
use super::{Denied, Why};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Requests that may wait, of all clients.
const WAITING: usize = 4_096;
/// Requests of one client that may wait, for each that it may run at a time.
const BEHIND: usize = 64;

/// The queue of one request class.
#[derive(Debug, Clone)]
pub(super) struct FairQueue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Permits that one client may hold.
    share: usize,
    /// How long a request may wait.
    age: Duration,
}

#[derive(Debug)]
struct State {
    /// Permits in all.
    permits: usize,
    running: usize,
    clients: BTreeMap<Client, ClientQueue>,
    /// Clients with waiting requests, in the order of their turns.
    turn: VecDeque<Client>,
    waiting: usize,
    /// Number of the next request that waits.
    number: u64,
    /// The server is late: a request waited too long for it, and none was served in time since.
    late: bool,
}

#[derive(Debug)]
struct ClientQueue {
    /// Requests that run.
    running: usize,
    /// Running requests, and requests without a permit whose body is arriving or answer being sent.
    open: usize,
    most: usize,
    waiting: VecDeque<Waiter>,
    /// When the client last got a permit, began to wait, or fell below its own limit.
    served: Instant,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    since: Instant,
    tell: oneshot::Sender<Permit>,
}

impl FairQueue {
    /// With this number of permits; 0: no limit.
    pub(super) fn new(permits: usize, age: Duration) -> Self {
        let permits = if permits == 0 { usize::MAX } else { permits };
        let state = Mutex::new(State {
            permits,
            running: 0,
            clients: BTreeMap::new(),
            turn: VecDeque::new(),
            waiting: 0,
            number: 0,
            late: false,
        });
        let share = permits.div_ceil(2);
        Self(Arc::new(Shared { state, share, age }))
    }

    /// Waits for a permit for a client that may hold this number of them; 0: no limit.
    ///
    /// # Errors
    /// [`Denied`] when there is none in time.
    pub(super) async fn enter(&self, client: Client, most: usize) -> Result<Permit, Denied> {
        let most = if most == 0 { usize::MAX } else { most };
        let mut waiting = match self.ask(client, most)? {
            Admission::Come(permit) => return Ok(permit),
            Admission::Wait(waiting) => waiting,
        };
        match tokio::time::timeout(self.0.age, &mut waiting.answered).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(self.denied(Why::Overloaded)),
            Err(_) => waiting.gives_up(),
        }
    }

    /// A permit for work in advance, if no request could need it.
    pub(super) fn spare(&self, client: Client, most: usize) -> Option<Permit> {
        if self.state().waiting > 0 {
            return None;
        }
        let most = if most == 0 { usize::MAX } else { most };
        match self.ask(client, most) {
            Ok(Admission::Come(permit)) => Some(permit),
            // Leaves the queue.
            Ok(Admission::Wait(_)) | Err(_) => None,
        }
    }

    fn ask(&self, client: Client, most: usize) -> Result<Admission, Denied> {
        let mut guard = self.state();
        let state = &mut *guard;
        let free = state.running < state.permits;
        let late = state.late;
        let now = Instant::now();
        let client_queue = state.clients.entry(client).or_insert_with(|| ClientQueue {
            running: 0,
            open: 0,
            most,
            waiting: VecDeque::new(),
            served: now,
        });
        client_queue.most = most;
        // A free permit means that no other client waits that may run.
        let may = client_queue.may(self.0.share);
        if free && may {
            client_queue.runs(now);
            state.running += 1;
            return Ok(Admission::Come(self.permit(client)));
        }
        let runs = most.min(self.0.share);
        let full = client_queue.waiting.len() >= runs.saturating_mul(BEHIND);
        if full || (late && may) || state.waiting >= WAITING {
            state.tidy(client);
            drop(guard);
            return Err(self.denied(if full { Why::Busy } else { Why::Overloaded }));
        }
        let (tell, answered) = oneshot::channel();
        let number = state.number;
        state.number += 1;
        state.waiting += 1;
        let mut first = false;
        if let Some(client_queue) = state.clients.get_mut(&client) {
            first = client_queue.waiting.is_empty();
            if first {
                client_queue.served = now;
            }
            client_queue.waiting.push_back(Waiter {
                number,
                since: now,
                tell,
            });
        }
        if first {
            state.turn.push_back(client);
        }
        Ok(Admission::Wait(Waiting {
            queue: self.clone(),
            client,
            number,
            answered,
        }))
    }

    fn permit(&self, client: Client) -> Permit {
        Permit {
            queue: Some(self.clone()),
            client,
            runs: true,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Changes are complete before anything can panic.
        (self.0.state.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn denied(&self, why: Why) -> Denied {
        // A client that waited in vain should not retry at once.
        Denied::new(why, self.0.age.min(Duration::from_secs(2)))
    }

    /// Hands free permits to the clients whose turn it is.
    fn serve(&self, state: &mut State) {
        let now = Instant::now();
        while state.running < state.permits {
            let Some((client, waiter)) = state.next(self.0.share, now) else {
                break;
            };
            if now.duration_since(waiter.since) < self.0.age / 2 {
                state.late = false;
            }
            if let Err(permit) = waiter.tell.send(self.permit(client)) {
                // The request was given up meanwhile.
                permit.forget();
                state.ran(client, (self.0.share, now));
                state.ended(client, (self.0.share, now));
            }
            state.tidy(client);
        }
        if state.waiting == 0 {
            state.late = false;
        }
    }
}

impl State {
    /// A request of a client gives its permit back.
    fn ran(&mut self, client: Client, (share, now): (usize, Instant)) {
        self.running -= 1;
        if let Some(client_queue) = self.clients.get_mut(&client) {
            client_queue.moves(share, now);
            client_queue.running -= 1;
        }
    }

    /// A request of a client has ended.
    fn ended(&mut self, client: Client, (share, now): (usize, Instant)) {
        if let Some(client_queue) = self.clients.get_mut(&client) {
            client_queue.moves(share, now);
            client_queue.open -= 1;
        }
    }

    /// Takes the next request that may run, with its permit.
    fn next(&mut self, share: usize, now: Instant) -> Option<(Client, Waiter)> {
        for _ in 0..self.turn.len() {
            let client = self.turn.pop_front()?;
            let Some(client_queue) = self.clients.get_mut(&client) else {
                continue;
            };
            if !client_queue.may(share) && !client_queue.waiting.is_empty() {
                self.turn.push_back(client);
                continue;
            }
            let Some(waiter) = client_queue.waiting.pop_front() else {
                continue;
            };
            client_queue.runs(now);
            if !client_queue.waiting.is_empty() {
                self.turn.push_back(client);
            }
            self.running += 1;
            self.waiting -= 1;
            return Some((client, waiter));
        }
        None
    }

    /// Removes the queue of a client without requests.
    fn tidy(&mut self, client: Client) {
        let idle =
            |client_queue: &ClientQueue| client_queue.open == 0 && client_queue.waiting.is_empty();
        if self.clients.get(&client).is_some_and(idle) {
            self.clients.remove(&client);
        }
    }
}

impl ClientQueue {
    /// Whether one more request of the client may run, given a permit.
    fn may(&self, share: usize) -> bool {
        self.open < self.most && self.running < share
    }

    /// A request of the client is done. If the client was at its limit, it waits for others
    /// only from now on.
    fn moves(&mut self, share: usize, now: Instant) {
        if !self.may(share) {
            self.served = now;
        }
    }

    /// One more request runs.
    fn runs(&mut self, now: Instant) {
        self.running += 1;
        self.open += 1;
        self.served = now;
    }
}

enum Admission {
    Come(Permit),
    Wait(Waiting),
}

/// A waiting request; dropping it leaves the queue.
struct Waiting {
    queue: FairQueue,
    client: Client,
    number: u64,
    answered: oneshot::Receiver<Permit>,
}

impl Waiting {
    /// Gives up after having waited too long.
    fn gives_up(mut self) -> Result<Permit, Denied> {
        let queue = self.queue.clone();
        let mut state = queue.state();
        // The permit may have come at the last moment.
        if let Ok(permit) = self.answered.try_recv() {
            return Ok(permit);
        }
        let age = queue.0.age;
        let client_queue = state.clients.get(&self.client);
        let stuck = client_queue.filter(|client_queue| {
            client_queue.open < client_queue.most
                && Instant::now().duration_since(client_queue.served) >= age
        });
        let (ours, late) = (
            stuck.is_some(),
            // Otherwise the client's own requests make no progress, and others may.
            stuck.is_some_and(|client_queue| client_queue.may(queue.0.share)),
        );
        state.late |= late;
        drop(state);
        Err(queue.denied(if ours { Why::Overloaded } else { Why::Busy }))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let queue = self.queue.clone();
        let mut state = queue.state();
        let state = &mut *state;
        if let Some(client_queue) = state.clients.get_mut(&self.client) {
            let before = client_queue.waiting.len();
            client_queue
                .waiting
                .retain(|waiter| waiter.number != self.number);
            let gone = before - client_queue.waiting.len();
            let empty = client_queue.waiting.is_empty();
            state.waiting -= gone;
            if gone > 0 && empty {
                let client = self.client;
                state.turn.retain(|one| *one != client);
            }
        }
        state.tidy(self.client);
    }
}

/// The right of a request to run; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Permit {
    queue: Option<FairQueue>,
    client: Client,
    runs: bool,
}

impl Permit {
    /// Gives the permit to others while the body arrives or the answer is sent. The request
    /// still counts as one of its client's.
    pub(super) fn rests(&mut self) {
        if let Some(queue) = &self.queue
            && std::mem::take(&mut self.runs)
        {
            let mut state = queue.state();
            state.ran(self.client, (queue.0.share, Instant::now()));
            queue.serve(&mut state);
        }
    }

    /// Drops the permit without giving it back.
    fn forget(mut self) {
        self.queue = None;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(queue) = self.queue.take() else {
            return;
        };
        let mut state = queue.state();
        let now = (queue.0.share, Instant::now());
        if self.runs {
            state.ran(self.client, now);
        }
        state.ended(self.client, now);
        queue.serve(&mut state);
        state.tidy(self.client);
    }
}
