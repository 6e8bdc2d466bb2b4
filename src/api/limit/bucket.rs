//! The budget of a client. Each request class of each client is a rate limiter of its own (GCRA, ITU-T I.371): it
//! refills evenly, and holds a minute's worth. What an answer cost is known afterwards, so
//! there can be a debt, which is paid before anything else is done.

use super::permits::{ClientRequests, Permits};
use super::request_class::{CLASSES, REQUEST, RequestClass};
use axum::http::HeaderValue;
use model::clock::Clock;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// What refills within a minute.
const MINUTE: Duration = Duration::from_secs(60);
/// Most minutes' worth that a client may owe: one huge answer must not shut a client out for hours.
const DEBT_MINUTES: u32 = 5;

/// Requests a minute, by request class; 0: any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) classes: [u32; CLASSES.len()],
    /// Requests at a time.
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
        Self {
            classes: self.classes.map(|n| part(n, percent, 100)),
            ..self
        }
    }

    /// The quota of one among several processes.
    pub(super) fn among(self, processes: u32) -> Self {
        Self {
            classes: self.classes.map(|n| part(n, 1, processes)),
            ..self
        }
    }
}

/// A part of a limit, which stays one.
fn part(limit: u32, of: u32, all: u32) -> u32 {
    let part = u64::from(limit) * u64::from(of) / u64::from(all.max(1));
    u32::try_from(part).unwrap_or(limit).max(limit.min(1))
}

/// What remains of a client's allowance in a request class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Remaining {
    /// Whole requests.
    pub(super) requests: u64,
    /// Until all of it is there again.
    pub(super) full_in: Duration,
}

/// One request class of a client. Tenths that are taken refill one after the other: what is known of a client is the time
/// at which all of them will be there. More than a minute until then is a debt.
#[derive(Debug)]
pub(super) struct Meter {
    clock: Clock,
    /// What it holds, tenths.
    room: u64,
    full_at: Mutex<Duration>,
    /// As clients call it.
    pub(super) name: String,
    /// The limit, as answers contain it.
    pub(super) policy: Option<HeaderValue>,
}

impl Meter {
    /// None where any number is allowed.
    fn new(name: String, requests: u32, clock: &Clock) -> Option<Self> {
        let policy = format!("\"{name}\";q={requests};w={}", MINUTE.as_secs());
        (requests > 0).then(|| Self {
            clock: clock.clone(),
            room: u64::from(requests).saturating_mul(REQUEST),
            full_at: Mutex::default(),
            name,
            policy: HeaderValue::try_from(policy).ok(),
        })
    }

    /// Takes this number of tenths, after everything that is owed.
    ///
    /// # Errors
    /// The time until that can be had; nothing was taken then.
    pub(super) fn take(&self, tenths: u64) -> Result<Remaining, Duration> {
        self.add(tenths, |ahead| match ahead.saturating_sub(MINUTE) {
            Duration::ZERO => Ok(ahead),
            wait => Err(wait),
        })
    }

    /// Takes this number of tenths for work that was done, or records that they are owed.
    pub(super) fn charge(&self, tenths: u64) -> Remaining {
        let most = MINUTE.saturating_mul(1 + DEBT_MINUTES);
        let charged = self.add(tenths, |ahead| Ok(ahead.min(most)));
        charged.unwrap_or_else(|_| self.left())
    }

    /// What a client has left.
    pub(super) fn left(&self) -> Remaining {
        let full_at = *self.full_at();
        self.remaining(full_at.saturating_sub(self.clock.passed()))
    }

    /// Adds to the time until all is there what `allowed` makes of it.
    fn add(
        &self,
        tenths: u64,
        allowed: impl FnOnce(Duration) -> Result<Duration, Duration>,
    ) -> Result<Remaining, Duration> {
        let mut full_at = self.full_at();
        let now = self.clock.passed();
        let ahead = full_at.saturating_sub(now);
        let ahead = allowed(ahead.saturating_add(self.time(tenths)))?;
        *full_at = now.saturating_add(ahead);
        Ok(self.remaining(ahead))
    }

    fn full_at(&self) -> MutexGuard<'_, Duration> {
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time in which this number of tenths refills.
    fn time(&self, tenths: u64) -> Duration {
        let nanos = MINUTE.as_nanos() * u128::from(tenths) / u128::from(self.room);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn remaining(&self, full_in: Duration) -> Remaining {
        let free = MINUTE.saturating_sub(full_in).as_nanos();
        let tenths = free * u128::from(self.room) / MINUTE.as_nanos();
        Remaining {
            requests: u64::try_from(tenths).unwrap_or(u64::MAX) / REQUEST,
            full_in,
        }
    }
}

/// What a client has left and runs, by request class.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) quota: Quota,
    meters: [Option<Meter>; CLASSES.len()],
    requests: [OnceLock<Arc<ClientRequests>>; CLASSES.len()],
}

impl Bucket {
    /// A full one. `suffix` is added to the names of classes.
    pub(super) fn new(quota: Quota, suffix: &str, clock: &Clock) -> Self {
        let mut limits = quota.classes.iter().copied();
        let meters = CLASSES.map(|class| {
            let name = format!("{}{suffix}", class.word());
            Meter::new(name, limits.next().unwrap_or(0), clock)
        });
        Self {
            quota,
            meters,
            requests: Default::default(),
        }
    }

    /// The meter of a request class; none where there is no limit.
    pub(super) fn meter(&self, class: RequestClass) -> Option<&Meter> {
        class.entry(&self.meters)?.as_ref()
    }

    /// The client's requests of a class with these permits.
    pub(super) fn requests(&self, class: RequestClass, permits: &Permits) -> Arc<ClientRequests> {
        let made = || Arc::new(permits.client(self.quota.concurrent));
        match class.entry(&self.requests) {
            Some(requests) => Arc::clone(requests.get_or_init(made)),
            None => made(),
        }
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
        assert!(meter.left().full_in > std::time::Duration::from_secs(120));
    }
}
