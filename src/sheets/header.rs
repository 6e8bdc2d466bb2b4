//! The header of a sheet: the first of its first rows with two headings that mean something. It may have a second row
//! (`Удой` over `Утро` and `Вечер`, `Мать` over `Кличка`), and below it the units and the numbers of the columns.

use crate::Rows;
use crate::cell::{Cell, Row, Value};
use crate::fault::Fault;
use std::collections::VecDeque;

/// Headings that must mean something.
const HITS: usize = 2;
/// Columns that are numbered, at least.
const NUMBERED: usize = 3;

/// What is known of the texts of a header.
pub trait Headings {
    fn means(&self, heading: &str) -> bool;

    fn is_unit(&self, _text: &str) -> bool {
        false
    }

    /// Whether a heading is that of the animal that the rows are about.
    fn is_subject(&self, _heading: &str) -> bool {
        false
    }

    /// Whether the columns below a text are about another animal than the rows.
    fn is_of_other(&self, _text: &str) -> bool {
        false
    }
}

impl<F: Fn(&str) -> bool> Headings for F {
    fn means(&self, heading: &str) -> bool {
        self(heading)
    }
}

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
    /// Looks for the header. Rows above it (titles, dates, names of farms) are passed over.
    pub fn find(rows: Rows, known: &impl Headings) -> Result<Self, Fault> {
        Self::with(rows, HITS, known)
    }

    /// As [`Table::find`], where one heading is enough; without any, the first row is the header.
    pub fn find_or_first(rows: Rows, known: &impl Headings) -> Result<Self, Fault> {
        let mut table = Self::with(rows, 1, known)?;
        if table.header.is_none() {
            table.header = table.ahead.pop_front();
        }
        Ok(table)
    }

    fn with(mut rows: Rows, wanted: usize, known: &impl Headings) -> Result<Self, Fault> {
        let mut ahead = VecDeque::new();
        let mut header = None;
        for _ in 0..rows.header_rows() {
            let Some(row) = rows.next()? else { break };
            if row.number == 0 || hits(&row, known) >= wanted {
                header = Some(row);
                break;
            }
            ahead.push_back(row);
        }
        let mut table = Self { printed: header.iter().cloned().collect(), header, ahead, rows, fault: None };
        if let Some(first) = table.header.clone() {
            let above = table.ahead.pop_back();
            table.ahead.clear();
            if first.number > 0 {
                table.header = Some(table.whole_header(first, above, known));
            }
        }
        Ok(table)
    }

    /// The header with the groups above its headings, and what stands below them.
    fn whole_header(&mut self, first: Row, above: Option<Row>, known: &impl Headings) -> Row {
        let is_second = |row: &Row| hits(row, known) >= HITS && is_heading(row) && !same(&row.cells, &first.cells);
        let are_groups = |row: &Row| row.number + 1 == first.number && row.cells.len() > 1;
        let mut header = match (self.read().filter(is_second), above.filter(are_groups)) {
            (Some(second), _) => {
                self.take_ahead();
                joined(&first, &second, true, known)
            }
            (None, Some(groups)) => {
                let header = joined(&groups, &first, false, known);
                let has_subject = |row: &Row| row.cells.iter().any(|cell| known.is_subject(cell.text.trim()));
                // Groups leave places free; a title with a value beside it (`Бык`, `Омега`) does not.
                let is_title = groups.cells.iter().all(|cell| !cell.is_empty());
                if is_title && has_subject(&first) && !has_subject(&header) {
                    first
                } else {
                    self.printed.push(groups);
                    header
                }
            }
            (None, None) => first,
        };
        // Units and numbers of the columns, in either order.
        for _ in 0..2 {
            match self.ahead.front() {
                Some(row) if is_numbering(row) => {}
                Some(row) if are_units(row, &header, known) => put_units(&mut header, row, known),
                _ => break,
            }
            self.take_ahead();
        }
        header
    }

    /// Makes the row ahead a part of the header.
    fn take_ahead(&mut self) {
        self.printed.extend(self.ahead.pop_front());
        self.read();
    }

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

/// Headings of a row, as many as a header must have.
fn hits(row: &Row, known: &impl Headings) -> usize {
    row.cells.iter().filter(|cell| !cell.is_empty()).filter(|cell| known.means(cell.text.trim())).take(HITS).count()
}

/// Whether no cell of a row begins with a digit, as days and numbers do.
fn is_heading(row: &Row) -> bool {
    !row.cells.iter().any(|cell: &Cell| cell.text.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a row only numbers the columns.
fn is_numbering(row: &Row) -> bool {
    let mut cells = (1_usize..).zip(&row.cells);
    row.cells.len() >= NUMBERED && cells.all(|(number, cell)| cell.text.trim() == number.to_string())
}

/// Texts of the cells of a row below those of another one, as far as either has cells.
fn over<'r>(above: &'r Row, below: &'r Row) -> impl Iterator<Item = (&'r str, &'r str)> {
    let text = |row: &'r Row, place: usize| row.cells.get(place).map_or("", |cell| cell.text.trim());
    let places = 0..above.cells.len().max(below.cells.len());
    places.map(move |place| (text(above, place), text(below, place)))
}

/// A header of two rows, of which the upper one or the lower one has the headings. A text of the upper row stands over
/// all columns up to the next one. What means something in the lower row counts, together with the text above it, or
/// alone where that says nothing of another animal.
fn joined(upper: &Row, lower: &Row, of_upper: bool, known: &impl Headings) -> Row {
    let mut header = lower.clone();
    header.cells.clear();
    let mut group = "";
    for (above, own) in over(upper, lower) {
        if !above.is_empty() {
            // What has nothing below it is a heading itself.
            group = if own.is_empty() { "" } else { above };
        }
        let whole = format!("{group}, {own}");
        let is_alone = group.is_empty() || own.starts_with(group);
        let counts = !own.is_empty() && known.means(own);
        let title = if known.is_unit(own) && !counts && known.means(above) {
            with_unit(above, own, known)
        } else if !own.is_empty() && !is_alone && (known.means(&whole) || known.is_of_other(group)) {
            whole
        } else if of_upper && !above.is_empty() && !counts {
            above.to_owned()
        } else {
            own.to_owned()
        };
        header.cells.push(Cell::text(title));
    }
    let end = header.cells.iter().rposition(|cell| !cell.is_empty());
    header.cells.truncate(end.map_or(0, |end| end + 1));
    header
}

/// Whether a row says the units of the columns of a header: one of them at least is a unit of its column, or nothing else
/// stands there but units, dashes and forms of days.
fn are_units(row: &Row, header: &Row, known: &impl Headings) -> bool {
    let is_text = |cell: &Cell| matches!(cell.value, Value::Empty | Value::Text);
    let fits = |(title, text): (&str, &str)| {
        known.is_unit(text) && known.means(title) && known.means(&format!("{title}, {text}"))
    };
    let filled = || over(header, row).filter(|(_, text)| !text.is_empty());
    let says = |text: &str| known.is_unit(text) || is_form_of_days(text);
    row.cells.iter().all(is_text)
        && filled().all(|(_, text)| known.is_unit(text) || !text.starts_with(|c: char| c.is_ascii_digit()))
        && (filled().any(fits)
            || (filled().any(|(_, text)| says(text)) && filled().all(|(_, text)| says(text) || is_dash(text))))
}

fn put_units(header: &mut Row, row: &Row, known: &impl Headings) {
    for (title, below) in header.cells.iter_mut().zip(&row.cells) {
        let text = below.text.trim();
        // Where the month stands first, days are not read as they are in the region.
        let says = known.is_unit(text) || (is_form_of_days(text) && text.starts_with(['m', 'M', 'м', 'М']));
        if says {
            title.text = with_unit(title.text.trim(), text, known);
        }
    }
}

/// A heading with the unit that stands below it. One that has another unit becomes a heading that nobody knows.
fn with_unit(title: &str, unit: &str, known: &impl Headings) -> String {
    let bare = |text: &str| text.to_lowercase().replace(['.', '/', ' '], "");
    let whole = title.trim_end_matches([')', ']']);
    let mut ends = whole.match_indices([' ', ',', '(', '[']).filter_map(|(at, _)| whole.get(at + 1..));
    match ends.find(|end| known.is_unit(end)) {
        _ if !known.means(title) => title.to_owned(),
        Some(own) if bare(own) == bare(unit) => title.to_owned(),
        Some(_) => format!("{title} ≠ {unit}"),
        None => format!("{title}, {unit}"),
    }
}

/// Whether a text says how days are written: `дд.мм.гггг`.
fn is_form_of_days(text: &str) -> bool {
    let letters = text.chars().filter(|c| !matches!(c, '.' | '/' | '-')).count();
    (6..=8).contains(&letters) && text.to_lowercase().chars().all(|c| "дмгdmy./-".contains(c))
}

fn is_dash(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '-' | '–' | '—'))
}

/// Whether two rows have the same texts.
fn same(one: &[Cell], other: &[Cell]) -> bool {
    let texts = |cells: &[Cell]| -> Vec<String> {
        let end = cells.iter().rposition(|cell| !cell.is_empty());
        cells.iter().take(end.map_or(0, |end| end + 1)).map(|cell| cell.text.trim().to_owned()).collect()
    };
    // Most rows differ in their first text.
    let first = |cells: &[Cell]| {
        let cell = cells.iter().find(|cell| !cell.is_empty());
        cell.map(|cell| cell.text.trim().to_owned())
    };
    first(one) == first(other) && texts(one) == texts(other)
}
