//! JSON lines: an object in each. The first row has the names of all members, in the order in which they
//! are met; members of objects are named by their paths, lists stay JSON.

use crate::cell::{Cell, Row};
use crate::encoding::{Decoded, Encoding};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::Source;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

/// The lines of a file.
pub(crate) struct Rows {
    bytes: BufReader<Decoded>,
    line: u64,
    limits: Limits,
    /// Paths of members with their columns.
    columns: BTreeMap<String, usize>,
    head: Option<Row>,
}

impl Rows {
    pub(crate) fn open(
        source: &Source,
        encoding: Encoding,
        limits: &Limits,
    ) -> Result<Self, Fault> {
        let bytes = || Decoded::open(source, encoding).map(BufReader::new);
        let mut first = Self {
            bytes: bytes()?,
            line: 0,
            limits: limits.clone(),
            columns: BTreeMap::new(),
            head: None,
        };
        let mut head = Row::default();
        let mut columns = BTreeMap::new();
        while let Some(object) = first.object()? {
            let line = first.line;
            let long = limits.cell_bytes;
            each(&object, "", long, line, &mut |path, _| {
                if columns.contains_key(&path) {
                    return Ok(());
                }
                if columns.len() >= limits.columns {
                    let (row, limit) = (line, limits.columns);
                    return Err(Fault::TooManyColumns { row, limit });
                }
                head.put(columns.len(), Cell::text(path.as_str()), limits)?;
                columns.insert(path, columns.len());
                Ok(())
            })?;
        }
        Ok(Self {
            bytes: bytes()?,
            line: 0,
            columns,
            head: Some(head),
            ..first
        })
    }

    /// The next object.
    fn object(&mut self) -> Result<Option<Map<String, Json>>, Fault> {
        let limit = self.limits.row_bytes();
        loop {
            let mut bytes = Vec::new();
            let mut reader = (&mut self.bytes).take(limit as u64 + 1);
            let read = reader.read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            let line = self.line;
            if read > limit {
                return Err(Fault::CellTooLong { row: line, limit });
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let why = match serde_json::from_slice(&bytes) {
                Ok(Json::Object(object)) => return Ok(Some(object)),
                Ok(_) => "it is another value".to_owned(),
                Err(why) => why.to_string(),
            };
            return Err(Fault::NotJson { line, why });
        }
    }

    /// The next row with any value; the first one has the names.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        if let Some(head) = self.head.take().filter(|head| !head.is_empty()) {
            return Ok(Some(head));
        }
        while let Some(object) = self.object()? {
            let mut row = Row::new(self.line);
            let limit = self.limits.cell_bytes;
            let (columns, limits) = (&self.columns, &self.limits);
            each(&object, "", limit, self.line, &mut |path, value| {
                let cell = cell(value);
                if let Some(column) = columns.get(&path) {
                    row.put(*column, cell, limits)?;
                }
                Ok(())
            })?;
            if !row.is_empty() {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }
}

/// Every value that is no object, by its path.
fn each(
    object: &Map<String, Json>,
    before: &str,
    limit: usize,
    row: u64,
    take: &mut dyn FnMut(String, &Json) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for (name, value) in object {
        if before.len() + name.len() > limit {
            return Err(Fault::CellTooLong { row, limit });
        }
        let path = format!("{before}{name}");
        match value {
            Json::Object(members) => each(members, &format!("{path}."), limit, row, take)?,
            other => take(path, other)?,
        }
    }
    Ok(())
}

fn cell(value: &Json) -> Cell {
    match value {
        Json::Null => Cell::default(),
        Json::Bool(is) => Cell::truth(*is),
        Json::Number(number) => match number.as_f64().filter(|number| number.is_finite()) {
            Some(value) => Cell::number(value, number.to_string()),
            None => Cell::text(number.to_string()),
        },
        Json::String(text) => Cell::text(text.as_str()),
        list => Cell::text(list.to_string()),
    }
}
