//! How long to wait.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How often a page is requested again when the server cannot answer, and how long to wait between
/// the attempts: twice as long each time, less up to a half by chance, so that clients that lost a
/// server at the same time do not come back at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Attempts for one page; without end, if there is no number.
    pub attempts: Option<u32>,
    /// The first wait.
    pub first: Duration,
    /// The longest wait, unless the server asks for more.
    pub longest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { attempts: Some(8), first: Duration::from_millis(500), longest: Duration::from_secs(120) }
    }
}

impl Patience {
    /// How long to wait after so many failed attempts (from 1 on), if there is to be another. The
    /// wait is never shorter than the server asks for.
    #[must_use]
    pub fn wait(&self, failed: u32, at_least: Option<Duration>) -> Option<Duration> {
        self.wait_by(failed, at_least, chance())
    }

    fn wait_by(&self, failed: u32, at_least: Option<Duration>, chance: f64) -> Option<Duration> {
        if self.attempts.is_some_and(|attempts| failed >= attempts) {
            return None;
        }
        let doubled = 2_u32.saturating_pow(failed.saturating_sub(1));
        let whole = self.first.saturating_mul(doubled).min(self.longest);
        let wait = whole.mul_f64(1.0 - chance / 2.0);
        Some(wait.max(at_least.unwrap_or_default()))
    }
}

/// From 0 to 1, without a generator of its own: the standard library seeds its hashes.
fn chance() -> f64 {
    let drawn = RandomState::new().hash_one(0_u8) >> 32;
    f64::from(u32::try_from(drawn).unwrap_or(0)) / f64::from(u32::MAX)
}

/// A header that says for how many seconds to wait.
pub(crate) fn seconds(text: Option<&str>) -> Option<Duration> {
    let seconds = text?.trim().parse::<u32>().ok()?;
    Some(Duration::from_secs(u64::from(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_never_undercut_the_server() {
        let patience = Patience { attempts: Some(9), first: Duration::from_secs(1), longest: Duration::from_secs(60) };
        let wait = |failed, at_least, chance| {
            let wait = patience.wait_by(failed, at_least, chance);
            wait.map(|wait| wait.as_secs_f64())
        };
        assert_eq!(wait(1, None, 0.0), Some(1.0));
        assert_eq!(wait(1, None, 1.0), Some(0.5));
        assert_eq!(wait(5, None, 0.0), Some(16.0));
        assert_eq!(wait(8, None, 0.0), Some(60.0));
        assert_eq!(wait(9, None, 0.0), None);
        assert_eq!(wait(1, Some(Duration::from_secs(90)), 0.0), Some(90.0));
        let endless = Patience { attempts: None, ..patience };
        assert!(endless.wait(1_000, None).is_some());
        assert!((0..100).all(|_| (0.0..=1.0).contains(&chance())));
    }

    #[test]
    fn a_header_of_seconds_is_read() {
        assert_eq!(seconds(Some(" 5 ")), Some(Duration::from_secs(5)));
        for text in [None, Some(""), Some("-1"), Some("Wed, 21 Oct 2026 07:28:00 GMT")] {
            assert_eq!(seconds(text), None, "{text:?}");
        }
    }
}
