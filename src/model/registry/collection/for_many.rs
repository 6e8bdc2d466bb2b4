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
    /// Which rows are open.
    pub open: Open,
    /// The field of the other collection and the value with which a row is made; the others are left out. None: a row is
    /// made for each.
    pub only: Option<(&'static str, &'static str)>,
    /// How the rows are made.
    pub how: BulkMode,
    /// What it is for.
    pub doc: &'static str,
}

/// Which rows count as open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// Those whose field has one of these values.
    While(&'static str, &'static [&'static str]),
    /// Those whose first field is filled, and whose second is not.
    Between(&'static str, &'static str),
}

/// How rows are made for many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkMode {
    /// All alike: in pieces, and what refuses one refuses the request.
    Together,
    /// Each on its own: all in one transaction, so many at most, and what is said of one alone leaves out that one.
    OneByOne(usize),
}

impl ForMany {
    /// Fields of the rows that are looked at.
    pub fn looked_at(&self) -> Vec<&'static str> {
        let open = match self.open {
            Open::While(field, _) => vec![field],
            Open::Between(from, to) => vec![from, to],
        };
        let own = [self.relation].into_iter().chain(open);
        own.chain(self.same.iter().copied()).collect()
    }
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
