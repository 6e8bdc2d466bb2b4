//! Documents as lines of a table (RFC 4180), for spreadsheets and statistics. The columns come from
//! the schema of a type alone, so that all pages of a list have the same ones. A table is for reading:
//! it has every value, but not every difference (nothing, null and an empty array are empty cells).
//!
//! - A column is named by its path: `weight.measurement`. Its order is that of the schemas, inherited
//!   members first.
//! - An array has one column, or one for each member of its elements: their values are in one cell
//!   in order, with `|` between them. In values `\` and `|` get a `\` before them.
//! - Arrays inside arrays, and geometries, are written as JSON.
//! - Members that the schema does not know are in the last column, [`FURTHER`], as a JSON object
//!   from their JSON pointer to their value.
//! - Texts at which spreadsheets would begin a formula get an apostrophe before them.

use crate::schema::{Body, Declaration, Member, Section, Standard, Type, TypeKind};
use csv::{Terminator, WriterBuilder};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The column of members that the schema does not know.
pub const FURTHER: &str = "_further";

/// Between the values of an array.
const BETWEEN: char = '|';
/// Before a character of a value that would be taken for another.
const ESCAPE: char = '\\';
/// Characters at which spreadsheets take a text for a formula. An apostrophe before them makes it a text again.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The table of a type.
#[derive(Debug)]
pub struct Table {
    columns: Vec<String>,
    part: Part,
}

/// How a value is laid out.
#[derive(Debug)]
enum Part {
    /// One column.
    Value,
    /// The columns of the members, with the number of all.
    Members(Vec<(&'static str, Part)>, usize),
    /// The columns of an element.
    Elements(Box<Part>),
    /// One column of JSON.
    Json,
}

impl Table {
    /// The table of a resource, by its official name or an accepted misspelling.
    #[must_use]
    pub fn of(resource: &str) -> Option<&'static Self> {
        static ALL: LazyLock<BTreeMap<&'static str, Table>> = LazyLock::new(|| {
            let all = Standard::get().declarations().iter();
            let resources = all.filter(|one| one.section == Section::Resource);
            resources.map(|one| (one.name, Table::new(one))).collect()
        });
        ALL.get(Standard::get().resource(resource)?.name)
    }

    fn new(one: &'static Declaration) -> Self {
        let part = declared(one, false);
        let mut columns = Vec::new();
        part.name("", &mut columns);
        columns.push(FURTHER.to_owned());
        Self { columns, part }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The line with the names of the columns, and one for each document.
    ///
    /// # Errors
    /// None that could be met: the text is written to memory.
    pub fn write<'d>(&self, documents: impl IntoIterator<Item = &'d Value>) -> Result<Vec<u8>, csv::Error> {
        let mut lines = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
        lines.write_record(&self.columns)?;
        for document in documents {
            lines.write_record(self.line(document))?;
        }
        lines.into_inner().map_err(|fault| fault.into_error().into())
    }

    fn line(&self, document: &Value) -> Vec<String> {
        let mut line = Line::default();
        line.part(&self.part, Some(document));
        let mut cells: Vec<String> = line.cells.into_iter().map(Cell::safe).collect();
        let further = Value::Object(line.further);
        cells.push(match further.as_object().is_some_and(|f| !f.is_empty()) {
            true => further.to_string(),
            false => String::new(),
        });
        cells
    }
}

impl Part {
    /// How many columns it has.
    fn width(&self) -> usize {
        match self {
            Self::Value | Self::Json => 1,
            Self::Members(_, width) => *width,
            Self::Elements(part) => part.width(),
        }
    }

    fn name(&self, path: &str, columns: &mut Vec<String>) {
        match self {
            Self::Value | Self::Json => columns.push(path.to_owned()),
            Self::Members(members, _) => {
                for (name, part) in members {
                    let dot = if path.is_empty() { "" } else { "." };
                    part.name(&format!("{path}{dot}{name}"), columns);
                }
            }
            Self::Elements(part) => part.name(path, columns),
        }
    }
}

/// The layout of a declaration; `inside` an array there are no columns for another one.
fn declared(one: &'static Declaration, inside: bool) -> Part {
    match &one.body {
        Body::Codes(_) | Body::Scalar(_) => Part::Value,
        Body::Variants { .. } => Part::Json,
        Body::Members(_) => {
            let mut all = Vec::new();
            inherited(one, &mut all);
            members(&all, inside)
        }
    }
}

/// The members of a declaration, those of its bases first.
fn inherited(one: &'static Declaration, all: &mut Vec<&'static Member>) {
    for base in one.bases.iter().filter_map(|name| Standard::get().declaration(name)) {
        inherited(base, all);
    }
    if let Body::Members(own) = &one.body {
        all.extend(own);
    }
}

fn members(all: &[&'static Member], inside: bool) -> Part {
    let mut parts: Vec<(&'static str, Part)> = Vec::new();
    for member in all {
        if parts.iter().any(|(name, _)| *name == member.name) {
            continue;
        }
        // The first declaration may only say that another one's member is required here.
        let same = all.iter().filter(|other| other.name == member.name);
        let ty = same.filter_map(|other| other.ty.as_ref()).next();
        let part = ty.map_or(Part::Value, |ty| typed(ty, inside));
        parts.push((member.name, part));
    }
    if parts.is_empty() {
        // An object whose members the standard does not define.
        return Part::Json;
    }
    let width = parts.iter().map(|(_, part)| part.width()).sum();
    Part::Members(parts, width)
}

fn typed(ty: &'static Type, inside: bool) -> Part {
    match &ty.kind {
        TypeKind::Object(own) => members(&own.iter().collect::<Vec<_>>(), inside),
        TypeKind::Array { .. } if inside => Part::Json,
        TypeKind::Array { items, .. } => Part::Elements(Box::new(typed(items, true))),
        TypeKind::Named(name) => {
            let found = Standard::get().declaration(name);
            found.map_or(Part::Json, |one| declared(one, inside))
        }
        _ => Part::Value,
    }
}

/// The text of a cell, and whether it is a number as such.
#[derive(Debug, Default)]
struct Cell {
    text: String,
    number: bool,
}

impl Cell {
    fn safe(self) -> String {
        if !self.number && self.text.starts_with(FORMULA) { format!("'{}", self.text) } else { self.text }
    }
}

#[derive(Default)]
struct Line {
    cells: Vec<Cell>,
    further: Map<String, Value>,
    pointer: String,
}

impl Line {
    fn part(&mut self, part: &Part, value: Option<&Value>) {
        match (part, value) {
            (_, None | Some(Value::Null)) => self.nothing(part),
            (Part::Members(members, _), Some(Value::Object(found))) => {
                for (name, part) in members {
                    self.at(name, |line| line.part(part, found.get(*name)));
                }
                for (name, value) in found {
                    if !members.iter().any(|(known, _)| known == name) {
                        self.at(name, |line| line.further(value));
                    }
                }
            }
            (Part::Elements(part), Some(Value::Array(elements))) => self.elements(part, elements),
            (Part::Members(..) | Part::Elements(_), Some(other)) => {
                // Not what the schema says: written as it is.
                self.further(other);
                self.nothing(part);
            }
            (Part::Value, Some(Value::String(text))) => self.cell(text.clone(), false),
            (Part::Value | Part::Json, Some(value)) => {
                self.cell(value.to_string(), value.is_number());
            }
        }
    }

    /// Values of one array: each column joined.
    fn elements(&mut self, part: &Part, elements: &[Value]) {
        let before = self.cells.len();
        let mut joined: Vec<String> = vec![String::new(); part.width()];
        for (index, element) in elements.iter().enumerate() {
            self.at(&index.to_string(), |line| line.part(part, Some(element)));
            for (text, cell) in joined.iter_mut().zip(self.cells.drain(before..)) {
                if index > 0 {
                    text.push(BETWEEN);
                }
                for c in cell.text.chars() {
                    if c == BETWEEN || c == ESCAPE {
                        text.push(ESCAPE);
                    }
                    text.push(c);
                }
            }
        }
        for text in joined {
            // Elements that all lack the member leave nothing but separators.
            let empty = text.chars().all(|c| c == BETWEEN);
            // Blanks before it are none of a number: a spreadsheet may begin a formula at them.
            let bare = !text.starts_with(char::is_whitespace);
            let number = bare && serde_json::from_str::<serde_json::Number>(&text).is_ok();
            self.cell(if empty { String::new() } else { text }, number);
        }
    }

    fn nothing(&mut self, part: &Part) {
        let end = self.cells.len() + part.width();
        self.cells.resize_with(end, Cell::default);
    }

    fn cell(&mut self, text: String, number: bool) {
        self.cells.push(Cell { text, number });
    }

    fn further(&mut self, value: &Value) {
        self.further.insert(self.pointer.clone(), value.clone());
    }

    fn at(&mut self, step: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        inside(self);
        self.pointer.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Names and cells that are filled, in the order of the columns.
    fn filled(resource: &str, document: Value) -> Vec<(String, String)> {
        let text = Table::of(resource).unwrap().write([&document]).unwrap();
        let mut lines = csv::ReaderBuilder::new().from_reader(text.as_slice());
        let head = lines.headers().unwrap().clone();
        let line = lines.records().next().unwrap().unwrap();
        let cells = head.iter().zip(line.iter());
        (cells.filter(|(_, cell)| !cell.is_empty())).map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let all = expected.iter();
        all.map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned())).collect()
    }

    #[test]
    fn objects_are_paths_and_arrays_are_joined() {
        let document = json!({
            "resourceType": "icarTestDayResultEventResource",
            "milkCharacteristics": [
                {"characteristic": "FAT", "value": "3.9"},
                {"characteristic": "a|b\\c", "value": "4", "unit": "mg"},
            ],
            "milkWeight24Hours": {"unitCode": "KGM", "value": -1.5},
            "animal": {"id": "1", "scheme": "s"},
            "remark": "x,\"y\"\r\nz",
        });
        let expected = pairs(&[
            ("resourceType", "icarTestDayResultEventResource"),
            ("remark", "x,\"y\"\r\nz"),
            ("animal.id", "1"),
            ("animal.scheme", "s"),
            ("milkWeight24Hours.unitCode", "KGM"),
            ("milkWeight24Hours.value", "-1.5"),
            ("milkCharacteristics.characteristic", "FAT|a\\|b\\\\c"),
            ("milkCharacteristics.value", "3.9|4"),
            ("milkCharacteristics.unit", "|mg"),
        ]);
        assert_eq!(filled("icarTestDayResultEventResource", document), expected);
    }

    #[test]
    fn what_the_schema_does_not_know_stands_in_the_last_column() {
        let document = json!({
            "weight": 5, "animal": {"id": "1", "scheme": "s", "x/y": [1]}, "herd": {"a": null},
            "device": null,
        });
        let expected = pairs(&[
            ("animal.id", "1"),
            ("animal.scheme", "s"),
            (FURTHER, r#"{"/animal/x~1y":[1],"/weight":5,"/herd":{"a":null}}"#),
        ]);
        assert_eq!(filled("icarWeightEventResource", document), expected);
    }

    #[test]
    fn arrays_in_arrays_and_geometries_are_json() {
        let document = json!({
            "progenyDetails": [{"alternativeIdentifiers": [{"id": "1", "scheme": "s"}]}, {"name": "B"}],
        });
        let expected = pairs(&[
            ("progenyDetails.alternativeIdentifiers", r#"[{"id":"1","scheme":"s"}]|"#),
            ("progenyDetails.name", "|B"),
        ]);
        assert_eq!(filled("icarReproParturitionEventResource", document), expected);
        let geometry = json!({"geometry": {"type": "Point", "coordinates": [1, 2.5]}});
        let expected = pairs(&[("geometry", r#"{"type":"Point","coordinates":[1,2.5]}"#)]);
        assert_eq!(filled("icarPositionObservationEventResource", geometry), expected);
    }

    #[test]
    fn texts_do_not_become_formulas_and_numbers_stay_numbers() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+7 900", "'+7 900"),
            ("-x", "'-x"),
            ("-5", "'-5"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("a=1", "a=1"),
        ] {
            let found = filled("icarRemarkEventResource", json!({"note": text}));
            assert_eq!(found, pairs(&[("note", cell)]));
        }
        let scores = json!({"conformationScores": [{"score": -2}, {"score": 3}]});
        let found = filled("icarTypeClassificationEventResource", scores);
        assert_eq!(found, pairs(&[("conformationScores.score", "'-2|3")]));
        for text in ["\t1", "\r\n1"] {
            let one = json!({"treatments": [{"eventDateTime": text}]});
            let found = filled("icarTreatmentProgramEventResource", one);
            let cell = format!("'{text}");
            assert_eq!(found, pairs(&[("treatments.eventDateTime", &cell)]));
        }
        let one = json!({"conformationScores": [{"score": -2}]});
        let found = filled("icarTypeClassificationEventResource", one);
        assert_eq!(found, pairs(&[("conformationScores.score", "-2")]));
    }

    #[test]
    fn every_resource_has_a_table_with_columns_of_its_own() {
        for name in Standard::get().resources() {
            let columns = Table::of(name).unwrap().columns();
            let mut known: Vec<&String> = columns.iter().collect();
            known.sort_unstable();
            known.dedup();
            assert_eq!(known.len(), columns.len(), "{name}");
            assert!((2..400).contains(&columns.len()), "{name}: {}", columns.len());
            let text = Table::of(name).unwrap().write([&json!({}), &json!(null)]).unwrap();
            let lines = String::from_utf8(text).unwrap();
            let commas = lines.split("\r\n").map(|line| line.matches(',').count());
            // A head, two lines, and the end of the last.
            assert_eq!(commas.collect::<Vec<_>>(), {
                let n = columns.len() - 1;
                [n, n, n, 0]
            });
        }
        assert!(Table::of("icarWeight").is_none());
    }
}
