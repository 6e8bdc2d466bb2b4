//! Values of documents as people read them.

use crate::look::shell::Shell;
use maud::{Markup, html};
use model::messages::Language;
use model::messages::labels;
use model::registry::{Collection, Field, Kind};
use serde_json::Value;

/// Characters of JSON and of long texts that a cell of a table shows.
const CELL: usize = 120;

/// The value at a path of a document; `a.b` is the member b of the member a.
pub(crate) fn at<'d>(document: &'d Value, path: &str) -> &'d Value {
    path.split('.').fold(document, |value, step| {
        value.get(step).unwrap_or(&Value::Null)
    })
}

/// Whether there is nothing to show.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        _ => false,
    }
}

/// The fields by which people call a record.
pub(crate) fn called(c: &Collection) -> Vec<&'static str> {
    let mut paths: Vec<&'static str> = c.label_field().into_iter().collect();
    for path in c.name_paths() {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// How a record is called.
pub(crate) fn name(c: &Collection, document: &Value) -> String {
    let words: Vec<&str> = (called(c).into_iter())
        .filter_map(|path| at(document, path).as_str())
        .filter(|text| !text.is_empty())
        .collect();
    match (words.is_empty(), document.get("id")) {
        (false, _) => words.join(" "),
        (true, Some(id)) => format!("№ {id}"),
        (true, None) => String::new(),
    }
}

/// A value in a cell of a table.
pub(crate) fn cell(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value) -> Markup {
    shown(shell, c, field, value, true)
}

/// A value on the page of its record.
pub(crate) fn whole(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value) -> Markup {
    shown(shell, c, field, value, false)
}

fn shown(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value, short: bool) -> Markup {
    let language = shell.language();
    if is_empty(value) {
        return html! { span class="none" { "–" } };
    }
    match (&field.kind, value) {
        (Kind::Bool, Value::Bool(yes)) => {
            let word = if *yes { "page-yes" } else { "page-no" };
            html! { (shell.text(word)) }
        }
        (Kind::Day, Value::String(iso)) => day(language, iso),
        (Kind::Instant, Value::String(iso)) => instant(language, iso),
        (Kind::Int | Kind::Number, Value::Number(_)) => {
            html! { span class="number" { (number(language, &value.to_string())) } }
        }
        (Kind::Select(_), Value::String(word)) => {
            html! { (labels::option(language, c.slug, &field.path, word)) }
        }
        (Kind::Selects(_), Value::Array(words)) => {
            let words: Vec<String> = (words.iter().filter_map(Value::as_str))
                .map(|word| labels::option(language, c.slug, &field.path, word))
                .collect();
            html! { (words.join(", ")) }
        }
        (Kind::Relation(to), _) if short => related(shell, to, value),
        (Kind::Relation(to), _) => {
            html! { (related(shell, to, value)) (picture(shell, to, value)) }
        }
        (Kind::Relations(to), Value::Array(all)) => html! {
            @for (place, one) in all.iter().enumerate() {
                @if place > 0 { ", " }
                (related(shell, to, one))
            }
        },
        (Kind::Texts(_), Value::Array(all)) => {
            let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            html! { (all.join(", ")) }
        }
        (Kind::Rows(_), Value::Array(rows)) if short => html! { (rows.len()) },
        (Kind::Rows(subs), Value::Array(rows)) => table_of_rows(shell, c, field, subs, rows),
        (_, Value::String(text)) => text_of(text, short),
        _ => text_of(&value.to_string(), short),
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
fn table_of_rows(
    shell: &Shell<'_>,
    c: &Collection,
    field: &Field,
    subs: &[Field],
    rows: &[Value],
) -> Markup {
    let filled: Vec<&Field> = (subs.iter())
        .filter(|sub| rows.iter().any(|row| !is_empty(at(row, &sub.path))))
        .collect();
    html! {
        section class="wide" tabindex="0" aria-label=(labels::field(shell.language(), c.slug, &field.path)) { table {
            thead { tr { @for sub in &filled {
                th scope="col" {
                    (labels::field(shell.language(), c.slug, &format!("{}.{}", field.path, sub.path)))
                }
            } } }
            tbody { @for row in rows { tr { @for sub in &filled {
                td { (cell(shell, c, sub, at(row, &sub.path))) }
            } } } }
        } }
    }
}

/// A related record by its name, with the way to its page.
pub(crate) fn related(shell: &Shell<'_>, slug: &str, value: &Value) -> Markup {
    let Some(target) = shell.pages.site.registry.get(slug) else {
        return html! {};
    };
    let (id, text) = match value {
        Value::Object(members) => (members.get("id"), name(target, value)),
        id => (Some(id), format!("№ {id}")),
    };
    match id.and_then(|id| shell.record(target, id)) {
        Some(address) => html! { a href=(address) { (text) } },
        None => html! { (text) },
    }
}

/// A related file that is a picture.
fn picture(shell: &Shell<'_>, slug: &str, value: &Value) -> Markup {
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
    html! { time datetime=(day) { (day_text(language, day)) } }
}

/// The same as text.
pub(crate) fn day_text(language: Language, day: &str) -> String {
    let mut parts = day.splitn(3, '-');
    match (language, parts.next(), parts.next(), parts.next()) {
        (Language::Russian, Some(year), Some(month), Some(day)) => format!("{day}.{month}.{year}"),
        _ => day.to_owned(),
    }
}

/// A point in time; in UTC, until the script shows it in the reader's zone.
fn instant(language: Language, iso: &str) -> Markup {
    let minute = iso.get(11..16).unwrap_or_default();
    let day = day_text(language, iso.get(..10).unwrap_or(iso));
    html! { time class="instant" datetime=(iso) { (day) " " (minute) " UTC" } }
}

/// A number as the language writes it.
pub(crate) fn number(language: Language, text: &str) -> String {
    match language {
        Language::Russian => text.replace('.', ","),
        Language::English => text.to_owned(),
    }
}
