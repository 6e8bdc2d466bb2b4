//! Bars of three parts each, one above the other, drawn where the page is made.

use maud::{Markup, html};

/// The picture's own measure; it is drawn as wide as there is room.
const WIDTH: i64 = 720;
const HEIGHT: i64 = 240;
const LEFT: i64 = 64;
const TOP: i64 = 16;
const BOTTOM: i64 = 40;
/// Bars between two names below.
const NAMED: usize = 6;

/// A bar: its name, and its parts from below.
#[derive(Debug)]
pub(crate) struct Bar<'b> {
    pub(crate) name: &'b str,
    pub(crate) parts: [i64; 3],
}

pub(crate) fn bars(title: &str, parts: &[String; 3], all: &[Bar<'_>]) -> Markup {
    let sum = |bar: &Bar<'_>| bar.parts.iter().fold(0_i64, |sum, part| sum.saturating_add(*part));
    let top = nice(all.iter().map(sum).max().unwrap_or(0).max(1));
    let (base, room) = (HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP);
    let step = (WIDTH - LEFT) / i64::try_from(all.len()).unwrap_or(1).max(1);
    let high = |number: i64| number.max(0).saturating_mul(room) / top;
    html! {
        figure class="chart" tabindex="0" {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(title) {
                @for part in [0, 1, 2] {
                    @let y = base - room * part / 2;
                    line class="grid" x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
                    text class="axis" x=(LEFT - 8) y=(y + 5) text-anchor="end" { (top.saturating_mul(part) / 2) }
                }
                @for (place, bar) in all.iter().enumerate() {
                    @let x = LEFT + step * i64::try_from(place).unwrap_or(0);
                    g {
                        title {
                            (bar.name)
                            @for (part, number) in parts.iter().zip(bar.parts) { ", " (part) " " (number) }
                        }
                        rect class="area" x=(x) y=(TOP) width=(step) height=(room) {}
                        @for (from, to, class) in pieces(bar) {
                            rect class=(class) x=(x + 2) y=(base - high(to)) width=((step - 4).max(1)) height=(high(to) - high(from)) {}
                        }
                    }
                    @if place % NAMED == 0 {
                        text class="axis" x=(x) y=(HEIGHT - 12) { (bar.name) }
                    }
                }
            }
            figcaption class="legend" {
                @for (part, class) in parts.iter().zip(CLASSES) { span class=(class) { (part) } }
            }
        }
    }
}

const CLASSES: [&str; 3] = ["part-1", "part-2", "part-3"];

/// From where to where the parts of a bar go.
fn pieces(bar: &Bar<'_>) -> impl Iterator<Item = (i64, i64, &'static str)> {
    let mut from = 0_i64;
    let parts = bar.parts.into_iter().zip(CLASSES);
    parts.map(move |(part, class)| {
        let begin = from;
        from = from.saturating_add(part.max(0));
        (begin, from, class)
    })
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
    use super::{Bar, bars, nice};

    #[test]
    fn the_top_of_the_chart_is_a_round_number() {
        let tops = [0, 1, 2, 3, 5, 11, 99, 201, 2_000_001].map(nice);
        assert_eq!(tops, [2, 2, 2, 4, 10, 20, 100, 400, 4_000_000]);
        assert!(nice(i64::MAX) >= i64::MAX / 100);
    }

    #[test]
    fn bars_stand_on_the_base_and_on_each_other() {
        let bar = Bar { name: "12:00", parts: [25, 50, 25] };
        let parts = ["made", "unchanged", "errors"].map(str::to_owned);
        let drawn = bars("Requests", &parts, &[bar]).into_string();
        for part in [
            r#"class="part-1" x="66" y="154" width="652" height="46""#,
            r#"class="part-2" x="66" y="62" width="652" height="92""#,
            r#"class="part-3" x="66" y="16" width="652" height="46""#,
            "12:00, made 25, unchanged 50, errors 25",
        ] {
            assert!(drawn.contains(part), "{part} in {drawn}");
        }
    }
}
