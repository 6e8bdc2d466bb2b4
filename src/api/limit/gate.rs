//! How much is worked on at a time. So many requests run; the others wait in one line for
//! each client, and whoever's turn is longest ago goes next: a client with a thousand
//! requests waits for his own, and another with one is second at most to each of the
//! others. One client runs so many at a time at most, and never more than half of all that
//! may run (rounded up): whoever comes beside him finds a place.
//!
//! A request that waited too long is refused. Whether that is the client's own doing or the
//! server's is told by his line: one that got nothing for so long although it may is late
//! by our fault, and then nobody new is let in until those who wait are served in time
//! again.

use super::client::Client;
use super::{Denied, Why};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Requests that may wait, of all clients.
const WAITING: usize = 4_096;
/// Requests that may wait of one client, for each that he may run at a time.
const BEHIND: usize = 64;

/// One lane's gate.
#[derive(Debug, Clone)]
pub(super) struct Gate(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Requests of one client that may run.
    share: usize,
    /// How long a request may wait.
    age: Duration,
}

#[derive(Debug)]
struct State {
    /// Requests that may run.
    places: usize,
    running: usize,
    lines: BTreeMap<Client, Line>,
    /// Clients who wait, who goes next first.
    turn: VecDeque<Client>,
    waiting: usize,
    /// Number of the next one who waits.
    number: u64,
    /// Somebody waited too long by our fault, and nobody was served in time since.
    late: bool,
}

#[derive(Debug)]
struct Line {
    /// Requests that run.
    running: usize,
    /// The same, and those that rest: their answer is still being sent, or they come slowly.
    open: usize,
    most: usize,
    waiting: VecDeque<Waiter>,
    /// When it got something, began to wait, or had to wait for its own no more.
    served: Instant,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    since: Instant,
    tell: oneshot::Sender<Place>,
}

impl Gate {
    /// With so many places; 0: any number.
    pub(super) fn new(places: usize, age: Duration) -> Self {
        let places = if places == 0 { usize::MAX } else { places };
        let state = Mutex::new(State {
            places,
            running: 0,
            lines: BTreeMap::new(),
            turn: VecDeque::new(),
            waiting: 0,
            number: 0,
            late: false,
        });
        let share = places.div_ceil(2);
        Self(Arc::new(Shared { state, share, age }))
    }

    /// Waits for a place for a client who may have so many at a time; 0: any number.
    ///
    /// # Errors
    /// [`Denied`] when it is not his turn in time.
    pub(super) async fn enter(&self, client: Client, most: usize) -> Result<Place, Denied> {
        let most = if most == 0 { usize::MAX } else { most };
        let mut waiting = match self.ask(client, most)? {
            Asked::Come(place) => return Ok(place),
            Asked::Wait(waiting) => waiting,
        };
        match tokio::time::timeout(self.0.age, &mut waiting.told).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(self.denied(Why::Overloaded)),
            Err(_) => waiting.gives_up(),
        }
    }

    fn ask(&self, client: Client, most: usize) -> Result<Asked, Denied> {
        let mut guard = self.state();
        let state = &mut *guard;
        let free = state.running < state.places;
        let late = state.late;
        let now = Instant::now();
        let line = state.lines.entry(client).or_insert_with(|| Line {
            running: 0,
            open: 0,
            most,
            waiting: VecDeque::new(),
            served: now,
        });
        line.most = most;
        // Were anybody else waiting who may run, he would have the place already.
        let may = line.may(self.0.share);
        if free && may {
            line.runs(now);
            state.running += 1;
            return Ok(Asked::Come(self.place(client)));
        }
        let runs = most.min(self.0.share);
        let full = line.waiting.len() >= runs.saturating_mul(BEHIND);
        if full || (late && may) || state.waiting >= WAITING {
            state.tidy(client);
            drop(guard);
            return Err(self.denied(if full { Why::Busy } else { Why::Overloaded }));
        }
        let (tell, told) = oneshot::channel();
        let number = state.number;
        state.number += 1;
        state.waiting += 1;
        let mut first = false;
        if let Some(line) = state.lines.get_mut(&client) {
            first = line.waiting.is_empty();
            if first {
                line.served = now;
            }
            line.waiting.push_back(Waiter {
                number,
                since: now,
                tell,
            });
        }
        if first {
            state.turn.push_back(client);
        }
        Ok(Asked::Wait(Waiting {
            gate: self.clone(),
            client,
            number,
            told,
        }))
    }

    fn place(&self, client: Client) -> Place {
        Place {
            gate: Some(self.clone()),
            client,
            runs: true,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is whole before anything can panic.
        (self.0.state.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn denied(&self, why: Why) -> Denied {
        // Whoever waited for nothing does not help by coming back at once.
        Denied::new(why, self.0.age.min(Duration::from_secs(2)))
    }

    /// Gives what is free to those whose turn it is.
    fn serve(&self, state: &mut State) {
        let now = Instant::now();
        while state.running < state.places {
            let Some((client, waiter)) = state.next(self.0.share, now) else {
                break;
            };
            if now.duration_since(waiter.since) < self.0.age / 2 {
                state.late = false;
            }
            if let Err(place) = waiter.tell.send(self.place(client)) {
                // Nobody waits there any more.
                place.forget();
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
    /// One request of a client runs no more.
    fn ran(&mut self, client: Client, (share, now): (usize, Instant)) {
        self.running -= 1;
        if let Some(line) = self.lines.get_mut(&client) {
            line.moves(share, now);
            line.running -= 1;
        }
    }

    /// One does not count any more.
    fn ended(&mut self, client: Client, (share, now): (usize, Instant)) {
        if let Some(line) = self.lines.get_mut(&client) {
            line.moves(share, now);
            line.open -= 1;
        }
    }

    /// Who goes next, with his place taken.
    fn next(&mut self, share: usize, now: Instant) -> Option<(Client, Waiter)> {
        for _ in 0..self.turn.len() {
            let client = self.turn.pop_front()?;
            let Some(line) = self.lines.get_mut(&client) else {
                continue;
            };
            if !line.may(share) && !line.waiting.is_empty() {
                self.turn.push_back(client);
                continue;
            }
            let Some(waiter) = line.waiting.pop_front() else {
                continue;
            };
            line.runs(now);
            if !line.waiting.is_empty() {
                self.turn.push_back(client);
            }
            self.running += 1;
            self.waiting -= 1;
            return Some((client, waiter));
        }
        None
    }

    /// Forgets a client of whom nothing runs and nothing waits.
    fn tidy(&mut self, client: Client) {
        let idle = |line: &Line| line.open == 0 && line.waiting.is_empty();
        if self.lines.get(&client).is_some_and(idle) {
            self.lines.remove(&client);
        }
    }
}

impl Line {
    /// Whether one more of his requests may run, if there is a place.
    fn may(&self, share: usize) -> bool {
        self.open < self.most && self.running < share
    }

    /// One of his is done. Who could have no more until now waits for others from now on.
    fn moves(&mut self, share: usize, now: Instant) {
        if !self.may(share) {
            self.served = now;
        }
    }

    /// One more does.
    fn runs(&mut self, now: Instant) {
        self.running += 1;
        self.open += 1;
        self.served = now;
    }
}

enum Asked {
    Come(Place),
    Wait(Waiting),
}

/// Somebody who waits; whoever hangs up leaves the line.
struct Waiting {
    gate: Gate,
    client: Client,
    number: u64,
    told: oneshot::Receiver<Place>,
}

impl Waiting {
    /// Leaves after having waited too long.
    fn gives_up(mut self) -> Result<Place, Denied> {
        let gate = self.gate.clone();
        let mut state = gate.state();
        // It may have come at the last moment.
        if let Ok(place) = self.told.try_recv() {
            return Ok(place);
        }
        let age = gate.0.age;
        let line = state.lines.get(&self.client);
        let stuck = line.filter(|line| {
            line.open < line.most && Instant::now().duration_since(line.served) >= age
        });
        let (ours, late) = (
            stuck.is_some(),
            // Else those that he runs get nowhere, and others may well.
            stuck.is_some_and(|line| line.may(gate.0.share)),
        );
        state.late |= late;
        drop(state);
        Err(gate.denied(if ours { Why::Overloaded } else { Why::Busy }))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let gate = self.gate.clone();
        let mut state = gate.state();
        let state = &mut *state;
        if let Some(line) = state.lines.get_mut(&self.client) {
            let before = line.waiting.len();
            line.waiting.retain(|waiter| waiter.number != self.number);
            let gone = before - line.waiting.len();
            let empty = line.waiting.is_empty();
            state.waiting -= gone;
            if gone > 0 && empty {
                let client = self.client;
                state.turn.retain(|one| *one != client);
            }
        }
        state.tidy(self.client);
    }
}

/// Lets a request run.
#[derive(Debug)]
pub(super) struct Place {
    gate: Option<Gate>,
    client: Client,
    runs: bool,
}

impl Place {
    /// Others may run: the answer began, or the request is not here yet. It still counts as
    /// one of its client's.
    pub(super) fn rests(&mut self) {
        if let Some(gate) = &self.gate
            && std::mem::take(&mut self.runs)
        {
            let mut state = gate.state();
            state.ran(self.client, (gate.0.share, Instant::now()));
            gate.serve(&mut state);
        }
    }

    /// Without giving anything back.
    fn forget(mut self) {
        self.gate = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(gate) = self.gate.take() else {
            return;
        };
        let mut state = gate.state();
        let place = (gate.0.share, Instant::now());
        if self.runs {
            state.ran(self.client, place);
        }
        state.ended(self.client, place);
        gate.serve(&mut state);
        state.tidy(self.client);
    }
}
