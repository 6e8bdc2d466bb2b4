//! A column of a sheet: what it means, and how it is written.

use crate::meanings::columns::Column;
use crate::values::cells;
use crate::values::notation::{Content, Notation};
use model::registry::{Collection, Kind, entry_key};
use std::collections::BTreeMap;

/// Headings of the columns that tables of rows have beside those of the file: sent again, they say nothing.
pub(crate) const BESIDE: [&str; 3] = ["_state", "_line", "_reason"];

#[derive(Debug, Clone)]
pub(crate) struct FileColumn {
    pub(crate) title: String,
    pub(crate) means: Means,
    /// How its dates or numbers are written.
    pub(crate) notation: Notation,
    /// Choices that its values mean as the Association decided, by normalised value.
    pub(crate) words: BTreeMap<String, String>,
}

impl FileColumn {
    /// Whether it has dates or numbers, of rows of a collection.
    pub(crate) fn content(&self, c: &Collection) -> Option<Content> {
        Content::of(c, self.means.taken()?.0)
    }

    /// Whether it has choices of which some are numerals, and none is 0.
    pub(crate) fn counts_from_one(&self, c: &Collection) -> bool {
        let known = self.means.taken().and_then(|(column, _)| Some((column.path(c), &column.field(c)?.kind)));
        let Some((path, Kind::Select(values))) = known else { return false };
        let means = |word| c.worded(&path, values, word).is_some();
        means("1") && !means("0")
    }

    /// A cell, or the choice that it means as the Association decided.
    pub(crate) fn understood<'a>(&'a self, c: &Collection, cell: &'a str) -> &'a str {
        let (Means::Takes(column, _), false) = (&self.means, self.words.is_empty()) else { return cell };
        let text = cells::plain(cell).trim();
        let is_known = match column.field(c).map(|field| &field.kind) {
            Some(Kind::Select(values)) => c.worded(&column.path(c), values, text).is_some(),
            _ => true,
        };
        self.words.get(&entry_key(text)).filter(|_| !is_known).map_or(cell, String::as_str)
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Means {
    /// A field, by its path.
    Takes(Column, String),
    /// Left out by a decision, or because the column is empty.
    LeftOut,
    /// A field that the book computes, or that another column of the sheet has.
    NotTaken,
    /// A field that another column of the sheet has: it must not say anything else.
    Again(Column),
    /// Another number of the animal, whose usual one another column has.
    Beside(Column),
    /// An unknown heading, with known ones that are like it.
    Unknown(Vec<String>),
}

impl Means {
    /// The column of a field, and the path of the field.
    pub(crate) fn taken(&self) -> Option<(&Column, &str)> {
        match self {
            Self::Takes(column, path) => Some((column, path)),
            _ => None,
        }
    }
}
