//! Tables of spreadsheets and text files as rows: CSV in the encodings of the region, lines of JSON,
//! lines with fixed places and those of ISO 11787, XLSX, XLS and ODS. Rows are streamed, and memory
//! has a limit for every form. Must not know what columns mean, nor who sends a file.

mod cell;
mod fault;
mod header;
mod limits;
mod source;
#[cfg(test)]
mod tests;
mod texts;
mod workbooks;

pub use cell::{Cell, Epoch, NO_VALUE, Row, Value};
pub use fault::Fault;
pub use header::{Headings, Table};
pub use limits::Limits;
pub use source::Source;
pub use texts::encoding::{Encoding, Guess};
pub use texts::layout::{Layout, LayoutField, LayoutGather, LayoutMark, LayoutPart};
pub use texts::text_lines::{TextLine, TextLines};

use std::fmt;
use texts::encoding::Decoded;

/// Bytes in which the form is looked for.
const BEGIN: u64 = 4 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A text with cells between delimiters.
    Csv { delimiter: u8 },
    /// A JSON object in each line.
    Lines,
    /// Lines whose fields have fixed places.
    Fixed {
        /// Place of the layout in [`Options::layouts`].
        layout: usize,
    },
    /// Lines of ISO 11787, which define themselves.
    Adis,
    /// A workbook of Excel 2007 and later.
    Xlsx,
    /// A workbook of Excel 97 to 2003.
    Xls,
    /// A spreadsheet of `OpenDocument`.
    Ods,
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv { .. } => "csv",
            Self::Lines => "ndjson",
            Self::Fixed { .. } => "fixed",
            Self::Adis => "adis",
            Self::Xlsx => "xlsx",
            Self::Xls => "xls",
            Self::Ods => "ods",
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub limits: Limits,
    /// Encoding of a text file without a mark, and not in UTF-16; none: it is guessed.
    pub encoding: Option<Encoding>,
    /// Delimiter of a text file; none: it is guessed.
    pub delimiter: Option<u8>,
    /// Whether a text file is read whatever bytes it has: those that its encoding does not have become U+FFFD.
    pub replaces: bool,
    /// Lines with fixed places that a text file may be.
    pub layouts: Vec<Layout>,
}

/// A file whose rows can be read.
#[derive(Debug, Clone)]
pub struct Book {
    source: Source,
    limits: Limits,
    form: Form,
    guess: Option<Guess>,
    replaces: bool,
    inner: Inner,
}

#[derive(Debug, Clone)]
enum Inner {
    Text(Encoding),
    Fixed(Encoding, Box<Layout>),
    Adis(texts::adis::File),
    Xlsx(workbooks::xlsx::Workbook),
    Xls(workbooks::xls::Workbook),
    Ods(workbooks::ods::Document),
}

impl Book {
    /// Opens a file. Its form is seen in its content, whatever its name is.
    ///
    /// # Errors
    /// [`Fault`], when it is none that is read, or over a limit.
    pub fn open(source: impl Into<Source>, options: &Options) -> Result<Self, Fault> {
        let source = source.into();
        let limits = options.limits.clone();
        if source.bytes()? > limits.file_bytes {
            return Err(Fault::FileTooLarge { limit: limits.file_bytes });
        }
        let begin = source.begin(BEGIN)?;
        if begin.starts_with(b"PK\x03\x04") || begin.starts_with(b"PK\x05\x06") {
            return Self::packed(source, limits);
        }
        if begin.starts_with(workbooks::compound::MARK) {
            return Self::compound(source, limits);
        }
        if let Some(fault) = other(&begin, options.replaces) {
            return Err(fault);
        }
        let guess = texts::encoding::guess(&source, options.encoding)?;
        let encoding = guess.encoding;
        let form = match texts::adis::is_adis(&begin) {
            true => {
                let file = texts::adis::File::open(&source, encoding, &limits)?;
                Some((Form::Adis, Inner::Adis(file)))
            }
            false => {
                let place = texts::fixed::layout(&source, encoding, &options.layouts, &limits);
                place.and_then(|layout| {
                    let lines = options.layouts.get(layout)?.clone();
                    Some((Form::Fixed { layout }, Inner::Fixed(encoding, Box::new(lines))))
                })
            }
        };
        if let Some((form, inner)) = form {
            return Ok(Self { source, limits, form, guess: Some(guess), replaces: false, inner });
        }
        let form = match is_lines(&begin) {
            true => Form::Lines,
            false => Form::Csv {
                delimiter: match options.delimiter {
                    Some(delimiter) => delimiter,
                    None => texts::text::delimiter(Decoded::open(&source, encoding, options.replaces)?)?,
                },
            },
        };
        Ok(Self { source, limits, form, guess: Some(guess), replaces: options.replaces, inner: Inner::Text(encoding) })
    }

    fn compound(source: Source, limits: Limits) -> Result<Self, Fault> {
        let compound = workbooks::compound::Compound::open(&source)?;
        if compound.has("EncryptedPackage") {
            return Err(Fault::Encrypted);
        }
        if !compound.has("Workbook") {
            return Err(match compound.has("Book") {
                true => Fault::Unsupported("XLS of Excel 95 and before"),
                false => Fault::NoTable,
            });
        }
        let inner = Inner::Xls(workbooks::xls::Workbook::open(compound, &limits)?);
        Ok(Self { source, limits, form: Form::Xls, guess: None, replaces: false, inner })
    }

    fn packed(source: Source, limits: Limits) -> Result<Self, Fault> {
        let zip = workbooks::zip::Zip::open(&source, &limits)?;
        let (form, inner) = if zip.has("xl/workbook.xml") {
            let workbook = workbooks::xlsx::Workbook::open(zip, &limits)?;
            (Form::Xlsx, Inner::Xlsx(workbook))
        } else if zip.has("content.xml") {
            let document = workbooks::ods::Document::open(zip, &limits)?;
            (Form::Ods, Inner::Ods(document))
        } else if zip.has("xl/workbook.bin") {
            return Err(Fault::Unsupported("XLSB"));
        } else if zip.has("word/document.xml") {
            return Err(Fault::Unsupported("A document of Word"));
        } else {
            return Err(Fault::Unsupported("A packed folder (ZIP)"));
        };
        Ok(Self { source, limits, form, guess: None, replaces: false, inner })
    }

    pub fn form(&self) -> Form {
        self.form
    }

    pub fn encoding(&self) -> Option<Guess> {
        self.guess
    }

    /// The calendar of a workbook; a text file has none.
    pub fn epoch(&self) -> Option<Epoch> {
        match &self.inner {
            Inner::Text(_) | Inner::Fixed(..) | Inner::Adis(_) => None,
            Inner::Xlsx(workbook) => Some(workbook.epoch()),
            Inner::Xls(workbook) => Some(workbook.epoch()),
            Inner::Ods(_) => Some(Epoch::default()),
        }
    }

    /// Names of the sheets; a text file has one without a name.
    pub fn sheets(&self) -> Vec<String> {
        match &self.inner {
            Inner::Text(_) | Inner::Fixed(..) => vec![String::new()],
            Inner::Adis(file) => file.names(),
            Inner::Xlsx(workbook) => workbook.names(),
            Inner::Xls(workbook) => workbook.names(),
            Inner::Ods(document) => document.names(),
        }
    }

    /// The rows of a sheet, by its place.
    ///
    /// # Errors
    /// [`Fault::NoSheet`], and those of opening the file.
    pub fn rows(&self, sheet: usize) -> Result<Rows, Fault> {
        let limits = &self.limits;
        let inner = match &self.inner {
            Inner::Text(_) | Inner::Fixed(..) if sheet > 0 => return Err(Fault::NoSheet),
            Inner::Text(encoding) => {
                let decoded = || Decoded::open(&self.source, *encoding, self.replaces);
                match self.form {
                    Form::Csv { delimiter } => {
                        let rows = texts::text::Rows::new(decoded()?, delimiter, limits);
                        RowsInner::Text(Box::new(rows))
                    }
                    _ => RowsInner::Lines(Box::new(texts::lines::Rows::open(decoded, limits)?)),
                }
            }
            Inner::Fixed(encoding, layout) => {
                RowsInner::Fixed(Box::new(texts::fixed::Rows::open(&self.source, *encoding, layout, limits)?))
            }
            Inner::Adis(file) => RowsInner::Adis(Box::new(file.rows(&self.source, sheet, limits)?)),
            Inner::Xlsx(workbook) => RowsInner::Xlsx(Box::new(workbook.rows(sheet)?)),
            Inner::Xls(workbook) => RowsInner::Xls(Box::new(workbook.rows(sheet)?)),
            Inner::Ods(document) => RowsInner::Ods(Box::new(document.rows(sheet)?)),
        };
        Ok(Rows { inner, count: 0, limits: limits.clone() })
    }
}

/// The rows of a sheet that have any value, one after another.
pub struct Rows {
    inner: RowsInner,
    count: u64,
    limits: Limits,
}

enum RowsInner {
    Text(Box<texts::text::Rows>),
    Lines(Box<texts::lines::Rows>),
    Fixed(Box<texts::fixed::Rows>),
    Adis(Box<texts::adis::Rows>),
    Xlsx(Box<workbooks::xlsx::Rows>),
    Xls(Box<workbooks::xls::Rows>),
    Ods(Box<workbooks::ods::Rows>),
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({} read)", self.count)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({:?})", self.header)
    }
}

impl fmt::Debug for TextLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextLines")
    }
}

impl Rows {
    /// The next row.
    ///
    /// # Errors
    /// [`Fault`], when the file is broken there, or over a limit. Nothing follows then.
    #[expect(clippy::should_implement_trait, reason = "a fault ends the rows")]
    pub fn next(&mut self) -> Result<Option<Row>, Fault> {
        let row = match &mut self.inner {
            RowsInner::Text(rows) => rows.next(),
            RowsInner::Lines(rows) => rows.next(),
            RowsInner::Fixed(rows) => rows.next(),
            RowsInner::Adis(rows) => rows.next(),
            RowsInner::Xlsx(rows) => rows.next(),
            RowsInner::Xls(rows) => rows.next(),
            RowsInner::Ods(rows) => rows.next(),
        }?;
        self.count += u64::from(row.is_some());
        if self.count > self.limits.rows { Err(Fault::TooManyRows { limit: self.limits.rows }) } else { Ok(row) }
    }

    pub(crate) fn header_rows(&self) -> usize {
        self.limits.header_rows
    }
}

/// Whether a text is lines of JSON.
fn is_lines(begin: &[u8]) -> bool {
    let begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
    let mut letters = begin.iter().filter(|b| !b.is_ascii_whitespace());
    letters.next() == Some(&b'{') && matches!(letters.next(), Some(b'"' | b'}'))
}

/// Forms that are no tables, by their first bytes.
fn other(begin: &[u8], any_bytes: bool) -> Option<Fault> {
    let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
    let wide = texts::encoding::of_begin(begin).is_some_and(|encoding| encoding != Encoding::Utf8);
    if begin.starts_with(b"\x1f\x8b") {
        return Some(Fault::Unsupported("A packed file (GZIP)"));
    }
    if begin.starts_with(b"%PDF") || (!wide && !any_bytes && begin.contains(&0)) {
        return Some(Fault::NoTable);
    }
    let text = text.trim_ascii_start();
    if text.first() == Some(&b'<') {
        let xml = text.starts_with(b"<?xml");
        return Some(Fault::Unsupported(if xml { "XML" } else { "A web page (HTML)" }));
    }
    None
}
