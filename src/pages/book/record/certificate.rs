//! `/book/<slug>/<id>/certificates`: the conditions under which a record gets a certificate (docs/certificates.md), met or
//! not, in each form, for its owner and the Association, which issues it from here.

use super::super::form::form_values::record_label;
use super::super::query::written;
use super::super::{document, own_collection};
use crate::calls::Answer;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::StatusCode;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::certificates::{FORMS, KIND};
use model::registry::{Collection, Kind};
use serde_json::Value;

/// Last segment of the address.
const PLACE: &str = "certificates";

/// The collection of certificates about records of another one.
fn papers(shell: &Shell<'_>, c: &Collection) -> Option<&'static Collection> {
    shell.pages.site.registry.certificates_about(c.slug)
}

fn owner(c: &Collection, doc: &Value) -> Option<i64> {
    let owner = at(doc, c.access.subjects.first()?);
    owner.get("id").unwrap_or(owner).as_i64()
}

pub(in crate::book) fn way(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> Markup {
    let sees = owner(c, doc).is_some_and(|owner| shell.visitor.sees_herd(owner)) || shell.visitor.is_association();
    let there = shell.visitor.user.is_some() && sees && papers(shell, c).is_some();
    html! {
        @if there {
            a class="button second" href=(format!("/book/{}/{}/{PLACE}", c.slug, at(doc, "id"))) { (shell.text("page-certificate")) }
        }
    }
}

pub(crate) async fn certificates(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let papers = papers(&shell, c).ok_or_else(|| Stop::missing(&shell))?;
    let doc = &document(&shell, c, id).await?;
    let forms = FORMS.iter().map(async |form| {
        let path = format!("/api/{}/{id}/certificate-conditions?type={form}", c.slug);
        (*form, shell.get(&path).await)
    });
    let forms: Vec<(&str, Answer)> = join_all(forms).await;
    if forms.iter().any(|(_, answer)| !answer.is_good()) {
        return Err(Stop::missing(&shell));
    }
    let called = shell.heading(c, doc);
    let title = shell.text("page-certificate");
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) {
            a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) }
            " › "
            a href=(format!("/book/{}/{id}", c.slug)) { (called) }
        }
        h1 { (title) ": " (called) }
        @for (form, answer) in &forms {
            section class="group" {
                h2 { (labels::option(shell.language(), papers.slug, KIND, form)) }
                (conditions(&shell, &answer.body))
                @if visitor.is_association() && at(&answer.body, "met") == &Value::Bool(true) {
                    p { (issue(&shell, papers, (c, doc), form)) }
                }
            }
        }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// The conditions of a form: whether all are met, and each.
fn conditions(shell: &Shell<'_>, answer: &Value) -> Markup {
    let whole = match at(answer, "met") {
        Value::Bool(true) => "page-conditions-met",
        _ => "page-conditions-unmet",
    };
    let language = shell.language().word();
    html! {
        p { strong { (shell.text(whole)) } }
        ul class="conditions" {
            @for one in at(answer, "conditions").as_array().into_iter().flatten() {
                @let (class, sign, word) = match at(one, "met") {
                    Value::Bool(true) => ("met", "✓", "page-condition-met"),
                    _ => ("unmet", "✗", "page-condition-unmet"),
                };
                li class=(class) {
                    span aria-hidden="true" { (sign) " " }
                    span class="aside" { (shell.text(word)) ": " }
                    (at(one, &format!("message.{language}")).as_str().unwrap_or_default())
                }
            }
        }
    }
}

/// The way to the page that issues it, with what is known.
fn issue(
    shell: &Shell<'_>,
    papers: &'static Collection,
    (c, doc): (&'static Collection, &Value),
    form: &str,
) -> Markup {
    let Some(how) = papers.for_many else {
        return html! {};
    };
    let label = labels::option(shell.language(), papers.slug, KIND, form);
    let mut query = vec![(KIND.to_owned(), form.to_owned()), (c.slug.to_owned(), record_label(shell, c, doc))];
    let session = papers.fields.iter().find(|field| field.session);
    let session = session.zip(owner(c, doc));
    query.extend(session.map(|(field, owner)| (field.path.clone(), format!("№ {owner}"))));
    let title = papers.fields.iter();
    let mut title = title.filter(|field| field.must_come() && matches!(field.kind, Kind::Text(_)));
    query.extend(title.next().map(|field| (field.path.clone(), format!("{label}: {}", shell.title(c, doc)))));
    let address = format!("/book/{}/many/{}?{}", papers.slug, how.name, written(&query));
    html! { a class="button" href=(address) { (shell.text("page-certificate-issue")) } }
}
