//! What a run hands over to be stored.

use checks::{Finding, Touched};
use std::collections::BTreeSet;

/// Collections with far more rows of an animal than a write reads.
const MANY: [&str; 2] = ["milking-visits", "daily-milkings"];

/// What makes a row: check, collection, id of the row, field.
pub(super) type Key = (String, String, i64, String);

/// The part of the book that was looked at, all of whose findings are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The rows of these animals.
    Animals(BTreeSet<i64>),
    /// A herd as a whole.
    Herd(i64),
    /// A package as a whole.
    Package(i64),
    /// Findings about these animals across the book.
    Across(BTreeSet<i64>),
    /// The rows of these animals, as far as the rows of a write changed what is found of them.
    Written(BTreeSet<i64>, Coverage),
}

/// What is known of the findings of some animals when not all of their rows were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// What was read.
    pub touched: Touched,
    /// Of collections with many rows those that were looked at, and those that are gone.
    pub rows: BTreeSet<(String, i64)>,
    /// What was wrong before the write, and is not made by it: the next run finds it.
    pub latent: BTreeSet<Key>,
}

impl Scope {
    /// Whether a finding that is not stored yet is left to the next run.
    pub(super) fn leaves(&self, key: &Key) -> bool {
        matches!(self, Self::Written(_, coverage) if coverage.latent.contains(key))
    }
}

impl Coverage {
    /// Whether all findings of a check about this field are known.
    pub(super) fn knows(&self, collection: &str, path: &str, id: i64) -> bool {
        let row = || self.rows.contains(&(collection.to_owned(), id));
        self.touched.judges(collection, path) && (!MANY.contains(&collection) || row())
    }
}

/// A finding, and the animal whose rows were looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcedFinding {
    /// That animal; none where a herd or the book was.
    pub source: Option<i64>,
    /// What was found.
    pub finding: Finding,
}
