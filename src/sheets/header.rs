//! The header of a sheet: the first of its first rows with two headings that mean something. It may have a second row
//! (`Удой` over `Утро` and `Вечер`), and below it the numbers of the columns.

use crate::Rows;
use crate::cell::{Cell, Row};
use crate::fault::Fault;
use std::collections::VecDeque;

/// Headings that must mean something.
const HITS: usize = 2;
/// Columns that are numbered, at least.
const NUMBERED: usize = 3;

/// Rows behind their header.
pub struct Table {
    /// The header; none: no row is one, and all rows follow.
    pub header: Option<Row>,
    /// The rows in which the header stands, each of which may come again.
    printed: Vec<Row>,
    ahead: VecDeque<Row>,
    /// Why no row follows those.
    fault: Option<Fault>,
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

    fn with(mut rows: Rows, wanted: usize, mut means: impl FnMut(&str) -> bool) -> Result<Self, Fault> {
        let mut ahead = VecDeque::new();
        let mut header = None;
        let mut hits = |row: &Row| {
            let cells = row.cells.iter().filter(|cell| !cell.is_empty());
            let headings = cells.filter(|cell| means(cell.text.trim()));
            headings.take(HITS).count()
        };
        for _ in 0..rows.header_rows() {
            let Some(row) = rows.next()? else { break };
            if row.number == 0 || hits(&row) >= wanted {
                ahead.clear();
                header = Some(row);
                break;
            }
            ahead.push_back(row);
        }
        let mut table = Self { printed: header.iter().cloned().collect(), header, ahead, rows, fault: None };
        if let Some(upper) = table.header.clone().filter(|upper| upper.number > 0) {
            let next = table.read();
            let second = next.filter(|row| hits(row) >= HITS && is_heading(row) && !same(&row.cells, &upper.cells));
            if let Some(lower) = second {
                table.header = Some(joined(upper, &lower, means));
                table.printed.push(lower);
                table.ahead.clear();
                table.read();
            }
            if table.ahead.front().is_some_and(is_numbering) {
                table.ahead.clear();
            }
        }
        Ok(table)
    }

    /// Reads a row ahead.
    fn read(&mut self) -> Option<Row> {
        match self.rows.next() {
            Ok(row) => {
                self.ahead.extend(row.clone());
                row
            }
            Err(why) => {
                self.fault = Some(why);
                None
            }
        }
    }

    /// The next row behind the header. The header once more, as on each page of a printed list, is passed over.
    ///
    /// # Errors
    /// Those of reading the rows.
    #[expect(clippy::should_implement_trait, reason = "a fault ends the rows")]
    pub fn next(&mut self) -> Result<Option<Row>, Fault> {
        loop {
            let row = match (self.ahead.pop_front(), self.fault.take()) {
                (Some(row), fault) => {
                    self.fault = fault;
                    Some(row)
                }
                (None, Some(why)) => return Err(why),
                (None, None) => self.rows.next()?,
            };
            let repeated = |row: &Row| self.printed.iter().any(|printed| same(&printed.cells, &row.cells));
            match row {
                Some(row) if repeated(&row) => {}
                other => return Ok(other),
            }
        }
    }
}

/// Whether no cell of a row begins with a digit, as days and numbers do.
fn is_heading(row: &Row) -> bool {
    let digit = |cell: &Cell| cell.text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    !row.cells.iter().any(digit)
}

/// Whether a row only numbers the columns.
fn is_numbering(row: &Row) -> bool {
    let mut cells = (1_usize..).zip(&row.cells);
    row.cells.len() >= NUMBERED && cells.all(|(number, cell)| cell.text.trim() == number.to_string())
}

/// A header of two rows: what means something in the lower one counts, and what has nothing above it.
fn joined(upper: Row, lower: &Row, mut means: impl FnMut(&str) -> bool) -> Row {
    let mut header = upper;
    header.number = lower.number;
    let width = header.cells.len().max(lower.cells.len());
    header.cells.resize(width, Cell::default());
    for (above, below) in header.cells.iter_mut().zip(&lower.cells) {
        if !below.is_empty() && (above.is_empty() || means(below.text.trim())) {
            *above = below.clone();
        }
    }
    header
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
