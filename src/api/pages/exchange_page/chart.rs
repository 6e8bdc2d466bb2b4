//! Requests of a day as bars, drawn where the page is made.

use super::view::Bar;
use maud::{Markup, html};

/// The picture's own measure; it is drawn as wide as there is room.
const WIDTH: i64 = 720;
const HEIGHT: i64 = 240;
const LEFT: i64 = 64;
const TOP: i64 = 16;
const BOTTOM: i64 = 40;
/// Hours between two names below.
const NAMED: usize = 6;

/// Bars by hour: made answers, 304 and errors, one above the other.
pub(super) fn chart(hours: &[Bar]) -> Markup {
    let most = hours.iter().map(|hour| hour.requests).max().unwrap_or(0);
    let top = nice(most.max(1));
    let base = HEIGHT - BOTTOM;
    let room = base - TOP;
    let count = i64::try_from(hours.len()).unwrap_or(1).max(1);
    let step = (WIDTH - LEFT) / count;
    let high = |number: i64| number.max(0) * room / top;
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label="Requests in the last 24 hours" {
            @for part in [0, 1, 2] {
                @let y = base - room * part / 2;
                line class="grid" x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
                text class="axis" x=(LEFT - 8) y=(y + 6) text-anchor="end" { (top * part / 2) }
            }
            @for (at, hour) in hours.iter().enumerate() {
                @let x = LEFT + step * i64::try_from(at).unwrap_or(0);
                @let made = (hour.requests - hour.not_modified - hour.errors).max(0);
                @let (low, middle) = (high(made), high(made + hour.not_modified));
                @let whole = high(made + hour.not_modified + hour.errors);
                g {
                    title {
                        (clock(&hour.at)) ": " (hour.requests) " requests, "
                        (hour.not_modified) " of them 304, " (hour.errors) " errors"
                    }
                    rect class="area" x=(x) y=(TOP) width=(step) height=(room) {}
                    rect class="made" x=(x + 2) y=(base - low) width=(step - 4) height=(low) {}
                    rect class="same" x=(x + 2) y=(base - middle) width=(step - 4) height=(middle - low) {}
                    rect class="bad" x=(x + 2) y=(base - whole) width=(step - 4) height=(whole - middle) {}
                }
                @if at % NAMED == 0 {
                    text class="axis" x=(x) y=(HEIGHT - 12) { (clock(&hour.at)) }
                }
            }
        }
        p class="legend" {
            span class="made" {} "made " span class="same" {} "304, nothing new "
            span class="bad" {} "errors"
        }
    }
}

/// Hour and minute of a time.
fn clock(at: &str) -> &str {
    at.get(11..16).unwrap_or(at)
}

/// An even number of one or two digits and zeros, not below.
fn nice(most: i64) -> i64 {
    let mut unit = 2;
    loop {
        for times in [1, 2, 5] {
            if unit * times >= most {
                return unit * times;
            }
        }
        if unit > i64::MAX / 100 {
            return most;
        }
        unit *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, chart, nice};

    #[test]
    fn the_top_of_the_chart_is_a_round_number() {
        let tops = [0, 1, 2, 3, 5, 11, 99, 201, 2_000_001].map(nice);
        assert_eq!(tops, [2, 2, 2, 4, 10, 20, 100, 400, 4_000_000]);
        assert!(nice(i64::MAX) >= i64::MAX / 100);
    }

    #[test]
    fn bars_stand_on_the_base_and_on_each_other() {
        let bar = Bar {
            at: "2026-03-01T12:00:00.000Z".to_owned(),
            requests: 100,
            polls: 90,
            not_modified: 50,
            errors: 25,
            limited: 0,
        };
        let drawn = chart(&[bar]).into_string();
        for part in [
            r#"class="made" x="66" y="154" width="652" height="46""#,
            r#"class="same" x="66" y="62" width="652" height="92""#,
            r#"class="bad" x="66" y="16" width="652" height="46""#,
            "12:00: 100 requests, 50 of them 304, 25 errors",
        ] {
            assert!(drawn.contains(part), "{part} in {drawn}");
        }
    }
}
