//! How often emails about forgotten passwords go to one address. Counted for every address that is
//! requested, whether there is an account or not. In memory: one email too many after a restart
//! does no harm.

use moka::future::Cache;
use moka::ops::compute::Op;
use std::time::Duration;

/// Emails to one address within [`WHILE`].
const LETTERS: u32 = 5;
/// Counting starts anew when no email was requested for so long.
const WHILE: Duration = Duration::from_secs(900);
/// Addresses that are remembered.
const ADDRESSES: u64 = 50_000;

/// Emails that were requested lately.
#[derive(Debug)]
pub struct EmailThrottle(Cache<String, u32>);

impl EmailThrottle {
    pub(crate) fn new() -> Self {
        let cache = Cache::builder().max_capacity(ADDRESSES).time_to_live(WHILE);
        Self(cache.build())
    }

    /// Counts a request; false when the address had enough.
    pub(super) async fn may(&self, address: &str) -> bool {
        let entry = self.0.entry(address.to_owned());
        let counted = entry.and_compute_with(|entry| {
            let before = entry.map_or(0, moka::Entry::into_value);
            std::future::ready(Op::Put(before.saturating_add(1)))
        });
        let counted = counted.await.into_entry();
        counted.is_some_and(|entry| entry.into_value() <= LETTERS)
    }
}

#[cfg(test)]
mod tests {
    use super::{EmailThrottle, LETTERS};

    #[tokio::test]
    async fn an_address_gets_so_many_letters_and_others_theirs() {
        let throttle = EmailThrottle::new();
        for _ in 0..LETTERS {
            assert!(throttle.may("a@b.example").await);
        }
        assert!(!throttle.may("a@b.example").await);
        assert!(throttle.may("c@d.example").await);
    }
}
