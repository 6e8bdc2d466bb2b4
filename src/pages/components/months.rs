//! A number month by month, small: one of several charts side by side, all over the same months. Each month stands at
//! its time. A month without events is 0 where events are counted; where they have a mean it has none, and the line has
//! a gap.

use crate::components::small;
use maud::{Markup, html};
use model::messages::{self, Language};
use model::record::time;
use model::registry::{Collection, Measure};
use std::collections::BTreeMap;

/// Days of a herd's events that count, two years: what a page costs must not grow with the age of the book.
const RECENT: i64 = 730;
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Months from the first to the last, `2026-01`.
#[derive(Debug, Clone)]
pub(crate) struct Months(Vec<String>);

impl Months {
    /// The recent ones: from the month of two years ago to the present one.
    pub(crate) fn recent(now: i64) -> Self {
        let month = |at: i64| time::to_iso(at).get(..7).unwrap_or_default().to_owned();
        let first = month(now.saturating_sub(RECENT.saturating_mul(DAY)));
        Self::between(&first, &month(now))
    }

    fn between(first: &str, last: &str) -> Self {
        let all = number_of(first)..=number_of(last);
        let written = |month: i32| format!("{:04}-{:02}", month / 12, month % 12 + 1);
        Self(all.map(written).collect())
    }

    /// The condition on events of these months.
    pub(crate) fn condition(&self, c: &Collection) -> String {
        let first = self.0.first().map_or("", String::as_str);
        let condition = |date| format!("&where[{date}][greater_than_equal]={first}-01");
        c.happens.map(condition).unwrap_or_default()
    }
}

/// Months since the year 0.
fn number_of(month: &str) -> i32 {
    let part = |from, to| month.get(from..to).and_then(|part| part.parse::<i32>().ok());
    part(0, 4).unwrap_or(0) * 12 + part(5, 7).unwrap_or(1) - 1
}

fn written(language: Language, month: &str) -> String {
    let day = messages::day(language, &format!("{month}-01"));
    match language {
        Language::Russian => day.get(3..).unwrap_or_default().to_owned(),
        Language::English => month.to_owned(),
    }
}

/// The months that have a value, by their place.
fn values(months: &Months, drawn: Measure, values_by_month: &BTreeMap<String, f64>) -> Vec<Option<f64>> {
    let none = (drawn == Measure::Count).then_some(0.0);
    let one = |month| values_by_month.get(month).copied().or(none);
    months.0.iter().map(one).collect()
}

/// The chart; `values_by_month` has the months with events.
pub(crate) fn chart(
    language: Language,
    title: &str,
    (months, drawn): (&Months, Measure),
    values_by_month: &BTreeMap<String, f64>,
) -> Markup {
    let up = small::up(values_by_month.values().copied());
    let all = values(months, drawn, values_by_month);
    let parts = u32::try_from(all.len().saturating_sub(1).max(1)).unwrap_or(u32::MAX);
    let across = |place: usize| small::across(f64::from(u32::try_from(place).unwrap_or(u32::MAX)) / f64::from(parts));
    // A line for each run of months that have a value.
    let runs = all.split(Option::is_none).scan(0, |from, run| {
        let first = *from;
        *from += run.len() + 1;
        Some((first, run))
    });
    let line = |(first, run): (usize, &[Option<f64>])| {
        let point = |(at, value): (usize, &Option<f64>)| {
            value.map(|value| format!("{},{}", across(first + at), up.place(value)))
        };
        let points: Vec<String> = run.iter().enumerate().filter_map(point).collect();
        points.join(" ")
    };
    let latest = (months.0.iter()).rfind(|month| values_by_month.contains_key(*month));
    let latest = latest.and_then(|month| Some((written(language, month), *values_by_month.get(month)?)));
    let ends = months.0.first().zip(months.0.last());
    let ends = ends.map(|(first, last)| (written(language, first), written(language, last)));
    let drawn = html! {
        @for run in runs.filter(|(_, run)| run.len() > 1) { polyline points=(line(run)) {} }
        @for (place, (month, value)) in months.0.iter().zip(&all).enumerate() { @if let Some(value) = value {
            (small::point(language, (across(place), up.place(*value)), &written(language, month), *value))
        } }
    };
    small::chart(language, title, latest, ends, &up, &drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(drawn: Measure) -> String {
        let values_by_month = [("2025-11", 20.0), ("2025-12", 25.0), ("2026-02", 10.0), ("2026-04", 5.0)];
        let values_by_month = values_by_month.map(|(month, value)| (month.to_owned(), value)).into();
        let months = Months::between("2025-11", "2026-05");
        chart(Language::Russian, "Удой", (&months, drawn), &values_by_month).into_string()
    }

    #[test]
    fn months_stand_at_their_time() {
        let counts = drawn(Measure::Count);
        let line = "points=\"36,28 68.7,12 101.3,92 134,60 166.7,92 199.3,76 232,92\"";
        assert!(counts.contains(line), "{counts}");
        // A month without events counts none.
        assert!(counts.contains("<title>01.2026: 0</title>"), "{counts}");
        let means = drawn(Measure::Mean);
        assert!(means.contains("points=\"36,28 68.7,12\""), "{means}");
        assert_eq!(means.matches("<polyline").count(), 1, "gaps: {means}");
        assert_eq!(means.matches("<circle").count(), 4, "{means}");
        assert!(!means.contains("01.2026"), "{means}");
        for text in ["<strong>5</strong> (04.2026)", ">11.2025</text>", ">05.2026</text>", ">25</text>"] {
            assert!(counts.contains(text) && means.contains(text), "{text}");
        }
    }

    #[test]
    fn the_recent_months_end_with_the_present_one() {
        let now = time::parse("2026-11-26T12:00:00.000Z").unwrap();
        let months = Months::recent(now).0;
        assert_eq!((months.len(), months[0].as_str()), (25, "2024-11"));
        assert_eq!(months[24], "2026-11");
    }
}
