//! Two rows that stand for the same thing, as a word of the declaration: which field names the row
//! that another was merged into. The write pipeline moves the references; the collection's hooks
//! handle the rest.

use crate::registry::collection::Collection;
use crate::registry::field::{Field, Kind};

impl Collection {
    /// Rows are merged into others of the collection: this relation, which the server writes, names
    /// the row that a merged one became. All references to the merged row move, and later
    /// references to it mean the other row.
    pub fn merges(mut self, into: &'static str) -> Self {
        self.merged = Some(into);
        self
    }

    /// The server computed the rows that have this relation: they hinder no merger of what they are about.
    pub fn computed_by(mut self, path: &'static str) -> Self {
        self.computed_by = Some(path);
        self
    }

    /// Mergers are undone: this hidden JSON field of the merged row keeps what moved. What
    /// happened to rows of such a collection moves as a write, so that what follows from it
    /// is computed anew, for both.
    pub fn unmerges(mut self, journal: &'static str) -> Self {
        self.merge_journal = Some(journal);
        self
    }

    /// The slot of that relation.
    pub fn merged_slot(&self) -> Option<usize> {
        self.slot(self.merged?)
    }
}

/// A journal that cannot store what moved.
pub(super) fn check(c: &Collection, fault: &mut impl FnMut(&str, &'static str, String)) {
    if let Some(path) = c.computed_by
        && c.field(path).and_then(Field::target).is_none()
    {
        fault(path, "no-such-relation", format!("{path} names nothing that computes rows"));
    }
    if let Some(journal) = c.merge_journal
        && c.field(journal).map(|f| &f.kind) != Some(&Kind::Json)
    {
        let message = format!("{journal} is no JSON that could keep what moved");
        fault(journal, "no-such-field", message);
    }
}
