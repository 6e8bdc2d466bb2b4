//! Rows as lines of a table, for spreadsheets (RFC 4180): a column per field, named by its
//! path. Lists and rows of a field stand in one cell as JSON; joins are left out.

use super::write::{Beside, Documents, Writer, room};
use super::{Leaf, Part, Shape, Shown};
use csv::{Terminator, WriterBuilder};
use model::error::{Error, Result};
use model::record::time;
use serde_json::Value;
use store::Row;

/// Characters at which spreadsheets take a text for a formula. An apostrophe before them
/// makes it a text again.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

impl Shape {
    /// The line with the paths of the columns.
    pub(crate) fn head(&self) -> Result<Vec<u8>> {
        let mut names = Vec::new();
        self.columns("", &self.parts, &mut |path, _| names.push(path));
        let mut out = Vec::new();
        record(&mut out, &names)?;
        Ok(out)
    }

    /// The lines of these rows.
    pub(super) fn table(&self, rows: &[Row], beside: &Beside, out: &mut Vec<u8>) -> Result<()> {
        let mut leaves = Vec::new();
        self.columns("", &self.parts, &mut |_, leaf| leaves.push(leaf));
        for row in rows {
            let cells = leaves.iter().map(|leaf| self.cell(leaf, row, beside));
            record(out, &cells.collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn columns<'s>(
        &'s self,
        prefix: &str,
        parts: &'s [Part],
        visit: &mut dyn FnMut(String, &'s Leaf),
    ) {
        for part in parts {
            match part {
                Part::Group(key, inner) => {
                    self.columns(&format!("{prefix}{}.", name(key)), inner, visit);
                }
                Part::Leaf(leaf)
                    if matches!(
                        leaf.shown,
                        Shown::Join(_) | Shown::Lineage(_) | Shown::Timeline(_)
                    ) => {}
                Part::Leaf(leaf) => {
                    let key = leaf.keys.first().map(|key| name(key));
                    visit(format!("{prefix}{}", key.unwrap_or_default()), leaf);
                }
            }
        }
    }

    /// The text of a cell; empty for what is empty or not shown.
    fn cell(&self, leaf: &Leaf, row: &Row, beside: &Beside) -> String {
        if !self.shows(row, leaf.class) {
            return String::new();
        }
        let column = leaf.column;
        let found = match &leaf.shown {
            Shown::Int | Shown::One(_) => row.int(column).map(|n| n.to_string()),
            Shown::Num => row.num(column).map(|n| n.to_string()),
            Shown::Bool => row.truth(column).map(|b| b.to_string()),
            Shown::Time => row.time(column).map(time::to_iso),
            Shown::Text => row.text(column).map(plain),
            Shown::Json | Shown::JsonList => row.text(column).map(plain),
            Shown::Rows(elements) => {
                let (related, room) = (Documents::new(), room());
                let writer = Writer {
                    shape: self,
                    beside,
                    related: &related,
                    room: &room,
                };
                let mut out = Vec::new();
                writer.rows(elements, row, column, &mut out);
                Some(String::from_utf8_lossy(&out).into_owned())
            }
            Shown::Many(place) => {
                let lists = beside.lists.get(*place);
                let ids = row.int(0).and_then(|id| lists?.get(&id));
                ids.map(|ids| Value::from(ids.clone()).to_string())
            }
            Shown::Join(_) | Shown::Lineage(_) | Shown::Timeline(_) => None,
        };
        found.unwrap_or_default()
    }
}

fn plain(text: &str) -> String {
    if text.starts_with(FORMULA) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// The name in a key of a document.
fn name(key: &[u8]) -> String {
    let quoted = key.strip_suffix(b":").unwrap_or(key);
    serde_json::from_slice(quoted).unwrap_or_default()
}

fn record(out: &mut Vec<u8>, cells: &[String]) -> Result<()> {
    let mut lines = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    lines.write_record(cells).map_err(Error::internal)?;
    lines.flush().map_err(Error::internal)
}
