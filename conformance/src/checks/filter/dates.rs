//! The window of days.

use std::collections::BTreeSet;

use ade::catalog::Filter;
use serde_json::Value;

use super::trial::{NO_DOCUMENTS, Trial, candidates, is_refused};
use crate::clock::{instant, written};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::Visit;

const DAY: i128 = 86_400_000_000_000;

/// When the event of a document begins and ends.
fn event(one: &Value) -> Option<(i128, i128)> {
    let day = |name: &str| {
        let text = document::text(one, name)?;
        instant(text).or_else(|| instant(&format!("{text}T00:00:00Z")))
    };
    if let Some(time) = day("/eventDateTime") {
        return Some((time, time));
    }
    Some((day("/dateFrom")?, day("/dateTo")?))
}

/// The number of the day since 1970, UTC.
fn number(time: i128) -> i128 {
    time.div_euclid(DAY)
}

fn text(day: i128) -> String {
    written(day * DAY).get(..10).unwrap_or_default().to_owned()
}

pub(super) async fn window(v: &Visit<'_>, t: &mut Tally<'_>) {
    let all = candidates(v, Filter::Dates, |one| event(one).is_some()).await;
    if all.is_empty() {
        t.none_offered(NO_DOCUMENTS);
    } else {
        t.skip_all("no event is far enough from the others");
    }
    for listing in all {
        let days: BTreeSet<i128> = listing.documents().filter_map(event).map(|(begin, _)| number(begin)).collect();
        let days: Vec<i128> = days.into_iter().collect();
        let (Some(&a), Some(&b)) = (days.get(days.len() / 3), days.get(days.len() * 2 / 3)) else {
            continue;
        };
        let trial = Trial {
            listing,
            parameters: vec![("date-from", text(a)), ("date-to", text(b))],
            ids: ("filter.dates", "filter.dates-complete"),
            words: format!("the days from {} to {}", text(a), text(b)),
        };
        // The day may be that of another time zone; a period may touch or lie inside.
        let may = |one: &Value| event(one).is_some_and(|(begin, end)| number(begin) <= b + 1 && number(end) >= a - 1);
        let must = |one: &Value| event(one).is_some_and(|(begin, end)| number(begin) > a && number(end) < b);
        let came = trial.judge(v, t, &may, &must).await;
        let Some(came) = came.filter(|c| c.complete) else {
            continue;
        };
        // Only times of day far from midnight: the server may count days in another time zone.
        let keys: BTreeSet<String> = came.documents().map(document::key).collect();
        let e = came.pages.first().map(|p| p.exchange.as_ref());
        for one in listing.documents() {
            let Some((begin, end)) = event(one).filter(|(begin, end)| begin == end) else {
                continue;
            };
            let hours = begin.rem_euclid(DAY) / (DAY / 24);
            let exact = begin.rem_euclid(DAY) == 0;
            let on_end = number(begin) == a || number(end) == b;
            if !on_end || !(exact || (4..=20).contains(&hours)) {
                continue;
            }
            let there = keys.contains(&document::key(one));
            require!(t, "filter.dates-inclusive", there, e,
                "{} of {} within {} to {}", document::name(one), written(begin), text(a), text(b);
                found "it does not come");
        }
    }
}

pub(super) async fn malformed(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "filter.dates-malformed";
    t.none_offered("no collection with this filter is offered");
    let with_days = v.pages().filter(|(entry, _)| entry.filters.contains(&Filter::Dates));
    for (_, page) in with_days.take(2) {
        let url = &page.exchange.url;
        is_refused(v, t, id, url, &[("date-from", "2024-02-31")]).await;
    }
}

pub(super) async fn reports(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "filter.report-period";
    t.none_offered("no feed reports are offered");
    let start = |one: &Value| document::time(one, "/reportStartDateTime");
    let end = |one: &Value| document::time(one, "/reportEndDateTime");
    let all = candidates(v, Filter::ReportPeriod, |one| start(one).is_some()).await;
    for listing in all {
        let times: BTreeSet<i128> = listing.documents().filter_map(start).collect();
        let times: Vec<i128> = times.into_iter().collect();
        let Some(&from) = times.get(times.len() / 2) else {
            continue;
        };
        let trial = Trial {
            listing,
            parameters: vec![("report-start-date-time", written(from))],
            ids: (id, id),
            words: format!("the period from {}", written(from)),
        };
        // A report whose period ends at or after that time may match as well.
        let may = |one: &Value| start(one).is_some_and(|s| s >= from) || end(one).is_some_and(|e| e >= from);
        trial.judge(v, t, &may, &|one| start(one).is_some_and(|s| s > from)).await;
    }
}
