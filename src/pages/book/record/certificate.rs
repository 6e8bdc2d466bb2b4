//! `/book/<slug>/<id>/certificates`: the conditions under which a record gets a certificate (docs/certificates.md), met or
//! not, in each form, for its owner and the Association, which issues it from here.

use super::super::form::form_values::record_label;
use super::super::query::{populate_names, written};
use super::super::{document, own_collection};
use crate::calls::Answer;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::{day, related};
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::StatusCode;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::certificates::{FORMS, ISSUED, KIND, NUMBER, REQUEST, REVOKED};
use model::registry::{Collection, Feature, Field, Kind, corrections};
use serde_json::Value;

/// Last segment of the address.
const PLACE: &str = "certificates";
/// Certificates of a list.
const LATEST: u64 = 5;
/// Records of a request whose conditions are told.
const TOLD: usize = 10;

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
    let forms = certificate_forms(&shell, c, id).await;
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
                (conditions(&shell, (c, doc), &answer.body))
                @if visitor.is_association() && at(&answer.body, "met") == &Value::Bool(true) {
                    p { (issue(&shell, papers, (c, doc), form)) }
                }
            }
        }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// The conditions of each form of certificate about a record.
async fn certificate_forms(shell: &Shell<'_>, c: &Collection, id: i64) -> Vec<(&'static str, Answer)> {
    let forms = FORMS.iter().map(async |form| {
        let path = format!("/api/{}/{id}/certificate-conditions?type={form}", c.slug);
        (*form, shell.get(&path).await)
    });
    join_all(forms).await
}

/// Which conditions records do not meet, in each form of certificate, with the way to the page that issues it.
pub(super) async fn needs(shell: &Shell<'_>, field: Option<&Field>, records: &[Value]) -> Markup {
    let c = field.and_then(|field| shell.pages.site.registry.get(field.target()?));
    let Some((c, papers)) = c.and_then(|c| Some((c, papers(shell, c)?))) else {
        return html! {};
    };
    let all = records.iter().take(TOLD).map(async |record| {
        let id = record.get("id").unwrap_or(record).as_i64()?;
        Some((id, record, certificate_forms(shell, c, id).await))
    });
    let all = join_all(all).await;
    let language = shell.language();
    let unmet = |answer: &Answer| {
        let all = at(&answer.body, "conditions").as_array().into_iter().flatten();
        let all = all.filter(|one| at(one, "met") == false);
        let message = format!("message.{}", language.word());
        all.filter_map(|one| at(one, &message).as_str().map(str::to_owned)).collect::<Vec<_>>().join(" ")
    };
    html! {
        @for (id, record, forms) in all.iter().flatten() {
            p {
                strong { (related(shell, c.slug, record)) } ": "
                a href=(format!("/book/{}/{id}/{PLACE}", c.slug)) { (shell.text("page-certificate")) }
            }
            ul { @for (form, answer) in forms.iter().filter(|(_, answer)| answer.is_good()) { li {
                (labels::option(language, papers.slug, KIND, form)) ": "
                @match at(&answer.body, "met") {
                    Value::Bool(true) => (shell.text("page-conditions-met")),
                    _ => { (shell.text("page-conditions-unmet")) " " (unmet(answer)) },
                }
            } } }
        }
    }
}

/// The latest certificates of a record, for whoever signed in; nothing where there are none.
pub(super) async fn issued(shell: &Shell<'_>, c: &'static Collection, id: i64) -> Markup {
    let papers = papers(shell, c).filter(|_| shell.visitor.user.is_some());
    let Some((papers, path)) = papers.and_then(|papers| Some((papers, papers.animal?))) else {
        return html! {};
    };
    let condition = issued_of((format!("where[{path}][equals]"), id.to_string()));
    let query = format!("{}&limit={LATEST}&depth=0", written(&condition));
    let answer = shell.get(&format!("/api/{}?{query}", papers.slug)).await;
    html! {
        @if !answer.docs().is_empty() {
            section class="group" id="certificates" {
                h2 { (shell.text("page-certificates-issued")) }
                (list(shell, papers, answer.docs(), None))
            }
        }
    }
}

/// The latest certificates of the visitor's organisation, with the way to all of them; nothing where there are none.
pub(crate) async fn newest_certificates(shell: &Shell<'_>) -> Markup {
    let papers = shell.pages.site.registry.iter().find_map(|c| papers(shell, c));
    let Some((papers, own)) = papers.and_then(|papers| Some((papers, shell.own(papers)?))) else {
        return html! {};
    };
    let all = written(&issued_of(own));
    let about = papers.animal.and_then(|path| papers.field(path));
    let names = populate_names(shell.pages.site.registry, about.into_iter());
    let query = format!("{all}&limit={LATEST}&depth=1&joins=false{names}");
    let answer = shell.get(&format!("/api/{}?{query}", papers.slug)).await;
    html! {
        @if !answer.docs().is_empty() {
            details class="queue" {
                summary {
                    (shell.text("page-certificates-issued")) " "
                    span class="count" { (answer.number("totalDocs")) }
                }
                p { a href=(format!("/book/{}?{all}", papers.slug)) { (shell.text("page-certificates-issued")) } }
                (list(shell, papers, answer.docs(), about))
            }
        }
    }
}

/// The issued certificates of a condition, the latest first.
fn issued_of(condition: (String, String)) -> Vec<(String, String)> {
    let forms = FORMS.iter().enumerate();
    let forms = forms.map(|(place, form)| (format!("where[{KIND}][in][{place}]"), (*form).to_owned()));
    let issued = (format!("where[{ISSUED}][exists]"), "true".to_owned());
    forms.chain([condition, issued, ("sort".to_owned(), format!("-{ISSUED}"))]).collect()
}

/// Certificates, each with whom it is about where they are about several, its day, whether it counts, and the paper.
fn list(shell: &Shell<'_>, papers: &'static Collection, docs: &[Value], about: Option<&Field>) -> Markup {
    let language = shell.language();
    let text = |doc: &Value, path: &str| at(doc, path).as_str().unwrap_or_default().to_owned();
    let print = |doc: &Value| {
        let form = format!("certificate?format=pdf&language={}", language.word());
        format!("/api/{}/{}/{form}", papers.slug, at(doc, "id"))
    };
    let about = about.and_then(|field| Some((field.path.as_str(), field.target()?)));
    html! {
        ul class="ways" { @for doc in docs { li {
            a href=[shell.record(papers, at(doc, "id"))] {
                (labels::option(language, papers.slug, KIND, &text(doc, KIND))) " " (text(doc, NUMBER))
            }
            @if let Some((path, target)) = about { ", " (related(shell, target, at(doc, path))) }
            ", " (day(language, &text(doc, ISSUED))) ", "
            @match at(doc, REVOKED) {
                Value::Null => (shell.text("page-certificate-valid")),
                _ => { (labels::field(language, papers.slug, REVOKED)) " " (day(language, &text(doc, REVOKED))) },
            }
            ": " a href=(print(doc)) { (shell.text("page-certificate-pdf")) }
        } } }
    }
}

/// The conditions of a form: whether all are met, and each, for its owner with the way to the form that asks for it.
fn conditions(shell: &Shell<'_>, about: (&'static Collection, &Value), answer: &Value) -> Markup {
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
                    @if let Some((address, text)) = request(shell, about, one) {
                        " " a href=(address) { (shell.text(text)) }
                    }
                }
            }
        }
    }
}

/// The form of a request about the record, or of a package with the rows that it lacks, and what it is called.
fn request(shell: &Shell<'_>, (c, doc): (&Collection, &Value), condition: &Value) -> Option<(String, &'static str)> {
    let (field, word) = condition.get(REQUEST)?.as_object()?.iter().next()?;
    let mut query = vec![(field.clone(), word.as_str()?.to_owned())];
    let of_farm = !shell.visitor.is_association();
    let (feature, text) = match field == corrections::KIND {
        true => {
            query.push((corrections::ABOUT.to_owned(), record_label(shell, c, doc)));
            (Feature::Requests, "page-condition-request")
        }
        false => (Feature::Packages, "page-condition-package"),
    };
    let to = shell.pages.site.registry.with_feature(feature).filter(|_| of_farm)?;
    Some((format!("/book/{}/new?{}", to.slug, written(&query)), text))
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
    query.extend(session.map(|(field, owner)| (field.path.clone(), format!("[{owner}]"))));
    let title = papers.fields.iter();
    let mut title = title.filter(|field| field.must_come() && matches!(field.kind, Kind::Text(_)));
    query.extend(title.next().map(|field| (field.path.clone(), format!("{label}: {}", shell.title(c, doc)))));
    let address = format!("/book/{}/many/{}?{}", papers.slug, how.name, written(&query));
    html! { a class="button" href=(address) { (shell.text("page-certificate-issue")) } }
}
