//! The breeding values of an animal and the indexes made of them, on its card: what the visitor reads of them, and nothing
//! else.

use super::{PATH, named_base, rankings};
use crate::components::shell::Shell;
use crate::components::value::cell;
use crate::words::text_of;
use maud::{Markup, html};
use model::display::{at, is_empty};
use model::messages::labels;
use model::registry::evaluation::breeding_values::{BASE, CALCULATION, CENTRE, DAY, IN_FORCE, SOURCE};
use model::registry::evaluation::index_values::{self, COHORT, NAME, PERCENTILE, PROFILE, RANK, RELIABILITY, VALUE};
use model::registry::evaluation::{RELIABILITY_END, VALUE_END};
use model::registry::{Collection, Feature, Field};
use serde_json::Value;
use std::collections::BTreeSet;

/// Profiles that a card shows.
const PROFILES: usize = 60;
/// Those that stand open.
const OPEN: usize = 3;

/// The values by trait, and of many indexes all but the first ones, are folded, unless `is_open`.
pub(crate) async fn markup(shell: &Shell<'_>, c: &'static Collection, id: i64, is_open: bool) -> Markup {
    let of = |feature| {
        let about = |one: &&Collection| one.animal.and_then(|path| one.field(path)?.target()) == Some(c.slug);
        shell.pages.site.registry.with_feature(feature).filter(about)
    };
    let (evaluation, indexes) = futures_util::join!(
        evaluation(shell, of(Feature::BreedingValues), id, is_open),
        indexes(shell, of(Feature::IndexValues), id, is_open)
    );
    html! {
        @if evaluation.is_some() || indexes.is_some() {
            section id="evaluation" {
                h2 { (shell.text("page-evaluation")) }
                @if let Some(evaluation) = &evaluation { (evaluation) }
                @if let Some(indexes) = &indexes { (indexes) }
                p { a href=(PATH) { (shell.text("page-evaluation-way")) } }
            }
        }
    }
}

/// The evaluation in force; none where there is none, or it is closed to the visitor.
async fn evaluation(shell: &Shell<'_>, c: Option<&'static Collection>, id: i64, is_open: bool) -> Option<Markup> {
    let c = c?;
    let animal = c.animal?;
    let query = format!("where[{animal}][equals]={id}&where[{IN_FORCE}][equals]=true&limit=1&depth=0&joins=false");
    let answer = shell.get(&format!("/api/{}?{query}", c.slug)).await;
    let doc = answer.docs().first()?;
    let language = shell.language();
    let label = |path: &str| labels::field(language, c.slug, path);
    let stated = [DAY, SOURCE, CENTRE, CALCULATION].into_iter().filter_map(|path| c.field(path));
    let values: Vec<(&Field, Option<&Field>)> = (c.fields.iter())
        .filter(|field| !is_empty(at(doc, &field.path)))
        .filter_map(|field| with_reliability(c, field))
        .collect();
    Some(html! {
        dl class="values" {
            @for field in stated.filter(|field| !is_empty(at(doc, &field.path))) { div {
                dt { (label(&field.path)) }
                dd { (cell(shell, c, field, at(doc, &field.path))) }
            } }
            @if !is_empty(at(doc, BASE)) { div {
                dt { (label(BASE)) }
                dd { (named_base(language, at(doc, BASE))) }
            } }
        }
        @if !values.is_empty() {
            details class="fold" open[is_open] {
                summary { (labels::collections(language, c.slug)) " " span class="count" { (values.len()) } }
                (by_trait(shell, c, doc, &values))
            }
        }
    })
}

fn by_trait(shell: &Shell<'_>, c: &Collection, doc: &Value, values: &[(&Field, Option<&Field>)]) -> Markup {
    let language = shell.language();
    let [value, reliable] = ["page-evaluation-number", "page-evaluation-reliable"].map(|name| shell.text(name));
    html! {
        section class="wide" tabindex="0" aria-label=(labels::collections(language, c.slug)) { table class="list" {
            thead { tr {
                th scope="col" { (shell.text("page-evaluation-trait")) }
                th scope="col" { (value) }
                th scope="col" { (reliable) }
            } }
            tbody { @for (field, reliability) in values { tr {
                th scope="row" { (labels::field(language, c.slug, &field.path)) }
                td data-head=(value) { (cell(shell, c, field, at(doc, &field.path))) }
                td data-head=(reliable) {
                    @if let Some(of) = reliability { (cell(shell, c, of, at(doc, &of.path))) }
                }
            } } }
        } }
    }
}

/// A breeding value and the field of its reliability; none of another field.
fn with_reliability(c: &'static Collection, field: &'static Field) -> Option<(&'static Field, Option<&'static Field>)> {
    let stem = field.path.strip_suffix(VALUE_END);
    let reliability = c.field(&format!("{}{RELIABILITY_END}", stem.unwrap_or(&field.path)));
    (stem.is_some() || reliability.is_some()).then_some((field, reliability))
}

/// The values of the indexes; none where there are none, or they are closed to the visitor.
async fn indexes(shell: &Shell<'_>, c: Option<&'static Collection>, id: i64, is_open: bool) -> Option<Markup> {
    let c = c?;
    let animal = c.animal?;
    let query = format!("where[{animal}][equals]={id}&sort={PROFILE}&limit={PROFILES}&depth=0&joins=false");
    let answer = shell.get(&format!("/api/{}?{query}", c.slug)).await;
    let words = c.field(PROFILE).map_or(&[][..], |field| field.named_values());
    let mut docs: Vec<&Value> = answer.docs().iter().collect();
    // Profiles that are rows, then the built-in ones in their order.
    docs.sort_by_key(|doc| words.iter().position(|word| at(doc, PROFILE) == word));
    let (open, others) = docs.split_at(if is_open { docs.len() } else { docs.len().min(OPEN) });
    let (language, label) = (shell.language(), shell.text("page-evaluation-other-indexes"));
    let bases: BTreeSet<String> = docs.iter().map(|doc| base(shell, c, doc)).filter(|base| !base.is_empty()).collect();
    let bases: Vec<String> = bases.into_iter().collect();
    (!docs.is_empty()).then(|| {
        html! {
            (by_profile(shell, c, &labels::collections(language, c.slug), open))
            @if !others.is_empty() {
                details class="fold" {
                    summary { (label) " " span class="count" { (others.len()) } }
                    (by_profile(shell, c, &label, others))
                }
            }
            @if !bases.is_empty() { p class="note" { (shell.text("page-evaluation-base")) " " (bases.join(", ")) } }
        }
    })
}

fn by_profile(shell: &Shell<'_>, c: &'static Collection, name: &str, docs: &[&Value]) -> Markup {
    let language = shell.language();
    let heads = [PROFILE, VALUE, RELIABILITY, PERCENTILE, RANK];
    let heads: Vec<&Field> = heads.into_iter().filter_map(|path| c.field(path)).collect();
    let label = |field: &Field| match field.path.as_str() {
        PROFILE => labels::field(language, c.slug, NAME),
        path => labels::field(language, c.slug, path),
    };
    html! {
        section class="wide" tabindex="0" aria-label=(name) { table class="list" {
            thead { tr {
                @for field in &heads { th scope="col" { (label(field)) } }
                @if shell.visitor.link.is_none() { th scope="col" { (shell.text("page-evaluation-rankings")) } }
            } }
            tbody { @for doc in docs { tr {
                @for field in &heads { @match field.path.as_str() {
                    PROFILE => th scope="row" { (profile(shell, c, doc)) },
                    RANK => td data-head=(label(field)) { (rank(shell, doc)) },
                    path => td data-head=(label(field)) { (cell(shell, c, field, at(doc, path))) },
                } }
                @if shell.visitor.link.is_none() {
                    td data-head=(shell.text("page-evaluation-rankings")) {
                        (rankings::ways(shell, c, at(doc, PROFILE).as_str().unwrap_or_default()))
                    }
                }
            } } }
        } }
    }
}

/// The name of a profile: of a built-in one in the language of the visitor.
fn profile(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> String {
    let key = at(doc, PROFILE).as_str().unwrap_or_default();
    let is_built_in = c.field(PROFILE).is_some_and(|field| field.named_values().iter().any(|word| word == key));
    match is_built_in {
        true => labels::option(shell.language(), c.slug, PROFILE, key),
        false => at(doc, NAME).as_str().unwrap_or_default().to_owned(),
    }
}

/// The base of the values of a profile.
fn base(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> String {
    let version = at(doc, index_values::BASE);
    let mut words = c.field(index_values::BASE).map_or(&[][..], |field| field.named_values()).iter();
    match words.find(|word| version == *word) {
        Some(word) => labels::option(shell.language(), c.slug, index_values::BASE, word),
        None => named_base(shell.language(), version),
    }
}

/// The place in the cohort; nothing where it is not published.
fn rank(shell: &Shell<'_>, doc: &Value) -> Markup {
    let (Some(rank), Some(cohort)) = (at(doc, RANK).as_i64(), at(doc, COHORT).as_i64()) else {
        return html! { span class="none" { "–" } };
    };
    let among = match at(doc, index_values::SAME_YEAR).as_bool() {
        Some(true) => "page-evaluation-same-year",
        _ => "page-evaluation-all",
    };
    html! { span class="number" { (rank) } " " (text_of(shell.language(), among, "cohort", &cohort.to_string())) }
}
