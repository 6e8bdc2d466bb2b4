//! How often emails about forgotten passwords go to one address. Counted for every address that is requested, whether
//! there is an account or not. In memory: one email too many after a restart does no harm.

use crate::cache::{Cache, Lifetime};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Emails to one address within [`WHILE`].
const LETTERS: u32 = 5;
/// Counting starts anew when no email was requested for so long.
const WHILE: Duration = Duration::from_secs(900);
/// Addresses that are remembered.
const ADDRESSES: u64 = 50_000;

#[derive(Debug)]
pub struct EmailThrottle(Cache<AtomicU32>);

impl EmailThrottle {
    pub(crate) fn new() -> Self {
        Self(Cache::new(ADDRESSES, Lifetime::SinceUse(WHILE)))
    }

    /// Counts a request; false when the address had enough.
    pub(super) fn may(&self, address: &str) -> bool {
        let before = self.0.get_or_default(address);
        before.fetch_add(1, Ordering::Relaxed) < LETTERS
    }
}

#[cfg(test)]
mod tests {
    use super::{EmailThrottle, LETTERS};

    #[test]
    fn an_address_gets_so_many_letters_and_others_theirs() {
        let throttle = EmailThrottle::new();
        for _ in 0..LETTERS {
            assert!(throttle.may("a@b.example"));
        }
        assert!(!throttle.may("a@b.example"));
        assert!(throttle.may("c@d.example"));
    }
}
