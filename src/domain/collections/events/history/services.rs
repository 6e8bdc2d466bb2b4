//! Services and what they led to: pure rules over the rows of one animal.

use crate::derive::current::{Service, ServiceResult, expected_calving};
use crate::derive::day_of;
use crate::derive::lactation::CalvingRow;

/// A service with its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredService {
    /// Id of the insemination.
    pub(crate) id: i64,
    /// What is known of it.
    pub(crate) service: Service,
}

/// The last calving, or abortion that opened a lactation, on or before a day.
pub(crate) fn calved_before(calvings: &[CalvingRow], date: i64) -> Option<CalvingRow> {
    (calvings.iter())
        .filter(|c| c.event.opens() && day_of(c.date) <= day_of(date))
        .max_by_key(|c| (day_of(c.date), c.number, c.date))
        .copied()
}

/// `expectedCalving`: none of a service known to have failed.
pub(crate) fn expected(service: &Service) -> Option<i64> {
    (service.result != ServiceResult::Empty).then(|| expected_calving(service.date, service.embryo))
}

/// Days since the last calving; none before the first.
pub(crate) fn days_since_calving(calvings: &[CalvingRow], date: i64) -> Option<i64> {
    calved_before(calvings, date).map(|c| day_of(date) - day_of(c.date))
}
