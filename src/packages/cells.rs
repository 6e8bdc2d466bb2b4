//! Cells of a table as values of a body: dates, numbers and words as people write them
//! (docs/import.md, *Cells*). A cell that cannot be read stays text, and the body's reader says so.

use crate::columns::{Column, Part};
use crate::notation::Notation;
use model::registry::{Collection, Field, Kind};
use serde_json::{Map, Value as Json};

/// What stands for nothing.
const NOTHING: [&str; 4] = ["-", "—", "н/д", "n/a"];
/// Characters before which spreadsheets are told by an apostrophe that a text is no formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A cell as a value, as its column is written; none: it is empty and says nothing.
pub fn value(
    c: &Collection,
    column: &Column,
    notation: &Notation,
    cell: &str,
    ids: bool,
) -> Option<Json> {
    let text = cell.trim();
    if text.is_empty() {
        return None;
    }
    let field = column.field(c)?;
    if says_nothing(text) {
        return Some(Json::Null);
    }
    if let Part::Through(path) = &column.part {
        return Some(named(path, text));
    }
    let text = plain(cell);
    Some(of_kind(c, field, (column.factor, notation), text, ids))
}

/// Whether a cell says that there is nothing.
pub(crate) fn says_nothing(cell: &str) -> bool {
    NOTHING.contains(&cell.trim().to_lowercase().as_str())
}

/// A relation by one field of the other row.
fn named(path: &str, text: &str) -> Json {
    if path == "id" {
        return text
            .parse::<i64>()
            .map_or_else(|_| Json::from(text), Json::from);
    }
    let mut name = Map::new();
    name.insert(path.to_owned(), Json::from(text));
    Json::Object(name)
}

/// A text without the apostrophe that protects it from spreadsheets.
fn plain(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(FORMULA) => rest,
        _ => cell,
    }
}

fn of_kind(
    c: &Collection,
    field: &Field,
    (factor, notation): (f64, &Notation),
    cell: &str,
    ids: bool,
) -> Json {
    let text = cell.trim();
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password => Json::from(text),
        Kind::Int | Kind::Number => {
            number(notation, text, factor).unwrap_or_else(|| Json::from(text))
        }
        Kind::Day | Kind::Instant => {
            Json::from(notation.date(text).unwrap_or_else(|| text.to_owned()))
        }
        Kind::Bool => truth(text).map_or_else(|| Json::from(text), Json::from),
        Kind::Select(values) => {
            let value = c.worded(&field.path, values, text);
            Json::from(value.unwrap_or(text))
        }
        Kind::Selects(values) => list(text, |one| {
            Json::from(c.worded(&field.path, values, one).unwrap_or(one))
        }),
        Kind::Texts(_) => list(text, Json::from),
        Kind::Relation(_) => related(text, ids),
        Kind::Relations(_) => list(text, |one| related(one, ids)),
        Kind::Rows(_) | Kind::Json => {
            serde_json::from_str(text).unwrap_or_else(|_| Json::from(text))
        }
    }
}

/// A relation: the name of a row, or its id where the file has the ids of the book.
fn related(text: &str, ids: bool) -> Json {
    match text.parse::<i64>() {
        Ok(id) if ids => Json::from(id),
        _ => Json::from(text),
    }
}

/// A list: JSON, or values with `|` between them.
fn list<'t>(text: &'t str, one: impl Fn(&'t str) -> Json) -> Json {
    if text.starts_with('[')
        && let Ok(list) = serde_json::from_str(text)
    {
        return list;
    }
    let parts = text
        .split('|')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(one).collect()
}

/// A number in the unit of the model.
fn number(notation: &Notation, text: &str, factor: f64) -> Option<Json> {
    let read: f64 = notation.number(text)?.parse().ok()?;
    if factor == 1.0 {
        return serde_json::from_str(&format!("{read}")).ok();
    }
    // To six digits: a factor has no more.
    let scaled = (read * factor * 1e6).round() / 1e6;
    serde_json::Number::from_f64(scaled).map(Json::Number)
}

fn truth(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "y" | "да" | "1" | "+" => Some(true),
        "false" | "no" | "n" | "нет" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_the_unit_of_the_model() {
        let read =
            |text, factor| number(&Notation::default(), text, factor).map(|read| read.to_string());
        assert_eq!(read("31,5", 1.0), Some("31.5".to_owned()));
        assert_eq!(read("-3", 1.0), Some("-3".to_owned()));
        assert_eq!(read("100", 0.453_592_37), Some("45.359237".to_owned()));
        assert_eq!(read("31 кг", 1.0), None);
    }

    #[test]
    fn an_apostrophe_before_a_formula_is_no_part_of_the_text() {
        assert_eq!(plain("'=1+1"), "=1+1");
        assert_eq!(plain("'t Hart"), "'t Hart");
    }

    #[test]
    fn lists_are_json_or_have_bars() {
        assert_eq!(list("a | b", Json::from), serde_json::json!(["a", "b"]));
        assert_eq!(list("[1,2]", Json::from), serde_json::json!([1, 2]));
    }
}
