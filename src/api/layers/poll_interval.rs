//! `Poll-Interval`: when a client should poll again, by the change rate of the data that it read.
//! The header changes neither the body nor the tag of an answer.

use crate::AppState;
use crate::cache::{Cache, Lifetime};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use exchange::ChangeRate;
use std::sync::Arc;
use std::time::Duration;

/// Seconds until the client should ask again.
pub(crate) const POLL_INTERVAL: HeaderName = HeaderName::from_static("poll-interval");
/// The least and the greatest interval, seconds.
const LEAST: i64 = 5;
const MOST: i64 = 3_600;
/// Change rates that are cached, by data set and location, and for how long.
const REMEMBERED: u64 = 10_000;
const FRESH: Duration = Duration::from_secs(60);

/// Cached change rates by data set and location (none: all).
#[derive(Debug)]
pub struct ChangeRates(Cache<Option<ChangeRate>>);

impl ChangeRates {
    pub(crate) fn new() -> Self {
        Self(Cache::new(REMEMBERED, Lifetime::SincePut(FRESH)))
    }
}

/// Adds the header, if the location has changes to compute it from.
pub(crate) async fn tell(app: &AppState, response: &mut Response, dataset: &str, location: Option<i64>) {
    let place = format!("{dataset} {location:?}");
    let rate = match app.change_rates.0.get(&place) {
        Some(rate) => *rate,
        None => {
            let now = app.book.clock.now();
            let store = &app.book.store;
            let Ok(rate) = app.exchange.feeds().change_rate(store, dataset, location, now).await else {
                // A missing hint does not fail the request.
                return;
            };
            app.change_rates.0.insert(place, Arc::new(rate));
            rate
        }
    };
    if let Some(rate) = rate {
        let now = app.book.clock.now();
        (response.headers_mut()).insert(POLL_INTERVAL, seconds(rate, now));
        response.extensions_mut().insert(rate);
    }
}

/// The value of the header now, also for an answer from the cache.
pub(crate) fn seconds(rate: ChangeRate, now: i64) -> HeaderValue {
    HeaderValue::from((rate.poll_interval(now) / 1_000).clamp(LEAST, MOST))
}

#[cfg(test)]
mod tests {
    use super::{ChangeRate, seconds};

    #[test]
    fn half_the_time_between_changes_within_reason() {
        let intervals = [0, 9_000, 60_000, 7_200_000, i64::MAX].map(|gap| {
            let header = seconds(ChangeRate { gap, last: 0 }, 0);
            header.to_str().unwrap().to_owned()
        });
        assert_eq!(intervals, ["5", "5", "30", "3600", "3600"]);
    }
}
