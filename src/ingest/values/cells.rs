//! Cells of a table as values of a body: dates, numbers and words as people write them
//! (docs/import.md, *Cells*). A cell that cannot be read stays text, and the body's reader says so.

use crate::meanings::columns::{Column, Part};
use crate::values::blank::{is_no_date, says_nothing};
use crate::values::identifiers;
use crate::values::notation::Notation;
use crate::values::spelling::local_day;
pub(crate) use crate::values::spelling::plain;
use crate::values::units::number_of;
use model::registry::{Collection, Field, Kind, ValueScale};
use serde_json::{Map, Value as Json};

/// A cell as a value, as its column is written; none: it is empty and says nothing.
pub fn value(c: &Collection, column: &Column, notation: &Notation, cell: &str, ids: bool) -> Option<Json> {
    let text = plain(cell).trim();
    if text.is_empty() {
        return None;
    }
    let field = column.field(c)?;
    // Where nothing would become a default, `-` is no option, and the row is held.
    let begins = matches!(field.kind, Kind::Select(_)) && field.begins(true).is_some();
    let no_date = matches!(field.kind, Kind::Day | Kind::Instant) && is_no_date(text);
    // What a file does not know is not taken from the book.
    if no_date || (says_nothing(cell) && !begins) || identifiers::says_nothing(c, column, text) {
        return None;
    }
    if let Part::Through(path) = &column.part {
        return Some(reference(path, text));
    }
    Some(of_kind(c, (column, field), notation, text, ids))
}

/// A relation by one field of the other row.
fn reference(path: &str, text: &str) -> Json {
    if path == "id" {
        return text.parse::<i64>().map_or_else(|_| Json::from(text), Json::from);
    }
    let mut name = Map::new();
    name.insert(path.to_owned(), Json::from(text));
    Json::Object(name)
}

fn of_kind(c: &Collection, (column, field): (&Column, &Field), notation: &Notation, text: &str, ids: bool) -> Json {
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password => Json::from(text),
        Kind::Int | Kind::Number => {
            let signs = notation.signs.as_ref();
            let (bare, factor) = match column.scale {
                // Points have no unit.
                ValueScale::Relative(_) => (text, 1.0),
                _ => number_of(field, column.factor, signs, text),
            };
            number(notation, bare, factor).unwrap_or_else(|| Json::from(text))
        }
        Kind::Day | Kind::Instant => {
            let date = notation.date(text).unwrap_or_else(|| text.to_owned());
            match local_day(&date) {
                // Tables of the book have UTC.
                Some(_) if ids => Json::from(format!("{date}Z")),
                Some(day) if field.kind == Kind::Day => Json::from(day),
                // The clock of the place shows it, which is known when the row is written.
                _ => Json::from(date),
            }
        }
        Kind::Bool => truth(text).map_or_else(|| Json::from(text), Json::from),
        Kind::Select(values) => Json::from(c.worded(&column.path(c), values, text).unwrap_or(text)),
        Kind::Selects(values) => {
            let path = column.path(c);
            list(&split(text), |one| Json::from(c.worded(&path, values, one).unwrap_or(one)))
        }
        Kind::Texts(_) => list(text, Json::from),
        Kind::Relation(_) => related(text, ids),
        Kind::Relations(_) => list(text, |one| related(one, ids)),
        Kind::Rows(_) | Kind::Json => serde_json::from_str(text).unwrap_or_else(|_| Json::from(text)),
    }
}

/// A relation: the name of a row, or its id where the file has the ids of the book.
fn related(text: &str, ids: bool) -> Json {
    match text.parse::<i64>() {
        Ok(id) if ids => Json::from(id),
        _ => Json::from(text),
    }
}

/// Choices with bars between them, as other lists have; exports have a comma and a blank, people semicolons.
fn split(text: &str) -> String {
    if text.starts_with('[') { text.to_owned() } else { text.replace(", ", "|").replace(';', "|") }
}

/// A list: JSON, or values with `|` between them.
fn list<'t>(text: &'t str, one: impl Fn(&'t str) -> Json) -> Json {
    if text.starts_with('[')
        && let Ok(list) = serde_json::from_str(text)
    {
        return list;
    }
    text.split('|').map(str::trim).filter(|part| !part.is_empty()).map(one).collect()
}

/// A number in the unit of the model.
fn number(notation: &Notation, text: &str, factor: f64) -> Option<Json> {
    let read: f64 = notation.number(text)?.parse().ok()?;
    if factor == 1.0 {
        return serde_json::from_str(&format!("{read}")).ok();
    }
    // To six digits: a factor has no more.
    serde_json::Number::from_f64((read * factor * 1e6).round() / 1e6).map(Json::Number)
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
    use crate::meanings::columns::{Meaning, meaning};
    use domain::collections::registry;
    use test_support::table;

    #[test]
    fn numbers_come_in_the_unit_of_the_model() {
        let read = |text, factor| number(&Notation::default(), text, factor).map(|read| read.to_string());
        assert_eq!(read("31,5", 1.0), Some("31.5".to_owned()));
        assert_eq!(read("-3", 1.0), Some("-3".to_owned()));
        assert_eq!(read("100", 0.453_592_37), Some("45.359237".to_owned()));
        assert_eq!(read("31 кг", 1.0), None);
    }

    #[test]
    fn what_protects_a_text_from_spreadsheets_is_no_part_of_it() {
        for (cell, text) in [
            ("'=1+1", "=1+1"),
            ("'t Hart", "'t Hart"),
            ("=\"960002000077\"", "960002000077"),
            (" =\"0800\" ", "0800"),
            ("'=\"0800\"", "0800"),
            ("=\"a\"&\"b\"", "=\"a\"&\"b\""),
            ("=\"", "=\""),
            ("=1+1", "=1+1"),
        ] {
            assert_eq!(plain(cell), text, "{cell}");
        }
    }

    #[test]
    fn numbers_with_zeros_and_percentages_are_read_by_their_fields() {
        let registry = registry().unwrap();
        let c = registry.get("milk-tests").unwrap();
        let read = |heading: &str, cell: &str| match meaning(registry, c, heading) {
            Meaning::Takes(column) => {
                value(c, &column, &Notation::default(), cell, false).map(|value| value.to_string())
            }
            _ => None,
        };
        for (heading, cell, read_as) in table![
            "Инд.№", "0800", Some("\"0800\"");
            "Инд.№", "=\"960002000077\"", Some("\"960002000077\"");
            "animal.altIds.earTag", "=\"0800\"", Some("{\"altIds.earTag\":\"0800\"}");
            "Инд.№", "=\"\"", None;
            "Инд.№", "'-", Some("\"-\"");
            "Удой за день, кг", "0031", Some("31");
            "Удой за день, кг", "=\"31,5\"", Some("31.5");
            "Удой за день, кг", "31%", Some("\"31%\"");
            "Жир, %", "4.1%", Some("4.1");
            "Жир, %", "4,10%", Some("4.1");
            "Жир, %", "4.10 %", Some("4.1");
            "Жир, г", "4,1%", None;
            "Жир, %", "31 кг", Some("\"31 кг\"");
            "Удой за день, кг", "31,5 кг", Some("31.5");
            "Удой за день, кг", "31,5кг", Some("31.5");
            "Удой за день, кг", "69 lb", Some("31.297874");
            "Удой за день, кг", "31 л", Some("31.93");
            "Удой, lb", "69 lbs", Some("31.297874");
            "Удой, lb", "31 кг", Some("\"31 кг\"");
            "Соматика, тыс./мл", "250 тыс/мл", Some("250");
            "Соматика, тыс./мл", "250 тыс.", Some("250");
            "Соматика", "250 000 кл/мл", Some("250.0");
            "Соматика", "<10", Some("\"<10\"");
            "Мочевина", "25 мг/100мл", Some("25");
            "Мочевина", "250 мг/л", Some("25.0");
            "Жир, %", "%", Some("\"%\"");
            "Жир, %", "-", None;
            "Дата контроля", "00.00.0000", None;
        ] {
            assert_eq!(read(heading, cell).as_deref(), read_as, "{heading}: {cell}");
        }
    }

    #[test]
    fn lists_are_json_or_have_bars() {
        assert_eq!(list("a | b", Json::from), serde_json::json!(["a", "b"]));
        assert_eq!(list("[1,2]", Json::from), serde_json::json!([1, 2]));
        let choices = |text| list(&split(text), Json::from);
        for text in ["a, b", "a; b", "a;b", "a|b", "[\"a\", \"b\"]"] {
            assert_eq!(choices(text), serde_json::json!(["a", "b"]), "{text}");
        }
    }
}
