//! When to come again: `Poll-Interval`, by how often what was asked for really changes. A
//! field alone; body and tag stay what they are.

use super::super::Hub;
use crate::exchange::Pace;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use moka::sync::Cache;
use std::time::Duration;

/// Seconds until the caller may look again.
pub(in crate::api) const POLL_INTERVAL: HeaderName = HeaderName::from_static("poll-interval");
/// The least and the most that is told, seconds.
const LEAST: i64 = 5;
const MOST: i64 = 3_600;
/// Data sets of locations whose pace is remembered, and for how long.
const REMEMBERED: u64 = 10_000;
const FRESH: Duration = Duration::from_secs(60);

/// How often data sets change, as it was read lately: by data set and location (none: all).
#[derive(Debug)]
pub struct Paces(Cache<(String, Option<i64>), Option<Pace>>);

impl Paces {
    pub(in crate::api) fn new() -> Self {
        let cache = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(FRESH)
            .build();
        Self(cache)
    }
}

/// Tells it, as far as it can be known: of changes at that location alone.
pub(super) async fn tell(hub: &Hub, response: &mut Response, dataset: &str, location: Option<i64>) {
    let place = (dataset.to_owned(), location);
    let pace = match hub.paces.0.get(&place) {
        Some(known) => known,
        None => {
            let now = hub.book.clock.now();
            let store = &hub.book.store;
            let Ok(found) = hub.exchange.pace(store, dataset, location, now).await else {
                // Whoever got his answer is not refused for want of a hint.
                return;
            };
            hub.paces.0.insert(place, found);
            found
        }
    };
    if let Some(pace) = pace {
        let now = hub.book.clock.now();
        (response.headers_mut()).insert(POLL_INTERVAL, seconds(pace, now));
        response.extensions_mut().insert(pace);
    }
}

/// As answers tell it, however long ago they were made.
pub(in crate::api) fn seconds(pace: Pace, now: i64) -> HeaderValue {
    HeaderValue::from((pace.interval(now) / 1_000).clamp(LEAST, MOST))
}

#[cfg(test)]
mod tests {
    use super::{Pace, seconds};

    #[test]
    fn half_the_time_between_changes_within_reason() {
        let told = [0, 9_000, 60_000, 7_200_000, i64::MAX].map(|gap| {
            let told = seconds(Pace { gap, last: 0 }, 0);
            told.to_str().unwrap().to_owned()
        });
        assert_eq!(told, ["5", "5", "30", "3600", "3600"]);
    }
}
