//! `POST /book/<slug>/preview`: what would become of the file of a package, before it is sent. Nothing is stored.

use super::super::collection;
use super::form_values::{self, sent_fields};
use super::preview_columns::{self, CONTROL, FORM};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::upload_form::{self, UploadForm};
use crate::components::value::unread_columns;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use model::display::at;
use model::registry::{Collection, Feature, Field};
use serde_json::Value;

/// How many rows became what.
const COUNTS: [&str; 7] = ["rows", "tried", "created", "updated", "unchanged", "skipped", "held"];

/// Heads of the table of faults.
const HEADS: [&str; 6] = ["line", "ident", "column", "value", "fault", "expected"];

pub(crate) async fn preview(Visit(pages, visitor, slug): Visit<String>, headers: HeaderMap, body: Body) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    if !c.is(Feature::Packages) {
        return Err(Stop::missing(&shell));
    }
    if visitor.user.is_none() {
        return Err(Stop::sign_in(&shell));
    }
    let UploadForm { form, file } = upload_form::read(&headers, body).await;
    let fields: Vec<&'static Field> = sent_fields(c, &form).collect();
    let (mut values, _) = form_values::body(&shell, &fields, &form, &Value::Null).await;
    values.retain(|_, value| !value.is_null());
    preview_columns::state(&form, &mut values);
    let title = shell.text("page-preview");
    let Some(file) = file else {
        let fault = html! { p class="fault" role="alert" { (shell.text("page-no-file")) } };
        let body = sheet(&shell, (c, &form), &title, &fault);
        return Ok(page(StatusCode::BAD_REQUEST, shell.document(&title, &body)));
    };
    let answer = file.send(&shell, &format!("/api/{}/preview", c.slug), &values).await;
    if !answer.is_good() {
        let fault = html! { p class="fault" role="alert" { (super::super::record::refusal(&answer)) } };
        let body = sheet(&shell, (c, &form), &title, &fault);
        return Ok(page(answer.status, shell.document(&title, &body)));
    }
    let body = sheet(&shell, (c, &form), &title, &markup(&shell, &answer.body));
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// The page. The script takes what it shows (`.preview`) to the form that still has the file; without it the file is
/// chosen once more, with what was typed and what the columns are said to mean.
fn sheet(shell: &Shell<'_>, (c, form): (&Collection, &Form), title: &str, preview: &Markup) -> Markup {
    let typed = form.0.iter().filter(|(name, _)| !name.starts_with(CONTROL));
    html! {
        h1 { (title) }
        div class="preview" { (preview) }
        form id=(FORM) method="post" class="sheet" enctype="multipart/form-data" action=(format!("/book/{}/new", c.slug)) {
            @for (name, value) in typed { input type="hidden" name=(name) value=(value); }
            // The last part: it is passed on while it arrives.
            div class="field drop" {
                label for="file" { (shell.text("page-file")) }
                input id="file" name="file" type="file" required;
            }
            button type="submit" { (shell.text("page-save")) }
            " "
            button class="second" type="submit" formaction=(format!("/book/{}/preview", c.slug)) { (shell.text("page-preview")) }
        }
        p { a class="button" href=(format!("/book/{}/new", c.slug)) { (shell.text("page-choose-file")) } }
    }
}

fn rows<'v>(preview: &'v Value, name: &str) -> &'v [Value] {
    preview.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(preview: &Value, path: &str) -> String {
    match at(preview, path) {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn markup(shell: &Shell<'_>, preview: &Value) -> Markup {
    let unknown = rows(preview, "unknownColumns");
    html! {
        @if let Some(fault) = preview.get("fault").filter(|fault| !fault.is_null()) {
            p class="fault" role="alert" { (text(fault, "message")) }
        }
        (super::super::review::questions(shell, at(preview, "sheets"), None))
        (unread_columns(shell, at(preview, "sheets")))
        // Of a file that is not read at all there is nothing to count.
        @if preview.get("rows").is_some() {
            dl class="values" {
                @for name in COUNTS { div { dt { (shell.text(&format!("page-preview-{name}"))) } dd { (text(preview, name)) } } }
            }
        }
        @if !rows(preview, "sheets").is_empty() {
            h2 { (shell.text("page-preview-sheets")) }
            p { (shell.text("page-preview-choose")) }
            (preview_columns::markup(shell, at(preview, "sheets")))
        }
        @if !unknown.is_empty() { p { (shell.text("page-preview-columns")) } }
        @if !rows(preview, "faults").is_empty() {
            h2 { (shell.text("page-preview-faults")) }
            section class="wide" tabindex="0" aria-label=(shell.text("page-preview-faults")) { table class="list" {
                thead { tr { @for head in HEADS {
                    th scope="col" { (shell.text(&format!("page-preview-{head}"))) }
                } } }
                tbody { @for fault in rows(preview, "faults") { tr {
                    @for (path, head) in ["line", "ident", "column", "value", "message", "expected"].into_iter().zip(HEADS) {
                        td data-head=(shell.text(&format!("page-preview-{head}"))) { (text(fault, path)) }
                    }
                } } }
            } }
        }
    }
}
