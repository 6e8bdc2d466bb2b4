//! ADIS, the syntax of ISO 11787: a line `D` defines the items of an entity, the lines `V` behind it have their values.
//! Each entity is a sheet, and its items are its columns, by their numbers of eight digits. Known from public
//! descriptions of the syntax, not from the text of the standard (docs/dialects.md).
//!
//! Read are lines of normal data (`DN`, `VN`); headers, comments, searches, deletions and faulty data are passed over.

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::Source;
use crate::texts::encoding::{Decoded, Encoding};
use crate::texts::text_lines::TextLines;

/// Characters of a line before its items or values: kind, status, number of the entity.
const HEAD: usize = 8;
/// Digits of the definition of an item: number, length, places behind the point.
const ITEM: usize = 11;
const NUMBER: usize = 8;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Entity {
    number: String,
    /// Numbers of its items, in the order in which they are met.
    items: Vec<String>,
}

/// An item as a line defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    number: String,
    length: usize,
    /// Digits behind the point.
    resolution: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct File {
    encoding: Encoding,
    entities: Vec<Entity>,
}

/// Whether a text begins as such a file: with the definition of a header, perhaps behind comments.
pub(crate) fn is_adis(begin: &[u8]) -> bool {
    let begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
    let lines = begin.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.filter(|line| !line.is_empty()).find(|line| !line.starts_with(b"C"));
    let digits = first.and_then(|line| line.strip_prefix(b"DH"));
    digits.is_some_and(|digits| {
        let items = digits.len().saturating_sub(HEAD - 2);
        digits.iter().all(u8::is_ascii_digit) && items >= ITEM && items.is_multiple_of(ITEM)
    })
}

impl Entity {
    /// Items of a definition, of which it has some.
    fn take(&mut self, items: Vec<Item>) {
        for item in items {
            if !self.items.contains(&item.number) {
                self.items.push(item.number);
            }
        }
    }
}

impl File {
    pub(crate) fn open(source: &Source, encoding: Encoding, limits: &Limits) -> Result<Self, Fault> {
        let mut entities: Vec<Entity> = Vec::new();
        let mut lines = TextLines::new(Decoded::open(source, encoding, false)?, limits);
        while let Some(line) = lines.next()? {
            match Line::of(&line.text) {
                Line::Definition(number, items) => {
                    let items = items.ok_or_else(|| undefined(line.number))?;
                    if !entities.iter().any(|entity| entity.number == number) {
                        let limit = limits.sheets;
                        if entities.len() >= limit {
                            return Err(Fault::TooManySheets { limit });
                        }
                        entities.push(Entity { number: number.to_owned(), items: Vec::new() });
                    }
                    if let Some(entity) = entities.iter_mut().find(|entity| entity.number == number) {
                        entity.take(items);
                    }
                }
                Line::Values(..) | Line::Other => {}
                Line::End => break,
            }
        }
        Ok(Self { encoding, entities })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.entities.iter().map(|entity| entity.number.clone()).collect()
    }

    pub(crate) fn rows(&self, source: &Source, sheet: usize, limits: &Limits) -> Result<Rows, Fault> {
        let entity = self.entities.get(sheet).ok_or(Fault::NoSheet)?;
        Ok(Rows {
            lines: TextLines::new(Decoded::open(source, self.encoding, false)?, limits),
            entity: entity.clone(),
            defined: None,
            limits: limits.clone(),
            begun: false,
        })
    }
}

enum Line<'t> {
    /// The items of an entity; none: they cannot be read.
    Definition(&'t str, Option<Vec<Item>>),
    Values(&'t str, &'t str),
    End,
    /// What is passed over.
    Other,
}

impl<'t> Line<'t> {
    fn of(text: &'t str) -> Self {
        match text.split_at_checked(HEAD).and_then(|(head, rest)| Some((head.split_at_checked(2)?, rest))) {
            Some((("DN", entity), rest)) => Self::Definition(entity, items(rest)),
            Some((("VN", entity), rest)) => Self::Values(entity, rest),
            _ if text.starts_with('Z') => Self::End,
            _ => Self::Other,
        }
    }
}

fn items(text: &str) -> Option<Vec<Item>> {
    let text = text.trim_end();
    let whole = text.bytes().all(|byte| byte.is_ascii_digit()) && text.len().is_multiple_of(ITEM);
    let items = text.as_bytes().chunks(ITEM).map(|item| {
        let item = std::str::from_utf8(item).ok()?;
        let (number, rest) = item.split_at_checked(NUMBER)?;
        let (length, resolution) = rest.split_at_checked(2)?;
        let length = length.parse::<usize>().ok()?;
        let resolution = resolution.parse::<usize>().ok()?;
        (resolution < length).then(|| Item { number: number.to_owned(), length, resolution })
    });
    items.collect::<Option<Vec<Item>>>().filter(|_| whole)
}

fn undefined(line: u64) -> Fault {
    Fault::broken(format!("line {line} defines no items"))
}

pub(crate) struct Rows {
    lines: TextLines,
    entity: Entity,
    /// The items as they were defined last.
    defined: Option<Vec<Item>>,
    limits: Limits,
    begun: bool,
}

impl Rows {
    /// The next row with any value; the first one has the numbers of the items.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        if !std::mem::replace(&mut self.begun, true) {
            let mut names = Row::default();
            for (column, number) in self.entity.items.iter().enumerate() {
                names.put(column, Cell::text(number.as_str()), &self.limits)?;
            }
            return Ok(Some(names));
        }
        while let Some(line) = self.lines.next()? {
            match Line::of(&line.text) {
                Line::Definition(entity, items) if entity == self.entity.number => {
                    self.defined = Some(items.ok_or_else(|| undefined(line.number))?);
                }
                Line::Values(entity, values) if entity == self.entity.number => {
                    let row = self.row(line.number, values)?;
                    if !row.is_empty() {
                        return Ok(Some(row));
                    }
                }
                Line::Definition(..) | Line::Values(..) | Line::Other => {}
                Line::End => break,
            }
        }
        Ok(None)
    }

    fn row(&self, number: u64, values: &str) -> Result<Row, Fault> {
        let items = self.defined.as_ref().ok_or_else(|| undefined(number))?;
        let mut row = Row::new(number);
        let mut letters = values.chars();
        for item in items {
            let text: String = letters.by_ref().take(item.length).collect();
            if let Some(column) = self.entity.items.iter().position(|n| *n == item.number) {
                row.put(column, cell(&text, item.resolution), &self.limits)?;
            }
        }
        Ok(row)
    }
}

/// A value; `?` and `|` fill the place of one that is not there.
fn cell(text: &str, resolution: usize) -> Cell {
    let text = text.trim();
    if text.chars().all(|letter| matches!(letter, '?' | '|')) {
        return Cell::default();
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let digits = text.trim_start_matches(['-', '+']);
    if resolution == 0 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Cell::text(text);
    }
    let digits = format!("{digits:0>width$}", width = resolution + 1);
    let (whole, rest) = digits.split_at(digits.len() - resolution);
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let decimal = format!("{sign}{whole}.{rest}");
    match decimal.parse::<f64>() {
        Ok(number) => Cell::number(number, decimal),
        Err(_) => Cell::text(text),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{open, rows};
    use crate::{Fault, Form};

    fn file(lines: &str) -> String {
        format!("DH99000100900002080\r\nVH99000120260301\r\nCN a remark\r\n{lines}")
    }

    #[test]
    fn every_entity_is_a_sheet_of_its_items() {
        let text = file(
            "DN880006009000801500090003208000800044031\r\n\
             VN88000627600031234567820260301315\r\n\
             VN8800062760003123456792026030107?\r\n\
             VD88000627600031234567920260301075\r\n\
             DN88001200900080150\r\n\
             VN880012276000312345678\r\n\
             DN88000600800044031009000321080\r\n",
        );
        // A definition whose length is no multiple of an item ends the reading.
        let broken = open(text.as_bytes()).map(|_| ());
        assert!(matches!(broken, Err(Fault::Broken(_))), "{broken:?}");
        let text = text.replace("DN88000600800044031009000321080", "DN8800060080004403100900032080");
        let text = format!("{text}VN88000600820260302\r\nVN880006|||????????\r\nZN\r\nVN880006");
        let book = open(text.as_bytes()).unwrap();
        assert_eq!(book.form(), Form::Adis);
        assert_eq!(book.sheets(), ["880006", "880012"]);
        assert_eq!(
            rows(&book, 0).unwrap(),
            [
                "0: 00900080|00900032|00800044",
                "5: 276000312345678|20260301|n 31.5",
                "6: 276000312345679|20260301|07?",
                "11: |20260302|n 0.8",
            ]
        );
        assert_eq!(rows(&book, 1).unwrap(), ["0: 00900080", "9: 276000312345678"]);
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["DH;a\n1;2\n", "DH990001\n1\n", "DN88000600900080150\n1\n"] {
            assert_ne!(open(text.as_bytes()).unwrap().form(), Form::Adis, "{text}");
        }
    }
}
