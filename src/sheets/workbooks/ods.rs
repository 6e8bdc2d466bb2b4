//! ODS (OASIS, `OpenDocument` 1.3, part 3, 9): rows are read as they are unpacked. Values are those that
//! the program stored, and what it shows of numbers where that says more; repeated rows and cells are
//! repeated, covered cells are empty.

use crate::cell::{Cell, NO_VALUE, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::workbooks::merges::{Area, Merges};
use crate::workbooks::number_format::{more_than_number, percentage, shortest, suffix_of};
use crate::workbooks::xml::{Piece, Xml, attribute};
use crate::workbooks::zip::{Unpacked, Zip};
use quick_xml::events::BytesStart;

/// Rows and columns that programs know.
const ROWS: u64 = 1 << 20;
const COLUMNS: usize = 1 << 14;

/// A document without its rows.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    zip: Zip,
    limits: Limits,
    names: Vec<String>,
}

impl Document {
    pub(crate) fn open(zip: Zip, limits: &Limits) -> Result<Self, Fault> {
        if zip.has("META-INF/manifest.xml") {
            let manifest = zip.part("META-INF/manifest.xml")?;
            manifest.tags(b"<manifest:encryption-data", |_| Err(Fault::Encrypted))?;
        }
        let mut names = Vec::new();
        zip.part("content.xml")?.tags(b"<table:table ", |tag| {
            let tag = tag.trim_start_matches('<').trim_end_matches('/');
            let start = BytesStart::from_content(tag, "table:table".len());
            names.push(attribute(&start, "name")?.unwrap_or_default());
            if names.len() > limits.sheets { Err(Fault::TooManySheets { limit: limits.sheets }) } else { Ok(()) }
        })?;
        Ok(Self { zip, limits: limits.clone(), names })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    pub(crate) fn rows(&self, sheet: usize) -> Result<Rows, Fault> {
        if sheet >= self.names.len() {
            return Err(Fault::NoSheet);
        }
        Ok(Rows {
            xml: Xml::new(self.zip.part("content.xml")?, self.limits.row_bytes()),
            limits: self.limits.clone(),
            merges: Merges::default(),
            ahead: sheet + 1,
            next: 1,
            again: None,
            ended: false,
        })
    }
}

pub(crate) struct Rows {
    xml: Xml<Unpacked>,
    limits: Limits,
    merges: Merges,
    /// Sheets that must begin before rows are read.
    ahead: usize,
    next: u64,
    /// A row that comes again so many times.
    again: Option<(Row, u64)>,
    ended: bool,
}

/// The cell that is being read.
#[derive(Default)]
struct Open {
    kind: String,
    value: String,
    formula: bool,
    columns: usize,
    rows: u64,
    text: String,
    paragraphs: usize,
}

impl Rows {
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        if let Some((mut row, left)) = self.again.take() {
            row.number += 1;
            if left > 1 {
                self.again = Some((row.clone(), left - 1));
            }
            return Ok(Some(row));
        }
        while !self.ended {
            let Some((row, times)) = self.row()? else {
                self.ended = true;
                break;
            };
            if !row.is_empty() {
                if times > 1 {
                    self.again = Some((row.clone(), times - 1));
                }
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn row(&mut self) -> Result<Option<(Row, u64)>, Fault> {
        let mut row = Row::default();
        let (mut open, mut begun) = (None, Vec::new());
        let (mut column, mut aside, mut times) = (0_usize, 0_usize, 1);
        loop {
            match self.xml.next()? {
                Piece::Eof => return Ok(None),
                Piece::Start(start) => {
                    let name = start.local_name();
                    match name.as_ref() {
                        "table" if aside == 0 => self.ahead = self.ahead.saturating_sub(1),
                        // Remarks and drawings have texts of their own.
                        "annotation" | "shapes" | "frame" | "tracked-changes" => aside += 1,
                        _ if self.ahead > 0 || aside > 0 => {}
                        name if is_out_of_order(name, &row) => {
                            return Err(Fault::Order { row: self.next });
                        }
                        "table-row" => {
                            row.number = self.next;
                            times = repeated(&start, "number-rows-repeated")?;
                            column = 0;
                        }
                        "table-cell" | "covered-table-cell" => open = Some(cell(&start)?),
                        "p" => paragraph(&mut open),
                        _ => {}
                    }
                }
                Piece::Empty(start) => match start.local_name().as_ref() {
                    "table" if aside == 0 => {
                        // A sheet without anything.
                        self.ahead = match self.ahead {
                            1 => return Ok(None),
                            more => more.saturating_sub(1),
                        };
                    }
                    _ if self.ahead > 0 || aside > 0 => {}
                    name if is_out_of_order(name, &row) => {
                        return Err(Fault::Order { row: self.next });
                    }
                    "table-row" => {
                        self.next = self.next.saturating_add(repeated(&start, "number-rows-repeated")?);
                    }
                    "table-cell" | "covered-table-cell" => {
                        let cell = cell(&start)?;
                        column = self.put(&mut row, column, cell, &mut begun)?;
                    }
                    "p" => paragraph(&mut open),
                    "s" => spaces(&start).and_then(|text| self.push(&mut open, &text))?,
                    "tab" => self.push(&mut open, "\t")?,
                    "line-break" => self.push(&mut open, "\n")?,
                    _ => {}
                },
                Piece::Text(text) if aside == 0 => {
                    if let Some(cell) = open.as_mut().filter(|cell| cell.paragraphs > 0) {
                        text.push_to(&mut cell.text);
                    }
                    self.long(&open)?;
                }
                Piece::End(end) => match end.local_name().as_ref() {
                    "annotation" | "shapes" | "frame" | "tracked-changes" => aside = aside.saturating_sub(1),
                    _ if self.ahead > 0 || aside > 0 => {}
                    "table-cell" | "covered-table-cell" => {
                        if let Some(cell) = open.take() {
                            column = self.put(&mut row, column, cell, &mut begun)?;
                        }
                    }
                    "table-row" if row.number > 0 => {
                        self.end(&mut row, times, begun)?;
                        return Ok(Some((row, times)));
                    }
                    "table" => return Ok(None),
                    _ => {}
                },
                Piece::Text(_) | Piece::Other => {}
            }
        }
    }

    /// Ends a row that stands so many times.
    fn end(&mut self, row: &mut Row, times: u64, begun: Vec<(Area, Cell)>) -> Result<(), Fault> {
        self.merges.fill(row, &self.limits)?;
        for (area, cell) in begun {
            self.merges.begin(area, cell);
        }
        self.next = self.next.saturating_add(times);
        if self.next > ROWS + 1 && !row.is_empty() { Err(Fault::TooManyRows { limit: ROWS }) } else { Ok(()) }
    }

    fn push(&self, open: &mut Option<Open>, text: &str) -> Result<(), Fault> {
        if let Some(cell) = open {
            cell.text.push_str(text);
        }
        self.long(open)
    }

    fn long(&self, open: &Option<Open>) -> Result<(), Fault> {
        let limit = self.limits.cell_bytes;
        match open.as_ref().is_some_and(|open| open.text.len() > limit) {
            true => Err(Fault::CellTooLong { row: self.next, limit }),
            false => Ok(()),
        }
    }

    /// Puts a cell as often as it is repeated; answers the column behind it.
    fn put(&self, row: &mut Row, column: usize, open: Open, begun: &mut Vec<(Area, Cell)>) -> Result<usize, Fault> {
        let (times, spans) = (open.columns, open.rows);
        let end = column.saturating_add(times).min(COLUMNS);
        let cell = value(open);
        if cell.is_empty() {
            return Ok(end);
        }
        for place in column..end {
            row.put(place, cell.clone(), &self.limits)?;
        }
        if spans > 1 {
            let first = self.next;
            let last = first.saturating_add(spans - 1);
            begun.push((Area { first, last, column }, cell));
        }
        Ok(end)
    }
}

/// A row within a row, or a cell outside of one.
fn is_out_of_order(name: &str, row: &Row) -> bool {
    match name {
        "table-row" => row.number > 0,
        "table-cell" | "covered-table-cell" => row.number == 0,
        _ => false,
    }
}

fn spaces(start: &BytesStart<'_>) -> Result<String, Fault> {
    let count = repeated(start, "c")?.min(1_000);
    Ok(" ".repeat(usize::try_from(count).unwrap_or(1)))
}

fn paragraph(open: &mut Option<Open>) {
    if let Some(open) = open {
        if open.paragraphs > 0 {
            open.text.push('\n');
        }
        open.paragraphs += 1;
    }
}

/// A number of an attribute, at least 1.
fn repeated(start: &BytesStart<'_>, name: &str) -> Result<u64, Fault> {
    let count = attribute(start, name)?;
    let count = count.map_or(Ok(1), |count| count.parse::<u64>());
    let count = count.map_err(|_| Fault::broken("a number of repetitions is none"))?;
    Ok(count.clamp(1, 1 << 30))
}

fn cell(start: &BytesStart<'_>) -> Result<Open, Fault> {
    let mut open = Open { columns: 1, rows: 1, ..Open::default() };
    if start.attributes_raw().trim().is_empty() {
        return Ok(open);
    }
    open.columns = usize::try_from(repeated(start, "number-columns-repeated")?).unwrap_or(COLUMNS);
    open.rows = repeated(start, "number-rows-spanned")?;
    open.kind = attribute(start, "value-type")?.unwrap_or_default();
    open.formula = attribute(start, "formula")?.is_some();
    let place = match open.kind.as_str() {
        "date" => "date-value",
        "time" => "time-value",
        "boolean" => "boolean-value",
        "string" => "string-value",
        _ => "value",
    };
    open.value = attribute(start, place)?.unwrap_or_default();
    Ok(open)
}

fn value(open: Open) -> Cell {
    let Open { kind, value, formula, text, .. } = open;
    // The value of a formula that is a text may be an empty one.
    if formula && kind != "string" && value.is_empty() && text.is_empty() {
        return Cell::error(NO_VALUE);
    }
    match kind.as_str() {
        "float" | "percentage" | "currency" => match value.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => {
                let display = match kind.as_str() {
                    "percentage" => Some(percentage(number)),
                    "float" => more_than_number(number, &text),
                    _ => None,
                };
                let suffix = suffix_of(number, &text).filter(|_| kind == "float" && display.is_none());
                Cell { suffix, ..Cell::number(number, display.unwrap_or_else(|| shortest(number))) }
            }
            _ => Cell::text(text),
        },
        "date" => Cell::of_time(&value).unwrap_or_else(|| Cell::text(text)),
        "time" => Cell::text(text),
        "boolean" => Cell::truth(value == "true"),
        // Programs store errors of formulas as texts.
        _ if text.starts_with('#') && is_error(&text) => Cell::error(text),
        "string" if text.is_empty() => Cell::text(value),
        _ => Cell::text(text),
    }
}

fn is_error(text: &str) -> bool {
    matches!(text, "#N/A" | "#DIV/0!" | "#VALUE!" | "#REF!" | "#NAME?" | "#NUM!" | "#NULL!")
}
