//! Requests that ask for values of locked fields, as a word of the declaration: which collection
//! holds them, and where each of its rows says what.

use crate::registry::field::{Field, Kind};

/// The requests that correct locked fields of a collection's rows. All paths are fields of the
/// collection that holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrections {
    /// The collection that holds them.
    pub collection: &'static str,
    /// The organisation that makes a request.
    pub by: &'static str,
    /// The list of the rows that a request is about.
    pub about: &'static str,
    /// The rows with one proposed value each.
    pub proposed: &'static str,
    /// Members of a proposed value: the row, the path of its field, the value.
    pub members: [&'static str; 3],
    /// The kind of a request that corrects: its field, and the word.
    pub kind: (&'static str, &'static str),
    /// The field of its state.
    pub state: &'static str,
    /// The states in which it is not decided yet. A new request whose rows include all rows of such
    /// a one takes its place.
    pub open: &'static [&'static str],
    /// The state in which it was decided against.
    pub declined: &'static str,
    /// The field by which people name it.
    pub number: &'static str,
}

impl Corrections {
    /// Whether the fields of the collection that holds the requests can say all this about rows of
    /// the collection `slug`.
    pub(super) fn fits(&self, slug: &str, fields: &[Field]) -> bool {
        let kind = |path: &str| fields.iter().find(|f| f.path == path).map(|f| &f.kind);
        let has = |path: &str, word: &&str| match kind(path) {
            Some(Kind::Select(words)) => words.iter().any(|one| one == word),
            _ => false,
        };
        let members = match kind(self.proposed) {
            Some(Kind::Rows(members)) => members.as_slice(),
            _ => &[],
        };
        let mut states = self.open.iter().chain([&self.declined]);
        kind(self.about) == Some(&Kind::Relations(slug.to_owned()))
            && self
                .members
                .iter()
                .all(|name| members.iter().any(|m| m.path == *name))
            && has(self.kind.0, &self.kind.1)
            && states.all(|state| has(self.state, state))
            && kind(self.number).is_some()
            && matches!(kind(self.by), Some(Kind::Relation(_)))
    }
}
