//! `/book/<slug>/approve`: approves many requests. First it says which would be approved, what each approval does, lets
//! through and holds back, and which are refused and why; then these requests are approved.

use super::change::{Words, outcome};
use super::{Chosen, nothing_ticked, together};
use crate::book::list::ROWS;
use crate::book::record::decision;
use crate::book::rights::Rights;
use crate::book::{document, own_collection};
use crate::calls::Answer;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use futures_util::future::try_join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature, corrections};
use serde_json::json;

/// Requests that are approved at once: what the approval of each does is told.
const MOST: u64 = 50;
const WORDS: Words = Words {
    ready: "page-approve-ready",
    done: "page-approved",
    others: "page-change-others",
    deletes: false,
    named: MOST as usize,
};

/// What it is called, for those who approve requests.
pub(super) fn label(shell: &Shell<'_>, c: &Collection, rights: &Rights) -> Option<String> {
    let may = c.is(Feature::Requests) && shell.visitor.is_association();
    let may = may && rights.may("update") && rights.may_write(corrections::STATE, "update");
    may.then(|| shell.text("page-approve"))
}

/// `GET /book/<slug>/approve`
pub(crate) async fn ask(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    approval(&shell, &slug, &visitor.query(), false).await
}

/// `POST /book/<slug>/approve`
pub(crate) async fn approve(Visit(pages, visitor, slug): Visit<String>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let mut form = Form::read(&bytes);
    // Those that the page named, and never all of a condition.
    form.0.retain(|(name, _)| name == ROWS);
    approval(&shell, &slug, &form, true).await
}

async fn approval(shell: &Shell<'_>, slug: &str, form: &Form, done: bool) -> Page {
    let c = own_collection(shell, slug)?;
    let Some(chosen) = Chosen::of(shell, c, form) else {
        return nothing_ticked(shell, c);
    };
    let title = label(shell, c, &Rights::of(shell, c, None).await).ok_or_else(|| Stop::missing(shell))?;
    let body = json!({corrections::STATE: corrections::APPROVED});
    let (answer, total) = chosen.write(Method::PATCH, &body, (MOST, done)).await?;
    let why = match &answer {
        None => Some(together(shell, MOST)),
        Some(answer) if answer.body.get("docs").is_none() => Some(answer.message().to_owned()),
        Some(_) => None,
    };
    let said = match answer.as_ref().filter(|_| why.is_none()) {
        Some(answer) => outcome(&chosen, answer, (total, done), &WORDS).await,
        None => html! {},
    };
    let ready = answer.iter().filter(|_| !done).flat_map(Answer::docs);
    let ready: Vec<i64> = ready.filter_map(|doc| at(doc, "id").as_i64()).collect();
    let effects = try_join_all(ready.iter().map(|id| effect(shell, c, *id))).await?;
    let (list, back) = (labels::collections(shell.language(), c.slug), format!("/book/{}", c.slug));
    let body = html! {
        (chosen.crumbs())
        h1 { (title) ": " (list) " " span class="count" { (total) } }
        @if let Some(why) = &why { p class="fault" role="alert" { (why) } }
        (said)
        @for effect in &effects { (effect) }
        @if !ready.is_empty() {
            form method="post" class="sheet" action=(format!("/book/{}/approve", c.slug)) {
                @for id in &ready { input type="hidden" name=(ROWS) value=(id); }
                p class="choose" {
                    button type="submit" { (title) ": " (ready.len()) }
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

/// What the approval of a request does.
async fn effect(shell: &Shell<'_>, c: &'static Collection, id: i64) -> Result<Markup, Stop> {
    let request = document(shell, c, id).await?;
    let inside = decision::inside(shell, c, &request).await;
    Ok(html! {
        section {
            h2 { a href=[shell.record(c, at(&request, "id"))] { (shell.title(c, &request)) } }
            (inside)
        }
    })
}
