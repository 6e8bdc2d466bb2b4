//! XLSX (ECMA-376, part 1, 18): names of the sheets, formats, shared texts; rows are read as they are
//! unpacked. Formulas give the value that the program stored.

use crate::cell::{Cell, Epoch, NO_VALUE, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::workbooks::merges::{Area, Merges};
use crate::workbooks::number_format::NumberFormat;
use crate::workbooks::xml::{Piece, Xml, attribute};
use crate::workbooks::zip::{Unpacked, Zip};
use quick_xml::events::BytesStart;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows and columns of a sheet of today's programs.
const ROWS: u64 = 1 << 20;
const COLUMNS: usize = 1 << 14;

/// Bytes of names of sheets and parts.
const NAME: usize = 1_000;

/// A workbook without its rows.
#[derive(Debug, Clone)]
pub(crate) struct Workbook {
    zip: Zip,
    limits: Limits,
    /// Names of the sheets, and the parts with their rows.
    sheets: Vec<(String, String)>,
    common: Arc<Common>,
}

#[derive(Debug, Default)]
struct Common {
    epoch: Epoch,
    /// How cells of each style show numbers.
    formats: Vec<NumberFormat>,
    shared: Shared,
}

/// Texts in one piece of memory, and their ends.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    text: String,
    ends: Vec<u32>,
}

impl Shared {
    pub(crate) fn push(&mut self, text: &str, limits: &Limits) -> Result<(), Fault> {
        let (count, bytes) = (limits.shared_texts, limits.shared_bytes);
        if self.ends.len() >= count {
            let (limit, unit) = (count, "texts");
            return Err(Fault::SharedTexts { limit, unit });
        }
        if self.text.len() + text.len() > bytes {
            let (limit, unit) = (bytes, "bytes");
            return Err(Fault::SharedTexts { limit, unit });
        }
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        Ok(())
    }

    pub(crate) fn get(&self, place: usize) -> Option<&str> {
        let end = usize::try_from(*self.ends.get(place)?).ok()?;
        let begin = match place.checked_sub(1) {
            Some(before) => usize::try_from(*self.ends.get(before)?).ok()?,
            None => 0,
        };
        self.text.get(begin..end)
    }
}

impl Workbook {
    pub(crate) fn open(zip: Zip, limits: &Limits) -> Result<Self, Fault> {
        let targets = targets(&zip, limits)?;
        let mut sheets = Vec::new();
        let mut common = Common::default();
        let mut xml = Xml::new(zip.part("xl/workbook.xml")?, limits.row_bytes());
        loop {
            let start = match xml.next()? {
                Piece::Eof => break,
                Piece::Start(start) | Piece::Empty(start) => start,
                _ => continue,
            };
            match start.local_name().as_ref() {
                "workbookPr" => {
                    let late = attribute(&start, "date1904")?;
                    if late.is_some_and(|late| late == "1" || late == "true") {
                        common.epoch = Epoch::Y1904;
                    }
                }
                "sheet" => {
                    let name = attribute(&start, "name")?.unwrap_or_default();
                    let id = attribute(&start, "id")?.unwrap_or_default();
                    if name.len() > NAME {
                        return Err(Fault::broken("a sheet has a name that is too long"));
                    }
                    let target = targets.iter().find(|(own, _)| *own == id);
                    // Sheets of charts and macros have no rows.
                    if let Some((_, path)) = target.filter(|(_, path)| path.contains("worksheets")) {
                        sheets.push((name, path.clone()));
                    }
                    if sheets.len() > limits.sheets {
                        return Err(Fault::TooManySheets { limit: limits.sheets });
                    }
                }
                _ => {}
            }
        }
        if zip.has("xl/styles.xml") {
            common.formats = formats(&zip, limits)?;
        }
        if zip.has("xl/sharedStrings.xml") {
            common.shared = shared(&zip, limits)?;
        }
        Ok(Self { zip, limits: limits.clone(), sheets, common: Arc::new(common) })
    }

    pub(crate) fn epoch(&self) -> Epoch {
        self.common.epoch
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.sheets.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn rows(&self, sheet: usize) -> Result<Rows, Fault> {
        let (_, path) = self.sheets.get(sheet).ok_or(Fault::NoSheet)?;
        let merges = merges(&self.zip, path, &self.limits)?;
        Ok(Rows {
            xml: Xml::new(self.zip.part(path)?, self.limits.row_bytes()),
            limits: self.limits.clone(),
            common: Arc::clone(&self.common),
            merges: Merges::new(merges),
            last: 0,
            ended: false,
        })
    }
}

/// The parts that the workbook names, by id.
fn targets(zip: &Zip, limits: &Limits) -> Result<Vec<(String, String)>, Fault> {
    let mut xml = Xml::new(zip.part("xl/_rels/workbook.xml.rels")?, limits.row_bytes());
    let mut targets = Vec::new();
    loop {
        let start = match xml.next()? {
            Piece::Eof => return Ok(targets),
            Piece::Start(start) | Piece::Empty(start) => start,
            _ => continue,
        };
        if start.local_name().as_ref() != "Relationship" {
            continue;
        }
        let (Some(id), Some(target)) = (attribute(&start, "Id")?, attribute(&start, "Target")?) else { continue };
        let path = match target.strip_prefix('/') {
            Some(whole) => whole.to_owned(),
            None => format!("xl/{}", target.trim_start_matches("./")),
        };
        if id.len() + path.len() > NAME {
            return Err(Fault::broken("its workbook has a name that is too long"));
        }
        targets.push((id, path));
        if targets.len() > limits.parts {
            return Err(Fault::broken("its workbook names too many parts"));
        }
    }
}

/// How cells of each style show numbers.
fn formats(zip: &Zip, limits: &Limits) -> Result<Vec<NumberFormat>, Fault> {
    let mut xml = Xml::new(zip.part("xl/styles.xml")?, limits.row_bytes());
    let mut own: BTreeMap<u32, NumberFormat> = BTreeMap::new();
    let mut formats = Vec::new();
    let mut cells = false;
    loop {
        let (start, open) = match xml.next()? {
            Piece::Eof => return Ok(formats),
            Piece::Start(start) => (start, true),
            Piece::Empty(start) => (start, false),
            Piece::End(end) => {
                cells &= end.local_name().as_ref() != "cellXfs";
                continue;
            }
            _ => continue,
        };
        let id = |start: &BytesStart<'_>| -> Result<u32, Fault> {
            let id = attribute(start, "numFmtId")?;
            Ok(id.and_then(|id| id.parse().ok()).unwrap_or_default())
        };
        match start.local_name().as_ref() {
            "numFmt" => {
                let code = attribute(&start, "formatCode")?.unwrap_or_default();
                let id = id(&start)?;
                own.insert(id, NumberFormat::new(id, Some(&code)));
            }
            "cellXfs" => cells = open,
            "xf" if cells => {
                let id = id(&start)?;
                formats.push(own.get(&id).cloned().unwrap_or_else(|| NumberFormat::new(id, None)));
            }
            _ => {}
        }
        if own.len() > 10_000 || formats.len() > 100_000 {
            return Err(Fault::broken("it has too many cell formats"));
        }
    }
}

fn shared(zip: &Zip, limits: &Limits) -> Result<Shared, Fault> {
    let mut xml = Xml::new(zip.part("xl/sharedStrings.xml")?, limits.row_bytes());
    let mut shared = Shared::default();
    let mut text = String::new();
    // Within a text, and not within its pronunciation.
    let (mut takes, mut aloud) = (false, false);
    loop {
        match xml.next()? {
            Piece::Eof => return Ok(shared),
            Piece::Start(start) => match start.local_name().as_ref() {
                "si" => text.clear(),
                "t" => takes = !aloud,
                "rPh" => aloud = true,
                _ => {}
            },
            Piece::Empty(start) => {
                if start.local_name().as_ref() == "si" {
                    shared.push("", limits)?;
                }
            }
            Piece::End(end) => match end.local_name().as_ref() {
                "si" => shared.push(&text, limits)?,
                "t" => takes = false,
                "rPh" => aloud = false,
                _ => {}
            },
            Piece::Text(part) if takes => {
                part.push_to(&mut text);
                long(text.len(), 0, limits)?;
            }
            Piece::Text(_) | Piece::Other => {}
        }
    }
}

fn long(bytes: usize, row: u64, limits: &Limits) -> Result<(), Fault> {
    let limit = limits.cell_bytes;
    if bytes > limit { Err(Fault::CellTooLong { row, limit }) } else { Ok(()) }
}

/// The merged areas of a sheet, which stand behind its rows.
fn merges(zip: &Zip, path: &str, limits: &Limits) -> Result<Vec<Area>, Fault> {
    let mut areas = Vec::new();
    let most = limits.shared_texts.min(100_000);
    zip.part(path)?.tags(b"<mergeCell ", |tag| {
        areas.extend(area(tag));
        if areas.len() > most { Err(Fault::broken("a sheet has too many merged areas")) } else { Ok(()) }
    })?;
    Ok(areas)
}

fn area(tag: &str) -> Option<Area> {
    let reference = tag.split("ref=").nth(1)?;
    let reference = reference.trim_start_matches(['"', '\'']);
    let reference = reference.split(['"', '\'']).next()?;
    let (from, to) = reference.split_once(':')?;
    let ((column, first), (_, last)) = (place(from)?, place(to)?);
    Some(Area { first, last, column })
}

/// Column (from 0) and row (from 1) of a name as `AB12`.
pub(crate) fn place(name: &str) -> Option<(usize, u64)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = name.split_at_checked(digits)?;
    let mut column = 0_usize;
    for letter in letters.bytes() {
        let letter = letter.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() || column > COLUMNS {
            return None;
        }
        column = column * 26 + usize::from(letter - b'A') + 1;
    }
    let row: u64 = row.parse().ok().filter(|row| (1..=ROWS).contains(row))?;
    Some((column.checked_sub(1)?, row))
}

pub(crate) struct Rows {
    xml: Xml<Unpacked>,
    limits: Limits,
    common: Arc<Common>,
    merges: Merges,
    last: u64,
    ended: bool,
}

/// The cell that is being read.
#[derive(Default)]
struct Open {
    column: usize,
    kind: Kind,
    style: usize,
    text: String,
    formula: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Number,
    Shared,
    Text,
    Bool,
    Error,
    Date,
}

impl Rows {
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        while !self.ended {
            let Some(mut row) = self.row().map_err(|fault| at(fault, self.last))? else {
                self.ended = true;
                break;
            };
            self.merges.fill(&mut row, &self.limits)?;
            if !row.is_empty() {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn row(&mut self) -> Result<Option<Row>, Fault> {
        let mut row = Row::default();
        let mut open = Open::default();
        let (mut takes, mut aloud) = (false, false);
        let mut column = 0;
        let order = |row| Fault::Order { row };
        loop {
            match self.xml.next()? {
                Piece::Eof => return Ok(None),
                Piece::Empty(start) if start.local_name().as_ref() == "row" => {
                    self.last = ascending(number(&start)?, self.last)?;
                }
                Piece::Start(start) => match start.local_name().as_ref() {
                    "row" => {
                        if row.number != 0 {
                            return Err(order(row.number));
                        }
                        row.number = ascending(number(&start)?, self.last)?;
                        self.last = row.number;
                    }
                    "c" => {
                        cell(&start, &mut open, column)?;
                        if open.column < column {
                            return Err(order(row.number));
                        }
                    }
                    "v" | "t" => takes = !aloud,
                    "f" => open.formula = true,
                    // How a text is spoken is no part of it.
                    "rPh" => aloud = true,
                    _ => {}
                },
                Piece::Empty(start) if start.local_name().as_ref() == "c" => {
                    cell(&start, &mut open, column)?;
                    column = open.column.saturating_add(1);
                }
                Piece::Empty(start) if start.local_name().as_ref() == "f" => open.formula = true,
                Piece::Text(text) if takes => {
                    text.push_to(&mut open.text);
                    long(open.text.len(), row.number, &self.limits)?;
                }
                Piece::End(end) => match end.local_name().as_ref() {
                    "row" if row.number != 0 => return Ok(Some(row)),
                    "v" | "t" => takes = false,
                    "rPh" => aloud = false,
                    "c" if row.number != 0 => {
                        column = open.column.saturating_add(1);
                        let cell = self.common.cell(&mut open)?;
                        row.put(open.column, cell, &self.limits)?;
                    }
                    "sheetData" => return Ok(None),
                    _ => {}
                },
                _ => {}
            }
        }
    }
}

/// A fault about a piece, at the row where it stands.
fn at(fault: Fault, row: u64) -> Fault {
    match fault {
        Fault::CellTooLong { row: 0, limit } => Fault::CellTooLong { row, limit },
        other => other,
    }
}

/// The number that a row states.
fn number(start: &BytesStart<'_>) -> Result<Option<u64>, Fault> {
    let text = attribute(start, "r")?;
    let read = |text: String| text.parse().map_err(|_| Fault::broken("a row has no number"));
    text.map(read).transpose()
}

fn ascending(number: Option<u64>, last: u64) -> Result<u64, Fault> {
    let number = number.unwrap_or(last + 1);
    if number > last && number <= ROWS { Ok(number) } else { Err(Fault::Order { row: number }) }
}

fn cell(start: &BytesStart<'_>, open: &mut Open, next: usize) -> Result<(), Fault> {
    open.text.clear();
    (open.column, open.kind, open.style, open.formula) = (next, Kind::Number, 0, false);
    for one in start.attributes().with_checks(false) {
        let one = one.map_err(|_| Fault::broken("an attribute in XML"))?;
        match (one.key.as_ref(), one.value.as_ref()) {
            ("r", name) => {
                let place = place(name).ok_or_else(|| Fault::broken("a cell has no place"))?;
                open.column = place.0;
            }
            ("s", style) => open.style = style.parse().unwrap_or(usize::MAX),
            ("t", kind) => {
                open.kind = match kind {
                    "s" => Kind::Shared,
                    "str" | "inlineStr" => Kind::Text,
                    "b" => Kind::Bool,
                    "e" => Kind::Error,
                    "d" => Kind::Date,
                    _ => Kind::Number,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Common {
    fn cell(&self, open: &mut Open) -> Result<Cell, Fault> {
        let text = std::mem::take(&mut open.text);
        if text.is_empty() {
            // The value of a formula that is a text may be an empty one.
            return Ok(if open.formula && open.kind != Kind::Text { Cell::error(NO_VALUE) } else { Cell::default() });
        }
        Ok(match open.kind {
            Kind::Shared => {
                let place = text.trim().parse().ok();
                let shared = place.and_then(|place| self.shared.get(place));
                Cell::text(shared.ok_or_else(|| Fault::broken("a cell names no shared text"))?)
            }
            Kind::Text => Cell::text(unescaped(&text)),
            Kind::Bool => Cell::truth(matches!(text.trim(), "1" | "true")),
            Kind::Error => Cell::error(text),
            Kind::Date => Cell::of_time(&text).unwrap_or_else(|| Cell::text(text)),
            Kind::Number => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    let plain = NumberFormat::Plain;
                    Cell::formatted(number, self.formats.get(open.style).unwrap_or(&plain), self.epoch)
                }
                _ => Cell::text(text),
            },
        })
    }
}

/// `_x000D_` stands for a character that XML does not have.
fn unescaped(text: &str) -> String {
    if text.contains("_x000D_") { text.replace("_x000D_", "\r") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_letters_and_a_number() {
        assert_eq!(place("A1"), Some((0, 1)));
        assert_eq!(place("AB12"), Some((27, 12)));
        assert_eq!(place("XFD1048576"), Some((16_383, 1_048_576)));
        for name in ["", "A", "1", "A0", "A1048577", "AAAAAAAAAAAAAA1", "Я1", "A1B"] {
            assert_eq!(place(name), None, "{name}");
        }
    }
}
