//! The card of an animal, at the head of the page of its record: pedigree, curves, breeding values, and what happened to it. Shown of
//! every collection whose records descend from each other; must not know which one it is.

use super::super::mating::kinship;
use super::super::visibility;
use super::events::{self, EventJoins};
use super::{pictures, timeline};
use crate::components::chart::{self, Point, Series};
use crate::components::months::Months;
use crate::components::shell::Shell;
use crate::evaluation;
use maud::{Markup, html};
use model::display::{at, called, name};
use model::messages::labels;
use model::registry::review::checked_row;
use model::registry::{Collection, Curves};
use serde_json::Value;
use std::collections::BTreeMap;

/// Generations of the pedigree.
const GENERATIONS: usize = 4;
/// Points of a chart.
const POINTS: usize = 1_000;
/// Days of a bin of the herd's mean.
const BIN: u32 = 30;
/// Days over which the mean goes: what one cow does later says nothing of the herd.
const MEAN_DAYS: u32 = 500;
/// Events of a bin below which it has no mean.
const MEAN_OF: u64 = 5;

/// The card of a document: what stands above its values, and what below.
pub(in crate::book) struct Card {
    pub(in crate::book) above: Markup,
    pub(in crate::book) below: Markup,
}

pub(in crate::book) async fn markup(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> Card {
    let id = at(doc, "id").as_i64().unwrap_or_default();
    let about = name(c, doc);
    let owner = c.access.subjects.first().map(|path| at(doc, path));
    let owner = owner.and_then(|owner| owner.get("id").unwrap_or(owner).as_i64());
    let event_joins = EventJoins::of(shell, c);
    let (pedigree, curves, evaluation, answer, pictures, visibility) = futures_util::join!(
        pedigree(shell, c, id),
        curves(shell, c, id, owner),
        evaluation::values::markup(shell, c, id),
        event_joins.ask(id),
        pictures::markup(shell, c, (id, &about)),
        visibility::markup(shell, c, id, owner)
    );
    let events = event_joins.events(&answer);
    Card {
        above: html! { (pictures) (timeline::markup(shell, &events)) (curves) (evaluation) },
        below: html! { (pedigree) (kinship::form(shell, c, id)) (events::history(shell, &events)) (visibility) },
    }
}

/// The selected fields by which records are called.
fn names(c: &Collection) -> String {
    let one = |path: &&str| format!("&select[{}]=true", path.replace('.', "]["));
    called(c).iter().map(one).collect()
}

async fn pedigree(shell: &Shell<'_>, c: &'static Collection, id: i64) -> Markup {
    let query = format!("generations={GENERATIONS}&depth=0{}", names(c));
    let answer = shell.get(&format!("/api/{}/{id}/pedigree?{query}", c.slug)).await;
    let nodes = answer.body.get("nodes").and_then(Value::as_array);
    let ancestors: BTreeMap<u64, &Value> =
        (nodes.into_iter().flatten()).filter_map(|node| Some((node.get("number")?.as_u64()?, node))).collect();
    html! {
        @if ancestors.len() > 1 {
            section class="pedigree" id="pedigree" {
                h2 { (shell.text("page-pedigree")) }
                section class="wide" tabindex="0" aria-label=(shell.text("page-pedigree")) {
                    ul class="tree" { (ancestor(shell, c, &ancestors, 1, GENERATIONS)) }
                }
            }
        }
    }
}

/// An ancestor by its number in the pedigree, with those before it: 2n is the father of n, 2n + 1 the mother.
fn ancestor(
    shell: &Shell<'_>,
    c: &'static Collection,
    ancestors: &BTreeMap<u64, &Value>,
    number: u64,
    generations: usize,
) -> Markup {
    let (father, mother) = (number.saturating_mul(2), number.saturating_mul(2).saturating_add(1));
    html! {
        li {
            @match ancestors.get(&number) {
                Some(node) => {
                    @let doc = at(node, "doc");
                    // A record that the visitor may not read has no page for him.
                    @let open = node.get("closed").is_none();
                    @let address = shell.record(c, at(doc, "id")).filter(|_| open);
                    @let address = address.map(|address| address + "#pedigree");
                    a class=(if number.is_multiple_of(2) { "sire" } else { "dam" }) href=[address] { (name(c, doc)) }
                }
                None => span class="none" { (shell.text("page-unknown")) },
            }
            @if generations > 0 && ancestors.contains_key(&number) {
                ul {
                    @for parent in [father, mother] {
                        (ancestor(shell, c, ancestors, parent, generations.saturating_sub(1)))
                    }
                }
            }
        }
    }
}

/// The charts of its events, as their declarations say.
async fn curves(shell: &Shell<'_>, c: &'static Collection, id: i64, owner: Option<i64>) -> Markup {
    let of = shell.pages.site.registry.events_of(c);
    let charts: Vec<(&'static Collection, &'static str, Curves)> = of
        .flat_map(|events| events.ui.charts.iter().map(move |one| (events, one)))
        .filter_map(|(events, one)| Some((events, one.value, one.curves?)))
        .collect();
    let all: Vec<_> =
        charts.into_iter().map(|(events, value, one)| curve(shell, events, (value, one), (id, owner))).collect();
    let all = futures_util::future::join_all(all).await;
    html! { @for one in all.into_iter().flatten() { (one) } }
}

async fn curve(
    shell: &Shell<'_>,
    c: &'static Collection,
    (value, one): (&'static str, Curves),
    (id, owner): (i64, Option<i64>),
) -> Option<Markup> {
    let animal = c.animal?;
    let query = format!(
        "where[{animal}][equals]={id}&where[{}][exists]=true&where[{}][exists]=true&sort={}&limit={POINTS}&depth=0\
         &pagination=false&select[{}]=true&select[{}]=true&select[{}]=true",
        value, one.at, one.at, value, one.at, one.by
    );
    let path = format!("/api/{}?{query}", c.slug);
    let own = shell.get(&path);
    let (answer, mean) = futures_util::join!(own, herd(shell, c, (value, one.at), owner));
    let mut all: BTreeMap<i64, Vec<Point>> = BTreeMap::new();
    for doc in answer.docs() {
        let number = |path: &str| at(doc, path).as_f64();
        if let (Some(x), Some(y)) = (number(one.at), number(value)) {
            let series = at(doc, one.by).as_i64().unwrap_or(0);
            all.entry(series).or_default().push(Point { x, y });
        }
    }
    let language = shell.language();
    let by = labels::field(language, c.slug, one.by);
    let drawn: usize = all.values().map(Vec::len).sum();
    let mut series: Vec<Series> =
        (all.into_iter()).map(|(number, points)| Series { name: format!("{by} {number}"), points }).collect();
    series.extend(mean);
    let title = labels::field(language, c.slug, value);
    let below = labels::field(language, c.slug, one.at);
    (drawn > 1).then(|| {
        html! {
            section class="curves" {
                h2 { (labels::collections(language, c.slug)) ": " (title) }
                (chart::lines(language, &title, &below, &series))
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
