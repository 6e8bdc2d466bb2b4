//! `/legal/<name>`: the legal texts of the installation, open to everybody.

use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::StatusCode;
use maud::html;

pub(crate) async fn legal(Visit(pages, visitor, name): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let mut texts = pages.site.face.texts_in(shell.language());
    let (_, text) = texts.find(|(own, _)| *own == name).ok_or_else(|| Stop::missing(&shell))?;
    let body = html! {
        h1 { (text.title) }
        @for paragraph in &text.paragraphs { p { (paragraph) } }
    };
    Ok(page(StatusCode::OK, shell.document(&text.title, &body)))
}
