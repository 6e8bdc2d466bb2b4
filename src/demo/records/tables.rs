//! The dictionaries: rows from three compact text files.
//!
//! A section `[collection] field field:type field>other` opens a table; a line
//! of cells parted by `|` is a row. `:b` is a truth value, `:i` a whole number,
//! `>other` a code of another collection, which must come earlier.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::rows::{Sink, row};
use crate::SeedRow;

const FILES: [&str; 3] = [
    include_str!("../data/countries.txt"),
    include_str!("../data/regions.txt"),
    include_str!("../data/dictionaries.txt"),
];

/// All dictionary rows, and their ids by code.
pub(crate) struct Tables {
    rows: Vec<SeedRow>,
    ids: BTreeMap<(&'static str, &'static str), i64>,
    names: BTreeMap<(&'static str, i64), &'static str>,
}

impl Tables {
    pub(crate) fn load() -> Self {
        let mut tables = Self { rows: Vec::new(), ids: BTreeMap::new(), names: BTreeMap::new() };
        let mut head: Vec<&'static str> = Vec::new();
        for line in FILES.iter().flat_map(|file| file.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                head = line.split_whitespace().collect();
            } else {
                tables.add(&head, line);
            }
        }
        tables
    }

    fn add(&mut self, head: &[&'static str], line: &'static str) {
        let Some((section, columns)) = head.split_first() else {
            return;
        };
        let collection = section.trim_matches(['[', ']']);
        let cells: Vec<&'static str> = line.split('|').map(str::trim).collect();
        let (Some(code), Some(name)) = (cells.first(), cells.get(1)) else {
            return;
        };
        let id = self.count(collection) + 1;
        let mut fields = Map::new();
        for (column, cell) in columns.iter().zip(&cells) {
            if !cell.is_empty() {
                let (name, value) = self.cell(column, cell);
                fields.insert(name.to_owned(), value);
            }
        }
        fields.insert("sortOrder".to_owned(), json!(id * 10));
        self.ids.insert((collection, code), id);
        self.names.insert((collection, id), name);
        self.rows.push(row(collection, id, fields.into()));
    }

    fn cell(&self, column: &'static str, cell: &'static str) -> (&'static str, Value) {
        if let Some((name, target)) = column.split_once('>') {
            return (name, json!(self.id(target, cell)));
        }
        match column.split_once(':') {
            Some((name, "b")) => (name, json!(cell == "true")),
            Some((name, "i")) => (name, json!(cell.parse::<i64>().ok())),
            _ => (column, json!(cell)),
        }
    }

    fn count(&self, collection: &str) -> i64 {
        let own = self.rows.iter().filter(|row| row.collection == collection);
        own.count() as i64
    }

    /// Id of the row with the code.
    pub(crate) fn id(&self, collection: &'static str, code: &'static str) -> Option<i64> {
        self.ids.get(&(collection, code)).copied()
    }

    /// Ids of all rows of a collection, in order.
    pub(crate) fn all(&self, collection: &'static str) -> Vec<i64> {
        let ids = self.names.range((collection, i64::MIN)..=(collection, i64::MAX));
        ids.map(|((_, id), _)| *id).collect()
    }

    /// Name of a row.
    pub(crate) fn name(&self, collection: &'static str, id: i64) -> Option<&'static str> {
        self.names.get(&(collection, id)).copied()
    }

    /// Districts with their regions, for the farms.
    pub(crate) fn districts(&self) -> Vec<(i64, i64)> {
        self.rows
            .iter()
            .filter(|row| row.collection == "districts")
            .filter_map(|row| Some((row.id, row.data.get("region").and_then(Value::as_i64)?)))
            .collect()
    }

    pub(crate) fn rows(&self, sink: Sink<'_>) -> ControlFlow<()> {
        self.rows.iter().try_for_each(|row| sink(row.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{FILES, Tables};

    #[test]
    fn every_line_is_a_row_with_all_its_cells() {
        let mut columns = 0;
        let mut lines = 0;
        for line in FILES.iter().flat_map(|file| file.lines()).map(str::trim) {
            if line.starts_with('[') {
                columns = line.split_whitespace().count() - 1;
            } else if !line.is_empty() && !line.starts_with('#') {
                assert_eq!(line.split('|').count(), columns, "{line}");
                lines += 1;
            }
        }
        assert_eq!(Tables::load().rows.len(), lines);
    }

    #[test]
    fn codes_are_unique_and_relations_resolve() {
        let tables = Tables::load();
        assert_eq!(tables.ids.len(), tables.rows.len());
        for row in &tables.rows {
            for (collection, field) in [("regions", "country"), ("districts", "region")] {
                assert!(row.collection != collection || row.data.contains_key(field));
            }
        }
        assert_eq!(tables.count("countries"), 249);
        let alpha3: BTreeSet<_> = tables
            .rows
            .iter()
            .filter(|row| row.collection == "countries")
            .map(|row| row.data["alpha3"].as_str().unwrap())
            .collect();
        assert_eq!(alpha3.len(), 249);
    }

    #[test]
    fn the_fixed_codes_are_there() {
        let tables = Tables::load();
        let value = |collection: &str, code: &str, field: &str| {
            let row = tables.rows.iter().find(|row| row.collection == collection && row.data["code"] == code).unwrap();
            row.data[field].as_str().unwrap().to_owned()
        };
        assert_eq!(value("reproduction-methods", "2", "adeType"), "NaturalService");
        assert_eq!(value("reproduction-methods", "3", "adeType"), "Implantation");
        assert_eq!(value("insemination-results", "1", "adeResult"), "pregnant");
        assert_eq!(value("countries", "RU", "numeric"), "643");
        assert_eq!(value("disposal-reasons", "disease", "adeDeathReason"), "Disease");
    }
}
