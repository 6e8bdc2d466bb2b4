//! The frame of a small chart, one of several side by side: its title with the latest number, the marks of its axis, and
//! when it begins and ends.

use crate::components::axis::Axis;
use maud::{Markup, html};
use model::display::number;
use model::messages::Language;

/// The picture's own measure.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 112.0;
const LEFT: f64 = 36.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const FOOT: f64 = 92.0;

/// The axis of the numbers.
pub(crate) fn up(values: impl Iterator<Item = f64>) -> Axis {
    Axis::new(values, FOOT, TOP)
}

/// Where a share of the time stands, from 0 to 1.
pub(crate) fn across(share: f64) -> f64 {
    ((LEFT + (WIDTH - RIGHT - LEFT) * share) * 10.0).round() / 10.0
}

/// A number in the title and beside the axis.
fn text(language: Language, value: f64) -> String {
    number(language, &((value * 10.0).round() / 10.0).to_string())
}

/// The chart of these lines and points. `latest` is the last number, and when it was; `ends` are the first time and the
/// last.
pub(crate) fn chart(
    language: Language,
    title: &str,
    latest: Option<(String, f64)>,
    ends: Option<(String, String)>,
    up: &Axis,
    drawn: &Markup,
) -> Markup {
    html! {
        figure class="small" {
            figcaption {
                (title)
                @if let Some((when, value)) = latest { " " strong { (text(language, value)) } " (" (when) ")" }
            }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(title) {
                @for mark in [0.0, up.top()] {
                    line class="grid" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(up.place(mark)) y2=(up.place(mark)) {}
                    text class="axis" x=(LEFT - 4.0) y=(up.place(mark) + 4.0) text-anchor="end" { (text(language, mark)) }
                }
                g class="series series-1" { (drawn) }
                @if let Some((first, last)) = ends {
                    text class="axis" x=(LEFT) y=(HEIGHT - 3.0) { (first) }
                    text class="axis" x=(WIDTH - RIGHT) y=(HEIGHT - 3.0) text-anchor="end" { (last) }
                }
            }
        }
    }
}

/// A point with its text.
pub(crate) fn point(language: Language, (x, y): (f64, f64), when: &str, value: f64) -> Markup {
    html! {
        circle cx=(x) cy=(y) r="2.5" { title { (when) ": " (number(language, &value.to_string())) } }
    }
}
