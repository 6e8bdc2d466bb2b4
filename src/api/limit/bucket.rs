//! The budget of a client. Each request class of each client is a rate limiter of its own (GCRA): it
//! refills evenly, and holds a minute's worth. What an answer cost is known afterwards, so
//! there can be a debt, which is paid before anything else is done.

use super::request_class::{CLASSES, REQUEST, RequestClass};
use axum::http::HeaderValue;
use governor::RateLimiter;
use governor::middleware::{StateInformationMiddleware, StateSnapshot};
use governor::state::{InMemoryState, NotKeyed};
use model::clock::Clock;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What refills within a minute.
const MINUTE: Duration = Duration::from_secs(60);
/// Most minutes' worth that a client may owe: one huge answer must not shut a client out for hours.
const DEBT_MINUTES: u64 = 5;

/// Time as the limiters ask for it.
#[derive(Debug, Clone)]
struct Ticks(Clock);

impl governor::clock::Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.passed()
    }
}

/// Requests a minute, by request class; 0: any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) classes: [u32; CLASSES.len()],
    pub(super) concurrent: usize,
}

impl Quota {
    /// With what was set for an organisation: reading, writing, many records, at a time.
    pub(super) fn with(mut self, set: [Option<i64>; 4]) -> Self {
        let [read, write, bulk, concurrent] = set.map(|n| n.and_then(|n| u32::try_from(n).ok()));
        for (limit, set) in self.classes.iter_mut().zip([read, write, bulk]) {
            *limit = set.unwrap_or(*limit);
        }
        if let Some(concurrent) = concurrent.and_then(|n| usize::try_from(n).ok()) {
            self.concurrent = concurrent;
        }
        self
    }

    /// This share of the quota, percent.
    pub(super) fn share(self, percent: u32) -> Self {
        Self { classes: self.classes.map(|n| part(n, percent, 100)), ..self }
    }

    /// The quota of one among several processes.
    pub(super) fn among(self, processes: u32) -> Self {
        Self { classes: self.classes.map(|n| part(n, 1, processes)), ..self }
    }
}

fn part(limit: u32, of: u32, all: u32) -> u32 {
    let part = u64::from(limit) * u64::from(of) / u64::from(all.max(1));
    u32::try_from(part).unwrap_or(limit).max(limit.min(1))
}

/// What remains of a client's allowance in a request class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Remaining {
    pub(super) requests: u64,
    pub(super) full_in: Duration,
}

/// One request class of a client.
#[derive(Debug)]
pub(super) struct Meter {
    limiter: RateLimiter<NotKeyed, InMemoryState, Ticks, StateInformationMiddleware>,
    clock: Ticks,
    /// What it holds, tenths.
    room: NonZeroU32,
    /// What was not paid yet, tenths.
    debt: Mutex<u64>,
    pub(super) name: String,
    /// The limit, as answers contain it.
    pub(super) policy: Option<HeaderValue>,
}

impl Meter {
    /// None where any number is allowed.
    fn new(name: String, requests: u32, clock: &Clock) -> Option<Self> {
        let tenths = u64::from(requests).saturating_mul(REQUEST);
        let room = NonZeroU32::new(u32::try_from(tenths).unwrap_or(u32::MAX))?;
        let clock = Ticks(clock.clone());
        // Refills within a minute, and holds as much.
        let quota = governor::Quota::per_minute(room);
        let limiter = RateLimiter::direct_with_clock(quota, clock.clone());
        let policy = format!("\"{name}\";q={requests};w={}", MINUTE.as_secs());
        Some(Self {
            limiter: limiter.with_middleware(),
            clock,
            room,
            debt: Mutex::default(),
            name,
            policy: HeaderValue::try_from(policy).ok(),
        })
    }

    /// Takes this number of tenths, and everything that is owed.
    ///
    /// # Errors
    /// The time until that can be had; nothing was taken then.
    pub(super) fn take(&self, tenths: u64) -> Result<Remaining, Duration> {
        // Held while it is paid, so that no request in between finds the bucket empty.
        let mut debt = self.debt();
        let due = debt.saturating_add(tenths);
        if due > u64::from(self.room.get()) {
            // More than it ever holds: paid as it refills.
            *debt = self.pay(*debt);
            return Err(self.time(debt.saturating_add(tenths)));
        }
        let remaining = self.cells(due)?;
        *debt = 0;
        Ok(remaining)
    }

    /// What a client has left who was refused: no request, and all of them once they refilled and the debt was paid.
    pub(super) fn exhausted(&self) -> Remaining {
        let owed = *self.debt();
        let full_in = self.time(u64::from(self.room.get()).saturating_add(owed));
        Remaining { requests: 0, full_in }
    }

    /// Takes this number of tenths for work that was done, or records that they are owed.
    pub(super) fn charge(&self, tenths: u64) -> Remaining {
        self.cells(tenths).unwrap_or_else(|_| {
            self.owe(tenths);
            self.exhausted()
        })
    }

    /// Pays as much as possible; returns what is left to be paid.
    fn pay(&self, owed: u64) -> u64 {
        let all = u64::from(self.room.get());
        match self.cells(owed.min(all)) {
            Ok(_) => owed.saturating_sub(all),
            Err(_) => owed,
        }
    }

    fn debt(&self) -> MutexGuard<'_, u64> {
        self.debt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn owe(&self, tenths: u64) {
        let most = u64::from(self.room.get()).saturating_mul(DEBT_MINUTES);
        let mut debt = self.debt();
        *debt = debt.saturating_add(tenths).min(most);
    }

    fn cells(&self, tenths: u64) -> Result<Remaining, Duration> {
        let cells = u32::try_from(tenths).ok().and_then(NonZeroU32::new);
        let Some(cells) = cells else {
            return Err(self.time(tenths));
        };
        match self.limiter.check_n(cells) {
            Ok(Ok(snapshot)) => Ok(self.remaining(&snapshot)),
            Ok(Err(not_until)) => {
                let now = governor::clock::Clock::now(&self.clock);
                Err(not_until.wait_time_from(now))
            }
            Err(_) => Err(self.time(tenths)),
        }
    }

    /// The time in which this number of tenths refills.
    fn time(&self, tenths: u64) -> Duration {
        let each = MINUTE.as_nanos() / u128::from(self.room.get());
        let nanos = each.saturating_mul(u128::from(tenths));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn remaining(&self, snapshot: &StateSnapshot) -> Remaining {
        let tenths = u64::from(snapshot.remaining_burst_capacity());
        let missing = u64::from(self.room.get()).saturating_sub(tenths);
        Remaining { requests: tenths / REQUEST, full_in: self.time(missing) }
    }
}

/// What a client has left, by request class.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) quota: Quota,
    meters: [Option<Meter>; CLASSES.len()],
}

impl Bucket {
    /// A full one. `suffix` is added to the names of classes.
    pub(super) fn new(quota: Quota, suffix: &str, clock: &Clock) -> Self {
        let mut limits = quota.classes.iter().copied();
        let meters = CLASSES.map(|class| {
            let name = format!("{}{suffix}", class.word());
            Meter::new(name, limits.next().unwrap_or(0), clock)
        });
        Self { quota, meters }
    }

    /// The meter of a request class; none where there is no limit.
    pub(super) fn meter(&self, class: RequestClass) -> Option<&Meter> {
        class.entry(&self.meters)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Meter};
    use std::sync::Arc;
    use std::sync::atomic::AtomicI64;

    #[test]
    fn no_request_passes_beside_others_while_a_debt_is_paid() {
        let clock = Clock::fixed(Arc::new(AtomicI64::new(0)));
        let meter = Meter::new("read".to_owned(), 10, &clock).unwrap();
        // Half of what there is, and more than is ever there.
        meter.take(50).unwrap();
        meter.charge(250);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        assert!(meter.take(10).is_err());
                    }
                });
            }
        });
        assert!(meter.exhausted().full_in > std::time::Duration::from_secs(120));
    }
}
