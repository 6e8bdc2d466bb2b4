//! Statistics of a location: computed on request, for a purpose and a time.

use super::super::error::Reply;
use super::super::query::Query;
use super::super::target;
use super::links::Paging;
use super::page::{answer, path, window};
use crate::AppState;
use ade::Envelope;
use axum::http::{HeaderMap, Uri};
use exchange::Period;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use mapping::{Figures, Statistics};

/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Months that are answered unless the request names another time.
const MONTHS: i64 = 12;

pub(in crate::ade) fn find<'h>(app: &'h AppState, name: &str) -> Option<&'h Statistics> {
    let statistics = app.exchange.rules().mappings().statistics();
    (statistics.dataset() == name).then_some(statistics)
}

pub(in crate::ade) struct StatisticsRequest<'r> {
    pub scheme: &'r str,
    pub id: &'r str,
    pub raw: Option<&'r str>,
    pub uri: &'r Uri,
    pub headers: &'r HeaderMap,
}

/// A page with the documents of a purpose, or of all; none of one that nothing is known of.
pub(in crate::ade) async fn list(app: &AppState, statistics: &Statistics, request: StatisticsRequest<'_>) -> Reply {
    let caller = target::signed_in(app, request.headers).await?;
    let location = target::location(app, &caller, request.scheme, request.id).await?;
    let mut query = Query::read(request.raw);
    store::versions::note_time_dependence();
    let now = app.book.clock.now();
    let purpose = query.take("purpose");
    let period = period(&mut query, location, now);
    let path = path(request.scheme, request.id, statistics.dataset());
    let paging = Paging::read(app, request.headers, request.uri, &path, &mut query);
    if purpose.as_deref().is_some_and(|p| !Statistics::is_purpose(p)) {
        query.fault("purpose", "is no purpose that the standard has");
    }
    let ignored = query.ignored(&crate::layers::prefer::Prefer::read(request.headers))?;
    let wanted = |figures: &&Figures| purpose.as_ref().is_none_or(|p| *p == figures.name);
    let all: Vec<&Figures> = statistics.all().iter().filter(wanted).collect();
    let (page, shown) = window(all.len(), paging.cursor.turn, paging.size);
    let mut envelope = Envelope::collection(&paging.view(app, &page));
    for figures in all.get(shown).unwrap_or_default() {
        let store = &app.book.store;
        let document = app.exchange.lists().statistics(store, statistics, figures, period);
        envelope.member(document.await?.as_bytes());
    }
    Ok(answer(envelope.finish(), &ignored))
}

/// Whole days, both ends included; by default the last twelve months.
fn period(query: &mut Query, location: i64, now: i64) -> Period {
    let whole = |at: i64| at.div_euclid(DAY).saturating_mul(DAY);
    let from = query.time("date-from").map(whole);
    let to = query.time("date-to").map(whole).unwrap_or(whole(now));
    let from = from.unwrap_or_else(|| months_before(to));
    if from > to {
        query.fault("date-from", "is later than date-to");
    }
    Period { location, from, to, now }
}

fn months_before(at: i64) -> i64 {
    let day: Option<Date> = (Timestamp::from_millisecond(at).ok())
        .map(|stamp| stamp.to_zoned(TimeZone::UTC).date())
        .and_then(|day| day.checked_sub(MONTHS.months()).ok());
    let start = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok());
    start.map_or(at, |start| start.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::months_before;

    #[test]
    fn a_year_goes_back_to_the_same_day() {
        let at = |text: &str| ade::time::parse(text).unwrap();
        assert_eq!(months_before(at("2026-03-01")), at("2025-03-01"));
        assert_eq!(months_before(at("2024-02-29")), at("2023-02-28"));
    }
}
