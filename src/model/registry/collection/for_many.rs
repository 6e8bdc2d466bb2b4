//! Rows that are made for many rows of another collection in one request: `POST /api/<slug>/<name>` (docs/writing.md,
//! *One for each of many*).

use crate::registry::{Collection, Registry};

/// How a row is made for each of many others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForMany {
    /// Last segment of the address.
    pub name: &'static str,
    /// The relation that differs between the rows.
    pub relation: &'static str,
    /// The fields in which a row is the same as one that is open already.
    pub same: &'static [&'static str],
    /// The field and its values while a row is open.
    pub open: (&'static str, &'static [&'static str]),
    /// The field of the other collection and the value with which a row is made; the others are left out.
    pub only: (&'static str, &'static str),
    /// What it is for.
    pub doc: &'static str,
}

impl Collection {
    /// Rows may be made for many others at once.
    pub fn for_many(mut self, how: ForMany) -> Self {
        self.for_many = Some(how);
        self
    }

    /// The collection for whose rows rows of this one are made.
    pub fn many_of<'r>(&self, registry: &'r Registry, how: &ForMany) -> Option<&'r Collection> {
        registry.get(self.field(how.relation)?.target()?)
    }
}
