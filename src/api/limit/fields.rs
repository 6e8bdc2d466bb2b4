//! The headers for limits: `RateLimit-Policy` and `RateLimit`
//! (draft-ietf-httpapi-ratelimit-headers, the structured form) and `Retry-After`.

use super::bucket::{Meter, Remaining};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The largest value of `Retry-After`, seconds.
const LONGEST: u64 = 3_600;

/// Adds what a request class allows and what is left of it. Several classes make a list.
pub(super) fn tell(headers: &mut HeaderMap, meter: &Meter, remaining: Remaining) {
    if let Some(policy) = &meter.policy {
        headers.append(POLICY, policy.clone());
    }
    let (name, full) = (&meter.name, seconds(remaining.full_in));
    let text = format!("\"{name}\";r={};t={full}", remaining.requests);
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.append(LIMIT, value);
    }
}

/// Whole seconds, upwards.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// When to come back: not before that time is over, and not all at once. Up to a quarter
/// of the time is added by chance, two seconds at least.
pub(super) fn come_back(wait: Duration) -> u64 {
    let least = seconds(wait).clamp(1, LONGEST);
    least + rand::random_range(0..=spread(least))
}

/// What is added to a time to come back at most, seconds.
fn spread(least: u64) -> u64 {
    (least / 4).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_to_come_back_too_early_and_not_all_at_once() {
        for (wait, least, most) in [
            (Duration::ZERO, 1, 3),
            (Duration::from_millis(1_001), 2, 4),
            (Duration::from_secs(100), 100, 125),
            (Duration::from_secs(9_999_999), LONGEST, LONGEST + 900),
        ] {
            let waits: std::collections::BTreeSet<u64> =
                (0..300).map(|_| come_back(wait)).collect();
            assert!(
                waits.iter().all(|at| (least..=most).contains(at)),
                "{wait:?}: {waits:?}"
            );
            assert!(waits.len() > 2, "{wait:?}: {waits:?}");
        }
    }
}
