//! JSON lines: an object in each. The first row has the names of all members, in the order in which they
//! are met; members of objects are named by their paths, lists stay JSON. A name that comes again in a line has a
//! column of its own.

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::texts::encoding::Decoded;
use crate::texts::text_lines::{TextLine, TextLines};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// The path of a member, and how many of that path stand before it in its line.
type Name = (String, usize);

pub(crate) struct Rows {
    lines: TextLines,
    limits: Limits,
    /// Names of members with their columns.
    columns: BTreeMap<Name, usize>,
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
            each_named(&object, long, line, &mut |name, _| {
                if columns.contains_key(&name) {
                    return Ok(());
                }
                if columns.len() >= limits.columns {
                    let (row, limit) = (line, limits.columns);
                    return Err(Fault::TooManyColumns { row, limit });
                }
                head.put(columns.len(), Cell::text(name.0.as_str()), limits)?;
                columns.insert(name, columns.len());
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
            each_named(&object, limit, line, &mut |name, value| {
                if let Some(column) = columns.get(&name) {
                    row.put(*column, cell(&read::<Json>(value.get(), line)?), limits)?;
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

/// The next object, with the number of its line.
fn object(lines: &mut TextLines) -> Result<Option<(u64, String)>, Fault> {
    let Some(TextLine { number, text }) = lines.next()? else { return Ok(None) };
    match read::<Json>(&text, number)? {
        Json::Object(_) => Ok(Some((number, text))),
        _ => Err(Fault::NotJson { line: number, why: "it is another value".to_owned() }),
    }
}

fn read<'t, T: Deserialize<'t>>(text: &'t str, line: u64) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|why| Fault::NotJson { line, why: why.to_string() })
}

/// Every value that is no object, by its name.
fn each_named(
    object: &str,
    limit: usize,
    row: u64,
    take: &mut dyn FnMut(Name, &RawValue) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    each(object, "", limit, row, &mut |path, value| {
        let before = times.entry(path.clone()).or_default();
        let name = (path, *before);
        *before += 1;
        take(name, value)
    })
}

/// Every value that is no object, by its path.
fn each(
    object: &str,
    before: &str,
    limit: usize,
    row: u64,
    take: &mut dyn FnMut(String, &RawValue) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for (name, value) in read::<Members<'_>>(object, row)?.0 {
        if before.len() + name.len() > limit {
            return Err(Fault::CellTooLong { row, limit });
        }
        let path = format!("{before}{name}");
        match value.get().starts_with('{') {
            true => each(value.get(), &format!("{path}."), limit, row, take)?,
            false => take(path, value)?,
        }
    }
    Ok(())
}

/// The members of an object as they are written, those of one name too.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(object: D) -> Result<Self, D::Error> {
        object.deserialize_map(EachMember)
    }
}

struct EachMember;

impl<'t> Visitor<'t> for EachMember {
    type Value = Members<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut object: A) -> Result<Members<'t>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
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
