//! JSON lines: an object in each. The first row has the names of all members, in the order in which they
//! are met; members of objects are named by their paths, lists stay JSON.

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::texts::encoding::Decoded;
use crate::texts::text_lines::{TextLine, TextLines};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

pub(crate) struct Rows {
    lines: TextLines,
    limits: Limits,
    /// Paths of members with their columns.
    columns: BTreeMap<String, usize>,
    head: Option<Row>,
}

impl Rows {
    pub(crate) fn open(decoded: impl Fn() -> Result<Decoded, Fault>, limits: &Limits) -> Result<Self, Fault> {
        let lines = || decoded().map(|decoded| TextLines::new(decoded, limits));
        let mut first = lines()?;
        let mut head = Row::default();
        let mut columns = BTreeMap::new();
        while let Some((line, object)) = object(&mut first)? {
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
        Ok(Self { lines: lines()?, limits: limits.clone(), columns, head: Some(head) })
    }

    /// The next row with any value; the first one has the names.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        if let Some(head) = self.head.take().filter(|head| !head.is_empty()) {
            return Ok(Some(head));
        }
        while let Some((line, object)) = object(&mut self.lines)? {
            let mut row = Row::new(line);
            let limit = self.limits.cell_bytes;
            let (columns, limits) = (&self.columns, &self.limits);
            each(&object, "", limit, line, &mut |path, value| {
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

type NumberedObject = (u64, Map<String, Json>);

fn object(lines: &mut TextLines) -> Result<Option<NumberedObject>, Fault> {
    let Some(TextLine { number, text }) = lines.next()? else { return Ok(None) };
    let why = match serde_json::from_str(&text) {
        Ok(Json::Object(object)) => return Ok(Some((number, object))),
        Ok(_) => "it is another value".to_owned(),
        Err(why) => why.to_string(),
    };
    Err(Fault::NotJson { line: number, why })
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
