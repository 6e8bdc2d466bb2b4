//! Rows as lines of a table, for spreadsheets (RFC 4180): a column per field, named by its
//! path. Lists and rows of a field stand in one cell as JSON; joins are left out.

use super::cells::Cell;
use super::write::{Documents, LinkedValues};
use super::{Leaf, LeafKind, Part, Shape};
use csv::{Terminator, WriterBuilder};
use model::error::{Error, Result};
use store::Row;

impl Shape {
    /// The line with the paths of the columns.
    pub(crate) fn head(&self) -> Result<Vec<u8>> {
        let mut names = Vec::new();
        self.columns("", &self.parts, &mut |path, _| names.push(path));
        let mut out = Vec::new();
        record(&mut out, &names)?;
        Ok(out)
    }

    pub(super) fn table(
        &self,
        rows: &[Row],
        linked: &LinkedValues,
        related: &Documents,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.each(rows, linked, (related, None), &mut |cells| {
            let texts: Vec<String> = cells.into_iter().map(Cell::text).collect();
            record(out, &texts)
        })
    }

    pub(super) fn columns<'s>(&'s self, prefix: &str, parts: &'s [Part], visit: &mut dyn FnMut(String, &'s Leaf)) {
        for part in parts {
            match part {
                Part::Group(key, inner) => {
                    self.columns(&format!("{prefix}{}.", name(key)), inner, visit);
                }
                Part::Leaf(leaf)
                    if matches!(leaf.kind, LeafKind::Join(_) | LeafKind::Lineage(_) | LeafKind::Timeline(_)) => {}
                Part::Leaf(leaf) => {
                    let key = leaf.keys.first().map(|key| name(key));
                    visit(format!("{prefix}{}", key.unwrap_or_default()), leaf);
                }
            }
        }
    }
}

fn name(key: &[u8]) -> String {
    serde_json::from_slice(key.strip_suffix(b":").unwrap_or(key)).unwrap_or_default()
}

fn record(out: &mut Vec<u8>, cells: &[String]) -> Result<()> {
    let mut lines = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    lines.write_record(cells).map_err(Error::internal)?;
    lines.flush().map_err(Error::internal)
}
