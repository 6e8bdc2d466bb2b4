//! All connections, and the recorded data of each.

use api::Connected;
use config::Connections as Rules;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Connections beyond the limit that may request health only.
pub(super) const EXTRA: usize = 16;
/// Of one address.
const EXTRA_OF_ONE: usize = 4;
/// Bytes that must be written within a time for a connection to count as one that goes on.
const TAKEN: u64 = 16_384;
/// Bytes of answers that wait to be sent to one address, and to all. A longer answer is sent alone.
pub(super) const UNSENT_OF_ONE: u64 = 32 << 20;
pub(super) const UNSENT: u64 = 256 << 20;
/// How long an ending connection may rest before it is closed when the server ends.
const LAST: Duration = Duration::from_secs(1);

/// Milliseconds since some moment, never 0.
pub(super) type Time = Arc<dyn Fn() -> u64 + Send + Sync>;

/// How a connection is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Not yet.
    Not,
    /// With the request that runs.
    Gently,
    /// At once.
    Now,
}

/// The recorded data of a connection. A time of 0 means none.
pub(super) struct About {
    time: Time,
    from: IpAddr,
    extra: bool,
    born: u64,
    /// Requests that are being answered, until their answers are read.
    running: AtomicUsize,
    /// Whether there was any.
    begun: AtomicBool,
    /// Since when there is none.
    rests: AtomicU64,
    /// When the first bytes of the next head came.
    head: AtomicU64,
    /// Whether requests share the connection (HTTP/2).
    shared: AtomicBool,
    written: AtomicU64,
    /// Answers of which a piece waits to be taken, and since when none was.
    waiting: AtomicUsize,
    waits: AtomicU64,
    /// Bytes of bodies in memory that wait to be sent.
    unsent: AtomicU64,
    end: watch::Sender<End>,
    /// When its gentle end began, and what was written until then.
    gently: Mutex<Option<(u64, u64)>>,
}

impl About {
    fn now(&self) -> u64 {
        (self.time)()
    }

    /// A request begins; `shared`: others may run on the connection at the same time (HTTP/2).
    pub(super) fn begin(self: &Arc<Self>, shared: bool) -> Running {
        self.running.fetch_add(1, Relaxed);
        self.begun.store(true, Relaxed);
        self.shared.store(shared, Relaxed);
        self.head.store(0, Relaxed);
        Running { about: Arc::clone(self), waits: false, unsent: 0 }
    }

    /// Whether it is one beyond the limit.
    pub(super) fn is_extra(&self) -> bool {
        self.extra
    }

    pub(super) fn read(&self) {
        if self.rests() {
            let _ = (self.head).compare_exchange(0, self.now(), Relaxed, Relaxed);
        }
    }

    /// So much was written.
    pub(super) fn wrote(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.written.fetch_add(bytes, Relaxed);
    }

    fn rests(&self) -> bool {
        self.running.load(Relaxed) == 0
    }

    /// Whether it never sent a request, or is about to send one.
    fn asks(&self) -> bool {
        !self.begun.load(Relaxed) || self.head.load(Relaxed) != 0
    }

    fn requested_end(&self) -> End {
        *self.end.borrow()
    }

    fn tell(&self, end: End) {
        self.end.send_replace(end);
    }

    /// Whether it has to end now.
    fn due(&self, now: u64, rules: &Rules, closing: bool) -> End {
        let over = |from: u64, time: Duration| from != 0 && now.saturating_sub(from) >= ms(time);
        if self.waiting.load(Relaxed) > 0 && over(self.waits.load(Relaxed), rules.stall) {
            return End::Now;
        }
        let rests = self.rests();
        let mut gently = self.gently.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, before)) = *gently {
            let patience = if closing { LAST } else { rules.head };
            let written = self.written.load(Relaxed);
            if !rests || !over(at, patience) {
                return End::Gently;
            }
            if written.saturating_sub(before) >= TAKEN {
                *gently = Some((now, written));
                return End::Gently;
            }
            return End::Now;
        }
        if !rests {
            return End::Not;
        }
        let begun = self.begun.load(Relaxed);
        if !begun && over(self.born, rules.head) {
            return End::Now;
        }
        let shared = self.shared.load(Relaxed);
        if !shared && over(self.head.load(Relaxed), rules.head) {
            return End::Now;
        }
        let done = self.extra && begun;
        if closing || done || over(self.rests.load(Relaxed), rules.idle) {
            *gently = Some((now, self.written.load(Relaxed)));
            return End::Gently;
        }
        End::Not
    }
}

/// A request that is being answered.
pub(super) struct Running {
    about: Arc<About>,
    /// A piece of the answer waits to be taken.
    waits: bool,
    /// Bytes of the answer in memory that wait to be sent.
    unsent: u64,
}

impl Running {
    /// A piece of the answer is ready. Where others wait already, their time goes on.
    pub(super) fn waits(&mut self) {
        let others = std::mem::replace(&mut self.waits, true) || self.about.waiting.fetch_add(1, Relaxed) > 0;
        if !others {
            self.moves();
        }
    }

    /// The client takes what waits: time begins anew.
    pub(super) fn moves(&self) {
        self.about.waits.store(self.about.now(), Relaxed);
    }

    pub(super) fn goes_on(&mut self) {
        if std::mem::take(&mut self.waits) {
            self.about.waiting.fetch_sub(1, Relaxed);
        }
    }

    /// So much was handed over.
    pub(super) fn sent(&mut self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX).min(self.unsent);
        self.unsent -= bytes;
        self.about.unsent.fetch_sub(bytes, Relaxed);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.goes_on();
        let about = &self.about;
        about.unsent.fetch_sub(self.unsent, Relaxed);
        if about.running.fetch_sub(1, Relaxed) == 1 {
            about.rests.store(about.now(), Relaxed);
        }
    }
}

/// A place in the table, given back when the connection is closed.
pub(super) struct Connection {
    id: u64,
    pub(super) about: Arc<About>,
    pub(super) table: Arc<Table>,
}

impl Connection {
    /// Signals how the connection is to end.
    pub(super) fn ending(&self) -> watch::Receiver<End> {
        self.about.end.subscribe()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut state = self.table.state();
        if state.all.remove(&self.id).is_some() {
            state.counts.open.fetch_sub(1, Relaxed);
        }
    }
}

/// All connections.
pub(super) struct Table {
    rules: Rules,
    time: Time,
    state: Mutex<TableState>,
}

#[derive(Default)]
struct TableState {
    next: u64,
    all: BTreeMap<u64, Arc<About>>,
    closing: bool,
    counts: Arc<Connected>,
}

impl TableState {
    /// Connections, without those that are to end at once.
    fn open(&self) -> impl Iterator<Item = &Arc<About>> {
        let all = self.all.values();
        all.filter(|about| about.requested_end() != End::Now)
    }

    /// Makes room for one more of these where there are so many already; false where none of them can end.
    fn fits(&self, most: usize, of: impl Fn(&About) -> bool) -> bool {
        self.open().filter(|about| of(about)).count() < most || self.evict(of)
    }

    /// Ends one that answers nothing: of the address that has the most of them, one that
    /// asks before one that rests, the oldest first.
    fn evict(&self, of: impl Fn(&About) -> bool) -> bool {
        let of = &of;
        let idle = || (self.open()).filter(move |about| about.rests() && of(about));
        let mut by: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for about in idle() {
            *by.entry(about.from).or_default() += 1;
        }
        let most = by.into_iter().max_by_key(|(_, count)| *count);
        let Some((from, _)) = most else { return false };
        let own = idle().filter(|about| about.from == from);
        // Of those alike the first, which is the oldest.
        let victim = own.min_by_key(|about| !about.asks());
        if let Some(victim) = victim {
            victim.tell(End::Now);
            self.counts.room.fetch_add(1, Relaxed);
        }
        victim.is_some()
    }
}

impl Table {
    pub(super) fn new(rules: Rules, time: Time, counts: Arc<Connected>) -> Self {
        Self { rules, time, state: Mutex::new(TableState { counts, ..TableState::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, TableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one more may be open for as long as it takes to close another.
    pub(super) fn has_room(&self) -> bool {
        self.state().all.len() < self.rules.most.saturating_add(2 * EXTRA)
    }

    /// A place for a connection; none when there is not even one for asking after health.
    pub(super) fn admit(self: &Arc<Self>, address: SocketAddr) -> Option<Connection> {
        let from = net(address.ip());
        let mut state = self.state();
        let own_most = match self.rules.by_address {
            0 => usize::MAX,
            most => most,
        };
        let fits = state.fits(own_most, |about| !about.extra && about.from == from)
            && state.fits(self.rules.most, |about| !about.extra);
        if !fits {
            let fits = state.fits(EXTRA_OF_ONE, |about| about.extra && about.from == from)
                && state.fits(EXTRA, |about| about.extra);
            if !fits {
                state.counts.closed.fetch_add(1, Relaxed);
                return None;
            }
            state.counts.health.fetch_add(1, Relaxed);
        }
        state.counts.open.fetch_add(1, Relaxed);
        let (id, now) = (state.next, (self.time)());
        state.next += 1;
        let about = Arc::new(About {
            time: Arc::clone(&self.time),
            from,
            extra: !fits,
            born: now,
            running: AtomicUsize::new(0),
            begun: AtomicBool::new(false),
            rests: AtomicU64::new(now),
            head: AtomicU64::new(0),
            shared: AtomicBool::new(false),
            written: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            waits: AtomicU64::new(0),
            unsent: AtomicU64::new(0),
            end: watch::Sender::new(End::Not),
            gently: Mutex::new(None),
        });
        state.all.insert(id, Arc::clone(&about));
        Some(Connection { id, about, table: Arc::clone(self) })
    }

    /// Whether there is room for so many bytes of an answer in memory; none when its address or all have too much that
    /// waits to be sent. Where all have, the connection ends that has taken nothing for the longest time.
    pub(super) fn holds(&self, answer: &mut Running, bytes: u64) -> bool {
        let state = self.state();
        let about = &answer.about;
        let sum = |of: &dyn Fn(&About) -> bool| -> u64 {
            let those = state.open().filter(|one| of(one));
            those.map(|one| one.unsent.load(Relaxed)).sum()
        };
        let fits = |waiting: u64, most: u64| waiting == 0 || waiting.saturating_add(bytes) <= most;
        // Behind a proxy all connections are its.
        let own = match self.rules.by_address {
            0 => about.unsent.load(Relaxed),
            _ => sum(&|one| one.from == about.from),
        };
        if !fits(own, UNSENT_OF_ONE) {
            return false;
        }
        while !fits(sum(&|_| true), UNSENT) {
            let others = (state.open()).filter(|one| one.unsent.load(Relaxed) > 0 && !Arc::ptr_eq(one, about));
            let Some(longest) = others.min_by_key(|one| one.waits.load(Relaxed)) else {
                return false;
            };
            longest.tell(End::Now);
            state.counts.room.fetch_add(1, Relaxed);
        }
        about.unsent.fetch_add(bytes, Relaxed);
        answer.unsent = bytes;
        true
    }

    /// Signals the end to connections whose time is over.
    pub(super) fn look(&self) {
        let state = self.state();
        let now = (self.time)();
        for about in state.all.values() {
            let (due, requested_end) = (about.due(now, &self.rules, state.closing), about.requested_end());
            if due != requested_end && requested_end != End::Now && due != End::Not {
                about.tell(due);
                let late = due == End::Now && !state.closing;
                state.counts.time.fetch_add(u64::from(late), Relaxed);
            }
        }
    }

    /// Ends a few that answer nothing.
    pub(super) fn make_room(&self) {
        let state = self.state();
        for _ in 0..EXTRA {
            if !state.evict(|_| true) {
                return;
            }
        }
    }

    /// Ends all with the requests that run.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        let now = (self.time)();
        for about in state.all.values().filter(|about| about.requested_end() == End::Not) {
            let mut gently = about.gently.lock().unwrap_or_else(PoisonError::into_inner);
            *gently = Some((now, about.written.load(Relaxed)));
            drop(gently);
            about.tell(End::Gently);
        }
    }
}

/// What counts as one address: with IPv6 the net that one customer has.
fn net(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(ip) => IpAddr::V4(ip),
        IpAddr::V6(ip) => {
            let net = u128::from(ip) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(net))
        }
    }
}

pub(super) fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
