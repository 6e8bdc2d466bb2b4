//! Cells of a table as values of a body: dates, numbers and words as people write them
//! (docs/import.md, *Cells*). A cell that cannot be read stays text, and the body's reader says so.

use crate::columns::{Column, Part};
use model::registry::{Collection, Field, Kind};
use serde_json::{Map, Value as Json};

/// What stands for nothing.
const NOTHING: [&str; 4] = ["-", "—", "н/д", "n/a"];
/// Characters before which spreadsheets are told by an apostrophe that a text is no formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// Days from 1899-12-30 to 1970-01-01, the zero of spreadsheets.
const SPREADSHEET_ZERO: i64 = 25_569;
/// Serial days that are taken for dates: 1920 to 2099.
const SERIALS: std::ops::RangeInclusive<i64> = 7_306..=73_050;

/// A cell as a value; none: it is empty and says nothing.
pub fn value(c: &Collection, column: &Column, cell: &str, ids: bool) -> Option<Json> {
    let text = plain(cell).trim();
    if text.is_empty() {
        return None;
    }
    let field = column.field(c)?;
    if says_nothing(cell) {
        // A parent that a file does not know is not taken from the book.
        return (!field.names_parent).then_some(Json::Null);
    }
    if let Part::Through(path) = &column.part {
        return Some(named(path, text));
    }
    Some(of_kind(c, column, field, text, ids))
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

/// A text without what protects it from spreadsheets: an apostrophe before a formula, and the formula `="0800"`, by
/// which a number stays a text.
pub(crate) fn plain(cell: &str) -> &str {
    let cell = match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(FORMULA) => rest,
        _ => cell,
    };
    let text = cell.trim().strip_prefix("=\"");
    let text = text.and_then(|rest| rest.strip_suffix('"'));
    text.filter(|text| !text.contains('"')).unwrap_or(cell)
}

fn of_kind(c: &Collection, column: &Column, field: &Field, text: &str, ids: bool) -> Json {
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password => Json::from(text),
        Kind::Int | Kind::Number => {
            // Elsewhere, or under a heading with another unit, a percentage is no value of the field.
            let percent = field.in_percent() && column.factor == 1.0;
            let bare = text.strip_suffix('%').filter(|_| percent);
            number(bare.unwrap_or(text), column.factor).unwrap_or_else(|| Json::from(text))
        }
        Kind::Day | Kind::Instant => Json::from(date(text).unwrap_or_else(|| text.to_owned())),
        Kind::Bool => truth(text).map_or_else(|| Json::from(text), Json::from),
        Kind::Select(values) => {
            let value = c.worded(&column.path(c), values, text);
            Json::from(value.unwrap_or(text))
        }
        Kind::Selects(values) => {
            let path = column.path(c);
            list(&split(text), |one| {
                Json::from(c.worded(&path, values, one).unwrap_or(one))
            })
        }
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

/// Choices with bars between them, as other lists have; exports have a comma and a blank, people semicolons.
fn split(text: &str) -> String {
    match text.starts_with('[') {
        true => text.to_owned(),
        false => text.replace(", ", "|").replace(';', "|"),
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

/// A number with comma or point, and blanks between the thousands.
fn number(text: &str, factor: f64) -> Option<Json> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let pointed = match (bare.contains('.'), bare.matches(',').count()) {
        (false, 1) => bare.replace(',', "."),
        _ => bare,
    };
    let whole = pointed.trim_start_matches('-');
    let digits = whole.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !digits || !whole.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let read: f64 = pointed.parse().ok()?;
    if factor == 1.0 {
        return serde_json::from_str(&format!("{read}")).ok();
    }
    // To six digits: a factor has no more.
    let scaled = (read * factor * 1e6).round() / 1e6;
    serde_json::Number::from_f64(scaled).map(Json::Number)
}

/// A date as the body's reader knows it: from `31.12.2025`, `31/12/2025`, perhaps with a time behind,
/// or the serial day of a spreadsheet.
fn date(text: &str) -> Option<String> {
    let (day, time) = match text.split_once([' ', 'T']) {
        Some((day, time)) => (day, Some(time.trim())),
        None => (text, None),
    };
    let parts: Vec<&str> = day.split(['.', '/']).collect();
    let iso = match parts.as_slice() {
        [day, month, year] if year.len() == 4 && day.len() <= 2 && month.len() <= 2 => {
            let (day, month): (u8, u8) = (day.parse().ok()?, month.parse().ok()?);
            let year: u16 = year.parse().ok()?;
            format!("{year:04}-{month:02}-{day:02}")
        }
        [one] if one.len() == 10 && one.contains('-') => (*one).to_owned(),
        [one] => {
            let serial: i64 = one.parse().ok().filter(|days| SERIALS.contains(days))?;
            let ms = (serial - SPREADSHEET_ZERO) * 86_400_000;
            return Some(model::record::time::to_iso(ms));
        }
        _ => return None,
    };
    let Some(time) = time else { return Some(iso) };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == ':');
    match time.len() {
        // Times without an offset are taken as UTC, as everything in the book is.
        5 if digits(time) && time != "00:00" => Some(format!("{iso}T{time}:00Z")),
        8 if digits(time) && time != "00:00:00" => Some(format!("{iso}T{time}Z")),
        5 | 8 if digits(time) => Some(iso),
        _ => Some(format!("{iso}T{time}")),
    }
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
    use crate::columns::{Meaning, meaning};
    use domain::collections::registry;

    #[test]
    fn dates_are_read_as_people_write_them() {
        let read = |text| date(text).unwrap_or_default();
        assert_eq!(read("31.12.2025"), "2025-12-31");
        assert_eq!(read("1/2/2025"), "2025-02-01");
        assert_eq!(read("2025-12-31"), "2025-12-31");
        assert_eq!(read("45000"), "2023-03-15T00:00:00.000Z");
        assert_eq!(read("31.12.2025 06:30"), "2025-12-31T06:30:00Z");
        assert_eq!(read("31.12.2025 00:00:00"), "2025-12-31");
        assert_eq!(
            read("2025-12-31T06:30:00+03:00"),
            "2025-12-31T06:30:00+03:00"
        );
        for text in ["12.2025", "31.12.25", "yesterday", "1", "12345678"] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_have_a_comma_or_a_point() {
        let read = |text, factor| number(text, factor).map(|n| n.to_string());
        assert_eq!(read("31,5", 1.0), Some("31.5".to_owned()));
        assert_eq!(read("1 234.5", 1.0), Some("1234.5".to_owned()));
        assert_eq!(read("-3", 1.0), Some("-3".to_owned()));
        assert_eq!(read("100", 0.453_592_37), Some("45.359237".to_owned()));
        for text in [
            "1,234,5", "1e3", "NaN", "inf", "0x10", "-", "", ".5", "1.2.3", "31 кг",
        ] {
            assert_eq!(read(text, 1.0), None, "{text}");
        }
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
            Meaning::Takes(column) => value(c, &column, cell, false).map(|value| value.to_string()),
            _ => None,
        };
        for (heading, cell, read_as) in [
            ("Инд.№", "0800", Some("\"0800\"")),
            ("Инд.№", "=\"960002000077\"", Some("\"960002000077\"")),
            (
                "animal.altIds.earTag",
                "=\"0800\"",
                Some("{\"altIds.earTag\":\"0800\"}"),
            ),
            ("Инд.№", "=\"\"", None),
            ("Инд.№", "'-", Some("\"-\"")),
            ("Удой за день, кг", "0031", Some("31")),
            ("Удой за день, кг", "=\"31,5\"", Some("31.5")),
            ("Удой за день, кг", "31%", Some("\"31%\"")),
            ("Жир, %", "4.1%", Some("4.1")),
            ("Жир, %", "4,10%", Some("4.1")),
            ("Жир, %", "4.10 %", Some("4.1")),
            ("Жир, г", "4,1%", Some("\"4,1%\"")),
            ("Жир, %", "%", Some("\"%\"")),
            ("Жир, %", "-", Some("null")),
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
