//! The work lists of a herd (docs/pages.md, *Work lists*): on the start page all of them with their first records, and a
//! page for each. Must not know any single collection.

use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, row_head, said_once, shared};
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::{Form, text_of};
use axum::http::StatusCode;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::{at, day_of};
use model::messages::labels;
use model::registry::{Collection, Field, WorkList, WorkLists};
use serde_json::Value;

/// The page of a list: its collection, and its word.
pub(crate) const PATH: &str = "/work/{slug}/{list}";

/// The files of lists: the word of the REST face, and the text.
const FILES: [(&str, &str); 3] = [("xlsx", "page-file-xlsx"), ("pdf", "page-work-pdf"), ("ics", "page-work-calendar")];
/// Days ahead of which the page can tell.
const AHEAD: [&str; 3] = ["0", "7", "28"];
/// Rows of a list that stand open on the start page.
const OPEN: usize = 3;
/// Parameters that the page passes on.
const PASSED: [&str; 3] = ["organization", "ahead", "page"];

/// The lists of the visitor's organisation; nothing for visitors without one, and for the Association.
pub(super) async fn markup(shell: &Shell<'_>) -> Markup {
    let own = shell.visitor.organization().filter(|_| !shell.visitor.is_association());
    let all = shell.pages.site.registry.iter().filter(|_| own.is_some());
    let all: Vec<(&'static Collection, &'static WorkLists)> = all.filter_map(|c| Some((c, c.ui.work_lists?))).collect();
    let answers = all.iter().map(async |(c, _)| shell.get(&format!("/api/{}/work-lists", c.slug)).await);
    let answers = join_all(answers).await;
    let pages = |answer: &Value| at(answer, "lists").as_array().cloned().unwrap_or_default();
    let shown = all.iter().zip(&answers).filter(|(_, answer)| answer.is_good());
    html! {
        @for ((c, lists), answer) in shown {
            @let pages = pages(&answer.body);
            @let listed = pages.iter().filter_map(|page| Some((lists.list(at(page, "list").as_str()?)?, page)));
            @let (filled, empty): (Vec<_>, Vec<_>) = listed.partition(|(_, page)| total(page) > 0);
            @let rows: Vec<&Value> = filled.iter().flat_map(|(_, page)| docs(page)).collect();
            @let once = shared(&lists.lists.iter().flat_map(|list| columns(c, list)).collect::<Vec<_>>(), &rows);
            h2 { (shell.text("work-title")) }
            (said_once(shell, c, &once, &rows))
            @for (list, page) in &filled { (section(shell, (c, list), page, &once)) }
            @if !empty.is_empty() {
                @let names: Vec<String> = empty.iter().map(|(list, _)| title(shell, list)).collect();
                p class="none" { (text_of(shell.language(), "work-none", "lists", &names.join(", "))) }
            }
            (files(shell, c, &[]))
        }
    }
}

fn total(page: &Value) -> u64 {
    at(page, "totalDocs").as_u64().unwrap_or_default()
}

fn title(shell: &Shell<'_>, list: &WorkList) -> String {
    shell.text(&format!("work-{}", list.name))
}

/// The condition of a list in a sentence, with its numbers.
fn rule(shell: &Shell<'_>, list: &WorkList, page: &Value) -> String {
    let numbers = at(page, "numbers").as_array().into_iter().flatten();
    let numbers: Vec<String> = numbers.map(Value::to_string).collect();
    text_of(shell.language(), &format!("work-{}.rule", list.name), "count", &numbers.join(" / "))
}

/// The fields of a list besides its names, which head the rows.
fn columns(c: &'static Collection, list: &WorkList) -> Vec<&'static Field> {
    let names = c.title().names;
    let columns = list.columns.iter().filter(|path| !names.contains(*path));
    columns.filter_map(|path| c.field(path)).collect()
}

fn section(
    shell: &Shell<'_>,
    (c, list): (&'static Collection, &WorkList),
    page: &Value,
    once: &[&'static Field],
) -> Markup {
    html! {
        section class="queue work" {
            h3 {
                a href=(format!("/work/{}/{}", c.slug, list.name)) { (title(shell, list)) }
                " " span class="count" { (total(page)) }
            }
            p class="none" { (rule(shell, list, page)) }
            @let (open, folded) = docs(page).split_at(docs(page).len().min(OPEN));
            (table(shell, (c, list), (open, once), &title(shell, list)))
            @if !folded.is_empty() {
                @let more = text_of(shell.language(), "page-work-folded", "count", &folded.len().to_string());
                details {
                    summary { (more) }
                    (table(shell, (c, list), (folded, once), &format!("{}: {more}", title(shell, list))))
                }
            }
        }
    }
}

fn docs(page: &Value) -> &[Value] {
    at(page, "docs").as_array().map_or(&[][..], Vec::as_slice)
}

/// A table without what is said once, above it.
fn table(
    shell: &Shell<'_>,
    (c, list): (&'static Collection, &WorkList),
    (docs, once): (&[Value], &[&'static Field]),
    name: &str,
) -> Markup {
    let language = shell.language();
    let mut columns = columns(c, list);
    columns.retain(|field| !once.iter().any(|one| one.path == field.path));
    let due = shell.text(&format!("work-{}.due", list.name));
    html! {
        section class="wide" tabindex="0" aria-label=(name) { table class="list" {
            thead { tr {
                th scope="col" { (labels::collection(language, c.slug)) }
                th scope="col" { (due) }
                @for field in &columns { th scope="col" { (labels::field(language, c.slug, &field.path)) } }
            } }
            tbody { @for doc in docs { tr {
                th scope="row" { a href=(format!("/book/{}/{}", c.slug, at(doc, "id"))) { (row_head(shell, c, doc)) } }
                td data-head=(due) {
                    @if let Some(day) = at(doc, "due").as_str() { time datetime=(day) { (day_of(language, day)) } }
                }
                @for field in &columns {
                    td data-head=(labels::field(language, c.slug, &field.path)) { (cell_of(shell, c, field, doc)) }
                }
            } } }
        } }
    }
}

/// The lists, or the one with these parameters, as files.
fn files(shell: &Shell<'_>, c: &Collection, passed: &[(String, String)]) -> Markup {
    html! {
        p class="files" {
            (shell.text("page-files")) ": "
            @for (form, text) in FILES {
                @let own = [("format".to_owned(), form.to_owned()), ("language".to_owned(), shell.language().word().to_owned())];
                a href=(address(c, &[passed, &own].concat())) { (shell.text(text)) }
                " "
            }
            a href=(address(c, passed)) { (shell.text("page-as-json")) }
        }
    }
}

fn address(c: &Collection, query: &[(String, String)]) -> String {
    format!("/api/{}/work-lists?{}", c.slug, crate::book::query::written(query))
}

/// `GET /work/<slug>/<list>`
pub(crate) async fn list(Visit(pages, visitor, (slug, name)): Visit<(String, String)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = pages.site.registry.get(&slug);
    let found = c.and_then(|c| Some((c, c.ui.work_lists?.list(&name)?)));
    let Some((c, list)) = found else {
        return Err(Stop::missing(&shell));
    };
    let Form(sent) = visitor.query();
    let mut passed: Vec<(String, String)> =
        sent.into_iter().filter(|(name, value)| PASSED.contains(&name.as_str()) && !value.is_empty()).collect();
    passed.push(("list".to_owned(), list.name.to_owned()));
    let answer = shell.get(&address(c, &passed)).await;
    if !answer.is_good() {
        return Err(Stop::refused(&shell, &answer));
    }
    passed.retain(|(name, _)| name != "page");
    let title = title(&shell, list);
    let body = html! {
        h1 { (title) " " span class="count" { (answer.number("totalDocs")) } }
        p { (rule(&shell, list, &answer.body)) }
        (horizons(&shell, (c, list), &passed))
        @if answer.docs().is_empty() {
            p class="none" { (shell.text("page-none")) }
        } @else {
            (table(&shell, (c, list), (docs(&answer.body), &[]), &title))
            (neighbours(&shell, (c, list), &answer, &passed))
        }
        (files(&shell, c, &passed))
        @if list.number.is_some() { p class="none" { (shell.text("page-work-settings")) } }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// The ways to what is to be done now, and what will be in some days.
fn horizons(shell: &Shell<'_>, (c, list): (&Collection, &WorkList), passed: &[(String, String)]) -> Markup {
    let shown = passed.iter().find(|(name, _)| name == "ahead").map_or("0", |(_, days)| days.as_str());
    let way = |days: &str| {
        let own = passed.iter().filter(|(name, _)| name == "organization").cloned();
        let query: Vec<(String, String)> = own.chain([("ahead".to_owned(), days.to_owned())]).collect();
        format!("/work/{}/{}?{}", c.slug, list.name, crate::book::query::written(&query))
    };
    html! {
        ul class="ways" { @for days in AHEAD { li {
            a href=(way(days)) aria-current=[(days == shown).then_some("true")] {
                @match days {
                    "0" => (shell.text("page-work-now")),
                    days => (text_of(shell.language(), "page-work-ahead", "days", days)),
                }
            }
        } } }
    }
}

/// The ways to the pages before and after this one.
fn neighbours(
    shell: &Shell<'_>,
    (c, list): (&Collection, &WorkList),
    answer: &crate::calls::Answer,
    passed: &[(String, String)],
) -> Markup {
    let (number, of) = (answer.number("page"), answer.number("totalPages"));
    let way = |page: u64, rel: &str, text: &str| {
        let own = passed.iter().filter(|(name, _)| name != "list").cloned();
        let query: Vec<(String, String)> = own.chain([("page".to_owned(), page.to_string())]).collect();
        let address = format!("/work/{}/{}?{}", c.slug, list.name, crate::book::query::written(&query));
        html! { a rel=(rel) href=(address) { (shell.text(text)) } }
    };
    html! {
        @if of > 1 {
            nav class="pages" aria-label=(shell.text("page-pages")) {
                @if number > 1 { (way(number.saturating_sub(1), "prev", "page-previous")) }
                span { (number) " / " (of) }
                @if number < of { (way(number.saturating_add(1), "next", "page-next")) }
            }
        }
    }
}
