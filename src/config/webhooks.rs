//! The settings of webhooks.

use super::read::Reader;
use model::outward::Policy;
use std::time::Duration;

/// An hour, milliseconds.
const HOUR: i64 = 3_600_000;

/// How webhooks are sent.
#[derive(Debug, Clone)]
pub struct Webhooks {
    /// Where they may be sent.
    pub policy: Policy,
    /// Least time between two messages to one, milliseconds.
    pub interval: i64,
    /// How long a receiver may take.
    pub timeout: Duration,
    /// After so much time of failing one is switched off, milliseconds.
    pub give_up: i64,
    /// How long a former signing key signs too, milliseconds.
    pub overlap: i64,
    /// Number of deliveries that are stored of each.
    pub log: i64,
    /// Messages at the same time.
    pub concurrency: usize,
    /// Messages at the same time to one host.
    pub per_host: usize,
}

/// All `webhooks.` keys.
pub(super) fn read(r: &mut Reader<'_>) -> Option<Webhooks> {
    let mut allow = Vec::new();
    for text in r.list("webhooks.allow") {
        match text.parse() {
            Ok(net) => allow.push(net),
            Err(_) => {
                let message = format!("{text} is not a range of addresses (10.1.0.0/16)");
                r.fault("webhooks.allow", "not-a-range", message);
            }
        }
    }
    let policy = Policy { http: r.flag("webhooks.http"), allow };
    let mut hours = |key, range| r.number::<i64>(key, &range).map(|hours| hours.saturating_mul(HOUR));
    let give_up = hours("webhooks.give_up", 1..=720)?;
    let overlap = hours("webhooks.overlap", 0..=720)?;
    Some(Webhooks {
        policy,
        interval: r.number::<i64>("webhooks.interval", &(1..=3_600))?.saturating_mul(1_000),
        timeout: Duration::from_secs(r.number("webhooks.timeout", &(1..=60))?),
        give_up,
        overlap,
        log: r.number("webhooks.log", &(1..=10_000))?,
        concurrency: r.number("webhooks.concurrency", &(1..=256))?,
        per_host: r.number("webhooks.per_host", &(1..=64))?,
    })
}
