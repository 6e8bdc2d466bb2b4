//! Lines whose fields have fixed places. Which places they are, the caller says ([`Layout`]); the file is known by the
//! length of its lines and by texts that stand in each of them. The first row has the names of the fields.
//! Several lines may be one row ([`super::gather`]).

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::Source;
use crate::texts::encoding::{Decoded, Encoding};
use crate::texts::gather::{LayoutGather, gather};
use crate::texts::text_lines::{TextLine, TextLines};
use std::collections::BTreeMap;
use std::vec::IntoIter;

/// Lines by which the form is known.
const LOOKED_AT: usize = 20;

/// How lines are divided. Places are counted in characters, from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Characters of a line at least.
    pub shortest: usize,
    /// Characters of a line at most.
    pub longest: usize,
    /// Texts that stand in every line.
    pub marks: Vec<LayoutMark>,
    pub fields: Vec<LayoutField>,
    /// Lines that are one row; none: each line is one.
    pub gather: Option<LayoutGather>,
}

/// A text that stands at a place of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutMark {
    /// Its first character.
    pub at: usize,
    /// What it may be.
    pub is: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutField {
    pub name: String,
    /// What it is put together from.
    pub parts: Vec<LayoutPart>,
    /// Texts of the lines that have it; none: all have.
    pub only: Vec<LayoutMark>,
}

/// A part of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutPart {
    /// Its first character.
    pub at: usize,
    /// Its characters.
    pub length: usize,
    /// What codes in capitals become; others stay.
    pub codes: BTreeMap<String, String>,
}

impl Layout {
    fn fits(&self, line: &str) -> bool {
        let length = line.chars().count();
        (self.shortest..=self.longest).contains(&length) && all_in(&self.marks, line)
    }
}

/// Whether all texts stand in a line.
pub(super) fn all_in(marks: &[LayoutMark], line: &str) -> bool {
    let has = |at: usize, text: &String| piece(line, at, text.chars().count()) == *text;
    marks.iter().all(|mark| mark.is.iter().any(|text| has(mark.at, text)))
}

impl LayoutField {
    pub(super) fn read(&self, line: &str) -> String {
        let mut whole = String::new();
        if !all_in(&self.only, line) {
            return whole;
        }
        for part in &self.parts {
            let piece = piece(line, part.at, part.length);
            let text = piece.trim();
            let coded = part.codes.get(&text.to_uppercase());
            whole.push_str(coded.map_or(text, String::as_str));
        }
        whole
    }
}

/// Characters of a line from a place on, as far as it has them.
pub(super) fn piece(line: &str, at: usize, length: usize) -> String {
    let from = line.chars().skip(at.saturating_sub(1));
    from.take(length).collect()
}

/// The layout whose lines these are; none where none fits, or several do.
pub(crate) fn layout(source: &Source, encoding: Encoding, layouts: &[Layout], limits: &Limits) -> Option<usize> {
    if layouts.is_empty() {
        return None;
    }
    let mut lines = TextLines::new(Decoded::open(source, encoding, false).ok()?, limits);
    let mut sample: Vec<TextLine> = Vec::new();
    while sample.len() < LOOKED_AT {
        // What cannot be read is a fault of the rows.
        match lines.next().ok()? {
            Some(line) => sample.push(line),
            None => break,
        }
    }
    let fits = |one: &Layout| !sample.is_empty() && sample.iter().all(|line| one.fits(&line.text));
    let mut fitting = (layouts.iter().enumerate()).filter(|(_, one)| fits(one));
    match (fitting.next(), fitting.next()) {
        (Some((place, _)), None) => Some(place),
        _ => None,
    }
}

/// The rows of a file.
pub(crate) struct Rows {
    lines: TextLines,
    layout: Layout,
    limits: Limits,
    begun: bool,
    /// Of lines that are one row: number of the first of them, and values.
    gathered: Option<IntoIter<(u64, Vec<String>)>>,
}

impl Rows {
    pub(crate) fn open(source: &Source, encoding: Encoding, layout: &Layout, limits: &Limits) -> Result<Self, Fault> {
        let lines = || Ok::<_, Fault>(TextLines::new(Decoded::open(source, encoding, false)?, limits));
        let gathered = layout.gather.as_ref().map(|how| gather(lines, layout, how, limits)).transpose()?;
        Ok(Self {
            lines: lines()?,
            gathered: gathered.map(Vec::into_iter),
            layout: layout.clone(),
            limits: limits.clone(),
            begun: false,
        })
    }

    /// The next row with any value; the first one has the names.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        if !std::mem::replace(&mut self.begun, true) {
            let names = self.layout.fields.iter().map(|field| field.name.clone());
            return row(0, names, &self.limits).map(Some);
        }
        if let Some(gathered) = &mut self.gathered {
            let next = gathered.next();
            return next.map(|(number, values)| row(number, values.into_iter(), &self.limits)).transpose();
        }
        while let Some(line) = self.lines.next()? {
            let values = self.layout.fields.iter().map(|field| field.read(&line.text));
            let row = row(line.number, values, &self.limits)?;
            if !row.is_empty() {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }
}

fn row(number: u64, texts: impl Iterator<Item = String>, limits: &Limits) -> Result<Row, Fault> {
    let mut row = Row::new(number);
    for (column, text) in texts.enumerate() {
        row.put(column, Cell::text(text), limits)?;
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;
    use crate::{Book, Form, Options};

    fn part(at: usize, length: usize) -> LayoutPart {
        let codes = BTreeMap::new();
        LayoutPart { at, length, codes }
    }

    fn layout(mark: &str) -> Layout {
        let mut breed = part(4, 2);
        breed.codes.insert("HO".to_owned(), "HOL".to_owned());
        let field = |name: &str, parts| LayoutField { name: name.to_owned(), parts, only: Vec::new() };
        Layout {
            shortest: 12,
            longest: 14,
            marks: vec![LayoutMark { at: 1, is: vec![mark.to_owned()] }],
            fields: vec![field("number", vec![breed, part(6, 5)]), field("sex", vec![part(11, 1)])],
            gather: None,
        }
    }

    fn open(text: &str, layouts: Vec<Layout>) -> Book {
        let options = Options { layouts, ..Options::default() };
        Book::open(text.as_bytes().to_vec(), &options).unwrap()
    }

    #[test]
    fn fields_are_cut_from_their_places() {
        let text = "010HOA1234F  \r\n\r\n010ЖЁ  123M..\n";
        let book = open(text, vec![layout("010")]);
        assert_eq!(book.form(), Form::Fixed { layout: 0 });
        assert_eq!(rows(&book, 0).unwrap(), ["0: number|sex", "1: HOLA1234|F", "3: ЖЁ123|M"]);
    }

    #[test]
    fn a_file_is_one_of_a_layout_by_length_and_marks_alone() {
        let text = "010HOA1234F  \n";
        let form = |text: &str, layouts| open(text, layouts).form();
        let csv = Form::Csv { delimiter: b',' };
        assert_eq!(form(text, vec![layout("020")]), csv);
        assert_eq!(form(text, vec![layout("010"), layout("010")]), csv);
        assert_eq!(form(text, vec![layout("020"), layout("010")]), Form::Fixed { layout: 1 });
        // One line that does not fit is enough.
        assert_eq!(form(&format!("{text}010HO\n"), vec![layout("010")]), csv);
    }
}
