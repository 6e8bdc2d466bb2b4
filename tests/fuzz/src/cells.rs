//! Tables of farms as values: whatever stands in columns and cells is read or reported, the same each time, and how a
//! column is written does not depend on the order of its cells.

use crate::draw::Draw;
use domain::collections::registry;
use ingest::{Column, Meaning, Notation, Profiles, meaning, value};
use model::registry::{Collection, Registry};
use ops::parse_body;
use serde_json::{Map, Value as Json};
use sheets::{Book, Epoch, Limits, Options, Row, Source, Table};

/// When tables are read: 2026-03-01.
const NOW: i64 = 1_772_323_200_000;

const FILES: [&[u8]; 8] = [
    include_bytes!("../../packages/files/01-animals.csv"),
    include_bytes!("../../packages/files/04-parlour-february.csv"),
    include_bytes!("../../packages/files/08-service-journal.xls"),
    include_bytes!("../../packages/files/09-calvings-and-services.xlsx"),
    include_bytes!("../../packages/files/14-american-units.csv"),
    include_bytes!("../../packages/files/15-date-habits.csv"),
    include_bytes!("../../packages/files/16-exteriors.ods"),
    include_bytes!("../../packages/files/20-robot.ndjson"),
];
const HEADINGS: &[&str] = &[
    "Инд.№",
    "Бирка",
    "Чип",
    "Дата",
    "Дата отёла",
    "Дата рождения",
    "Удой, л",
    "Жир, %",
    "Живая масса, lb",
    "Пол",
    "Отец",
    "Событие",
    "Лёгкость отёла",
    "Кратность",
    "progeny.0.sex",
    "owner.inn",
    "id",
    "notes",
    "bcs",
    "SCC, cells/ml",
];
const WORDS: &[&str] = &[
    "06/05/2025",
    "06/25/2025",
    "25-06-2025",
    "20.10.26",
    "20251021",
    "45930",
    "45930,25",
    "00.00.0000",
    "01.01.0001",
    "10/22/2025 12:00 AM",
    "T06:30:00+03:00",
    " 25:61",
    "1.034",
    "1.034,5",
    "1,034.5",
    "1'034",
    "1’",
    "-1",
    "0",
    "0800",
    "1e308",
    "99999999999999999999",
    "%",
    "4,1%",
    "=\"0800\"",
    "'=1",
    "=\"",
    "н/д",
    "-",
    "–",
    "#N/A",
    "Err:502",
    "нет",
    "ж",
    "Отёл",
    "да",
    "+",
    "a|b",
    "[1,",
    "{\"a\":1}",
    "Итого",
    "\u{a0}",
    "\u{202f}",
    "é",
    "\u{0}",
    ";",
    ",",
    "\t",
    "\"",
    "\n",
    "\r\n",
];

fn limits() -> Limits {
    Limits { file_bytes: 1 << 20, unpacked_bytes: 4 << 20, columns: 40, rows: 200, ..Limits::default() }
}

pub(crate) fn check(draw: &mut Draw<'_>) {
    let registry = registry().unwrap();
    let sets: Vec<&'static Collection> = registry.package_sets().map(|(c, _)| c).collect();
    let c = *draw.pick(&sets);
    let bytes = match draw.once_in(3) {
        true => draw.bytes(&FILES, WORDS),
        false => table(draw).into_bytes(),
    };
    let first = read(registry, c, &bytes);
    assert_eq!(first, read(registry, c, &bytes));
    for body in first.iter().flatten() {
        let (_, issues) = parse_body(c, body, None);
        assert!(issues.iter().all(|issue| !issue.code.is_empty()), "{issues:?}");
    }
}

/// A table with headings that mean something.
fn table(draw: &mut Draw<'_>) -> String {
    let width = 2 + draw.below(6);
    let header: Vec<&str> = (0..width).map(|_| *draw.pick(HEADINGS)).collect();
    let mut text = header.join(";");
    for _ in 0..draw.below(8) {
        text += "\r\n";
        for place in 0..width {
            text += if place == 0 { "" } else { ";" };
            text += *draw.pick(WORDS);
            text += if draw.once_in(4) { *draw.pick(WORDS) } else { "" };
        }
    }
    text
}

/// The bodies of a table; none: it is no table, or has no header.
fn read(registry: &Registry, c: &'static Collection, bytes: &[u8]) -> Option<Vec<Map<String, Json>>> {
    let options = Options { limits: limits(), ..Options::default() };
    let book = Book::open(Source::from(bytes.to_vec()), &options).ok()?;
    let known = |heading: &str| matches!(meaning(registry, c, heading), Meaning::Takes(_));
    let mut table = Table::find(book.rows(0).ok()?, &known).ok()?;
    let header = table.header.clone()?;
    let column = |title: &sheets::Cell| match meaning(registry, c, title.display_text().trim()) {
        Meaning::Takes(column) => Some(column),
        _ => None,
    };
    let columns: Vec<Option<Column>> = header.cells.iter().map(column).collect();
    let mut rows = Vec::new();
    while let Ok(Some(row)) = table.next() {
        rows.push(row);
    }
    let epoch = book.epoch();
    let notations = decided(c, &columns, rows.iter(), epoch);
    assert_eq!(notations, decided(c, &columns, rows.iter().rev(), epoch));
    let body = |row: &Row| {
        let mut body = Map::new();
        for ((column, notation), cell) in columns.iter().zip(&notations).zip(&row.cells) {
            let Some(column) = column else { continue };
            let text = notation.text_of(c, column, cell, epoch);
            if notation.fault(c, column, "", &text).is_none()
                && let Some(value) = value(c, column, notation, &text, false)
            {
                column.put(c, &mut body, value);
            }
        }
        body
    };
    Some(rows.iter().map(body).collect())
}

fn decided<'r>(
    c: &Collection,
    columns: &[Option<Column>],
    rows: impl Iterator<Item = &'r Row>,
    epoch: Option<Epoch>,
) -> Vec<Notation> {
    let mut profiles = Profiles::new(c, columns.iter().map(Option::as_ref), NOW);
    for row in rows {
        for (place, cell) in row.cells.iter().enumerate() {
            profiles.see(place, cell, epoch);
        }
    }
    profiles.decided()
}
