//! `/book/<slug>/<id>/kinship?with=…`: how closely two animals are related (docs/mating.md, *Kinship*).

use crate::book::form::form_values::{UNKNOWN, resolved, unnamed};
use crate::book::{collection, document};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::{at, number};
use model::registry::{Collection, Feature};
use serde_json::Value;
use std::collections::BTreeSet;

/// The parameter that names the other animal.
const WITH: &str = "with";

/// The form on the card of an animal.
pub(in crate::book) fn form(shell: &Shell<'_>, c: &Collection, id: i64) -> Markup {
    html! {
        @if c.is(Feature::Mating) && shell.visitor.user.is_some() { (inputs(shell, c, id, "")) }
    }
}

fn inputs(shell: &Shell<'_>, c: &Collection, id: i64, with: &str) -> Markup {
    html! {
        form class="search" method="get" action=(format!("/book/{}/{id}/kinship", c.slug)) {
            div class="field" {
                label for=(WITH) { (shell.text("page-kinship-with")) }
                input type="text" id=(WITH) name=(WITH) required value=(with) spellcheck="false";
            }
            button class="second" type="submit" { (shell.text("page-kinship-ask")) }
        }
    }
}

/// `GET /book/<slug>/<id>/kinship`
pub(in crate::book) async fn kinship(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    if !c.is(Feature::Mating) {
        return Err(Stop::missing(&shell));
    }
    let doc = document(&shell, c, id).await?;
    let query = visitor.query();
    let with = query.get(WITH).map(str::trim).unwrap_or_default();
    let (status, outcome) = match with {
        "" => (StatusCode::OK, html! {}),
        with => answer(&shell, c, id, with).await,
    };
    let title = format!("{}: {}", shell.text("page-kinship"), shell.title(c, &doc));
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) {
            a href=(format!("/book/{}/{id}", c.slug)) { (shell.heading(c, &doc)) }
        }
        h1 { (title) }
        (inputs(&shell, c, id, with))
        (outcome)
    };
    Ok(page(status, shell.document(&title, &body)))
}

/// What the REST face says of the two, or why it says nothing.
async fn answer(shell: &Shell<'_>, c: &'static Collection, id: i64, with: &str) -> (StatusCode, Markup) {
    let fault = |text: String| html! { p class="fault" role="alert" { (text) } };
    let unknown = || (StatusCode::BAD_REQUEST, fault(unnamed(shell, c.slug, &UNKNOWN.into(), with)));
    let other = match resolved(shell, c.slug, BTreeSet::from([with.to_owned()])).await.remove(with) {
        Some(Ok(other)) => other,
        Some(Err(why)) => return (StatusCode::BAD_REQUEST, fault(unnamed(shell, c.slug, &why, with))),
        None => return unknown(),
    };
    let answer = shell.get(&format!("/api/{}/{id}/kinship?with={other}", c.slug)).await;
    if !answer.is_good() {
        return (answer.status, fault(answer.message().to_owned()));
    }
    match answer.docs().first() {
        Some(pair) => (StatusCode::OK, of_pair(shell, c, pair, with)),
        None => unknown(),
    }
}

fn of_pair(shell: &Shell<'_>, c: &'static Collection, pair: &Value, with: &str) -> Markup {
    let text = |value: f64| number(shell.language(), &((value * 100.0).round() / 100.0).to_string());
    let share = |path: &str| at(pair, path).as_f64().map(|share| text(share * 100.0));
    let plain = |path: &str| at(pair, path).as_f64().map(text);
    let facts = [
        ("page-kinship-calf", plain("expectedInbreeding").or_else(|| Some(shell.text("page-kinship-one-sex")))),
        ("page-kinship-related", share("relationship")),
        ("page-kinship-inbreeding", plain("inbreeding")),
        ("page-kinship-depth", plain("pedigreeDepth")),
    ];
    let list = |path: &str| at(pair, path).as_array().cloned().unwrap_or_default();
    let carriers: Vec<Value> = list("carriers");
    let carriers: Vec<&str> = carriers.iter().filter_map(Value::as_str).collect();
    let ancestors = list("commonAncestors");
    html! {
        section role="status" {
            h2 { a href=[shell.record(c, at(pair, "animal"))] { (with) } }
            dl class="values" {
                @for (term, value) in facts { @if let Some(value) = value { div { dt { (shell.text(term)) } dd { (value) } } } }
                @if !carriers.is_empty() { div { dt { (shell.text("mating-plan.carriers")) } dd class="fault" { (carriers.join(", ")) } } }
            }
            @if !ancestors.is_empty() {
                h3 { (shell.text("page-kinship-ancestors")) }
                ul { @for one in &ancestors { li {
                    a href=[shell.record(c, at(one, "animal.id"))] { (shell.title(c, at(one, "animal"))) }
                    @if let Some(part) = at(one, "contribution").as_f64() { ": " (text(part * 100.0)) " %" }
                } } }
            }
            p class="note" { (shell.text("page-kinship-note")) }
        }
    }
}
