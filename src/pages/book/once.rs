//! What the server shows once: the key of a view link, of an API key, of a webhook. It stands on the page that answers the
//! form and nowhere else: neither in an address nor in a cookie.

use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::Page;
use axum::http::StatusCode;
use maud::html;
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature, Field};
use serde_json::Value;

/// The page that shows it; none where the answer to a write has nothing of the kind.
pub(super) fn page_of(shell: &Shell<'_>, c: &'static Collection, answer: &Value) -> Option<Page> {
    let doc = at(answer, "doc");
    let all = c.fields.iter().filter(|field| field.shown_once);
    let all: Vec<(&Field, &str)> = all
        .filter_map(|field| Some((field, doc.get(field.name())?.as_str()?)))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    if all.is_empty() {
        return None;
    }
    let language = shell.language();
    let title = labels::collection(language, c.slug);
    let id = at(doc, "id");
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) {
            a href=(format!("/book/{}", c.slug)) { (labels::collections(language, c.slug)) }
        }
        h1 { (title) }
        p class="then" role="status" { (shell.text("page-once")) }
        @for (field, text) in all {
            @let text = whole(shell, c, text);
            h2 { (labels::field(language, c.slug, &field.path)) }
            section class="program" tabindex="0" aria-label=(labels::field(language, c.slug, &field.path))
                data-copy=(shell.text("page-partner-copy")) data-copied=(shell.text("page-partner-copied")) {
                pre class="secret" { code { (text) } }
            }
        }
        p { a class="button" href=(format!("/book/{}/{id}", c.slug)) { (shell.text("page-once-go")) } }
    };
    Some(Ok(page(StatusCode::OK, shell.document(&title, &body))))
}

/// A token that opens a page stands with the whole address of it.
fn whole(shell: &Shell<'_>, c: &Collection, text: &str) -> String {
    let here = shell.here();
    match c.feature {
        Some(Feature::ViewLinks) => format!("{here}/share/{text}"),
        Some(Feature::Invitations) => format!("{here}/invitation?token={text}"),
        _ => text.to_owned(),
    }
}
