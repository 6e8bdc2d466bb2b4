//! What is known of the texts of headers in a file.

use crate::meanings::known_columns::KnownColumns;
use crate::meanings::whole_collection;
use model::registry::{Collection, Registry, is_unit, normal};
use sheets::{Headings, Row};

/// Words for animals that rows are not about: ancestors, and bulls that served.
const OTHERS: [&str; 30] = [
    "мать",
    "матери",
    "отец",
    "отца",
    "бабка",
    "бабки",
    "бабушка",
    "дед",
    "деда",
    "дедушка",
    "предок",
    "предки",
    "предка",
    "предков",
    "родители",
    "родителей",
    "бык",
    "быка",
    "dam",
    "sire",
    "mother",
    "father",
    "parent",
    "parents",
    "granddam",
    "grandsire",
    "grandmother",
    "grandfather",
    "ancestors",
    "bull",
];
/// Words of a text about another animal, at most: `данные матери отца`.
const WORDS: usize = 3;
/// Headings that make a row a header.
const HITS: usize = 2;

pub(crate) struct FileHeadings<'f> {
    pub(crate) registry: &'static Registry,
    pub(crate) known_columns: &'f KnownColumns,
    /// The collection of the file; none: that of a package.
    pub(crate) of: Option<&'static Collection>,
    /// The set of the rows; none: any.
    pub(crate) stated: Option<&'f str>,
    /// The header of a table that the book wrote, whatever it means.
    pub(crate) written: Vec<String>,
}

impl Headings for FileHeadings<'_> {
    fn means(&self, heading: &str) -> bool {
        let known = self.known_columns;
        match self.of {
            Some(c) => whole_collection::is_known(self.registry, c, heading),
            None => {
                self.written.iter().any(|title| title == heading)
                    || known.dialects.knows(heading)
                    || known.means(self.registry, self.stated, heading)
            }
        }
    }

    fn is_unit(&self, text: &str) -> bool {
        is_unit(text)
    }

    fn is_subject(&self, heading: &str) -> bool {
        self.of.is_none() && self.known_columns.is_subject(self.registry, self.stated, heading)
    }

    fn is_of_other(&self, text: &str) -> bool {
        let name = normal(text);
        let words: Vec<&str> = name.split(' ').collect();
        words.len() <= WORDS && words.iter().any(|word| OTHERS.contains(word))
    }
}

impl FileHeadings<'_> {
    /// Whether a row is a header, by its cells before a column: none begins with a digit, and at least half of them are
    /// headings.
    pub(crate) fn is_header(&self, row: &Row, end: usize) -> bool {
        let texts = || row.cells.iter().take(end).map(|cell| cell.text.trim()).filter(|text| !text.is_empty());
        if texts().any(|text| text.starts_with(|c: char| c.is_ascii_digit())) {
            return false;
        }
        let hits = texts().filter(|text| self.means(text)).count();
        hits >= HITS && hits * 2 >= texts().count()
    }
}
