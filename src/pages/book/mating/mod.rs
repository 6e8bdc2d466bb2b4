//! `/book/<slug>/mating`: which bull each of some females is best mated with (docs/mating.md, *Mating plan*), as a page or
//! a workbook.

pub(super) mod kinship;
mod request;

use super::collection;
use super::form::form_values::record_label;
use super::query::Query;
use crate::calls::Answer;
use crate::components::input::lines;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::evaluation::rankings;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::{Form, text_of};
use axum::body::Bytes;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::{at, number};
use model::messages::labels;
use model::registry::evaluation::profiles::{TRAIT, WEIGHTS};
use model::registry::mating::{FEMALE, MALE, SEX};
use model::registry::{Collection, Feature, Field, Kind};
use serde_json::Value;

/// Fields of the form: two lists, the choice of bulls in stock, the goal or weights of traits, the limits, whether the plan
/// is stored, and the button for the workbook.
const FEMALES: &str = "females";
const BULLS: &str = "bulls";
const IN_STOCK: &str = "stock";
const GOAL: &str = "profile";
const LIMITS: [&str; 2] = ["inbreeding", "uses"];
const WEIGHT: &str = "weight.";
const CARRIERS: &str = "carriers";
const STORE: &str = "store";
const WORKBOOK: &str = "workbook";
/// Females and bulls of a list that are taken over.
const MOST_FEMALES: u64 = 500;
const MOST_BULLS: u64 = 200;

/// The way to a plan from a list of animals, with its search.
pub(super) fn way(shell: &Shell<'_>, c: &Collection, query: &str) -> Markup {
    html! {
        @if c.is(Feature::Mating) && shell.visitor.user.is_some() {
            ul class="ways" { li { a href=(format!("/book/{}/mating?{query}", c.slug)) { (shell.text("page-mating")) } } }
        }
    }
}

/// The collection, for a visitor who is signed in.
fn own(shell: &Shell<'_>, slug: &str) -> Result<&'static Collection, Stop> {
    let c = collection(shell, slug)?;
    match (&shell.visitor.user, c.is(Feature::Mating)) {
        (Some(_), true) => Ok(c),
        (None, true) => Err(Stop::sign_in(shell)),
        (_, false) => Err(Stop::missing(shell)),
    }
}

/// `GET /book/<slug>/mating`: the form, with the animals of a search by their sex.
pub(super) async fn form(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own(&shell, &slug)?;
    let mut given = visitor.query();
    if given.0.iter().any(|(name, _)| name == "q" || name.starts_with("where[")) {
        let (females, bulls) =
            futures_util::join!(searched(&shell, c, (FEMALE, MOST_FEMALES)), searched(&shell, c, (MALE, MOST_BULLS)));
        given.0.extend([(FEMALES.to_owned(), females), (BULLS.to_owned(), bulls)]);
    }
    document(&shell, c, (StatusCode::OK, &given), &html! {}, false).await
}

/// The animals of the search that are of a sex, one a line.
async fn searched(shell: &Shell<'_>, c: &'static Collection, (sex, most): (&str, u64)) -> String {
    let mut form = shell.visitor.query();
    form.0.retain(|(name, _)| name != "page");
    // Behind what a visitor composes.
    form.0.push((format!("where[and][901][{SEX}][equals]"), sex.to_owned()));
    let query = Query::read(shell.pages.site.registry, form, None).rows(c, &[], &[], most);
    let answer = shell.get(&format!("/api/{}?{query}", c.slug)).await;
    let all: Vec<String> = answer.docs().iter().map(|doc| record_label(shell, c, doc)).collect();
    all.join("\n")
}

/// `POST /book/<slug>/mating`: the plan.
pub(super) async fn plan(Visit(pages, visitor, slug): Visit<String>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own(&shell, &slug)?;
    let form = Form::read(&bytes);
    let mut faults = Vec::new();
    let body = request::of(&shell, c, &form, &mut faults).await;
    let path = format!("/api/{}/mating-plan", c.slug);
    if !faults.is_empty() {
        return document(&shell, c, (StatusCode::BAD_REQUEST, &form), &refused(&faults), false).await;
    }
    if form.get(WORKBOOK).is_some() {
        let path = format!("{path}?format=xlsx&headers=labels");
        let response = shell.pages.calls.pass_json(shell.visitor, &path, &body).await;
        if response.status().is_success() {
            return Ok(response);
        }
        return document(&shell, c, (response.status(), &form), &refused(&[shell.text("page-stopped")]), false).await;
    }
    let answer = shell.post(&path, &body).await;
    let outcome = match answer.is_good() {
        true => outcome(&shell, c, &answer),
        false => refused(&refusals(&shell, &answer)),
    };
    document(&shell, c, (answer.status, &form), &outcome, answer.is_good()).await
}

/// What the REST face refuses, each with the name of its field.
fn refusals(shell: &Shell<'_>, answer: &Answer) -> Vec<String> {
    let issues = answer.issues();
    let field = |path: &str| {
        let known = [FEMALES, BULLS, LIMITS[0], LIMITS[1], "doses", "weights", "goal"].into_iter();
        let mut known = known.filter(|name| path.split('.').any(|step| step == *name));
        known.next().map(|name| format!("{}: ", shell.text(&format!("page-mating-{name}"))))
    };
    match issues.is_empty() {
        true => vec![answer.message().to_owned()],
        false => (issues.into_iter())
            .map(|issue| format!("{}{}", field(&issue.path).unwrap_or_default(), issue.message))
            .collect(),
    }
}

fn refused(faults: &[String]) -> Markup {
    html! { div class="fault" role="alert" { @for fault in faults { p { (fault) } } } }
}

async fn document(
    shell: &Shell<'_>,
    c: &'static Collection,
    (status, form): (StatusCode, &Form),
    outcome: &Markup,
    is_planned: bool,
) -> Page {
    let title = shell.text("page-mating");
    let goal = goal(shell, form).await;
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) {
            a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) }
        }
        h1 { (title) }
        p class="note" { (shell.text("page-mating-note")) }
        form method="post" action=(format!("/book/{}/mating", c.slug)) class="sheet" {
            (list(shell, form, FEMALES))
            (list(shell, form, BULLS))
            (tick(shell, form, IN_STOCK))
            (goal)
            (weights(shell, form))
            @for limit in LIMITS {
                div class="field" {
                    label for=(limit) { (shell.text(&format!("page-mating-{limit}"))) }
                    input type="text" id=(limit) name=(limit) inputmode="decimal" value=[form.get(limit)];
                }
            }
            (tick(shell, form, CARRIERS))
            @if !shell.visitor.is_association() { (tick(shell, form, STORE)) }
            button type="submit" { (shell.text("page-mating-make")) }
            @if is_planned {
                " " button class="second" type="submit" name=(WORKBOOK) value="true" { (shell.text("page-file-xlsx")) }
            }
        }
        (outcome)
    };
    Ok(page(status, shell.document(&title, &body)))
}

fn list(shell: &Shell<'_>, form: &Form, field: &str) -> Markup {
    let texts: Vec<&str> = form.all(field).collect();
    html! {
        div class="field" {
            label for=(field) { (shell.text(&format!("page-mating-{field}"))) }
            p class="note" id=(format!("{field}-note")) {
                (shell.text("page-note-relations")) @if field == BULLS { " " (shell.text("page-mating-doses")) }
            }
            textarea id=(field) name=(field) rows="6" spellcheck="false" aria-describedby=(format!("{field}-note")) {
                "\n" (lines(&texts).join("\n"))
            }
        }
    }
}

fn tick(shell: &Shell<'_>, form: &Form, field: &str) -> Markup {
    html! {
        div class="field" { label {
            input type="checkbox" name=(field) value="true" checked[form.get(field).is_some()];
            " " (shell.text(&format!("page-mating-{field}")))
        } }
    }
}

/// The goal: a profile, or the least inbreeding.
async fn goal(shell: &Shell<'_>, form: &Form) -> Markup {
    let profiles = rankings::profiles(shell).await;
    html! {
        div class="field" {
            label for=(GOAL) { (shell.text("page-mating-goal")) }
            select id=(GOAL) name=(GOAL) {
                option value="" { (shell.text("page-mating-least")) }
                @for (key, name) in &profiles {
                    option value=(key) selected[form.get(GOAL) == Some(key)] { (name) }
                }
            }
        }
    }
}

/// Weights of traits in place of a profile, open where one is filled.
fn weights(shell: &Shell<'_>, form: &Form) -> Markup {
    let profiles = shell.pages.site.registry.with_feature(Feature::IndexProfiles);
    let is_open = form.0.iter().any(|(name, text)| name.starts_with(WEIGHT) && !text.trim().is_empty());
    html! {
        @if let Some(c) = profiles { @if let Some(Kind::Select(traits)) = c.field(WEIGHTS).and_then(trait_of) { details open[is_open] {
            summary { (shell.text("page-mating-weights")) }
            @for one in traits {
                @let name = format!("{WEIGHT}{one}");
                @let path = format!("{WEIGHTS}.{TRAIT}");
                div class="field" {
                    label for=(name) { (labels::option(shell.language(), c.slug, &path, one)) }
                    input type="text" id=(name) name=(name) inputmode="decimal" value=[form.get(&name)];
                }
            }
        } } }
    }
}

/// The traits that have weights.
fn trait_of(weights: &Field) -> Option<&Kind> {
    let Kind::Rows(members) = &weights.kind else { return None };
    members.iter().find(|member| member.path == TRAIT).map(|member| &member.kind)
}

/// The plan: the females with their bulls, and why some have none.
fn outcome(shell: &Shell<'_>, c: &'static Collection, answer: &Answer) -> Markup {
    let rounded = |value: f64| number(shell.language(), &((value * 100.0).round() / 100.0).to_string());
    let number = |doc: &Value, path: &str| at(doc, path).as_f64().map(rounded).unwrap_or_default();
    let word = |path: &str| shell.text(&format!("mating-plan.{path}"));
    let of = |doc: &Value, path: &str| who(shell, c, at(doc, path));
    let count = |name: &str, value: &str| text_of(shell.language(), name, "number", &answer.number(value).to_string());
    let heads = ["females", "bulls", "expectedInbreeding", "expectedValue"].map(word);
    let [females, bulls, inbreeding, value] = &heads;
    let (others, reason) = (shell.text("page-mating-others"), word("reason"));
    html! {
        section role="status" {
            h2 { (count("page-mating-mated", "mated")) }
            @if answer.number("stored") > 0 { p { (count("page-mating-stored", "stored")) } }
            @if answer.number("unmated") > 0 { p { (count("page-mating-unmated", "unmated")) } }
            section class="wide" tabindex="0" aria-label=(word("females")) { table class="list" {
                thead { tr {
                    @for head in heads.iter().chain([&others, &reason]) { th scope="col" { (head) } }
                } }
                tbody { @for doc in answer.docs() { tr {
                    th scope="row" data-head=(females) { (of(doc, "female")) }
                    td data-head=(bulls) { @if !at(doc, "bull").is_null() { (of(doc, "bull")) } }
                    td data-head=(inbreeding) { (number(doc, "expectedInbreeding")) }
                    td data-head=(value) { (number(doc, "expectedValue")) }
                    td data-head=(others) { @for (place, one) in array(doc, "alternatives").iter().enumerate() {
                        @if place > 0 { ", " } (of(one, "bull"))
                    } }
                    td data-head=(reason) { (reasons(shell, doc)) }
                } } }
            } }
            @let left = answer.body.get("left").and_then(Value::as_array);
            @let without: Vec<&Value> = array(&answer.body, "bulls").iter().filter(|one| !at(one, "reason").is_null()).collect();
            @if left.is_some_and(|left| !left.is_empty()) || !without.is_empty() {
                h3 { (shell.text("page-mating-left")) }
                ul {
                    @for one in &without { li { (of(one, "bull")) ": " (because(shell, one)) } }
                    @for one in left.into_iter().flatten() { li { (of(one, "animal")) ": " (because(shell, one)) } }
                }
            }
        }
    }
}

fn array<'v>(doc: &'v Value, path: &str) -> &'v [Value] {
    at(doc, path).as_array().map_or(&[], Vec::as_slice)
}

/// An animal of the plan, with the way to its page.
fn who(shell: &Shell<'_>, c: &'static Collection, animal: &Value) -> Markup {
    html! { a href=[shell.record(c, at(animal, "id"))] { (shell.title(c, animal)) } }
}

/// Why something is so, in the words of the workbook.
fn because(shell: &Shell<'_>, doc: &Value) -> String {
    shell.text(&format!("mating-reason.{}", at(doc, "reason").as_str().unwrap_or_default()))
}

/// Why a female has no bull, and how many bulls are excluded for her and why.
fn reasons(shell: &Shell<'_>, doc: &Value) -> Markup {
    let excluded = at(doc, "excluded").as_object();
    html! {
        @if !at(doc, "reason").is_null() { div { (because(shell, doc)) } }
        @for (word, count) in excluded.into_iter().flatten() {
            div { (shell.text(&format!("mating-reason.{word}"))) ": " (count) }
        }
    }
}
