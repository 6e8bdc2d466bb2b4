//! `/book`: all collections that the visitor may look at, by the sections of the model.

use super::query::searched;
use crate::Pages;
use crate::look::reply::page;
use crate::look::shell::Shell;
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use model::messages::labels;
use model::registry::{Caller, Collection, Rule, Verb};

pub(crate) async fn index(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    let mut sections: Vec<(&str, Vec<&Collection>)> = Vec::new();
    for c in pages.site.registry.iter().filter(|c| is_open(c, &visitor)) {
        match sections.iter_mut().find(|(name, _)| *name == c.section) {
            Some((_, all)) => all.push(c),
            None => sections.push((c.section, vec![c])),
        }
    }
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
        div class="sections" {
            @for (section, all) in &sections {
                section {
                    h2 { (shell.text(&format!("page-section-{}", section.to_ascii_lowercase()))) }
                    ul { @for c in all {
                        li { a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) } }
                    } }
                }
            }
        }
    };
    page(StatusCode::OK, shell.document(&title, &body))
}

/// Whether a list of the collection can have rows for the visitor.
fn is_open(c: &Collection, visitor: &Visitor) -> bool {
    let association = visitor.is_association();
    let caller = match (&visitor.user, association) {
        (None, _) => Caller::Anonymous,
        (Some(_), true) => Caller::Association,
        (Some(_), false) => Caller::Farm,
    };
    match c.access.rule(Verb::Read) {
        Rule::Any | Rule::Book | Rule::Event { .. } | Rule::Open(_) => true,
        Rule::Nobody => false,
        Rule::Assoc | Rule::Admin => caller == Caller::Association,
        _ => caller != Caller::Anonymous,
    }
}
