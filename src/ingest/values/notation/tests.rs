//! What columns decide, in tables.

use super::*;
use crate::meanings::columns::{Meaning, meaning};
use domain::collections::registry;
use serde_json::json;
use test_support::table;

const LAST: &str = "2027-11-29";

fn profile() -> Profile {
    Profile { plain: Notation { short_years_to: Some(LAST.to_owned()), ..Notation::default() }, ..Profile::default() }
}

fn decided(content: Content, values: &[&str]) -> Notation {
    let mut profile = profile();
    for value in values {
        profile.see_text(content, value, true);
    }
    profile.decided()
}

fn permutations<'t>(values: &[&'t str]) -> Vec<Vec<&'t str>> {
    if values.is_empty() {
        return vec![Vec::new()];
    }
    let first = |at: usize| {
        let mut rest = values.to_vec();
        let first = rest.remove(at);
        let rest = permutations(&rest).into_iter();
        rest.map(move |rest| [vec![first], rest].concat())
    };
    (0..values.len()).flat_map(first).collect()
}

/// Values of a column, what they decide, and what each of them is; `?` is nothing.
type Line<'t> = (&'t [&'t str], serde_json::Value, &'t [&'t str]);

fn holds(content: Content, lines: &[Line<'_>]) {
    for (values, notation, read) in lines {
        let decides = decided(content, values);
        assert_eq!(json!(decides), *notation, "{values:?}");
        let is: Vec<String> = values
            .iter()
            .map(|value| match content {
                Content::Dates => decides.date(value),
                Content::Numbers => decides.number(value),
            })
            .map(|read| read.unwrap_or_else(|| "?".to_owned()))
            .collect();
        assert_eq!(is, *read, "{values:?}");
        if values.len() <= 5 {
            for other in permutations(values) {
                assert_eq!(decided(content, &other), decides, "{other:?}");
            }
        }
        let stored = serde_json::from_value::<Notation>(json!(decides));
        assert_eq!(stored.ok(), Some(decides), "it is stored with the package");
    }
}

#[test]
fn the_dates_of_a_column_decide_together() {
    let slash = |order: &str| json!({"slash": order});
    let digits = |are: &str| json!({"digits": are});
    let lines: &[Line<'_>] = &table![
        &["06/05/2025", "06/25/2025"], slash("month-first"), &["2025-06-05", "2025-06-25"];
        &["06/05/2025", "25/06/2025"], slash("day-first"), &["2025-05-06", "2025-06-25"];
        &["06/05/2025", "07/05/2025"], slash("undecided"), &["2025-05-06", "2025-05-07"];
        &["25/06/2025", "06/25/2025", "03/04/2025"], slash("contradicts"), &["?", "?", "?"];
        &["25/06/2025", "06/25/2025", "03.04.2025"], slash("contradicts"), &["?", "?", "2025-04-03"];
        &["05/05/2025"], json!({}), &["2025-05-05"];
        &["06.05.2025", "06/25/2025", "21-10-2026"],
            json!({"slash": "month-first", "hyphen": "day-first"}),
            &["2025-05-06", "2025-06-25", "2026-10-21"];
        &["20.10.26", "20.10.25", "5.1.26", "20/10/26", "20.10.98"],
            json!({"slash": "day-first", "shortYearsTo": LAST}),
            &["2026-10-20", "2025-10-20", "2026-01-05", "2026-10-20", "1998-10-20"];
        &["29.11.27", "30.11.27"], json!({"shortYearsTo": LAST}), &["2027-11-29", "1927-11-30"];
        &["20261021", "20261022"], digits("days"), &["2026-10-21", "2026-10-22"];
        &["20261021", "21.10.2026"], digits("unread"), &["?", "2026-10-21"];
        &["20261021", "20261032"], digits("unread"), &["?", "?"];
        &["46300", "46300,25", "46300.5"], digits("serials"),
            &["2026-10-05", "2026-10-05T06:00:00", "2026-10-05T12:00:00"];
        &["46300", "05.02.2026"], digits("unread"), &["?", "2026-02-05"];
        &["20261021", "46300"], digits("unread"), &["?", "?"];
        &["2026/10/21", "2026.10.21", "2026-1-5"], json!({}), &["2026-10-21", "2026-10-21", "2026-01-05"];
        // With hyphens, the first two digits may be the year.
        &["20-10-26", "31.11.2025", "13/13/2025"], json!({}), &["?", "?", "?"];
        &["yesterday", "12.2025", "1", "12345678"], json!({}), &["?", "?", "?", "?"];
    ];
    holds(Content::Dates, lines);
}

#[test]
fn a_time_stands_behind_a_date_in_many_ways() {
    let lines: &[Line<'_>] = &table![
        &["22.10.2026 0:00:00", "22.10.2026 6:30", "22.10.2026 06:30:15.123", "22.10.2026 00:00"],
            json!({}), &["2026-10-22", "2026-10-22T06:30:00", "2026-10-22T06:30:15.123", "2026-10-22"];
        &["10/22/2026 6:30 AM", "10/22/2026 6:30:05 PM", "10/22/2026 12:00:00 AM", "10/22/2026 12:05pm"],
            json!({"slash": "month-first"}),
            &["2026-10-22T06:30:00", "2026-10-22T18:30:05", "2026-10-22", "2026-10-22T12:05:00"];
        &["2026-10-23T06:30:00.000", "2025-12-31T06:30:00+03:00", "2025-12-31T06:30:00Z"], json!({}),
            &["2026-10-23T06:30:00", "2025-12-31T06:30:00+03:00", "2025-12-31T06:30:00Z"];
        // What is no time is a fault of the reader of bodies.
        &["22.10.2026 25:00", "22.10.2026 6", "22.10.2026 13:00 PM"], json!({}),
            &["2026-10-22T25:00", "2026-10-22T6", "2026-10-22T13:00 PM"];
    ];
    holds(Content::Dates, lines);
}

#[test]
fn the_numbers_of_a_column_decide_together() {
    let decimal = |is: &str| json!({"decimal": is});
    let lines: &[Line<'_>] = &table![
        &["1.034,5", "1.034"], decimal("comma"), &["1034.5", "1034"];
        &["1,034.5", "1,034", "612.5"], decimal("point"), &["1034.5", "1034", "612.5"];
        &["31,5", "1.034"], decimal("comma"), &["31.5", "1034"];
        &["1.034.567", "1.034"], decimal("comma"), &["1034567", "1034"];
        &["1.034", "2.117"], decimal("undecided"), &["1.034", "2.117"];
        &["1,034"], decimal("undecided"), &["1.034"];
        &["31,5", "30.5"], json!({}), &["31.5", "30.5"];
        &["31,5", "30.5", "1.034"], decimal("either"), &["31.5", "30.5", "1.034"];
        &["1.034,5", "1,034.5", "12"], decimal("contradicts"), &["?", "?", "12"];
        &["1.034,5", "30.5", "1.034"], decimal("contradicts"), &["?", "?", "?"];
        &["1'034,5", "1\u{a0}034,5", "1\u{202f}034", "1 034"], json!({}),
            &["1034.5", "1034.5", "1034", "1034"];
        &["0.034", "1034.500", "-3", "-1.034"], decimal("point"), &["0.034", "1034.500", "-3", "-1.034"];
        &[".5", "-.9", "+,041", "1,034"], decimal("either"), &[".5", "-.9", "+.041", "1.034"];
        &[".041", "1,034"], decimal("point"), &[".041", "1034"];
        &["1,234,5", "1e3", "NaN", "0x10", "-", "", ".", "-.", "..5", ".5.5", "1.2.3", "31 кг", "5'"], json!({}),
            &["?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?"];
    ];
    holds(Content::Numbers, lines);
}

#[test]
fn years_of_two_digits_are_not_ahead() {
    let registry = registry().unwrap();
    let now = time::parse("2026-11-29T09:00:00Z").unwrap();
    let read = |slug: &str, path: &str, text: &str| {
        let c = registry.get(slug).unwrap();
        let Meaning::Takes(column) = meaning(registry, c, path) else {
            panic!("{path} is a field");
        };
        let mut profile = Profile::new(c, &column, now);
        profile.see_text(Content::of(c, &column).unwrap(), text, true);
        profile.decided().date(text).unwrap()
    };
    assert_eq!(read("animals", "birthDate", "29.11.26"), "2026-11-29");
    assert_eq!(read("animals", "birthDate", "30.11.26"), "1926-11-30");
    assert_eq!(read("weighings", "date", "30.11.26"), "2026-11-30");
    assert_eq!(read("weighings", "date", "30.11.27"), "1927-11-30");
}

#[test]
fn what_a_workbook_knows_is_written_as_its_column() {
    let number = |number: f64| Cell::new(Value::Number(number), number.to_string());
    let comma = decided(Content::Numbers, &["1.034,5", "1.034"]);
    let text = |notation: &Notation, content: Content, cell: Cell, epoch: Option<Epoch>| {
        notation.text(Some(content), &cell, epoch)
    };
    assert_eq!(text(&comma, Content::Numbers, number(1.034), None), "1,034");
    assert_eq!(comma.number("1,034").as_deref(), Some("1.034"));
    let plain = Notation::default();
    let (early, late) = (Some(Epoch::Y1900), Some(Epoch::Y1904));
    assert_eq!(text(&plain, Content::Dates, number(46_300.0), early), "2026-10-05");
    assert_eq!(text(&plain, Content::Dates, number(44_838.0), late), "2026-10-05");
    assert_eq!(text(&plain, Content::Dates, number(46_300.0), None), "46300");
    let mut profile = profile();
    profile.see(Content::Dates, &number(46_300.0), early);
    profile.see(Content::Dates, &number(20_261_021.0), early);
    assert_eq!(json!(profile.decided()), json!({"digits": "days"}));
}

#[test]
fn cells_of_a_table_are_read_among_whatever_others() {
    let alone = |content: Content, values: &[&str], text: &str| decided(content, values).beyond_doubt(content, text);
    let dates = ["06/05/2025", "06/25/2025"];
    assert_eq!(alone(Content::Dates, &dates, "06/05/2025").as_deref(), Some("2025-06-05"));
    assert_eq!(alone(Content::Dates, &dates, "06.05.2025"), None);
    assert_eq!(alone(Content::Dates, &["05.06.25"], "05.06.25").as_deref(), Some("2025-06-05"));
    assert_eq!(alone(Content::Dates, &["20261021"], "20261021").as_deref(), Some("2026-10-21"));
    assert_eq!(alone(Content::Dates, &["25/06/2025", "06/25/2025"], "25/06/2025"), None);
    let comma = ["1.034,5", "1.034"];
    assert_eq!(alone(Content::Numbers, &comma, "1.034").as_deref(), Some("1034"));
    assert_eq!(alone(Content::Numbers, &comma, "1,034").as_deref(), Some("1,0340"));
    assert_eq!(alone(Content::Numbers, &comma, "1.034,5"), None);
    assert_eq!(alone(Content::Numbers, &["1.034"], "1.034").as_deref(), Some("1.0340"));
    assert_eq!(alone(Content::Numbers, &["30,5"], "30,5"), None);
}
