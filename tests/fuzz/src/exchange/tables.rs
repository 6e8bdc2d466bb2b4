//! Tables: the same number of columns in each line, a line for each document, and no cell that a
//! spreadsheet runs as a formula. A text of a record comes back unchanged.

use super::documents::document;
use crate::draw::Draw;
use crate::world::World;
use ade::schema::Standard;
use ade::table::Table;
use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};
use std::sync::LazyLock;

static WORLD: LazyLock<World> = LazyLock::new(World::new);

/// Characters at which spreadsheets begin a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

const SEEDS: &[&str] = &["=cmd|' /C calc'!A0", "Зорька, \"вторая\"", "a\r\nb", "-1", "'x", "+7 495"];
const WORDS: &[&str] = &[
    "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", ",", ";", "\"", "'", "|", "\\", " ", "a", "1", "é", "\u{feff}",
    "\u{2028}", "\u{ff1d}", "=1+1", "@SUM(A1)", "-2+3", "\"\"",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    if draw.once_in(8) {
        return name(draw);
    }
    let resources: Vec<&str> = Standard::get().resources().collect();
    let resource = *draw.pick(&resources);
    let mut docs: Vec<Value> = (0..draw.below(4)).map(|_| document(draw, resource)).collect();
    for doc in &mut docs {
        draw.spoil(doc, WORDS);
    }
    let table = Table::of(resource).unwrap();
    let written = table.write(&docs).unwrap();
    let input = Value::from(docs.clone()).to_string();
    let lines = safe(&written, &input);
    assert_eq!(lines.len(), docs.len() + 1, "{input}");
    assert!(lines.iter().all(|line| line.len() == table.columns().len()), "{input}");
}

/// The lines of a table, none of which has a formula.
pub(crate) fn safe(table: &[u8], input: &str) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(table);
    let lines: Result<Vec<_>, _> = reader.records().collect();
    let lines = lines.unwrap_or_else(|why| panic!("{why}: {input}"));
    // The names of the columns are those of the standard, or of declarations.
    for cell in lines.iter().skip(1).flatten() {
        // Several numbers are separated by a bar.
        let number = || cell.split('|').all(|one| one.parse::<f64>().is_ok());
        assert!(!cell.starts_with(FORMULA) || number(), "{cell:?}: {input}");
    }
    lines
}

/// The name of a record, by its table.
fn name(draw: &mut Draw<'_>) {
    let name = draw.text(SEEDS, WORDS);
    let body = json!({"name": name}).to_string();
    let request = WORLD.request(3, "PATCH", "/api/herds/1?depth=0");
    let request = request.header(CONTENT_TYPE, "application/json");
    let heard = WORLD.ask(request.body(body.clone().into()).unwrap());
    if heard.status != 200 {
        return;
    }
    let stored = heard.json()["doc"]["name"].as_str().unwrap_or_default().to_owned();
    let path = "/api/herds?select[name]=true&where[id][equals]=1";
    let request = WORLD.request(3, "GET", path).header(ACCEPT, "text/csv");
    let heard = WORLD.ask(request.body(Body::empty()).unwrap());
    let lines = safe(&heard.body, &body);
    let column = lines[0].iter().position(|head| head == "name");
    let cell = column.and_then(|at| lines.get(1)?.get(at)).unwrap_or_default();
    let expected = match stored.starts_with(FORMULA) {
        true => format!("'{stored}"),
        false => stored,
    };
    assert_eq!(cell, expected, "{body}");
}
