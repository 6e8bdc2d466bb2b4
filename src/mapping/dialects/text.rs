//! The grammar of the file of a dialect as it is written (docs/dialects.md).

use super::{DateOrder, DecimalSign, FixedPart, Mark, upper};
use model::registry::RelativeScale;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Value;

/// A file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DialectText {
    /// What people call it.
    pub title: String,
    /// Where its form is described.
    pub source: String,
    #[serde(default)]
    pub form: FormText,
    #[serde(default)]
    pub recognise: RecogniseText,
    pub notation: Option<NotationText>,
    pub events: Option<EventsText>,
    /// Headings of columns that are known and not read.
    #[serde(default)]
    pub unread: Vec<String>,
    /// Of lines with fixed places.
    #[serde(default)]
    pub field: Vec<FieldText>,
    /// Of lines with fixed places of which several are one row.
    pub gather: Option<GatherText>,
    pub sheet: Vec<SheetText>,
}

/// How files are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormText {
    #[default]
    Table,
    Adis,
    Fixed,
}

/// By what files are known.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecogniseText {
    #[serde(default)]
    pub has: Vec<String>,
    #[serde(default)]
    pub not: Vec<String>,
    #[serde(default)]
    pub share: f64,
    /// Characters of a line: one number, or the fewest and the most.
    #[serde(default)]
    pub length: Vec<usize>,
    #[serde(default)]
    pub marks: Vec<Mark>,
}

/// How dates and numbers are written where values do not decide alone.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NotationText {
    pub dates: Option<DateOrder>,
    pub decimal: Option<DecimalSign>,
}

/// The column that tells events apart, and the codes of rows that are passed over.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsText {
    pub column: String,
    #[serde(default)]
    pub passed: Vec<String>,
}

/// A field of lines with fixed places: one part, or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldText {
    pub name: String,
    pub at: Option<usize>,
    pub length: Option<usize>,
    #[serde(default)]
    pub parts: Vec<FixedPart>,
    /// Texts of the lines that have it; none: all have.
    #[serde(default)]
    pub only: Vec<Mark>,
}

/// Lines that are one row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GatherText {
    /// Texts of lines that say what holds for others.
    pub heads: Vec<Mark>,
    /// Places at which such a line and the others have the same.
    pub same: Vec<PlaceText>,
    /// Where fields find it: from this character on.
    pub head_at: usize,
    /// Fields in which the lines of a row agree.
    pub by: Vec<String>,
}

/// A place of a line.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceText {
    pub at: usize,
    pub length: usize,
}

/// Rows of a set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SheetText {
    pub set: String,
    pub of: Option<String>,
    #[serde(default)]
    pub events: Vec<String>,
    pub needs: Option<String>,
    #[serde(default)]
    pub constants: BTreeMap<String, Value>,
    /// The base of breeding values by the first day on which it holds; empty: none that is known.
    #[serde(default)]
    pub bases: BTreeMap<String, String>,
    #[serde(default)]
    pub columns: Vec<ColumnText>,
}

/// A column of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnText {
    pub heading: String,
    pub path: String,
    pub by: Option<String>,
    pub factor: Option<f64>,
    /// A unit in which values may be, where neither the file nor its form says in which they are.
    pub ask_unit: Option<String>,
    pub scale: Option<ScaleText>,
    #[serde(default, deserialize_with = "upper")]
    pub codes: BTreeMap<String, String>,
}

/// What the values of a column are, if not breeding values.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(super) enum ScaleText {
    Word(ScaleWord),
    Relative(RelativeScale),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ScaleWord {
    TransmittingAbility,
}
