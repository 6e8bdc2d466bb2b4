//! The header of a sheet: the first of its first rows with two headings that mean something.

use crate::Rows;
use crate::cell::{Cell, Row};
use crate::fault::Fault;
use std::collections::VecDeque;

/// Headings that must mean something.
const HITS: usize = 2;

/// Rows behind their header.
pub struct Table {
    /// The header; none: no row is one, and all rows follow.
    pub header: Option<Row>,
    ahead: VecDeque<Row>,
    rows: Rows,
}

impl Table {
    /// Looks for the header; `means` says whether a heading means something. Rows above it (titles, dates,
    /// names of farms) are passed over.
    ///
    /// # Errors
    /// Those of reading the rows.
    pub fn find(rows: Rows, means: impl FnMut(&str) -> bool) -> Result<Self, Fault> {
        Self::with(rows, HITS, means)
    }

    /// As [`Table::find`], where one heading is enough; without any, the first row is the header.
    ///
    /// # Errors
    /// Those of reading the rows.
    pub fn find_or_first(rows: Rows, means: impl FnMut(&str) -> bool) -> Result<Self, Fault> {
        let mut table = Self::with(rows, 1, means)?;
        if table.header.is_none() {
            table.header = table.ahead.pop_front();
        }
        Ok(table)
    }

    fn with(
        mut rows: Rows,
        wanted: usize,
        mut means: impl FnMut(&str) -> bool,
    ) -> Result<Self, Fault> {
        let mut ahead = VecDeque::new();
        let mut header = None;
        for _ in 0..rows.header_rows() {
            let Some(row) = rows.next()? else { break };
            let hits = row.cells.iter().filter(|cell| !cell.is_empty());
            let hits = hits.filter(|cell| means(cell.text.trim())).take(wanted);
            if row.number == 0 || hits.count() >= wanted {
                ahead.clear();
                header = Some(row);
                break;
            }
            ahead.push_back(row);
        }
        Ok(Self {
            header,
            ahead,
            rows,
        })
    }

    /// The next row behind the header. The header once more, as on each page of a printed list, is passed over.
    ///
    /// # Errors
    /// Those of reading the rows.
    #[expect(clippy::should_implement_trait, reason = "a fault ends the rows")]
    pub fn next(&mut self) -> Result<Option<Row>, Fault> {
        loop {
            let row = match self.ahead.pop_front() {
                Some(row) => Some(row),
                None => self.rows.next()?,
            };
            let again = |row: &Row| {
                self.header
                    .as_ref()
                    .is_some_and(|h| same(&h.cells, &row.cells))
            };
            match row {
                Some(row) if again(&row) => {}
                other => return Ok(other),
            }
        }
    }
}

/// Whether two rows have the same texts.
fn same(one: &[Cell], other: &[Cell]) -> bool {
    let texts = |cells: &[Cell]| -> Vec<String> {
        let end = cells.iter().rposition(|cell| !cell.is_empty());
        let cells = cells.iter().take(end.map_or(0, |end| end + 1));
        cells.map(|cell| cell.text.trim().to_owned()).collect()
    };
    // Most rows differ in their first text.
    let first = |cells: &[Cell]| {
        let cell = cells.iter().find(|cell| !cell.is_empty());
        cell.map(|cell| cell.text.trim().to_owned())
    };
    first(one) == first(other) && texts(one) == texts(other)
}
