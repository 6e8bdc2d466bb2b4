//! Values of documents on pages: as text ([`DisplayField`]), with the ways to related records.

use crate::book::columns::heads;
use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::{self, DisplayField, at, is_empty};
use model::messages::{self, Language, labels};
use model::record::time;
use model::registry::{CardTable, Collection, Field, Kind, Wording};
use serde_json::Value;

/// Characters of JSON and of long texts that a cell of a table shows.
const CELL: usize = 120;
/// Related records that a list of them shows.
const RELATED: usize = 200;
/// Rows that a telephone shows side by side; the style sheet hides the next one there.
const NARROW: usize = 2;

pub(crate) fn cell(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value) -> Markup {
    markup(shell, DisplayField::of(c, field), value, true)
}

/// The value of a document in a cell, which the rest of the document may explain.
pub(crate) fn cell_of(shell: &Shell<'_>, c: &Collection, field: &Field, doc: &Value) -> Markup {
    match (field.explained_by(), &field.wording) {
        (_, Wording::Record(about)) => {
            let id = at(doc, &field.path);
            let target = at(doc, about).as_str().and_then(|slug| shell.pages.site.registry.get(slug));
            let address = target.filter(|_| !id.is_null()).and_then(|target| shell.record(target, id));
            let text = cell(shell, c, field, id);
            html! { @match address { Some(address) => a href=(address) { (text) }, None => (text), } }
        }
        (_, Wording::ValueIn(about, path))
            if let Some(iso) = moment(shell, (about, path), at(doc, &field.path), doc) =>
        {
            instant(shell, iso)
        }
        (_, Wording::Person(_)) => in_row(shell, DisplayField::of(c, field), doc),
        ([Some(_), _], _) => {
            html! { (DisplayField::of(c, field).text_in(shell.pages.site.registry, shell.language(), doc)) }
        }
        _ => cell(shell, c, field, at(doc, &field.path)),
    }
}

/// The point in time that a log has as a value of the field that its row names.
fn moment<'d>(shell: &Shell<'_>, (about, path): (&str, &str), value: &'d Value, doc: &Value) -> Option<&'d str> {
    let about = shell.pages.site.registry.get(at(doc, about).as_str()?)?;
    let field = about.field(at(doc, path).as_str()?)?;
    value.as_str().filter(|iso| !iso.is_empty() && matches!(field.kind, Kind::Instant))
}

/// What heads the row of a record in a table: what it is called by, else what [`heads`] says.
pub(crate) fn row_head(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> Markup {
    let head = heads(c).first().and_then(|path| c.field(path)).filter(|_| display::called(c).is_empty());
    match head.filter(|field| !at(doc, &field.path).is_null()) {
        Some(field) => cell_of(shell, c, field, doc),
        None => html! { (shell.title(c, doc)) },
    }
}

/// Columns by which all of several rows lead to the same record, which is said once, above them.
pub(crate) fn shared(columns: &[&'static Field], rows: &[&Value]) -> Vec<&'static Field> {
    let [first, _, ..] = rows else {
        return Vec::new();
    };
    let mut all: Vec<&'static Field> = Vec::new();
    for field in columns.iter().filter(|field| field.target().is_some()) {
        let value = at(first, &field.path);
        let same = !is_empty(value) && rows.iter().all(|row| at(row, &field.path) == value);
        if same && !all.iter().any(|one| one.path == field.path) {
            all.push(field);
        }
    }
    all
}

/// What all rows share, by one of them.
pub(crate) fn said_once(shell: &Shell<'_>, c: &Collection, fields: &[&'static Field], rows: &[&Value]) -> Markup {
    html! {
        @if let Some(row) = rows.first() {
            @for field in fields {
                p class="note" { (labels::field(shell.language(), c.slug, &field.path)) ": " (cell_of(shell, c, field, row)) }
            }
        }
    }
}

/// Whether it is for readers of another language.
pub(crate) fn is_foreign(shell: &Shell<'_>, field: &Field) -> bool {
    matches!(field.wording, Wording::In(language) if language != shell.language().word())
}

/// The value of a document on its page, which the rest of the document may explain.
pub(crate) fn whole_of(shell: &Shell<'_>, c: &Collection, field: &Field, doc: &Value) -> Markup {
    match (field.explained_by(), &field.wording) {
        ([Some(_), _], _) => cell_of(shell, c, field, doc),
        (_, Wording::Sheets) => sheets(shell, at(doc, &field.path)),
        _ => whole(shell, c, field, at(doc, &field.path)),
    }
}

/// The sheets of a file: to which rows of the book they belong, and which field each column holds.
pub(crate) fn sheets(shell: &Shell<'_>, sheets: &Value) -> Markup {
    let text = |value: &Value, path: &str| text_at(value, path).to_owned();
    html! {
        @for sheet in sheets.as_array().into_iter().flatten() {
            @let slug = text(sheet, "collection");
            @let passed = text(sheet, "message");
            @let dialect = text(sheet, "dialect");
            p {
                strong { (text(sheet, "name")) } " " (labels::collections(shell.language(), &slug))
                @if !dialect.is_empty() { ", " (dialect) }
            }
            @if !passed.is_empty() {
                p class="fault" { (messages::stored(shell.language(), &passed, &text(sheet, "code"))) }
            }
            ul class="columns" {
                @for column in at(sheet, "columns").as_array().into_iter().flatten() {
                    @let path = text(column, "path");
                    li {
                        (text(column, "title")) " → "
                        @if !path.is_empty() { (labels::field(shell.language(), &slug, &path)) }
                        @else if at(column, "leftOut") == true { span class="none" { (shell.text("page-preview-left-out")) } }
                        @else { span class="fault" { (shell.text("page-preview-unknown")) } }
                        @for text in notation(shell, at(column, "notation")) { "; " (text) }
                    }
                }
            }
        }
    }
}

/// The titles of columns that nobody reads; nothing where all are read.
pub(crate) fn unread_columns(shell: &Shell<'_>, sheets: &Value) -> Markup {
    let titles: Vec<&str> = (sheets.as_array().into_iter().flatten())
        .filter_map(|sheet| at(sheet, "unread").as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    html! {
        @if !titles.is_empty() {
            p class="unread" { (shell.text("page-unread-columns")) ": " (titles.join(", ")) "." }
        }
    }
}

/// How the dates or numbers of a column are written, where that was in doubt.
pub(crate) fn notation(shell: &Shell<'_>, notation: &Value) -> Vec<String> {
    let members = notation.as_object().into_iter().flatten();
    let texts = members.filter_map(|(name, word)| {
        let key = match name.as_str() {
            "shortYearsTo" => "page-notation-short-years".to_owned(),
            _ => format!("page-notation-{name}-{}", word.as_str()?),
        };
        messages::known(shell.language(), &key)
    });
    texts.collect()
}

fn whole(shell: &Shell<'_>, c: &Collection, field: &Field, value: &Value) -> Markup {
    markup(shell, DisplayField::of(c, field), value, false)
}

/// A value in a cell; of a person whom the visitor does not read, the side on which he stands.
fn in_row(shell: &Shell<'_>, display: DisplayField<'_>, row: &Value) -> Markup {
    match (&display.field.wording, at(row, &display.field.path)) {
        (Wording::Person(_), Value::Number(_)) => {
            html! { span class="note" { (display.text_in(shell.pages.site.registry, shell.language(), row)) } }
        }
        (_, value) => markup(shell, display, value, true),
    }
}

fn markup(shell: &Shell<'_>, display: DisplayField<'_>, value: &Value, short: bool) -> Markup {
    let language = shell.language();
    if is_empty(value) {
        return html! { span class="none" { "–" } };
    }
    let text = || display.text(shell.pages.site.registry, language, value);
    match (&display.field.kind, value) {
        (Kind::Day, Value::String(iso)) => day(language, iso),
        (Kind::Instant, Value::String(iso)) => instant(shell, iso),
        (Kind::Int | Kind::Number, Value::Number(_)) => html! { span class="number" { (text()) } },
        (Kind::Relation(_), Value::Number(_))
            if display::person(shell.pages.site.registry, language, display).is_some() =>
        {
            html! { span class="note" { (text()) } }
        }
        (Kind::Relation(to), _) if short => related(shell, to, value),
        (Kind::Relation(to), _) => html! { (related(shell, to, value)) (picture(shell, to, value, &text())) },
        (Kind::Relations(to), Value::Array(all)) => html! {
            @for (place, one) in all.iter().take(RELATED).enumerate() {
                @if place > 0 { ", " }
                (related(shell, to, one))
            }
            @if all.len() > RELATED { " … " span class="count" { (all.len()) } }
        },
        (Kind::Rows(_), Value::Array(rows)) if short => html! { (rows.len()) },
        (Kind::Rows(subs), Value::Array(rows)) => table_of_rows(shell, display, &subs.iter().collect::<Vec<_>>(), rows),
        (Kind::Bool | Kind::Select(_) | Kind::Selects(_) | Kind::Texts(_), _) => html! { (text()) },
        (Kind::Json, Value::Object(_)) if !short && display.field.wording == Wording::Own => {
            members(shell, display.collection.slug, display.path, value)
        }
        _ => text_of(&text(), short),
    }
}

/// The members of an object, whose labels are those that the field has for its path, else their names.
fn members(shell: &Shell<'_>, slug: &str, path: &str, value: &Value) -> Markup {
    let language = shell.language();
    let label = |name: &str, path: &str| match labels::of_field(language, slug, path, &mut |_| {}) {
        (_, true) => labels::member(language, slug, path),
        (_, false) => name.to_owned(),
    };
    html! {
        @match value {
            Value::Object(members) => {
                dl class="values" { @for (name, value) in members { div {
                    @let path = format!("{path}.{name}");
                    dt { (label(name, &path)) }
                    dd { (self::members(shell, slug, &path, value)) }
                } } }
            }
            Value::Array(all) => ul { @for one in all { li { (members(shell, slug, path, one)) } } },
            Value::Bool(yes) => (shell.text(if *yes { "page-yes" } else { "page-no" })),
            Value::Number(_) => (display::number(language, &value.to_string())),
            Value::String(text) => (text),
            Value::Null => "–",
        }
    }
}

fn text_of(text: &str, short: bool) -> Markup {
    match text.char_indices().nth(CELL).filter(|_| short) {
        Some((end, _)) => html! { (text.get(..end).unwrap_or_default()) "…" },
        None if short => html! { (text) },
        None => html! { span class="text" { (text) } },
    }
}

/// These members of the rows of a list.
pub(crate) fn members_of(shell: &Shell<'_>, c: &Collection, field: &Field, doc: &Value, members: &[&str]) -> Markup {
    match (&field.kind, at(doc, &field.path)) {
        (Kind::Rows(subs), Value::Array(rows)) => {
            let subs: Vec<&Field> = subs.iter().filter(|sub| members.contains(&sub.path.as_str())).collect();
            table_of_rows(shell, DisplayField::of(c, field), &subs, rows)
        }
        _ => html! {},
    }
}

/// A list of rows side by side, the last one first: a line for each of these members, of which the first heads the
/// columns; the others and earlier rows are folded. A telephone shows two rows ([`NARROW`]), the third behind the fold.
pub(crate) fn side_by_side(
    shell: &Shell<'_>,
    c: &Collection,
    field: &Field,
    value: &Value,
    CardTable { columns, most, .. }: &CardTable,
) -> Markup {
    let rows: Vec<&Value> = value.as_array().into_iter().flatten().rev().collect();
    let (Kind::Rows(subs), false) = (&field.kind, rows.is_empty()) else {
        return html! {};
    };
    let list = DisplayField::of(c, field);
    let lines: Vec<&Field> = columns.iter().filter_map(|path| subs.iter().find(|sub| sub.path == *path)).collect();
    let Some((&head, lines)) = lines.split_first() else {
        return html! {};
    };
    let others: Vec<&Field> = subs.iter().filter(|sub| !columns.contains(&sub.path.as_str())).collect();
    let all: Vec<&Field> = lines.iter().chain(&others).copied().collect();
    let latest = rows.get(..*most).unwrap_or(&rows);
    let earlier = rows.get(NARROW..).unwrap_or_default();
    let has_others = others.iter().any(|sub| latest.iter().any(|row| !is_empty(at(row, &sub.path))));
    let name = labels::field(shell.language(), c.slug, &field.path);
    let (more, before) = (shell.text("page-more-fields"), shell.text("page-earlier"));
    html! {
        section {
            h2 { (name) }
            (rows_as_columns(shell, list, ("beside latest", &name, head, lines), latest))
            @if has_others {
                details {
                    summary { (more) }
                    (rows_as_columns(shell, list, ("beside latest", &format!("{name}: {more}"), head, &others), latest))
                }
            }
            @if !earlier.is_empty() {
                details class=[(rows.len() <= *most).then_some("few")] {
                    summary { (before) }
                    (rows_as_columns(shell, list, ("beside earlier", &format!("{name}: {before}"), head, &all), earlier))
                }
            }
        }
    }
}

/// Rows as columns: a line for each member that one of them has.
fn rows_as_columns(
    shell: &Shell<'_>,
    list: DisplayField<'_>,
    (class, name, head, lines): (&str, &str, &Field, &[&Field]),
    rows: &[&Value],
) -> Markup {
    let (language, slug) = (shell.language(), list.collection.slug);
    let path = |sub: &Field| format!("{}.{}", list.path, sub.path);
    let cell = |sub: &Field, row: &Value| {
        markup(shell, DisplayField { field: sub, path: &path(sub), ..list }, at(row, &sub.path), true)
    };
    let filled = lines.iter().filter(|sub| rows.iter().any(|row| !is_empty(at(row, &sub.path))));
    html! {
        section class="wide" tabindex="0" aria-label=(name) { table class=(class) {
            thead { tr {
                th scope="col" { (labels::member(language, slug, &path(head))) }
                @for row in rows { th scope="col" { (cell(head, row)) } }
            } }
            tbody { @for sub in filled { tr {
                th scope="row" { (labels::member(language, slug, &path(sub))) }
                @for row in rows { td { (cell(sub, row)) } }
            } } }
        } }
    }
}

/// Rows within a record, with the members that are shown. Their fields have paths of their own: `remarks.text`.
fn table_of_rows(shell: &Shell<'_>, list: DisplayField<'_>, subs: &[&Field], rows: &[Value]) -> Markup {
    let (language, slug) = (shell.language(), list.collection.slug);
    let filled: Vec<(&Field, String)> = (subs.iter())
        .filter(|sub| !sub.aside && rows.iter().any(|row| !is_empty(at(row, &sub.path))))
        .map(|sub| (*sub, format!("{}.{}", list.path, sub.path)))
        .collect();
    html! {
        section class="wide" tabindex="0" aria-label=(labels::field(language, slug, list.path)) { table {
            thead { tr { @for (_, path) in &filled { th scope="col" { (labels::field(language, slug, path)) } } } }
            tbody { @for row in rows { tr { @for (sub, path) in &filled {
                td { (in_row(shell, DisplayField { field: sub, path, ..list }, row)) }
            } } } }
        } }
    }
}

/// A related record by its name, with the way to its page; one that is closed to the visitor by its id.
pub(crate) fn related(shell: &Shell<'_>, slug: &str, value: &Value) -> Markup {
    let Some(target) = shell.pages.site.registry.get(slug) else {
        return html! {};
    };
    let id = match value {
        Value::Object(members) => members.get("id"),
        id => Some(id),
    };
    let text = display::related(shell.pages.site.registry, shell.language(), slug, value);
    let opened = value.is_object();
    match id.and_then(|id| shell.record(target, id)) {
        // What the answer names by its id alone is not open to the visitor, or is there no more.
        Some(_) if !opened && target.auth => html! { span class="note" { (text) } },
        Some(_) if !opened => {
            html! { (text) " " span class="note" { "(" (shell.text("page-closed")) ")" } }
        }
        Some(address) => html! { a href=(address) { (text) } },
        None => html! { (text) },
    }
}

/// A related file that is a picture, called by its own text, else by what it is about.
pub(crate) fn picture(shell: &Shell<'_>, slug: &str, value: &Value, about: &str) -> Markup {
    let target = shell.pages.site.registry.get(slug);
    let kind = at(value, "mimeType").as_str().unwrap_or_default();
    let address = at(value, "url").as_str();
    let small = at(value, "sizes.card.url").as_str().or(address);
    // A link must have a name.
    let caption = match text_at(value, "alt") {
        "" => format!("{}: {about}", shell.text("page-picture")),
        alt => alt.to_owned(),
    };
    match small.filter(|_| kind.starts_with("image/") && target.is_some_and(|c| c.upload.is_some())) {
        Some(small) => {
            html! { a href=[address] { img src=(small) alt=(caption) loading="lazy"; } }
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

/// A point in time by the clock of the visitor's organisation.
pub(crate) fn instant(shell: &Shell<'_>, iso: &str) -> Markup {
    let utc = display::instant(shell.language(), iso);
    match time::parse(iso) {
        Some(at) => html! {
            time class="instant" datetime=(iso) title=(utc) { (display::minute(shell.language(), &shell.clock(at))) }
        },
        None => html! { (utc) },
    }
}
