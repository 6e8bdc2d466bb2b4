//! Why a file, or a sheet of it, is not read: a code, and a sentence for whoever sent it that says what is wrong and what
//! to do. What the readers of a form say themselves is for the log.

use model::messages::Sentence;
use model::said;
use sheets::Fault;

/// Why a file, or a sheet of it, is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFault {
    pub(crate) code: String,
    /// In English; pages and previews tell it again in the language of their reader.
    pub(crate) message: String,
}

impl FileFault {
    pub(crate) fn new(code: &str, message: impl Into<Sentence>) -> Self {
        Self { code: code.to_owned(), message: message.into().english().into_owned() }
    }
}

impl From<Fault> for FileFault {
    fn from(fault: Fault) -> Self {
        tracing::debug!(%fault, "a file is not read");
        Self::new(fault.code(), sentence(&fault))
    }
}

const MB: u64 = 1 << 20;

fn sentence(fault: &Fault) -> Sentence {
    match *fault {
        Fault::FileTooLarge { limit } => {
            said!("The file is larger than {limit} MB: divide it into several files.", limit = limit / MB)
        }
        Fault::UnpacksTooLarge { limit } => {
            said!("The file unpacks to more than {limit} MB: divide it into several files.", limit = limit / MB)
        }
        Fault::Ratio { .. } => said!("The file is packed too tightly: open it, save it as a new file and send that."),
        Fault::NoTable => said!("The file is no table that can be read: save it as XLSX, ODS or CSV."),
        Fault::Unsupported(form) => said!("{form} is not read: save the file as XLSX, ODS or CSV.", form = form),
        Fault::Encrypted => said!("The file is protected by a password: save it without one."),
        Fault::Truncated => said!("The file ends too early: it was not copied or saved whole. Send the whole file."),
        Fault::Entities => said!(
            "The file has a part that no spreadsheet has (DOCTYPE): open it, save it as a new file and send that."
        ),
        Fault::TooManySheets { limit } => {
            said!("The file has more than {limit} sheets: divide it into several files.", limit = limit)
        }
        Fault::NoSheet => said!("The file has no sheet: open it, save it as a new file and send that."),
        Fault::TooManyColumns { row, limit } => said!(
            "In row {number} a value stands behind column {limit}: delete what stands behind the table.",
            number = row,
            limit = limit
        ),
        Fault::TooManyRows { limit } => {
            said!("A sheet has more than {limit} rows: divide it into several files.", limit = limit)
        }
        Fault::CellTooLong { row, limit } => {
            said!("In row {number} a cell is longer than {limit} bytes: shorten it.", number = row, limit = limit)
        }
        Fault::SharedTexts { .. } => said!("The file has too many texts: divide it into several files."),
        Fault::Encoding { line, encoding } => said!(
            "In line {number} a letter is not one of {encoding}: save the file as CSV in UTF-8.",
            number = line,
            encoding = encoding
        ),
        Fault::QuoteNotClosed { line } => said!(
            "In line {number} a quotation mark begins a text that does not end: delete the mark, or end the text.",
            number = line
        ),
        Fault::NotJson { line, .. } => {
            said!("Line {number} is no object of JSON: mend it and send the file again.", number = line)
        }
        Fault::Unreadable(_) => said!("The file cannot be read on this server: send it again."),
        // Broken, and what else there may be.
        _ => said!("The file is damaged: open it, save it as a new file and send that."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::messages::{Language, stored};

    #[test]
    fn every_fault_has_a_text_in_both_languages() {
        let faults = [
            Fault::Unreadable("os error 5".to_owned()),
            Fault::FileTooLarge { limit: 64 * MB },
            Fault::UnpacksTooLarge { limit: 512 * MB },
            Fault::Ratio { limit: 200 },
            Fault::NoTable,
            Fault::Unsupported("A web page (HTML)"),
            Fault::Unsupported("XLS of Excel 95 and before"),
            Fault::Unsupported("A document of Word"),
            Fault::Unsupported("A packed folder (ZIP)"),
            Fault::Unsupported("A packed file (GZIP)"),
            Fault::Unsupported("This way of packing"),
            Fault::Encrypted,
            Fault::Broken("EOF while parsing".to_owned()),
            Fault::Truncated,
            Fault::Entities,
            Fault::TooManySheets { limit: 7 },
            Fault::NoSheet,
            Fault::TooManyColumns { row: 5, limit: 512 },
            Fault::TooManyRows { limit: 300_000 },
            Fault::CellTooLong { row: 5, limit: 100 },
            Fault::Order { row: 5 },
            Fault::Encoding { line: 5, encoding: "utf-8" },
            Fault::QuoteNotClosed { line: 5 },
            Fault::NotJson { line: 5, why: "EOF while parsing".to_owned() },
        ];
        for fault in faults {
            let (said, why) = (sentence(&fault), FileFault::from(fault.clone()));
            let russian = stored(Language::Russian, &why.message, &why.code);
            let latin = ["is", "not", "the", "file", "parsing", "error"];
            let words = russian.split_whitespace().filter(|word| latin.contains(word));
            assert_eq!(words.count(), 0, "{fault:?}: {russian}");
            assert!(!why.message.contains("EOF"), "{fault:?}: {}", why.message);
            assert_eq!(said.english(), why.message);
            for number in why.message.split(|c: char| !c.is_ascii_digit()) {
                assert!(russian.contains(number), "{fault:?}: {russian}");
            }
        }
    }
}
