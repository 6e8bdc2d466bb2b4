//! The charts of the events of a record: a line for each lactation, and the mean of the herd for those who read it.

use super::card::Card;
use crate::calls::Answer;
use crate::components::chart::{self, Axes, Point, Series};
use crate::components::months::Months;
use crate::components::shell::Shell;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::review::checked_row;
use model::registry::{Chart, Collection, Curves};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Points of a chart.
const POINTS: usize = 1_000;
/// Days of a bin of the herd's mean.
const BIN: u32 = 30;
/// Days over which the mean goes: what one cow does later says nothing of the herd.
const MEAN_DAYS: u32 = 500;
/// Events of a bin below which it has no mean.
const MEAN_OF: u64 = 5;

/// The charts of the events of the tab, as their declarations say.
pub(super) async fn markup(card: &Card<'_>) -> Markup {
    let joins = card.c.joins.iter().filter(|join| card.tab.joins.contains(&join.name));
    let slugs: BTreeSet<&str> = joins.map(|join| join.collection).collect();
    let of = card.shell.pages.site.registry.events_of(card.c).filter(|of| slugs.contains(of.slug));
    let all = of.map(async |of| {
        let charts: Vec<(&Chart, Curves)> =
            of.ui.charts.iter().filter_map(|chart| Some((chart, chart.curves?))).collect();
        let Some((_, first)) = charts.first() else {
            return Vec::new();
        };
        let means = charts.iter().map(|(chart, curves)| herd(card.shell, of, (chart.value, curves.at), card.owner));
        let (answer, means) = futures_util::join!(points(card, of, &charts, *first), join_all(means));
        let drawn = charts.iter().zip(means).filter_map(|(chart, mean)| curve(card.shell, of, *chart, &answer, mean));
        drawn.collect()
    });
    let all: Vec<Vec<Markup>> = join_all(all).await;
    let mut drawn = all.iter().flatten().peekable();
    html! { @if drawn.peek().is_some() { div class="charts" { @for one in drawn { (one) } } } }
}

/// The events of the record: the numbers of all charts.
async fn points(card: &Card<'_>, c: &'static Collection, charts: &[(&Chart, Curves)], first: Curves) -> Answer {
    let paths: BTreeSet<&str> = charts.iter().flat_map(|(chart, curves)| [chart.value, curves.at, curves.by]).collect();
    let select: String = paths.iter().map(|path| format!("&select[{path}]=true")).collect();
    let query = format!(
        "where[{}][equals]={}&where[{}][exists]=true&sort={}&limit={POINTS}&depth=0&pagination=false{select}",
        c.animal.unwrap_or_default(),
        card.id,
        first.at,
        first.at
    );
    card.shell.get(&format!("/api/{}?{query}", c.slug)).await
}

fn curve(
    shell: &Shell<'_>,
    c: &'static Collection,
    (chart, curves): (&Chart, Curves),
    answer: &Answer,
    mean: Option<Series>,
) -> Option<Markup> {
    let mut all: BTreeMap<i64, Vec<Point>> = BTreeMap::new();
    for doc in answer.docs() {
        let number = |path: &str| at(doc, path).as_f64();
        if let (Some(x), Some(y)) = (number(curves.at), number(chart.value)) {
            let series = at(doc, curves.by).as_i64().unwrap_or(0);
            all.entry(series).or_default().push(Point { x, y });
        }
    }
    let language = shell.language();
    let by = labels::field(language, c.slug, curves.by);
    let drawn: usize = all.values().map(Vec::len).sum();
    let mut series: Vec<Series> =
        (all.into_iter()).map(|(number, points)| Series { name: format!("{by} {number}"), points }).collect();
    series.extend(mean);
    let title = labels::field(language, c.slug, chart.value);
    let below = labels::field(language, c.slug, curves.at);
    let axes = Axes { title: &title, below: &below, log: chart.log };
    (drawn > 1).then(|| {
        html! {
            section class="curves" {
                h2 { (labels::collections(language, c.slug)) ": " (title) }
                (chart::lines(language, axes, &series))
                (chart::table(language, axes, &series))
            }
        }
    })
}

/// The mean of the herd, for those who read its events; without those that must be corrected.
async fn herd(
    shell: &Shell<'_>,
    c: &'static Collection,
    (value, over): (&'static str, &'static str),
    owner: Option<i64>,
) -> Option<Series> {
    let subject = c.access.subjects.first()?;
    let owner = owner.filter(|owner| shell.visitor.sees_herd(*owner))?;
    let recent = Months::recent(shell.pages.site.clock.now()).condition(c);
    let sound =
        c.field(checked_row::STATUS).map(|field| format!("&where[{}][not_equals]={}", field.path, checked_row::FIX));
    let query = format!(
        "value={value}&by={over}&width={BIN}&where[{subject}][equals]={owner}&where[{over}][less_than]={MEAN_DAYS}{recent}{}",
        sound.unwrap_or_default()
    );
    let path = format!("/api/{}/means?{query}", c.slug);
    let answer = shell.get(&path).await;
    let points = answer.body.get("points").and_then(Value::as_array)?.iter();
    let points: Vec<Point> = points
        .filter(|point| point.get("n").and_then(Value::as_u64).is_some_and(|n| n >= MEAN_OF))
        .filter_map(|point| {
            // A bin stands for its middle.
            let x = point.get("from")?.as_f64()? + f64::from(BIN) / 2.0;
            let y = point.get("mean")?.as_f64()?;
            Some(Point { x, y })
        })
        .collect();
    (points.len() > 1).then(|| Series { name: shell.text("page-herd-mean"), points })
}
