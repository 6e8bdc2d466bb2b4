//! Dialects: files of farm programs and of evaluation centres that are known by their headings or by the form of their
//! lines, and what their columns and codes mean (docs/dialects.md). The header alone says which dialect
//! it is.
//!
//! Must not know how files are read, nor how rows enter the book.

mod compile;
mod text;

use model::registry::{Collection, PackageSet, ValueScale, normal};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use compile::layered;

/// Name and text of each file in `mappings/dialects`, as `build.rs` finds them.
pub(crate) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/dialects.rs"));

/// The dialects of an installation, by name.
#[derive(Debug, Clone, Default)]
pub struct Dialects(pub(crate) Vec<Dialect>);

/// How the files of one program are read.
#[derive(Debug, Clone)]
pub struct Dialect {
    /// Name of its file, without extension.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// How its files are written.
    pub form: DialectForm,
    pub(crate) recognise: Recognise,
    /// Normalised headings of columns that are known and not read.
    pub(crate) unread: BTreeSet<String>,
    /// Which part of a date stands first, where values do not decide alone.
    pub dates: Option<DateOrder>,
    /// The sign before decimals, where no value decides.
    pub decimal: Option<DecimalSign>,
    /// What tells the events of a file apart.
    pub events: Option<Events>,
    /// What becomes of its rows.
    pub sheets: Vec<DialectSheet>,
}

/// How the files of a dialect are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialectForm {
    /// A table with a header.
    Table,
    /// Lines of ISO 11787, which define themselves.
    Adis,
    /// Lines whose fields have fixed places.
    Fixed(FixedLines),
}

/// By what a header is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Recognise {
    /// Normalised headings that stand in every file.
    pub(crate) has: BTreeSet<String>,
    /// Normalised headings that stand in none.
    pub(crate) not: BTreeSet<String>,
    /// Share of the headings that the dialect knows at least.
    pub(crate) share: f64,
}

/// Lines whose fields have fixed places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixedLines {
    /// Characters of a line at least.
    pub shortest: usize,
    /// Characters of a line at most.
    pub longest: usize,
    /// Texts by which the lines are known.
    pub marks: Vec<Mark>,
    pub fields: Vec<FixedField>,
    /// Lines that are one row; none: each line is one.
    pub gather: Option<Gather>,
}

/// Lines with fixed places that are one row, and lines (heads) that say what holds for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gather {
    /// Texts of heads.
    pub heads: Vec<Mark>,
    /// Places (the first character, and how many) whose texts a head and its lines share.
    pub same: Vec<(usize, usize)>,
    /// Where fields find the head: from this character on.
    pub head_at: usize,
    /// Fields in which the lines of a row agree, by their places.
    pub by: Vec<usize>,
}

/// A text that stands at a place of lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Its first character, from 1.
    pub at: usize,
    /// What it may be.
    pub is: Vec<String>,
}

/// A field of lines with fixed places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedField {
    /// Its name, as a heading.
    pub name: String,
    /// What it is put together from.
    pub parts: Vec<FixedPart>,
    /// Texts of the lines that have it; none: all have.
    pub only: Vec<Mark>,
}

/// A part of a field of lines with fixed places.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedPart {
    /// Its first character, from 1.
    pub at: usize,
    /// Its characters.
    pub length: usize,
    /// What codes become, by [`code`].
    #[serde(default, deserialize_with = "upper")]
    pub codes: BTreeMap<String, String>,
}

/// Which part of a date with the year last stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
}

/// The sign before decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecimalSign {
    /// `,`
    Comma,
    /// `.`
    Point,
}

/// The column that says what happened in a row, where a file has several events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events {
    /// Its normalised heading.
    pub column: String,
    /// Codes of rows that are passed over, by [`code`].
    pub passed: BTreeSet<String>,
}

/// Rows of a file that are rows of a set.
#[derive(Debug, Clone)]
pub struct DialectSheet {
    /// The collection that declares the set.
    pub collection: &'static Collection,
    pub set: &'static PackageSet,
    /// Name of the sheet, or number of the entity; none: any.
    pub of: Option<String>,
    /// Codes of its events, by [`code`]; none: all rows.
    pub events: BTreeSet<String>,
    /// Normalised heading of a column without which a row says nothing of the set.
    pub needs: Option<String>,
    /// What its columns mean.
    pub columns: Vec<DialectColumn>,
    /// Values that all rows have: path and value.
    pub constants: Vec<(String, Json)>,
    /// The base of breeding values by the first day on which it holds; empty: none that is known.
    pub bases: BTreeMap<String, String>,
}

/// What a column means.
#[derive(Debug, Clone, PartialEq)]
pub struct DialectColumn {
    /// Its normalised heading.
    pub heading: String,
    /// The path of the field.
    pub path: String,
    /// The field of the row that a relation names.
    pub by: Option<String>,
    /// To the unit of the model.
    pub factor: f64,
    /// A unit in which its values may be: the sender must say in which they are.
    pub ask_unit: Option<String>,
    /// What its values are, if they are breeding values.
    pub scale: ValueScale,
    /// What cells mean, by [`code`]: an option, the code of an entry; empty: nothing.
    pub codes: BTreeMap<String, String>,
}

/// A code as it is compared.
pub fn code(text: &str) -> String {
    text.trim().to_uppercase()
}

/// Codes with what they become, by [`code`].
fn upper<'de, D: Deserializer<'de>>(file: D) -> Result<BTreeMap<String, String>, D::Error> {
    let all = BTreeMap::<String, String>::deserialize(file)?;
    Ok(all.into_iter().map(|(key, value)| (code(&key), value)).collect())
}

impl Dialects {
    /// The dialect of a header of a table; none where several fit equally well.
    pub fn of_table<'t>(&self, titles: impl Iterator<Item = &'t str>) -> Option<&Dialect> {
        let heads: BTreeSet<String> = titles.map(normal).filter(|head| !head.is_empty()).collect();
        let tables = self.0.iter().filter(|one| one.form == DialectForm::Table);
        let matches = tables.filter_map(|one| Some((one.matching_headings(&heads)?, one)));
        only_best(matches)
    }

    /// The dialect of an entity of ISO 11787; none where several know it.
    pub fn of_entity(&self, entity: &str) -> Option<&Dialect> {
        let all = self.0.iter().filter(|one| one.form == DialectForm::Adis);
        let has = |one: &&Dialect| (one.sheets.iter()).any(|sheet| sheet.of.as_deref() == Some(entity));
        only_best(all.filter(has).map(|one| (0, one)))
    }

    /// Those whose lines have fixed places, in order.
    pub fn fixed(&self) -> impl Iterator<Item = (&Dialect, &FixedLines)> {
        self.0.iter().filter_map(|one| match &one.form {
            DialectForm::Fixed(lines) => Some((one, lines)),
            _ => None,
        })
    }

    pub fn named(&self, name: &str) -> Option<&Dialect> {
        self.0.iter().find(|one| one.name == name)
    }

    /// Whether a heading is one of any dialect of tables.
    pub fn knows(&self, heading: &str) -> bool {
        let heading = normal(heading);
        let mut tables = (self.0.iter()).filter(|one| one.form == DialectForm::Table);
        !heading.is_empty() && tables.any(|one| one.has_heading(&heading))
    }
}

/// The one with the most points, unless two have as many.
fn only_best<'d>(all: impl Iterator<Item = (usize, &'d Dialect)>) -> Option<&'d Dialect> {
    let mut all: Vec<(usize, &Dialect)> = all.collect();
    all.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    match all.as_slice() {
        [(_, only)] => Some(*only),
        [(most, best), (next, _), ..] if most > next => Some(*best),
        _ => None,
    }
}

impl Dialect {
    /// How many headings of a header it knows; none: the header is not one of its.
    fn matching_headings(&self, heads: &BTreeSet<String>) -> Option<usize> {
        let Recognise { has, not, share } = &self.recognise;
        let matching = heads.iter().filter(|head| self.has_heading(head)).count();
        #[expect(clippy::cast_precision_loss, reason = "a header has few columns")]
        let enough = matching as f64 >= share * heads.len() as f64;
        (enough && has.is_subset(heads) && not.is_disjoint(heads)).then_some(matching)
    }

    /// Whether a normalised heading is one of its.
    pub fn has_heading(&self, heading: &str) -> bool {
        let event = self.events.as_ref().map(|events| events.column.as_str());
        let mut columns = self.sheets.iter().flat_map(|sheet| &sheet.columns);
        self.recognise.has.contains(heading)
            || self.unread.contains(heading)
            || event == Some(heading)
            || columns.any(|column| column.heading == heading)
    }

    /// Whether a normalised heading is one of a column that is known and not read.
    pub fn is_unread(&self, heading: &str) -> bool {
        self.unread.contains(heading)
    }

    /// Codes of all events that become rows.
    pub fn known_events(&self) -> impl Iterator<Item = &str> {
        let sheets = self.sheets.iter().flat_map(|sheet| &sheet.events);
        sheets.map(String::as_str)
    }
}

impl DialectSheet {
    /// What a column with this normalised heading means.
    pub fn column(&self, heading: &str) -> Option<&DialectColumn> {
        self.columns.iter().find(|column| column.heading == heading)
    }
}

#[cfg(test)]
mod tests;
