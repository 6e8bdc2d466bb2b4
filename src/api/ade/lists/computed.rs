//! Statistics of a location: computed on request, for a purpose and a time.

use super::super::error::Reply;
use super::super::query::Query;
use super::super::target;
use super::links::Paging;
use super::page::{answer, path};
use crate::AppState;
use ade::Envelope;
use axum::http::{HeaderMap, Uri};
use exchange::{Page, Period, Turn};
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
    let (page, chosen) = window(&all, paging.cursor.turn, paging.size);
    let mut envelope = Envelope::collection(&paging.view(app, &page));
    for figures in chosen {
        let store = &app.book.store;
        let document = app.exchange.lists().statistics(store, statistics, figures, period);
        envelope.member(document.await?.as_bytes());
    }
    Ok(answer(envelope.finish(), &ignored))
}

/// The part of a short list that a page shows; places count from 1.
fn window<T>(all: &[T], turn: Turn, size: u64) -> (Page, &[T]) {
    let total = all.len() as u64;
    let place = |at: i64| u64::try_from(at).unwrap_or_default();
    let (from, to) = match turn {
        Turn::First => (0, size),
        Turn::After(at) => (place(at), place(at).saturating_add(size)),
        Turn::Skip(rows) => (rows, rows.saturating_add(size)),
        Turn::Before(at) => {
            let end = place(at).saturating_sub(1).min(total);
            (end.saturating_sub(size), end)
        }
        Turn::Last(rows) => (total.saturating_sub(rows), total),
    };
    let (from, to) = (from.min(total), to.min(total));
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let chosen = all.get(index(from)..index(to)).unwrap_or_default();
    let some = |at: u64| i64::try_from(at).ok().filter(|_| !chosen.is_empty());
    let backwards = matches!(turn, Turn::Before(_) | Turn::Last(_));
    let page = Page {
        count: chosen.len() as u64,
        first: some(from + 1),
        last: some(to),
        total,
        more: if backwards { from > 0 } else { to < total },
        ..Page::default()
    };
    (page, chosen)
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
    use super::{months_before, window};
    use exchange::Turn;

    #[test]
    fn pages_of_a_short_list_follow_each_other_both_ways() {
        let all = ["a", "b", "c"];
        let (page, chosen) = window(&all, Turn::First, 2);
        assert_eq!((chosen, page.more, page.last), (&all[..2], true, Some(2)));
        let (page, chosen) = window(&all, Turn::After(2), 2);
        assert_eq!((chosen, page.more, page.first), (&all[2..], false, Some(3)));
        let (page, chosen) = window(&all, Turn::Before(3), 2);
        assert_eq!((chosen, page.more), (&all[..2], false));
        let (_, chosen) = window(&all, Turn::Last(1), 2);
        assert_eq!(chosen, ["c"]);
        let (page, chosen) = window(&all, Turn::Skip(9), 2);
        assert_eq!((chosen.len(), page.total, page.first), (0, 3, None));
    }

    #[test]
    fn a_year_goes_back_to_the_same_day() {
        let at = |text: &str| ade::time::parse(text).unwrap();
        assert_eq!(months_before(at("2026-03-01")), at("2025-03-01"));
        assert_eq!(months_before(at("2024-02-29")), at("2023-02-28"));
    }
}
