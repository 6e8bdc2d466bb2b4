//! Charts as pictures that the server draws (SVG), with a legend in words and a text for each point, so that they can
//! be read without seeing colours.

use crate::components::axis::Axis;
use maud::{Markup, html};
use model::display::number;
use model::messages::Language;

/// The picture's own measure; it is drawn as wide as there is room.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;
/// Ways to draw a line, by which lines of the same colour differ.
const DASHES: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// Lines over a common axis.
pub(crate) fn lines(language: Language, title: &str, below: &str, all: &[Series]) -> Markup {
    let points = || all.iter().flat_map(|one| &one.points);
    let across = Axis::new(points().map(|point| point.x), LEFT, WIDTH - RIGHT);
    let up = Axis::new(points().map(|point| point.y), HEIGHT - BOTTOM, TOP);
    let text = |value: f64| number(language, &value.to_string());
    html! {
        figure class="chart" tabindex="0" {
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
                    g class={ "series " (style(place)) } {
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
                    span class=(style(place)) { (one.name) }
                }
            }
        }
    }
}

/// The classes of a line: more lines than there are colours differ by their dashes.
fn style(place: usize) -> String {
    let colour = place % COLOURS + 1;
    match place / COLOURS % DASHES {
        0 => format!("series-{colour}"),
        dash => format!("series-{colour} dash-{dash}"),
    }
}

fn path(across: &Axis, up: &Axis, points: &[Point]) -> String {
    let all: Vec<String> =
        (points.iter()).map(|point| format!("{},{}", across.place(point.x), up.place(point.y))).collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_where_the_axes_say() {
        let line =
            Series { name: "<1>".to_owned(), points: vec![Point { x: 0.0, y: 0.0 }, Point { x: 500.0, y: 25.0 }] };
        let drawn = lines(Language::Russian, "Удой", "День", &[line]).into_string();
        assert!(drawn.contains("points=\"56,254 708,14\""), "{drawn}");
        assert!(drawn.contains("&lt;1&gt;: 500 – 25"), "{drawn}");
    }

    #[test]
    fn no_two_lines_look_the_same() {
        let all: std::collections::BTreeSet<String> = (0..COLOURS * DASHES).map(style).collect();
        assert_eq!(all.len(), COLOURS * DASHES);
        assert_eq!(style(8), "series-3 dash-1");
    }
}
