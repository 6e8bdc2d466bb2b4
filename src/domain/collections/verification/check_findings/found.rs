//! What a run hands over to be stored.

use checks::Finding;
use std::collections::BTreeSet;

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
}

/// A finding, and the animal whose rows were looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// That animal; none where a herd or the book was.
    pub source: Option<i64>,
    /// What was found.
    pub finding: Finding,
}
