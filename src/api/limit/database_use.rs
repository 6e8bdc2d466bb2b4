//! The database time of a request: its limits, and what it costs afterwards.

use super::client::Client;
use super::request_class::RequestClass;
use crate::caller::Who;
use axum::extract::{MatchedPath, Request};
use model::registry::Caller;
use std::sync::Arc;
use std::time::Duration;
use store::{Share, StatementTerms};

/// Time of the database that is in the price of a request.
const INCLUDED: Duration = Duration::from_millis(200);
/// Rows that a tenth of a request pays for.
const ROWS: u64 = 100;

/// How many times as long as one statement all of a request may take.
const PARTS: u32 = 2;

pub(super) fn terms(
    limits: &config::Limits,
    request: &Request,
    class: RequestClass,
    client: Client,
) -> Arc<StatementTerms> {
    let extensions = request.extensions();
    let who = extensions.get::<Who>();
    let signed = who.is_some_and(|who| who.principal.caller != Caller::Anonymous);
    let each = match signed {
        true => limits.statement_time,
        false => limits.anonymous_time,
    };
    let path = extensions.get::<MatchedPath>();
    let path = path.map_or_else(|| request.uri().path(), MatchedPath::as_str);
    let share = match class {
        RequestClass::SignIn => Share::Reserved,
        _ if path.starts_with("/ade/") => Share::Reserved,
        RequestClass::Read | RequestClass::Write | RequestClass::Bulk => Share::Anybody,
    };
    let whole = match signed {
        true => limits.bulk_time,
        false => limits.bulk_time.min(limits.statement_time),
    };
    // One request of many parts is no way to take more than a statement may.
    let all = match (share, class) {
        (Share::Anybody, RequestClass::Read) => each.saturating_mul(PARTS),
        _ => whole.max(each),
    };
    let terms = StatementTerms::new(share, each, whole, limits.queue_age / 2).with_total(all);
    let terms = terms.for_client(client.number());
    Arc::new(match class {
        RequestClass::SignIn => terms.without_write_hint(),
        RequestClass::Read | RequestClass::Write | RequestClass::Bulk => terms,
    })
}

#[derive(Debug)]
pub(super) struct DatabaseUse {
    terms: Arc<StatementTerms>,
    /// What a second costs, tenths.
    second: u64,
    reported: u64,
}

impl DatabaseUse {
    pub(super) fn new(terms: &Arc<StatementTerms>, second: u64) -> Self {
        let terms = Arc::clone(terms);
        Self { terms, second, reported: 0 }
    }

    /// Tenths that were not reported yet, without the price of the request.
    pub(super) fn unpaid(&mut self) -> u64 {
        let all = tenths(self.terms.spent(), self.terms.rows(), self.second);
        let unpaid = all.saturating_sub(self.reported);
        self.reported = all;
        unpaid
    }
}

/// What time and rows cost besides the price of a request.
fn tenths(spent: Duration, rows: u64, second: u64) -> u64 {
    let beyond = spent.saturating_sub(INCLUDED).as_millis();
    let beyond = u64::try_from(beyond).unwrap_or(u64::MAX);
    let time = beyond.saturating_mul(second) / 1_000;
    let rows = (rows / ROWS).saturating_sub(super::request_class::REQUEST);
    time.saturating_add(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_requests_cost_nothing_besides() {
        let second = super::super::request_class::second(12_000);
        assert_eq!(tenths(Duration::from_millis(200), 1_099, second), 0);
        assert_eq!(tenths(Duration::ZERO, 2_000, second), 10);
        // Fourteen times two seconds, or thrice ten, and a minute's worth is used up.
        let dear = |ms| tenths(Duration::from_millis(ms), 0, second);
        assert_eq!(dear(2_200), 10_000);
        assert!(14 * dear(2_000) > 12_000 * 10);
        assert!(3 * dear(10_000) > 12_000 * 10);
        assert_eq!(tenths(Duration::from_secs(10), 0, 0), 0);
    }
}
