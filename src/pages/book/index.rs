//! `/book`: all collections that the visitor may look at, by the sections of the model.

use super::query::searched;
use super::rights::AllRights;
use crate::Pages;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::messages::labels;
use model::registry::Collection;

/// Sections that people need seldom, folded below the others.
const SELDOM: [&str; 4] = ["Logs", "Dictionaries", "Platform", "Exchange"];

pub(crate) async fn index(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    let rights = AllRights::of(&shell).await;
    let mut sections: Vec<(&str, Vec<&Collection>)> = Vec::new();
    for c in pages.site.registry.iter().filter(|c| rights.may_read(c)) {
        match sections.iter_mut().find(|(name, _)| *name == c.section) {
            Some((_, all)) => all.push(c),
            None => sections.push((c.section, vec![c])),
        }
    }
    let (seldom, often): (Vec<_>, Vec<_>) = sections.iter().partition(|(name, _)| SELDOM.contains(name));
    let title = shell.text("page-book");
    let animals = pages.site.registry.iter().find(|c| c.lineage.is_some());
    let body = html! {
        h1 { (title) }
        @if let Some(c) = animals.filter(|c| !searched(c).is_empty()) {
            form class="search" role="search" method="get" action=(format!("/book/{}", c.slug)) {
                label for="q" { (shell.text("page-find-animal")) }
                input id="q" name="q" type="search";
                button type="submit" { (shell.text("page-find")) }
            }
        }
        (markup(&shell, &often))
        @if !seldom.is_empty() {
            details { summary { (shell.text("page-book-seldom")) } (markup(&shell, &seldom)) }
        }
    };
    page(StatusCode::OK, shell.document(&title, &body))
}

fn markup(shell: &Shell<'_>, sections: &[&(&str, Vec<&Collection>)]) -> Markup {
    html! {
        div class="sections" {
            @for (section, all) in sections {
                section {
                    h2 { (shell.text(&format!("page-section-{}", section.to_ascii_lowercase()))) }
                    ul { @for c in all {
                        li { a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) } }
                    } }
                }
            }
        }
    }
}
