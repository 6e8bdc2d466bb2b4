//! Charts as pictures that the server draws (SVG), with a legend in words and a text for each point, so that they can
//! be read without seeing colours.

use maud::{Markup, html};
use model::messages::Language;
use model::record::time;
use model::registry::Collection;
use model::shown::number;

/// The picture's own measure; it is drawn as wide as there is room.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;
/// Days of a herd's events that count, two years: what a page costs must not grow with the age of the book.
const RECENT: i64 = 730;
/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Parts of an axis.
const PARTS: u32 = 5;

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A line with its name.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// An axis from zero to a round number.
#[derive(Debug, Clone, Copy)]
struct Axis {
    top: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self {
            top: nice(most),
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value / self.top).clamp(0.0, 1.0);
        let place = self.from + (self.to - self.from) * share;
        (place * 10.0).round() / 10.0
    }

    fn marks(&self) -> impl Iterator<Item = f64> + use<> {
        let part = self.top / f64::from(PARTS);
        (0..=PARTS).map(move |at| (part * f64::from(at) * 100.0).round() / 100.0)
    }
}

/// The lowest of 1, 2, 5 times a power of ten, times five parts, that is not below.
fn nice(most: f64) -> f64 {
    let mut unit = 1.0;
    for _ in 0..30 {
        for times in [1.0, 2.0, 5.0] {
            let top = unit * times * f64::from(PARTS);
            if top >= most {
                return top;
            }
        }
        unit *= 10.0;
    }
    most
}

/// The condition on the recent events of a herd, from the first day of a month.
pub(crate) fn recent(c: &Collection, now: i64) -> String {
    let first = time::to_iso(now.saturating_sub(RECENT.saturating_mul(DAY)));
    let month = first.get(..7).unwrap_or_default();
    let condition = |date| format!("&where[{date}][greater_than_equal]={month}-01");
    c.happens.map(condition).unwrap_or_default()
}

/// Lines over a common axis.
pub(crate) fn lines(language: Language, title: &str, below: &str, all: &[Series]) -> Markup {
    let points = || all.iter().flat_map(|one| &one.points);
    let across = Axis::new(points().map(|point| point.x), LEFT, WIDTH - RIGHT);
    let up = Axis::new(points().map(|point| point.y), HEIGHT - BOTTOM, TOP);
    let text = |value: f64| number(language, &value.to_string());
    html! {
        figure class="chart" {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (title) ", " (below) } {
                @for mark in up.marks() {
                    @let y = up.place(mark);
                    line class="grid" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(y) y2=(y) {}
                    text class="axis" x=(LEFT - 8.0) y=(y + 5.0) text-anchor="end" { (text(mark)) }
                }
                @for mark in across.marks() {
                    text class="axis" x=(across.place(mark)) y=(HEIGHT - BOTTOM + 20.0) text-anchor="middle" { (text(mark)) }
                }
                text class="axis" x=(WIDTH - RIGHT) y=(HEIGHT - 6.0) text-anchor="end" { (below) }
                @for (place, one) in all.iter().enumerate() {
                    g class={ "series series-" (place % COLOURS + 1) } {
                        polyline points=(path(&across, &up, &one.points)) {}
                        @for point in &one.points {
                            circle cx=(across.place(point.x)) cy=(up.place(point.y)) r="3" {
                                title { (one.name) ": " (text(point.x)) " – " (text(point.y)) }
                            }
                        }
                    }
                }
            }
            figcaption class="legend" {
                @for (place, one) in all.iter().enumerate() {
                    span class={ "series-" (place % COLOURS + 1) } { (one.name) }
                }
            }
        }
    }
}

/// A number by months, small: one of several side by side.
pub(crate) fn months(language: Language, title: &str, all: &[(String, f64)]) -> Markup {
    let (width, height, foot) = (240.0, 110.0, 92.0);
    let up = Axis::new(all.iter().map(|(_, mean)| *mean), foot, 10.0);
    let step = match all.len() {
        0 | 1 => 0.0,
        many => (width - 16.0) / f64::from(u32::try_from(many - 1).unwrap_or(u32::MAX)),
    };
    let mut place = 8.0 - step;
    let points: Vec<(String, f64, f64)> = (all.iter())
        .map(|(month, mean)| {
            place += step;
            (
                format!("{month}: {}", number(language, &mean.to_string())),
                (place * 10.0).round() / 10.0,
                up.place(*mean),
            )
        })
        .collect();
    let line: Vec<String> = points.iter().map(|(_, x, y)| format!("{x},{y}")).collect();
    let ends = all.first().zip(all.last());
    html! {
        figure class="small" {
            figcaption { (title) @if let Some((_, (_, last))) = ends { " " strong { (number(language, &((last * 10.0).round() / 10.0).to_string())) } } }
            svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(title) {
                line class="grid" x1="8" x2=(width - 8.0) y1=(foot) y2=(foot) {}
                g class="series series-1" {
                    polyline points=(line.join(" ")) {}
                    @for (text, x, y) in &points { circle cx=(x) cy=(y) r="2.5" { title { (text) } } }
                }
                @if let Some(((first, _), (last, _))) = ends {
                    text class="axis" x="8" y=(height - 3.0) { (first) }
                    text class="axis" x=(width - 8.0) y=(height - 3.0) text-anchor="end" { (last) }
                }
            }
        }
    }
}

fn path(across: &Axis, up: &Axis, points: &[Point]) -> String {
    let all: Vec<String> = (points.iter())
        .map(|point| format!("{},{}", across.place(point.x), up.place(point.y)))
        .collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let tops = [0.0, 4.0, 5.0, 5.1, 41.5, 305.0, 480.0, 1_001.0].map(nice);
        assert_eq!(tops, [5.0, 5.0, 5.0, 10.0, 50.0, 500.0, 500.0, 2_500.0]);
    }

    #[test]
    fn months_stand_side_by_side() {
        let all = [
            ("2026-01".to_owned(), 20.0),
            ("2026-02".to_owned(), 25.0),
            ("2026-03".to_owned(), 0.0),
        ];
        let drawn = months(Language::English, "Milk", &all).into_string();
        assert!(drawn.contains("points=\"8,26.4 120,10 232,92\""), "{drawn}");
        assert!(
            drawn.contains("2026-02: 25") && drawn.contains("<strong>0</strong>"),
            "{drawn}"
        );
        assert!(
            months(Language::English, "Milk", &[])
                .into_string()
                .contains("points=\"\"")
        );
        assert!(
            months(Language::English, "Milk", &all[..1])
                .into_string()
                .contains("points=\"8,26.4\"")
        );
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let line = Series {
            name: "<1>".to_owned(),
            points: vec![Point { x: 0.0, y: 0.0 }, Point { x: 500.0, y: 25.0 }],
        };
        let drawn = lines(Language::Russian, "Удой", "День", &[line]).into_string();
        assert!(drawn.contains("points=\"56,254 708,14\""), "{drawn}");
        assert!(drawn.contains("&lt;1&gt;: 500 – 25"), "{drawn}");
    }
}
