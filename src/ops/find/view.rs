//! How documents are to be shown (docs/dialect.md, *Depth*, *Select and populate*, *Joins*). Must
//! not know HTTP.

use indexmap::IndexMap;
use model::messages::Language;
use model::query::qs::{self, JoinSelection, Select, Tree};

/// The documents as a caller requests them. The default shows every field, relations as ids, and no
/// join.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// Levels of relations shown as documents.
    pub depth: u8,
    /// Selected fields; none: all.
    pub select: Option<Select>,
    /// Selected fields of expanded documents, by collection.
    pub populate: IndexMap<String, Select>,
    /// The requests for join fields, by field. One that is neither here nor in an including
    /// `select` is not read.
    pub joins: IndexMap<String, JoinSelection>,
    /// The language in which tables write related records by their titles; none: as the request says.
    pub titles: Option<Language>,
}

impl View {
    /// Reads `depth`, `select`, `populate` and `joins`. The names are checked when documents are
    /// made; unknown names are ignored, as the dialect has it.
    pub fn read(query: &Tree, depth: u8) -> Self {
        Self {
            depth: qs::depth(query, depth),
            select: qs::select(query),
            populate: qs::populate(query),
            joins: qs::joins(query),
            titles: None,
        }
    }
}

impl From<u8> for View {
    fn from(depth: u8) -> Self {
        Self { depth, ..Self::default() }
    }
}

impl From<&Self> for View {
    fn from(view: &Self) -> Self {
        view.clone()
    }
}
