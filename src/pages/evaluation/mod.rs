//! `/evaluation`: what breeding values and indexes mean, from what they are computed and how sure they are
//! (docs/evaluation.md, docs/indexes.md), with the run and the base in force; and what else pages show of them.

pub(crate) mod rankings;
pub(crate) mod values;
pub(crate) mod works;

use crate::Pages;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::{members_of, whole_of};
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::display::{at, is_empty};
use model::messages::{self, Language, labels};
use model::registry::evaluation::{BASE_OF_RUN, bases, runs};
use model::registry::{Collection, Feature};
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) const PATH: &str = "/evaluation";

/// Parts of the page: heading and paragraphs.
const PARTS: [(&str, &[&str]); 4] = [
    ("page-evaluation-means", &["page-evaluation-value", "page-evaluation-calf", "page-evaluation-not"]),
    (
        "page-evaluation-from",
        &["page-evaluation-records", "page-evaluation-apart", "page-evaluation-unknown", "page-evaluation-few"],
    ),
    ("page-evaluation-sure", &["page-evaluation-reliability", "page-evaluation-choose"]),
    ("page-evaluation-indexes", &["page-evaluation-sum", "page-evaluation-percentile", "page-evaluation-closed"]),
];
/// The part with the table of reliabilities.
const SURE: usize = 2;
/// Reliability, %, of whom, and the usual error where the genetic standard deviation is 600 kg (docs/evaluation.md).
const RELIABILITIES: [(&str, &str, u32); 5] = [
    ("0", "page-evaluation-nothing", 600),
    ("25–35", "page-evaluation-parents", 500),
    ("45–60", "page-evaluation-cow", 410),
    ("80", "page-evaluation-bull", 270),
    ("95", "page-evaluation-proven", 130),
];

/// `GET /evaluation`
pub(crate) async fn evaluation(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    let (run, base, rankings) = futures_util::join!(run(&shell), base(&shell), rankings::markup(&shell));
    let title = shell.text("page-evaluation");
    let body = html! {
        h1 { (title) }
        div class="sheet" {
            @for (place, (heading, paragraphs)) in PARTS.iter().enumerate() {
                h2 { (shell.text(heading)) }
                @for one in *paragraphs { p { (shell.text(one)) } }
                @if place == SURE { (reliabilities(&shell)) }
            }
            (rankings)
        }
        h2 { (shell.text("page-evaluation-in-force")) }
        (run)
        (base)
    };
    page(StatusCode::OK, shell.document(&title, &body))
}

/// The way to this page from what it explains.
pub(crate) fn way(shell: &Shell<'_>, c: &Collection) -> Markup {
    let explained = [Feature::BreedingValues, Feature::IndexValues, Feature::IndexBases, Feature::EvaluationRuns];
    html! {
        @if explained.iter().any(|feature| c.is(*feature)) {
            a class="button second" href=(PATH) { (shell.text("page-evaluation-way")) }
        }
    }
}

fn reliabilities(shell: &Shell<'_>) -> Markup {
    let heads = ["page-evaluation-reliable", "page-evaluation-who", "page-evaluation-error"];
    html! {
        section class="wide" tabindex="0" aria-label=(shell.text("page-evaluation-sure")) { table {
            thead { tr { @for head in heads { th scope="col" { (shell.text(head)) } } } }
            tbody { @for (reliability, who, error) in RELIABILITIES { tr {
                th scope="row" { (reliability) }
                td { (shell.text(who)) }
                td { "± " (error) }
            } } }
        } }
    }
}

/// The last run whose values are in force, as far as the visitor reads it.
async fn run(shell: &Shell<'_>) -> Markup {
    let Some(c) = shell.pages.site.registry.with_feature(Feature::EvaluationRuns) else {
        return html! {};
    };
    let query = format!(
        "where[{}][equals]={}&sort=-{}&limit=1&depth=0&joins=false",
        runs::STATE,
        runs::RELEASED,
        runs::RELEASED_AT
    );
    let answer = shell.get(&format!("/api/{}?{query}", c.slug)).await;
    let Some(doc) = answer.docs().first() else {
        return html! { p class="none" { (shell.text("page-evaluation-no-run")) } };
    };
    let stated = runs::STATEMENT.into_iter().filter_map(|path| c.field(path));
    html! {
        p { (shell.text("page-evaluation-run")) }
        dl class="values" {
            @for field in stated.filter(|field| !is_empty(at(doc, &field.path))) { div {
                dt { (labels::field(shell.language(), c.slug, &field.path)) }
                dd { (whole_of(shell, c, field, doc)) }
            } }
        }
        @if let Some(results) = c.field(runs::RESULTS) { (members_of(shell, c, results, doc, &runs::MEMBERS)) }
    }
}

/// The base that indexes are expressed against.
async fn base(shell: &Shell<'_>) -> Markup {
    let Some(c) = shell.pages.site.registry.with_feature(Feature::IndexBases) else {
        return html! {};
    };
    let query = format!("where[{}][equals]=true&limit=1&depth=0&joins=false", bases::IN_FORCE);
    let answer = shell.get(&format!("/api/{}?{query}", c.slug)).await;
    let version = answer.docs().first().map(|doc| at(doc, bases::VERSION));
    let id = answer.docs().first().map(|doc| at(doc, "id"));
    html! {
        p {
            (shell.text("page-evaluation-base")) " "
            @match (version, id) {
                (Some(version), Some(id)) => a href=(format!("/book/{}/{id}", c.slug)) { (named_base(shell.language(), version)) },
                _ => (shell.text("page-evaluation-borrowed")),
            }
        }
    }
}

/// A base by its name; that of a run by its day, which the number of the run follows.
fn named_base(language: Language, version: &Value) -> String {
    let version = version.as_str().unwrap_or_default();
    match version.strip_prefix(BASE_OF_RUN) {
        Some(rest) => {
            let day = rest.get(..10).unwrap_or(rest);
            let values = BTreeMap::from([("day".to_owned(), messages::day(language, day))]);
            messages::text(language, "page-evaluation-base-of-run", &values)
        }
        None => version.to_owned(),
    }
}
