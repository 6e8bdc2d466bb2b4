//! Lines whose fields have fixed places. Which places they are, the caller says ([`Layout`]); the file is known by the
//! length of its lines and by texts that stand in each of them. The first row has the names of the fields.
//! Several lines may be one row ([`super::gather`]).

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::Source;
use crate::texts::encoding::{Decoded, Encoding};
use crate::texts::gather::gather;
use crate::texts::layout::Layout;
use crate::texts::text_lines::{TextLine, TextLines};
use std::vec::IntoIter;

/// Lines by which the form is known.
const LOOKED_AT: usize = 20;

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
            return gathered.next().map(|(number, values)| row(number, values.into_iter(), &self.limits)).transpose();
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
    use crate::texts::layout::{LayoutField, LayoutMark, LayoutPart};
    use crate::{Book, Form, Options};
    use std::collections::BTreeMap;

    fn part(at: usize, length: usize) -> LayoutPart {
        LayoutPart { at, length, codes: BTreeMap::new() }
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
        let book = open("010HOA1234F  \r\n\r\n010ЖЁ  123M..\n", vec![layout("010")]);
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
