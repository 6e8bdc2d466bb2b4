//! Tables of lists for spreadsheets: their rows as cells, read from the lines of [`ops::Form::Cells`], and as text with
//! semicolons, as programs with Russian settings read it.

use super::form::Form;
use crate::layers::language;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};
use csv::{Terminator, WriterBuilder};
use futures_util::{Stream, StreamExt};
use model::display::DisplayField;
use model::error::{Error, Result};
use model::messages::{Language, labels};
use model::query::qs::Tree;
use model::record::time;
use model::registry::{Collection, Field, Registry, Wording};
use ops::{Cell, plain};
use serde_json::Value;
use std::cmp::Reverse;

/// The mark at the beginning of a table by which spreadsheets know its encoding.
pub(in crate::rest) const MARK: &str = "\u{feff}";

#[derive(Debug)]
pub(in crate::rest) enum Line {
    /// A sheet begins: its name, and the titles of its columns.
    Sheet(String, Vec<String>),
    Row(Vec<Cell>),
}

/// What stands above the columns of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rest) enum Headers {
    /// Paths of fields, for programs.
    Paths,
    /// Names for people: ids of rows come last, and related rows have their whole names. Such tables are read back too.
    Labels(Language),
}

impl Headers {
    /// What `headers` asks for; names are in the [chosen](language::chosen) language.
    ///
    /// # Errors
    /// [`Error::Query`] for another word, for names in a form that has no cells, and for a language that there is not.
    pub(in crate::rest) fn wanted(headers: &HeaderMap, query: &Tree, form: Form) -> Result<Self> {
        let word = query.get("headers").map(|word| word.as_text());
        let cells = matches!(form, Form::Russian | Form::Workbook);
        match word {
            None | Some(Some("paths")) => Ok(Self::Paths),
            Some(Some("labels")) if cells => Ok(Self::Labels(language::chosen(headers, query)?)),
            _ => Err(Error::Query(vec!["headers".to_owned()])),
        }
    }

    /// The language of the people who read it; none where programs do.
    pub(in crate::rest) fn language(self) -> Option<Language> {
        match self {
            Self::Paths => None,
            Self::Labels(language) => Some(language),
        }
    }

    fn title(self, c: &Collection, path: String) -> String {
        let Self::Labels(language) = self else {
            return path;
        };
        labels::field(language, c.slug, meant(c, &path))
    }

    /// The field of a column whose values have names for people.
    fn choice(self, c: &'static Collection, path: &str) -> Option<(Language, &'static Field)> {
        let Self::Labels(language) = self else {
            return None;
        };
        let field = c.field(meant(c, path))?;
        let worded = matches!(field.wording, Wording::Collection | Wording::Code | Wording::Sentence | Wording::Set);
        (worded || !field.named_values().is_empty()).then_some((language, field))
    }

    /// The name of the sheet of a collection.
    fn sheet(self, c: &Collection) -> String {
        match self {
            Self::Paths => c.slug.to_owned(),
            Self::Labels(language) => labels::collections(language, c.slug),
        }
    }

    /// Says in the headers of an answer which language the names have.
    pub(in crate::rest) fn tell(self, headers: &mut HeaderMap) {
        if let Self::Labels(language) = self {
            let language = HeaderValue::from_static(language.word());
            headers.insert(header::CONTENT_LANGUAGE, language);
            headers.append(header::VARY, HeaderValue::from_static("Accept-Language"));
        }
    }
}

/// The field that a column shows: a second name of a field means the field.
fn meant<'p>(c: &'p Collection, path: &'p str) -> &'p str {
    let meant = c.aliases.iter().find(|(_, alias)| *alias == path);
    meant.map_or(path, |(canonical, _)| canonical)
}

/// A cell with the names of the values of a choice, or with what the server says there.
fn choice_cell(registry: &Registry, c: &Collection, (language, field): (Language, &Field), cell: Cell) -> Cell {
    let name = |word: &str| match field.named_values().iter().any(|own| own == word) {
        true => labels::option(language, c.slug, &field.path, word),
        false => word.to_owned(),
    };
    match cell {
        Cell::Text(word) if field.named_values().is_empty() => {
            Cell::Text(DisplayField::of(c, field).text(registry, language, &Value::String(word)))
        }
        Cell::Text(word) => Cell::Text(name(&word)),
        Cell::Json { json } => match serde_json::from_str::<Vec<String>>(&json) {
            Ok(words) => {
                let names: Vec<String> = words.iter().map(|word| name(word)).collect();
                Cell::Text(names.join(", "))
            }
            Err(_) => Cell::Json { json },
        },
        other => other,
    }
}

/// Texts of a row that others of the row explain, as the path of a field beside its collection: the field, and the
/// places of it and of those.
fn explained(c: &'static Collection, headers: Headers, paths: &[Value]) -> Vec<(&'static Field, Vec<(String, usize)>)> {
    let place = |path: &str| Some((path.to_owned(), paths.iter().position(|own| own.as_str() == Some(path))?));
    let explained = |field: &'static Field| {
        let about = field.explained_by().into_iter().flatten();
        let is_text = !matches!(field.wording, Wording::Own | Wording::WordsOr(..) | Wording::Person(_));
        let all: Option<Vec<_>> = std::iter::once(field.path.as_str()).chain(about).map(place).collect();
        all.filter(|all| is_text && all.len() > 1 && !field.path.contains('.')).map(|all| (field, all))
    };
    match headers {
        Headers::Paths => Vec::new(),
        Headers::Labels(_) => c.fields.iter().filter_map(explained).collect(),
    }
}

/// Says such texts in words.
fn explain(
    (registry, c, language): (&Registry, &Collection, Language),
    explained: &[(&'static Field, Vec<(String, usize)>)],
    values: &mut [Value],
) {
    let said = explained.iter().filter_map(|(field, places)| {
        let row: Value = places.iter().map(|(path, at)| (path.clone(), values.get(*at).cloned())).collect();
        let (_, own) = places.first()?;
        values.get(*own)?.as_str()?;
        Some((*own, DisplayField::of(c, field).text_in(registry, language, &row)))
    });
    let said: Vec<(usize, String)> = said.collect();
    for (own, text) in said {
        if let Some(value) = values.get_mut(own) {
            *value = text.into();
        }
    }
}

/// The columns of a table for people: ids come last, and names stand in place of keys.
#[derive(Debug, Default)]
struct Columns {
    /// The ids of rows, by which the table can be sent back.
    id: Option<usize>,
    /// Columns that move or whose names stand elsewhere; the last first.
    moved: Vec<usize>,
    /// Keys, their words that have names of their own, and the names of the others.
    keys: Vec<(usize, &'static [String], usize)>,
}

impl Columns {
    fn of(c: &'static Collection, paths: &[Value]) -> Self {
        let place = |path: &str| paths.iter().position(|own| own.as_str() == Some(path));
        let key = |field: &'static Field| match &field.wording {
            Wording::WordsOr(words, name) => Some((place(&field.path)?, words.as_slice(), place(name)?)),
            _ => None,
        };
        let keys: Vec<_> = c.fields.iter().filter_map(key).collect();
        let id = place("id");
        let mut moved: Vec<usize> = id.into_iter().chain(keys.iter().map(|(.., name)| *name)).collect();
        moved.sort_unstable_by_key(|place| Reverse(*place));
        Self { id, moved, keys }
    }

    /// Puts names in place of keys in a row, and the id of each line behind the others.
    fn put_names(&self, values: &mut Vec<Value>, is_row: bool) {
        for (key, words, name) in self.keys.iter().filter(|_| is_row) {
            let name = values.get(*name).filter(|name| name.is_string()).cloned();
            if let (Some(name), Some(key)) = (name, values.get_mut(*key))
                && !words.iter().any(|word| key.as_str() == Some(word.as_str()))
            {
                *key = name;
            }
        }
        let id = self.id.and_then(|place| values.get(place)).cloned();
        for place in &self.moved {
            if *place < values.len() {
                values.remove(*place);
            }
        }
        values.extend(id);
    }
}

pub(in crate::rest) fn lines(
    registry: &'static Registry,
    c: &'static Collection,
    headers: Headers,
    body: impl Stream<Item = Result<Bytes>> + Unpin + Send + 'static,
) -> impl Stream<Item = Result<Line>> + Send + 'static {
    let mut body = body;
    async_stream::try_stream! {
        let (mut rest, mut begun) = (Vec::new(), false);
        let mut columns = Columns::default();
        let mut choices: Vec<Option<(Language, &'static Field)>> = Vec::new();
        let mut texts = Vec::new();
        while let Some(piece) = body.next().await {
            rest.extend_from_slice(&piece?);
            let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') else {
                continue;
            };
            let tail = rest.split_off(end + 1);
            let whole = std::mem::replace(&mut rest, tail);
            for text in whole.split(|byte| *byte == b'\n').filter(|text| !text.is_empty()) {
                let mut values: Vec<Value> = serde_json::from_slice(text).map_err(Error::internal)?;
                if !begun && headers.language().is_some() {
                    columns = Columns::of(c, &values);
                }
                columns.put_names(&mut values, begun);
                if let (true, Some(language)) = (begun, headers.language()) {
                    explain((registry, c, language), &texts, &mut values);
                }
                yield match begun {
                    true => {
                        let cells = values.into_iter().map(Cell::read).enumerate();
                        let cell = |(place, cell)| match choices.get(place).copied().flatten() {
                            Some(choice) => choice_cell(registry, c, choice, cell),
                            None => cell,
                        };
                        Line::Row(cells.map(cell).collect())
                    }
                    false => {
                        let choice = |value: &Value| headers.choice(c, value.as_str()?);
                        choices = values.iter().map(choice).collect();
                        texts = explained(c, headers, &values);
                        let title = |value: Value| {
                            headers.title(c, value.as_str().unwrap_or_default().to_owned())
                        };
                        Line::Sheet(headers.sheet(c), values.into_iter().map(title).collect())
                    }
                };
                begun = true;
            }
        }
    }
}

/// The text of lines, a piece for each: semicolons between cells, commas in numbers, days as `DD.MM.YYYY`.
pub(in crate::rest) fn text(
    lines: impl Stream<Item = Result<Line>> + Send + 'static,
) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
    lines.map(|line| {
        let (mark, cells) = match line? {
            Line::Sheet(_, titles) => (MARK, titles),
            Line::Row(cells) => ("", cells.into_iter().map(russian).collect()),
        };
        let mut out = Vec::from(mark.as_bytes());
        record(&mut out, &cells)?;
        Ok(Bytes::from(out))
    })
}

/// Appends a line with semicolons: where commas stand in numbers, spreadsheets expect them.
pub(in crate::rest) fn record(out: &mut Vec<u8>, cells: &[String]) -> Result<()> {
    let mut writer = WriterBuilder::new().delimiter(b';').flexible(true).terminator(Terminator::CRLF).from_writer(out);
    writer.write_record(cells).map_err(Error::internal)?;
    writer.flush().map_err(Error::internal)
}

fn russian(cell: Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Bool(value) => if value { "да" } else { "нет" }.to_owned(),
        Cell::Int(value) => value.to_string(),
        Cell::Num(value) => value.to_string().replace('.', ","),
        Cell::Day { day } => turned(&time::to_iso(day), false),
        Cell::Instant { at } => turned(&time::to_iso(at), true),
        Cell::Text(text) | Cell::Json { json: text } => plain(text),
    }
}

/// `2026-02-05T06:40:00.000Z` as `05.02.2026 06:40:00`, or the day alone.
fn turned(iso: &str, whole: bool) -> String {
    let (day, clock) = iso.split_once('T').unwrap_or((iso, ""));
    let mut parts: Vec<&str> = day.rsplitn(3, '-').collect();
    // A year before our era has a sign of its own.
    if parts.len() != 3 {
        parts = vec![day];
    }
    let clock = clock.split('.').next().unwrap_or_default();
    match whole {
        true => format!("{} {clock}", parts.join(".")),
        false => parts.join("."),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, russian};

    #[test]
    fn cells_are_written_as_russian_spreadsheets_read_them() {
        for (cell, expected) in [
            (Cell::Num(30.5), "30,5"),
            (Cell::Int(-3), "-3"),
            (Cell::Text("=1+1".to_owned()), "'=1+1"),
            (Cell::Day { day: 1_770_249_600_000 }, "05.02.2026"),
            (Cell::Instant { at: 1_770_273_600_000 }, "05.02.2026 06:40:00"),
            (Cell::Bool(true), "да"),
            (Cell::Empty, ""),
        ] {
            assert_eq!(russian(cell), expected);
        }
    }
}
