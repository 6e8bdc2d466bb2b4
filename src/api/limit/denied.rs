//! Why a request is refused before its handler.

use std::time::Duration;

/// The largest value of `Retry-After`, seconds.
const LONGEST: u64 = 3_600;

/// Why a request is refused before its handler, and after how many seconds to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied {
    pub(crate) why: Why,
    pub(crate) after: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// Too many requests.
    Rate,
    /// Too many at a time.
    Busy,
    /// The server has too much to do.
    Overloaded,
}

impl Denied {
    pub(super) fn new(why: Why, wait: Duration) -> Self {
        let after = come_back(wait);
        Self { why, after }
    }

    /// The database is busy with others.
    pub(crate) fn overloaded() -> Self {
        Self::new(Why::Overloaded, Duration::from_secs(2))
    }

    /// No more connections are taken.
    pub(crate) fn crowded() -> Self {
        Self::new(Why::Overloaded, Duration::from_secs(1))
    }

    pub(crate) fn message(self) -> &'static str {
        match self.why {
            Why::Rate => "Too many requests. Come back when Retry-After says.",
            Why::Busy => "Too many requests at a time. Wait for answers before asking more.",
            Why::Overloaded => "The service is too busy now. Come back when Retry-After says.",
        }
    }

    /// Whether the fault is the client's.
    pub(crate) fn is_the_clients(self) -> bool {
        match self.why {
            Why::Rate | Why::Busy => true,
            Why::Overloaded => false,
        }
    }
}

/// Whole seconds, upwards.
pub(super) fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// When to come back: not before that time is over, and not all at once. Up to a quarter
/// of the time is added by chance, two seconds at least.
fn come_back(wait: Duration) -> u64 {
    let least = seconds(wait).clamp(1, LONGEST);
    least + rand::random_range(0..=(least / 4).max(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_return_neither_too_early_nor_all_at_once() {
        for (wait, least, most) in [
            (Duration::ZERO, 1, 3),
            (Duration::from_millis(1_001), 2, 4),
            (Duration::from_secs(100), 100, 125),
            (Duration::from_secs(9_999_999), LONGEST, LONGEST + 900),
        ] {
            let waits: std::collections::BTreeSet<u64> = (0..300).map(|_| come_back(wait)).collect();
            assert!(waits.iter().all(|at| (least..=most).contains(at)), "{wait:?}: {waits:?}");
            assert!(waits.len() > 2, "{wait:?}: {waits:?}");
        }
    }
}
