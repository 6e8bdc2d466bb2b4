//! `/book/<slug>/<id>`: a record with everything that the visitor may see of it, what may be done with it, and the ways
//! to records that point to it.

mod card;
mod card_page;
pub(super) mod certificate;
mod curves;
pub(super) mod decision;
mod joined;
mod pedigree;
mod pictures;
mod tabs;
mod timeline;

use super::form::births;
use super::form::form_values::form_label;
use super::moves::NEXT;
use super::query::written;
use super::{collection, data, moves, once, opened, passing, review};
use crate::calls::Answer;
use crate::components::notice::Notice;
use crate::components::reply::{local, page};
use crate::components::shell::Shell;
use crate::components::value::{is_foreign, whole_of};
use crate::evaluation;
use crate::help::field as help;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use card_page::PRINT;
use joined::list_of;
use maud::{Markup, html};
use model::display::{at, is_empty};
use model::messages::labels;
use model::registry::certificates::SNAPSHOT;
use model::registry::review::{comment, package};
use model::registry::{Collection, Feature, Field, Kind, Node, Rule, Verb, Wording, signing};
use serde_json::{Value, json};

pub(crate) async fn record(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    record_page(&shell, c, id, None).await
}

/// The page, perhaps with why something was refused.
pub(super) async fn record_page(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    refused: Option<(StatusCode, String)>,
) -> Page {
    typed_page(shell, c, id, (refused, None)).await
}

/// The same, with what was typed into rows that were sent.
pub(super) async fn typed_page(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    (refused, typed): (Option<(StatusCode, String)>, Option<&Form>),
) -> Page {
    if let Some(card) = c.ui.card {
        return card_page::card_page(shell, c, (card.page, id), refused).await;
    }
    let (doc, rights) = opened(shell, c, id).await?;
    let doc = &doc;
    let review = review::markup(shell, c, (id, doc), &rights, typed);
    let births = births::markup(shell, c, doc, &rights);
    let (review, decision, births) = futures_util::join!(review, decision::markup(shell, c, doc), births);
    let corrects = review::is_to_correct(shell, c, (id, doc), &rights);
    let title = shell.heading(c, doc);
    let language = shell.language();
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) { a href=(format!("/book/{}", c.slug)) { (labels::collections(language, c.slug)) } }
        div class="heading" {
            h1 { (title) }
            (certificate::way(shell, c, doc))
            (evaluation::way(shell, c))
            @if rights.may("update") && shell.visitor.user.is_some() {
                a class="button" href=(format!("/book/{}/{id}/edit", c.slug)) { (shell.text("page-edit")) }
            }
        }
        @if let Some((_, why)) = &refused { p class="fault" role="alert" data-address=(format!("/book/{}/{id}", c.slug)) { (why) } }
        (review::first(shell, c, doc, &rights))
        @if corrects { (review) }
        @if let Some(address) = doc.get("url").and_then(Value::as_str).filter(|_| c.upload.is_some()) {
            p { a class="button" href=(address) { (shell.text("page-download")) } }
        }
        (decision)
        @if shell.visitor.user.is_some() { (moves::markup(shell, c, doc, &rights)) }
        (births)
        (progress(shell, c, doc))
        (review::comment_list(shell, c, doc, &rights))
        @if !corrects { (review) }
        (values(shell, c, (&c.layout, ""), doc, &|_| true))
        (aside(shell, c, doc))
        (files(shell, c, id, doc))
        (ways(shell, c, doc, rights.may("update") && shell.visitor.user.is_some()))
        @if rights.may("delete") && shell.visitor.user.is_some() && passing::stays(shell, c, doc).is_none() {
            p class="delete" {
                a class="button grave" href=(format!("/book/{}/{id}/delete", c.slug)) { (shell.text("page-delete")) }
            }
        }
        p class="files" { a href=(data(shell, c, id)) { (shell.text("page-as-json")) } }
    };
    let status = refused.map_or(StatusCode::OK, |(status, _)| status);
    Ok(page(status, shell.document(&title, &body)))
}

/// The page of an animal for a visitor with a view link.
pub(crate) async fn animal_page(shell: &Shell<'_>, c: &'static Collection, id: i64) -> Page {
    record_page(shell, c, id, None).await
}

/// How far a record is that works.
fn progress(shell: &Shell<'_>, c: &Collection, doc: &Value) -> Markup {
    let number = |path: &str| at(doc, path).as_i64();
    let far = c.ui.progress.and_then(|(done, total)| Some((number(done)?, number(total)?)));
    html! {
        @if let Some((done, total)) = far.filter(|(done, total)| 0 < *done && done < total) {
            p {
                (shell.text("page-progress")) ": "
                progress aria-label=(shell.text("page-progress")) value=(done) max=(total) {}
                " " (done) " / " (total) " "
                a href=(format!("/book/{}/{}", c.slug, at(doc, "id"))) { (shell.text("page-review-again")) }
            }
        }
    }
}

/// What is for programs more than for people.
fn aside(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> Markup {
    let filled = |field: &&Field| field.aside && field.wording != Wording::SortKey && !is_empty(at(doc, &field.path));
    let fields: Vec<&Field> = c.fields.iter().filter(filled).collect();
    html! {
        @if !fields.is_empty() {
            details {
                summary { (shell.text("page-more-fields")) }
                dl class="values" { @for field in fields { div {
                    dt { (labels::field(shell.language(), c.slug, &field.path)) }
                    dd { (whole_of(shell, c, field, doc)) }
                } } }
            }
        }
    }
}

/// What is filled, in the order of the declaration; groups have headings.
fn values(
    shell: &Shell<'_>,
    c: &'static Collection,
    (nodes, group): (&[Node], &str),
    doc: &Value,
    shown: &dyn Fn(&Field) -> bool,
) -> Markup {
    let leaves = nodes.iter().filter_map(|node| match node {
        Node::Leaf(slot) => c.fields.get(*slot),
        Node::Group(..) => None,
    });
    let (tables, leaves): (Vec<_>, Vec<_>) = leaves
        .filter(|field| field.path != "id" && !field.aside && !is_empty(at(doc, &field.path)))
        .filter(|field| !is_foreign(shell, field) && field.path != comment::LIST && shown(field))
        // What stands beside the rows of a package is read there.
        .filter(|field| !c.is(Feature::Packages) || field.path != package::ISSUES)
        // What a certificate shows is read on it.
        .filter(|field| !c.is(Feature::Certificates) || field.path != SNAPSHOT)
        .partition(|field| matches!(field.kind, Kind::Rows(_)) || field.wording == Wording::Sheets);
    let groups = nodes.iter().filter_map(|node| match node {
        Node::Group(name, inner) => Some((format!("{group}{name}"), inner)),
        Node::Leaf(_) => None,
    });
    html! {
        @if !leaves.is_empty() {
            dl class="values" {
                @for field in leaves { div {
                    dt { (labels::field(shell.language(), c.slug, &field.path)) }
                    dd { (whole_of(shell, c, field, doc)) " " (help::of_value(shell, c, field)) }
                } }
            }
        }
        @for field in tables {
            section class="group" {
                h2 { (labels::field(shell.language(), c.slug, &field.path)) }
                (help::of_value(shell, c, field))
                (whole_of(shell, c, field, doc))
            }
        }
        @for (path, inner) in groups {
            @let inside = values(shell, c, (inner, &format!("{path}.")), doc, shown);
            @if !inside.0.is_empty() {
                section class="group" {
                    h2 { (labels::field(shell.language(), c.slug, &path)) }
                    (inside)
                }
            }
        }
    }
}

/// The lists of records that point to this one.
fn ways(shell: &Shell<'_>, c: &'static Collection, doc: &Value, adds: bool) -> Markup {
    let id = at(doc, "id").as_i64().unwrap_or_default();
    let new = |path: &str| written(&[(path.to_owned(), form_label(shell, c, doc))]);
    html! {
        @if !c.joins.is_empty() {
            section {
                h2 { (shell.text("page-ways")) }
                ul class="ways" {
                    @for join in &c.joins {
                        li {
                            a href=(list_of(join, id)) { (labels::collections(shell.language(), join.collection)) }
                            @if let [path] = join.on && adds && is_written(shell, join.collection) {
                                " "
                                a href=(format!("/book/{}/new?{}", join.collection, new(path)))
                                    aria-label={ (shell.text("page-new")) ": " (labels::collection(shell.language(), join.collection)) } { "+" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Whether others than the server create such records.
fn is_written(shell: &Shell<'_>, slug: &str) -> bool {
    let c = shell.pages.site.registry.get(slug);
    c.is_some_and(|c| *c.access.rule(Verb::Create) != Rule::Nobody)
}

/// Whether the visitor may create such records for the own organisation, as far as that is known without asking.
fn may_enter(shell: &Shell<'_>, c: &Collection) -> bool {
    let visitor = shell.visitor;
    match c.access.rule(Verb::Create) {
        Rule::Own(capability) => visitor.is_association() || visitor.capabilities().contains(capability),
        _ => false,
    }
}

/// Files that the REST face makes of the record.
fn files(shell: &Shell<'_>, c: &'static Collection, id: i64, doc: &Value) -> Markup {
    let link = |path: &str, text: &str| {
        html! { li { a href=(format!("/api/{}/{id}/{path}", c.slug)) { (shell.text(text)) } } }
    };
    // A browser asks for the language that it prefers, not for the one that was chosen on a page.
    let printed = |path: &str, query: &str, text: &str| {
        let language = shell.language().word();
        link(&format!("{path}?{query}language={language}"), text)
    };
    let signed = !at(doc, signing::VALUE).is_null();
    let certificate = c.is(Feature::Certificates) && !at(doc, SNAPSHOT).is_null();
    let package = c.is(Feature::Packages);
    html! {
        @if package || certificate || c.ui.card.is_some() {
            ul class="ways" {
                @if package {
                    (printed("protocol", "", "page-protocol"))
                    (printed("protocol", "format=pdf&", "page-protocol-pdf"))
                    @if signed { (link("signed", "page-signed")) }
                }
                @if certificate {
                    (printed("certificate", "", "page-certificate"))
                    (printed("certificate", "format=pdf&", "page-certificate-pdf"))
                }
                @if c.ui.card.is_some() {
                    (printed("card", "", "page-card-pdf"))
                    @if let Some(address) = shell.record(c, &id.into()) {
                        li { a href=(format!("{address}?{PRINT}")) { (shell.text("page-print")) } }
                    }
                }
            }
        }
    }
}

/// `POST /book/<slug>/<id>/delete`
pub(crate) async fn delete(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let path = format!("/api/{}/{id}?depth=0", c.slug);
    let answer = shell.send(Method::DELETE, &path, &json!({})).await;
    match answer.is_good() {
        true => {
            // The animal that is back has its own page.
            let registry = shell.pages.site.registry;
            let animals = c.animal.and_then(|path| registry.get(c.field(path)?.target()?)).filter(|_| form.has(NEXT));
            let animal = c.animal.and_then(|path| at(&answer.body, &format!("doc.{path}")).as_i64());
            if let (Some(animals), Some(id)) = (animals, animal) {
                return Ok(Notice::Pressed("page-undo").tell(animals, &id, &format!("/book/{}/{id}", animals.slug)));
            }
            let list = format!("/book/{}", c.slug);
            let next = form.get(NEXT).map_or(&*list, |next| local(Some(next)));
            Ok(Notice::Deleted.see(c, next))
        }
        false => record_page(&shell, c, id, Some((answer.status, refusal(&answer)))).await,
    }
}

/// `POST /book/<slug>/<id>/act/<action>`
pub(crate) async fn act(Visit(pages, visitor, (slug, id, action)): Visit<(String, i64, String)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let action = c.actions.iter().find(|one| one.name == action);
    let action = action.ok_or_else(|| Stop::missing(&shell))?;
    let path = format!("/api/{}/{id}/{}?depth=0", c.slug, action.name);
    let answer = shell.post(&path, &json!({})).await;
    match answer.is_good() {
        true => once::page_of(&shell, c, &answer.body)
            .unwrap_or_else(|| Ok(Notice::Acted(action.name).tell(c, &id, &format!("/book/{}/{id}", c.slug)))),
        false => record_page(&shell, c, id, Some((answer.status, refusal(&answer)))).await,
    }
}

/// Everything that the REST face says about a refusal.
pub(crate) fn refusal(answer: &Answer) -> String {
    let issues = answer.issues();
    match issues.is_empty() {
        true => answer.message().to_owned(),
        false => {
            let all: Vec<String> = issues.into_iter().map(|issue| issue.message).collect();
            all.join(" ")
        }
    }
}
