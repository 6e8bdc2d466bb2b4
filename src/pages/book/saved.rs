//! Saved searches beside the list that they search: those of the visitor, and a form that saves the present one. Must not
//! know which collections these are.

use super::moves::NEXT;
use super::query::{Query, written};
use super::rights::Rights;
use crate::components::input::{Input, text_of};
use crate::components::shell::Shell;
use crate::words::Form;
use maud::{Markup, html};
use model::display::at;
use model::registry::{Collection, Feature, saved_searches};
use serde_json::Value;

/// Searches that a list offers.
const SHOWN: u64 = 100;

/// The searches of a list; nothing where none can be saved, or for visitors without an account.
pub(super) async fn markup(shell: &Shell<'_>, c: &'static Collection, query: &Query) -> Markup {
    let registry = shell.pages.site.registry;
    let searches = registry.with_feature(Feature::SavedSearches);
    let searches = searches.filter(|own| {
        let searched = own.field(saved_searches::WHERE);
        searched.and_then(|field| field.asks) == Some(c.slug)
    });
    let (Some(searches), true) = (searches, shell.visitor.user.is_some()) else {
        return html! {};
    };
    let path = format!("/api/{}?sort={}&limit={SHOWN}&depth=0&joins=false", searches.slug, saved_searches::NAME);
    let (answer, rights) = futures_util::join!(shell.get(&path), Rights::of(shell, searches, None));
    let here = query.with(&[("page", "")]);
    let next = format!("/book/{}?{here}", c.slug);
    html! {
        details class="saved" {
            summary { (shell.text("page-saved")) " " span class="count" { (answer.docs().len()) } }
            @if answer.docs().is_empty() { p class="none" { (shell.text("page-saved-none")) } }
            ul class="ways" { @for doc in answer.docs() { li {
                a href=(address(shell, c, doc)) { (at(doc, saved_searches::NAME).as_str().unwrap_or_default()) }
                @if rights.may("delete") && is_own(shell, doc) {
                    form method="post" action=(format!("/book/{}/{}/delete", searches.slug, at(doc, "id"))) {
                        input type="hidden" name=(NEXT) value=(next);
                        button class="link" type="submit" {
                            (shell.text("page-saved-delete"))
                            span class="aside" { ": " (at(doc, saved_searches::NAME).as_str().unwrap_or_default()) }
                        }
                    }
                }
            } } }
            @if rights.may("create") { (form(shell, c, searches, (&here, &next))) }
        }
    }
}

fn is_own(shell: &Shell<'_>, doc: &Value) -> bool {
    let user = shell.visitor.user.as_ref().map(|user| at(user, "id"));
    user.is_some_and(|id| !id.is_null() && id == at(doc, saved_searches::AUTHOR))
}

/// The condition on rows of the visitor's organisation.
fn own_rows(shell: &Shell<'_>, c: &Collection) -> Option<(String, String)> {
    let (owner, own) = (c.access.subjects.first()?, shell.visitor.organization()?);
    Some((format!("where[{owner}][equals]"), own.to_string()))
}

/// The address of a search. One of the own rows was perhaps saved elsewhere, where it goes without saying.
fn address(shell: &Shell<'_>, c: &Collection, doc: &Value) -> String {
    let query = at(doc, saved_searches::QUERY).as_str().unwrap_or_default();
    let query = query.strip_prefix('?').unwrap_or(query);
    let mut all = Form::read(query.as_bytes());
    if let Some((name, value)) = own_rows(shell, c)
        && at(doc, saved_searches::PLACE).as_str() == Some(saved_searches::OWN)
        && !all.has(&name)
    {
        all.0.push((name, value));
    }
    format!("/book/{}?{}", c.slug, written(&all.0))
}

fn form(shell: &Shell<'_>, c: &Collection, searches: &'static Collection, (here, next): (&str, &str)) -> Markup {
    let query = Form::read(here.as_bytes());
    let narrowed = own_rows(shell, c).is_some_and(|(name, own)| query.get(&name) == Some(&own));
    let place = match narrowed {
        true => saved_searches::OWN,
        false => saved_searches::WHOLE,
    };
    let scope = searches.field(saved_searches::SCOPE);
    let default = scope.and_then(|field| field.default.as_ref());
    let default = match default {
        Some(model::record::Value::Text(word)) => word.to_string(),
        _ => String::new(),
    };
    html! {
        form class="search" method="post" action=(format!("/book/{}/new", searches.slug)) {
            input type="hidden" name=(NEXT) value=(next);
            input type="hidden" name=(saved_searches::QUERY) value=(here);
            input type="hidden" name=(saved_searches::PLACE) value=(place);
            div class="field" {
                label for="saved-name" { (shell.text("page-saved-name")) }
                input id="saved-name" name=(saved_searches::NAME) type="text" maxlength="80" required;
            }
            @if let Some(field) = scope {
                (Input {
                    c: searches, field, scope: "saved-", name: &field.path, value: &text_of(field, &default.into()),
                    groups: &[], choices: None, faults: &[], required: true,
                }.markup(shell))
            }
            button class="second" type="submit" { (shell.text("page-saved-save")) }
        }
    }
}
