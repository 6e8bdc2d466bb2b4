//! Why a file is not read, or not further: a code for programs, words for people.

use std::fmt::Display;

/// A reason why a file is not read, or not further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The source cannot be read.
    #[error("The file cannot be read: {0}.")]
    Unreadable(String),
    /// The file is larger than its form may be.
    #[error("The file is larger than {limit} bytes.")]
    FileTooLarge {
        /// Bytes.
        limit: u64,
    },
    #[error("The file unpacks to more than {limit} bytes.")]
    UnpacksTooLarge {
        /// Bytes.
        limit: u64,
    },
    /// A part unpacks to many times its size.
    #[error("A part of the file unpacks to more than {limit} times its size.")]
    Ratio { limit: u64 },
    /// No form that is read.
    #[error("The file is no table that can be read: save it as XLSX, ODS or CSV.")]
    NoTable,
    /// A form that is known and not read.
    #[error("{0} is not read: save the file as XLSX, ODS or CSV.")]
    Unsupported(&'static str),
    #[error("The file is protected by a password: save it without one.")]
    Encrypted,
    /// Not as its form demands.
    #[error("The file is broken: {0}.")]
    Broken(String),
    /// Ends too early.
    #[error("The file ends too early: it was not copied or saved whole.")]
    Truncated,
    /// XML with document types or entities.
    #[error("The file defines entities (DOCTYPE), which no spreadsheet does.")]
    Entities,
    #[error("The file has more than {limit} sheets.")]
    TooManySheets { limit: usize },
    #[error("The file has no such sheet.")]
    NoSheet,
    /// A row has more columns than allowed.
    #[error("Row {row} has a value behind column {limit}.")]
    TooManyColumns {
        /// The row, as people see it.
        row: u64,
        limit: usize,
    },
    /// A sheet has more rows than allowed.
    #[error("The sheet has more than {limit} rows.")]
    TooManyRows { limit: u64 },
    #[error("Row {row} has a cell or a part longer than {limit} bytes.")]
    CellTooLong {
        /// The row, as people see it; 0 before the first.
        row: u64,
        /// Bytes.
        limit: usize,
    },
    /// The texts that cells share are more, or longer, than allowed.
    #[error("The texts of the file are more than {limit} {unit}.")]
    SharedTexts { limit: usize, unit: &'static str },
    /// Rows or cells stand in an order that no program writes.
    #[error("The sheet is broken at row {row}: rows and cells do not ascend.")]
    Order { row: u64 },
    /// Bytes that the encoding does not have.
    #[error("Line {line} is not {encoding}.")]
    Encoding { line: u64, encoding: &'static str },
    #[error("Line {line}: a quote is not closed.")]
    QuoteNotClosed { line: u64 },
    /// A line that must be a JSON object and is none.
    #[error("Line {line} is no JSON object: {why}.")]
    NotJson {
        line: u64,
        /// Words of the reader.
        why: String,
    },
}

impl Fault {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::FileTooLarge { .. } => "file-too-large",
            Self::UnpacksTooLarge { .. } => "unpacks-too-large",
            Self::Ratio { .. } => "packed-too-much",
            Self::NoTable => "no-table",
            Self::Unsupported(_) => "unsupported-form",
            Self::Encrypted => "password",
            Self::Broken(_) => "broken",
            Self::Truncated => "truncated",
            Self::Entities => "entities",
            Self::TooManySheets { .. } => "too-many-sheets",
            Self::NoSheet => "no-sheet",
            Self::TooManyColumns { .. } => "too-many-columns",
            Self::TooManyRows { .. } => "too-many-rows",
            Self::CellTooLong { .. } => "cell-too-long",
            Self::SharedTexts { .. } => "too-many-texts",
            Self::Order { .. } => "rows-out-of-order",
            Self::Encoding { .. } => "wrong-encoding",
            Self::QuoteNotClosed { .. } => "quote-not-closed",
            Self::NotJson { .. } => "not-json",
        }
    }

    /// Something that the form demands is not so.
    pub(crate) fn broken(what: impl Display) -> Self {
        Self::Broken(what.to_string())
    }
}

/// Faults of reading carry a fault of ours where one of our readers stopped.
impl From<std::io::Error> for Fault {
    fn from(why: std::io::Error) -> Self {
        if let Some(own) = why.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return own.clone();
        }
        match why.kind() {
            std::io::ErrorKind::UnexpectedEof => Self::Truncated,
            std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
                Self::broken("packed data is damaged")
            }
            _ => Self::Unreadable(why.to_string()),
        }
    }
}

impl From<Fault> for std::io::Error {
    fn from(fault: Fault) -> Self {
        Self::other(fault)
    }
}
