//! `/book/<slug>/remove`: deletes many rows (docs/writing.md, *Update and delete by condition*). First it says how many would
//! be deleted, how many records go with them, and which are refused and why; then these rows are deleted.

use super::change::{Words, outcome};
use super::{Chosen, TOGETHER, nothing_ticked, together};
use crate::book::list::ROWS;
use crate::book::own_collection;
use crate::book::query::written;
use crate::book::rights::Rights;
use crate::calls::Answer;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Class, Collection};
use serde_json::json;

/// Nothing is deleted that was not named.
const WORDS: Words = Words {
    ready: "page-delete-ready",
    done: "page-deleted",
    others: "page-delete-others",
    deletes: true,
    named: TOGETHER as usize,
};

/// `GET /book/<slug>/remove`
pub(crate) async fn ask(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    removal(&shell, &slug, &visitor.query(), false).await
}

/// `POST /book/<slug>/remove`
pub(crate) async fn remove(Visit(pages, visitor, slug): Visit<String>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let mut form = Form::read(&bytes);
    // Those that the page named, and never all of a condition.
    form.0.retain(|(name, _)| name == ROWS);
    removal(&shell, &slug, &form, true).await
}

async fn removal(shell: &Shell<'_>, slug: &str, form: &Form, done: bool) -> Page {
    let c = own_collection(shell, slug)?;
    let Some(chosen) = Chosen::of(shell, c, form) else {
        return nothing_ticked(shell, c);
    };
    if !Rights::of(shell, c, None).await.may("delete") {
        return Err(Stop::missing(shell));
    }
    let (answer, total) = chosen.write(Method::DELETE, &json!({}), (TOGETHER, done)).await?;
    let why = match &answer {
        None => Some(together(shell, TOGETHER)),
        Some(answer) if answer.body.get("docs").is_none() => Some(answer.message().to_owned()),
        Some(_) => None,
    };
    let said = match answer.as_ref().filter(|_| why.is_none()) {
        Some(answer) => outcome(&chosen, answer, (total, done), &WORDS).await,
        None => html! {},
    };
    // Those that were named, whatever the condition finds by then.
    let ready = answer.iter().filter(|_| !done).flat_map(Answer::docs);
    let ready: Vec<String> = ready.map(|doc| at(doc, "id").to_string()).collect();
    let along = along(shell, c, &ready).await;
    let title = shell.text("page-delete");
    let (list, back) = (labels::collections(shell.language(), c.slug), format!("/book/{}", c.slug));
    let body = html! {
        (chosen.crumbs())
        h1 { (title) ": " (list) " " span class="count" { (total) } }
        @if let Some(why) = &why { p class="fault" role="alert" { (why) } }
        (said)
        @if !ready.is_empty() {
            (along)
            p class="then" { (shell.text("page-delete-many-note")) }
            form method="post" class="sheet" action=(format!("/book/{}/remove", c.slug)) {
                @for id in &ready { input type="hidden" name=(ROWS) value=(id); }
                p class="choose" {
                    button class="grave" type="submit" { (title) ": " (ready.len()) }
                    " "
                    a class="button second" href=(back) { (shell.text("page-cancel")) }
                }
            }
        } @else {
            p { a class="button second" href=(back) { (list) } }
        }
    };
    let status = if why.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(page(status, shell.document(&title, &body)))
}

/// The records that go with rows: how many the visitor reads of each collection; or that they could not be counted.
async fn along(shell: &Shell<'_>, c: &'static Collection, ids: &[String]) -> Markup {
    let all = shell.pages.site.registry.iter().flat_map(|of| of.fields.iter().map(move |field| (of, field)));
    let going = all.filter(|(_, field)| {
        !ids.is_empty() && field.cascade && field.class != Class::Hidden && field.target() == Some(c.slug)
    });
    let counts = going.map(async |(of, field)| {
        let query = written(&[(format!("where[{}][in]", field.path), ids.join(","))]);
        (of, shell.find(&format!("/api/{}/count", of.slug), &query).await)
    });
    let answers = join_all(counts).await;
    let failed = answers.iter().any(|(_, answer)| is_uncounted(answer));
    let counts = answers.iter().map(|(of, answer)| (of, answer.number("totalDocs"))).filter(|(_, count)| *count > 0);
    let counts = counts.map(|(of, count)| format!("{}: {count}", labels::collections(shell.language(), of.slug)));
    let counts: Vec<String> = counts.collect();
    html! {
        @if failed {
            p class="fault" role="alert" {
                (shell.text("page-delete-uncounted")) " "
                a href=(shell.visitor.address) { (shell.text("page-delete-count-again")) }
            }
        }
        @if !counts.is_empty() { p class="then" { (shell.text("page-delete-along")) " " (counts.join(", ")) "." } }
    }
}

/// Whether counting failed: a collection that is closed to the visitor has no number for him.
fn is_uncounted(answer: &Answer) -> bool {
    !answer.is_good() && ![StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&answer.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_collection_is_passed_over_and_a_failed_count_is_said() {
        for (status, uncounted) in [(200, false), (403, false), (404, false), (400, true), (429, true), (503, true)] {
            let status = StatusCode::from_u16(status).unwrap();
            let answer = Answer { status, body: json!({}), cookies: Vec::new(), is_closed: false };
            assert_eq!(is_uncounted(&answer), uncounted, "{status}");
        }
    }
}
