//! Charts as pictures that the server draws (SVG), with a legend in words and a text for each point, so that they can
//! be read without seeing colours; and the same numbers as a table, for those who see no picture.

use crate::components::axis::Axis;
use maud::{Markup, html};
use model::display::number;
use model::messages::{Language, known};

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

/// What is drawn, over what, and whether equal steps are equal factors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes<'a> {
    pub(crate) title: &'a str,
    pub(crate) below: &'a str,
    pub(crate) log: bool,
}

/// Lines over a common axis.
pub(crate) fn lines(language: Language, Axes { title, below, log }: Axes<'_>, all: &[Series]) -> Markup {
    let points = || all.iter().flat_map(|one| &one.points);
    let across = Axis::new(points().map(|point| point.x), LEFT, WIDTH - RIGHT);
    let values = points().map(|point| point.y);
    let up = match log {
        true => Axis::log(values, HEIGHT - BOTTOM, TOP),
        false => Axis::new(values, HEIGHT - BOTTOM, TOP),
    };
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
                            g {
                                title { (one.name) ": " (text(point.x)) " – " (text(point.y)) }
                                // The pointer need not meet the point itself.
                                circle class="area" cx=(across.place(point.x)) cy=(up.place(point.y)) r="10" {}
                                circle cx=(across.place(point.x)) cy=(up.place(point.y)) r="3" {}
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

/// The numbers of the lines, behind a fold.
pub(crate) fn table(language: Language, Axes { title, below, .. }: Axes<'_>, all: &[Series]) -> Markup {
    let shown = |value: f64| number(language, &((value * 100.0).round() / 100.0).to_string());
    let text = |name: &str| known(language, name).unwrap_or_default();
    html! {
        details class="numbers" {
            summary { (text("page-as-table")) }
            section class="wide" tabindex="0" aria-label=(title) { table {
                thead { tr { th scope="col" { (text("page-chart-line")) } th scope="col" { (below) } th scope="col" { (title) } } }
                tbody { @for one in all { @for point in &one.points { tr {
                    th scope="row" { (one.name) } td { (shown(point.x)) } td { (shown(point.y)) }
                } } } }
            } }
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
        let axes = Axes { title: "Удой", below: "День", log: false };
        let drawn = lines(Language::Russian, axes, std::slice::from_ref(&line)).into_string();
        assert!(drawn.contains("points=\"56,254 708,14\""), "{drawn}");
        assert!(drawn.contains("&lt;1&gt;: 500 – 25"), "{drawn}");
        let table = table(Language::Russian, axes, &[line]).into_string();
        assert!(table.contains("<th scope=\"row\">&lt;1&gt;</th><td>500</td><td>25</td>"), "{table}");
    }

    #[test]
    fn no_two_lines_look_the_same() {
        let all: std::collections::BTreeSet<String> = (0..COLOURS * DASHES).map(style).collect();
        assert_eq!(all.len(), COLOURS * DASHES);
        assert_eq!(style(8), "series-3 dash-1");
    }
}
