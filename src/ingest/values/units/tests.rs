//! Units and signs of cells, and what the sizes of a column say, in tables.

use super::*;
use crate::meanings::columns::{Meaning, meaning};
use domain::collections::registry;
use test_support::table;

fn column(slug: &str, heading: &str) -> (&'static Collection, Column) {
    let registry = registry().unwrap();
    let c = registry.get(slug).unwrap();
    match meaning(registry, c, heading) {
        Meaning::Takes(column) => (c, column),
        other => panic!("{heading}: {other:?}"),
    }
}

#[test]
fn cells_are_a_sign_a_number_and_a_unit() {
    for (cell, parts) in [
        ("612", Some(["", "612", ""])),
        ("612,5кг", Some(["", "612,5", "кг"])),
        ("1 034,5 кг", Some(["", "1 034,5", "кг"])),
        ("-3", Some(["", "-3", ""])),
        ("4.10 %", Some(["", "4.10", "%"])),
        ("25 мг/100мл", Some(["", "25", "мг/100мл"])),
        ("< 10", Some(["<", "10", ""])),
        ("<=10 тыс.", Some(["<=", "10", "тыс."])),
        ("≈30", Some(["≈", "30", ""])),
        ("=5", None),
        ("кг", None),
        ("<", None),
        ("", None),
    ] {
        let read = Measured::of(cell).map(|read| [read.sign, read.number, read.unit]);
        assert_eq!(read, parts, "{cell}");
    }
}

#[test]
fn letters_around_numbers_of_workbooks_count_as_if_written() {
    let (c, column) = column("weighings", "Масса");
    let field = column.field(c).unwrap();
    for (prefix, suffix, shown, read) in [
        ("", " lb", "66 lb", ("66", 0.453_592_37)),
        ("", " lb/day", "66 lb/day", ("66 lb/day", 1.0)),
        ("", " фунтов", "66 фунтов", ("66 фунтов", 1.0)),
        ("", "‰", "66 ‰", ("66 ‰", 1.0)),
        ("", "%", "66 %", ("66 %", 1.0)),
        ("(", " )", "66", ("66", 1.0)),
        ("lb ", "", "lb 66", ("lb 66", 1.0)),
        ("<", "", "< 66", ("< 66", 1.0)),
        ("<", " lb", "< 66 lb", ("< 66 lb", 1.0)),
        ("", " |  lb", "66 |  lb", ("66 |  lb", 1.0)),
    ] {
        let [before, behind] = [prefix, suffix].map(|shown| Some(shown.into()));
        let cell = Cell { prefix: before, suffix: behind, ..Cell::new(sheets::Value::Number(66.0), "66") };
        let text = with_shown_unit(&cell, cell.display_text());
        assert_eq!(text, shown);
        assert_eq!(number_of(field, 1.0, None, &text), read, "{text}");
    }
}

#[test]
fn cells_in_units_of_other_fields_are_faults() {
    for (slug, heading, cell, code) in [
        ("milk-tests", "Жир", "4,1", None),
        ("milk-tests", "Жир", "4,1%", None),
        ("milk-tests", "Жир", "31 кг", Some(WRONG_UNIT)),
        ("milk-tests", "Удой", "31%", Some(WRONG_UNIT)),
        ("milk-tests", "Удой", "31 л", None),
        ("milk-tests", "Жир", "0", Some(NOT_MEASURED)),
        ("milk-tests", "Жир", "0,00 %", Some(NOT_MEASURED)),
        ("milk-tests", "Соматика", "0.0", Some(NOT_MEASURED)),
        ("milk-tests", "Соматика", "0,5", None),
        ("milk-tests", "Удой", "0", None),
        ("weighings", "Масса", "31 л", Some(WRONG_UNIT)),
        ("weighings", "Масса, lb", "1300 lb", None),
        ("weighings", "Масса, lb", "612 кг", Some(WRONG_UNIT)),
        ("weighings", "Масса", "<612", Some(UNCONFIRMED)),
        // What is no number, or no unit behind one, is a fault of the reader of bodies.
        ("weighings", "Масса", "много", None),
        ("weighings", "Масса", "612 kgx", None),
        ("weighings", "Упитанность", "3 кг", None),
    ] {
        let (c, column) = column(slug, heading);
        let field = column.field(c).unwrap();
        let issue_code = fault(field, column.factor, (None, None), ("", cell)).map(|issue| issue.code.to_string());
        assert_eq!(issue_code.as_deref(), code, "{heading}: {cell}");
    }
}

#[test]
fn the_value_in_the_middle_decides_whether_a_unit_is_requested() {
    for (slug, heading, cells, proposed) in table![
        "milk-tests", "Соматика", "120000|87000|250000", Some("cells/ml");
        "milk-tests", "Соматика", "120|87000|250", None;
        "milk-tests", "Соматика", "0,12|0,25|0,3", Some("million/ml");
        "milk-tests", "Соматика", "120000|87000", Some("cells/ml");
        "milk-tests", "Соматика", "85000", Some("cells/ml");
        "milk-tests", "Соматика", "0,12", Some("million/ml");
        "milk-tests", "Соматика", "20000|15000", None;
        "milk-tests", "Соматика", "0", None;
        "milk-tests", "Жир", "0,041", Some("share");
        "milk-tests", "Жир", "0,9", None;
        "weighings", "Масса", "612000", Some("g");
        "weighings", "Масса", "0,612|0,58", Some("t");
        "weighings", "Масса", "1300", None;
        "weighings", "Масса", "612000|612", Some("g");
        "milk-tests", "Соматика", "120000 кл/мл|87000 кл/мл|250000 кл/мл", None;
        "milk-tests", "Соматика, кл/мл", "120000|87000|250000", None;
        "milk-tests", "Жир", "0,041|0,038|4,1|0,04", Some("share");
        "milk-tests", "Удой", "31500|28000|25100", Some("g");
        "milk-tests", "Удой", "1,5|1,6|1,7", None;
        "weighings", "Масса", "1300|1250|1280", Some("lb");
        "weighings", "Масса", "1300|650|640", None;
        "weighings", "Масса", "0,612|0,58|0,6", Some("t");
        "weighings", "Упитанность", "350|325|300", None;
        "weighings", "Высота в крестце", "1,40", Some("m");
        "weighings", "Высота в крестце", "140", None;
        "weighings", "Обхват груди", "1900|1950|2000", Some("mm");
        "animals", "Кровность", "0,875|1|0,5", Some("share");
        "animals", "Кровность", "93,75|0|100", None;
        "animals", "Белок", "0,032", Some("share");
        "milk-tests", "Лактоза", "0,048", Some("share");
        "milk-tests", "Сухое вещество", "0,125", Some("share");
        "milk-tests", "Казеин", "0,027", Some("share");
        "calvings", "Масса телёнка, кг", "85|90|88", Some("lb");
        "calvings", "Масса телёнка, кг", "38,5|41|85", None;
        "milking-visits", "milkYield", "0,5|0,6|0,7", None;
    ] {
        let (c, column) = column(slug, heading);
        let mut sizes = Sizes::new(c, &column);
        cells.split('|').for_each(|cell| sizes.see(cell));
        let question = sizes.unit().map(|question| question.proposed);
        assert_eq!(question.as_deref(), proposed, "{heading}: {cells}");
        // In whatever order they stand.
        let mut other = Sizes::new(c, &column);
        cells.rsplit('|').for_each(|cell| other.see(cell));
        assert_eq!(other.unit().map(|question| question.proposed), question, "{heading}: {cells}");
    }
}

#[test]
fn a_sign_may_stand_between_thousands_where_these_are_possible() {
    for (slug, heading, cell, may) in [
        ("weighings", "Масса", "1.034", true),
        ("weighings", "Масса", "1,034 кг", true),
        ("weighings", "Масса", "1.034 т", false),
        ("weighings", "Масса", "612.340", false),
        ("milk-tests", "Соматика", "1.250", true),
        ("milk-tests", "Соматика", "1.25", false),
        ("milk-tests", "Соматика, млн/мл", "1.250", false),
        ("milk-tests", "Удой", "31.034", false),
        ("weighings", "Упитанность", "3.125", false),
    ] {
        let (c, column) = column(slug, heading);
        assert_eq!(may_have_thousands(c, &column, cell), may, "{heading}: {cell}");
    }
}
