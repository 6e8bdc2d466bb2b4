//! What a sheet says, without any place or size.

use krilla::image::Image;
use qrcodegen::{QrCode, QrCodeEcc};

#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Title of the document, for readers' windows and catalogues.
    pub title: String,
    /// Language of its text (`en`, `ru`).
    pub language: &'static str,
    pub author: String,
    /// When it was made. No clock is read: the same sheet gives the same bytes.
    pub day: Day,
    pub look: Look,
    /// Red, green and blue of titles and frames; none: green.
    pub accent: Option<(u8, u8, u8)>,
    /// What it says, from top to bottom.
    pub blocks: Vec<Block>,
    /// At the foot of each page, on the left.
    pub footer: String,
    /// Words before the number of a page and before the number of pages: `Page`, `of`.
    pub numbering: [String; 2],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Look {
    /// Pages as many as it takes.
    #[default]
    Plain,
    /// In a frame, drawn larger or smaller so that one page is filled; what does not fit on it at the smallest goes on
    /// to others.
    Framed,
}

/// A day of the calendar; unless it is known, the first of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub(crate) year: u16,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

impl Default for Day {
    fn default() -> Self {
        Self { year: 1970, month: 1, day: 1 }
    }
}

impl Day {
    /// The day at the beginning of a text, as RFC 3339 has it.
    pub fn read(text: &str) -> Option<Self> {
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u16>().ok();
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let fits = (1..=12).contains(&month) && (1..=31).contains(&day);
        fits.then_some(Self { year, month: u8::try_from(month).ok()?, day: u8::try_from(day).ok()? })
    }
}

#[derive(Debug, Clone)]
pub enum Block {
    Head(Head),
    /// What the document is about, in large letters, and a line under it.
    Subject(String, String),
    /// What must not be overlooked.
    Alarm(String),
    Heading(String),
    /// Names with values, in so many columns.
    Pairs {
        pairs: Vec<(String, String)>,
        columns: u8,
    },
    /// Rows under heads.
    Table(Table),
    Tree(Tree),
    Note(String),
    Signature(Signature),
}

/// Who answers for the document, with room for a hand and a seal.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    /// What is said of the issuer, and its name.
    pub issuer: [String; 2],
    /// What is said of the person who signs, with position and name.
    pub signatory: [String; 2],
    /// What stands where the seal comes.
    pub seal: String,
}

/// A picture as a file of PNG, and what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emblem {
    pub(crate) image: Image,
    pub(crate) text: String,
}

impl Emblem {
    /// None: it is no file of PNG.
    pub fn of(png: &[u8], text: &str) -> Option<Self> {
        let image = Image::from_png(png.to_vec().into(), false).ok()?;
        Some(Self { image, text: text.to_owned() })
    }
}

#[derive(Debug, Clone, Default)]
pub struct Head {
    /// On the left of the title.
    pub emblem: Option<Emblem>,
    /// A line above the title.
    pub over: String,
    pub title: String,
    pub under: Vec<String>,
    /// The code on the right, and what is said under it.
    pub code: Option<Code>,
    /// What is said under the code, or in its place.
    pub caption: String,
}

/// Rows under heads.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Heads of the columns, and whether their cells are numbers, which stand on the right.
    pub heads: Vec<(String, bool)>,
    /// Cells of the rows; those that a row lacks are empty, those beyond the heads have columns without a head.
    pub rows: Vec<Vec<String>>,
}

/// Ancestors by Kekulé's numbers: 2 is the father, 3 the mother, 2n the father of n.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// Rows of ancestors, at most 5.
    pub generations: u32,
    /// Ancestors in order of their places.
    pub cells: Vec<Cell>,
    /// What stands in a place without one.
    pub nobody: String,
}

#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// Kekulé's number.
    pub place: u32,
    pub label: String,
    /// The first line.
    pub name: String,
    pub lines: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub(crate) text: String,
    pub(crate) side: u16,
    /// Dark squares of each row: the first, and how many.
    pub(crate) runs: Vec<(u16, u16, u16)>,
}

impl Code {
    /// The code of a text; none: it is too long for one.
    pub fn of(text: &str) -> Option<Self> {
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
        let side = code.size();
        let mut runs: Vec<(u16, u16, u16)> = Vec::new();
        for y in 0..side {
            let mut before = false;
            for x in 0..side {
                let dark = code.get_module(x, y);
                match runs.last_mut().filter(|_| dark && before) {
                    Some((.., length)) => *length += 1,
                    None if dark => runs.push((u16::try_from(x).ok()?, u16::try_from(y).ok()?, 1)),
                    None => {}
                }
                before = dark;
            }
        }
        Some(Self { text: text.to_owned(), side: u16::try_from(side).ok()?, runs })
    }
}
