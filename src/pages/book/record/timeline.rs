//! The line of time of an animal: what happened to it as a picture that the server draws (SVG), a line for each kind of
//! event. The list below tells the same in words.

use super::joined::Event;
use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::at;
use model::messages::{self, labels};
use model::record::time;
use model::registry::Collection;
use std::collections::BTreeMap;

/// The picture's own measure.
const WIDTH: f64 = 720.0;
const LETTER: f64 = 9.0;
const RIGHT: f64 = 16.0;
const LANE: f64 = 26.0;
const TOP: f64 = 8.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;
/// Years between two that are named below, at most this many times.
const NAMED: i64 = 8;

/// A kind of event, by its collection and the value of the field whose values have lines of their own.
type Lane = (usize, &'static str, String);

/// The picture; nothing of fewer than two events.
pub(super) fn markup(shell: &Shell<'_>, events: &[Event<'_>]) -> Markup {
    let mut lanes: BTreeMap<Lane, Vec<(i64, &str)>> = BTreeMap::new();
    for event in events {
        let Some(timeline) = event.of.ui.timeline else {
            continue;
        };
        let value = timeline.lanes.map(|path| at(event.doc, path));
        let value = value.and_then(|value| value.as_str()).unwrap_or_default();
        let place = place_of(event.of, value);
        if let Some(when) = time::parse(event.date) {
            let lane = (place, event.of.slug, value.to_owned());
            lanes.entry(lane).or_default().push((when, event.date));
        }
    }
    let all = || lanes.values().flatten().map(|(when, _)| *when);
    let (Some(first), Some(last)) = (all().min(), all().max()) else {
        return html! {};
    };
    if first == last {
        return html! {};
    }
    let names: Vec<String> = lanes.keys().map(|(_, slug, value)| called(shell, slug, value)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    // The names of lines are not cut.
    let left = 16.0 + LETTER * f64::from(u32::try_from(longest).unwrap_or_default());
    let height = TOP + LANE * lanes.len() as f64 + 24.0;
    let across = |when: i64| {
        let share = (when - first) as f64 / (last - first) as f64;
        ((left + (WIDTH - RIGHT - left) * share) * 10.0).round() / 10.0
    };
    let language = shell.language();
    let title = shell.text("page-timeline");
    html! {
        section class="curves" {
            h2 { (title) }
            figure class="chart" tabindex="0" {
                svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label=(title) {
                    @for year in years(first, last) {
                        @let x = across(year.1);
                        line class="grid" x1=(x) x2=(x) y1=(TOP) y2=(height - 20.0) {}
                        text class="axis" x=(x) y=(height - 5.0) text-anchor="middle" { (year.0) }
                    }
                    @for (row, (points, name)) in lanes.values().zip(&names).enumerate() {
                        @let y = TOP + LANE * (row as f64 + 0.5);
                        line class="grid" x1=(left) x2=(WIDTH - RIGHT) y1=(y) y2=(y) {}
                        text class="axis" x=(left - 10.0) y=(y + 4.0) text-anchor="end" { (name) }
                        g class={ "series series-" (row % COLOURS + 1) } {
                            @for (when, date) in points {
                                circle cx=(across(*when)) cy=(y) r="5" {
                                    title { (name) ": " (messages::day(language, date.get(..10).unwrap_or_default())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The order of lines within a collection: that of the values.
fn place_of(c: &Collection, value: &str) -> usize {
    let path = c.ui.timeline.and_then(|timeline| timeline.lanes);
    let words = path.map_or(&[][..], |path| c.options(path));
    words.iter().position(|word| word == value).unwrap_or(words.len())
}

fn called(shell: &Shell<'_>, slug: &str, value: &str) -> String {
    let c = shell.pages.site.registry.get(slug);
    let path = c.and_then(|c| c.ui.timeline?.lanes);
    match path.filter(|_| !value.is_empty()) {
        Some(path) => labels::option(shell.language(), slug, path, value),
        None => labels::collection(shell.language(), slug),
    }
}

/// Beginnings of years between two times.
fn years(first: i64, last: i64) -> Vec<(i64, i64)> {
    let year = |when: i64| time::to_iso(when).get(..4).and_then(|year| year.parse::<i64>().ok());
    let (Some(from), Some(to)) = (year(first), year(last)) else {
        return Vec::new();
    };
    let step = ((to - from) / NAMED + 1).max(1);
    let all = (from + 1..=to).filter(|year| (year - from - 1) % step == 0);
    let begins = |year: i64| Some((year, time::parse(&format!("{year:04}-01-01T00:00:00.000Z"))?));
    all.filter_map(begins).collect()
}
