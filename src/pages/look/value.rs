//! Values of documents on pages: as text ([`Shown`]), with the ways to related records.

use crate::look::shell::Shell;
use maud::{Markup, html};
use model::messages::{self, Language, labels};
use model::registry::{Collection, Field, Kind};
use model::shown::{self, Shown, at, is_empty};
use serde_json::Value;

/// Characters of JSON and of long texts that a cell of a table shows.
const CELL: usize = 120;
/// Related records that a list of them shows.
const RELATED: usize = 200;

/// A value in a cell of a table.
pub(crate) fn cell(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value) -> Markup {
    markup(shell, Shown::of(c, field), value, true)
}

/// A value on the page of its record.
pub(crate) fn whole(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value) -> Markup {
    markup(shell, Shown::of(c, field), value, false)
}

fn markup(shell: &Shell<'_>, shown: Shown<'_>, value: &Value, short: bool) -> Markup {
    let language = shell.language();
    if is_empty(value) {
        return html! { span class="none" { "–" } };
    }
    let text = || shown.text(shell.pages.site.registry, language, value);
    match (&shown.field.kind, value) {
        (Kind::Day, Value::String(iso)) => day(language, iso),
        (Kind::Instant, Value::String(iso)) => instant(language, iso),
        (Kind::Int | Kind::Number, Value::Number(_)) => html! { span class="number" { (text()) } },
        (Kind::Relation(to), _) if short => related(shell, to, value),
        (Kind::Relation(to), _) => {
            html! { (related(shell, to, value)) (picture(shell, to, value)) }
        }
        (Kind::Relations(to), Value::Array(all)) => html! {
            @for (place, one) in all.iter().take(RELATED).enumerate() {
                @if place > 0 { ", " }
                (related(shell, to, one))
            }
            @if all.len() > RELATED { " … " span class="count" { (all.len()) } }
        },
        (Kind::Rows(_), Value::Array(rows)) if short => html! { (rows.len()) },
        (Kind::Rows(subs), Value::Array(rows)) => table_of_rows(shell, shown, subs, rows),
        (Kind::Bool | Kind::Select(_) | Kind::Selects(_) | Kind::Texts(_), _) => html! { (text()) },
        _ => text_of(&text(), short),
    }
}

fn text_of(text: &str, short: bool) -> Markup {
    match text.char_indices().nth(CELL).filter(|_| short) {
        Some((end, _)) => html! { (text.get(..end).unwrap_or_default()) "…" },
        None if short => html! { (text) },
        None => html! { span class="text" { (text) } },
    }
}

/// Rows within a record. Their fields have paths of their own: `remarks.text`.
fn table_of_rows(shell: &Shell<'_>, list: Shown<'_>, subs: &[Field], rows: &[Value]) -> Markup {
    let (language, slug) = (shell.language(), list.collection.slug);
    let filled: Vec<(&Field, String)> = (subs.iter())
        .filter(|sub| rows.iter().any(|row| !is_empty(at(row, &sub.path))))
        .map(|sub| (sub, format!("{}.{}", list.path, sub.path)))
        .collect();
    html! {
        section class="wide" tabindex="0" aria-label=(labels::field(language, slug, list.path)) { table {
            thead { tr { @for (_, path) in &filled {
                th scope="col" { (labels::field(language, slug, path)) }
            } } }
            tbody { @for row in rows { tr { @for (sub, path) in &filled {
                td { (markup(shell, Shown { field: sub, path, ..list }, at(row, &sub.path), true)) }
            } } } }
        } }
    }
}

/// A related record by its name, with the way to its page.
pub(crate) fn related(shell: &Shell<'_>, slug: &str, value: &Value) -> Markup {
    let Some(target) = shell.pages.site.registry.get(slug) else {
        return html! {};
    };
    let id = match value {
        Value::Object(members) => members.get("id"),
        id => Some(id),
    };
    let text = shown::related(shell.pages.site.registry, slug, value);
    match id.and_then(|id| shell.record(target, id)) {
        Some(address) => html! { a href=(address) { (text) } },
        None => html! { (text) },
    }
}

/// A related file that is a picture.
pub(crate) fn picture(shell: &Shell<'_>, slug: &str, value: &Value) -> Markup {
    let target = shell.pages.site.registry.get(slug);
    let kind = at(value, "mimeType").as_str().unwrap_or_default();
    let address = at(value, "url").as_str();
    let small = at(value, "sizes.card.url").as_str().or(address);
    match small.filter(|_| kind.starts_with("image/") && target.is_some_and(|c| c.upload.is_some()))
    {
        Some(small) => {
            html! { a href=[address] { img src=(small) alt=(text_at(value, "alt")) loading="lazy"; } }
        }
        None => html! {},
    }
}

fn text_at<'v>(value: &'v Value, path: &str) -> &'v str {
    at(value, path).as_str().unwrap_or_default()
}

/// A day as the language writes it.
pub(crate) fn day(language: Language, iso: &str) -> Markup {
    let day = iso.get(..10).unwrap_or(iso);
    html! { time datetime=(day) { (messages::day(language, day)) } }
}

/// A point in time; in UTC, until the script shows it in the reader's zone.
pub(crate) fn instant(language: Language, iso: &str) -> Markup {
    html! { time class="instant" datetime=(iso) { (shown::instant(language, iso)) } }
}
