//! `POST /book/<slug>/<id>/comment`: adds a comment to a record.

use super::comments::BUTTON;
use crate::book::record::{record_page, refusal};
use crate::components::notice::Notice;
use crate::components::shell::Shell;
use crate::stop::Page;
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::Method;
use model::registry::review::comment::{LIST, TEXT};
use serde_json::json;

pub(crate) async fn comment(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = crate::book::collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let row = json!({(TEXT): form.get(TEXT).unwrap_or_default()});
    let path = format!("/api/{}/{id}?depth=0", c.slug);
    let answer = shell.send(Method::PATCH, &path, &json!({(LIST): [row]})).await;
    match answer.is_good() {
        true => Ok(Notice::Pressed(BUTTON).see(c, &format!("/book/{}/{id}#{}", c.slug, LIST))),
        false => record_page(&shell, c, id, Some((answer.status, refusal(&answer)))).await,
    }
}
