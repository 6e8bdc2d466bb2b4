//! `joins`: which pages of join fields an answer shows (docs/dialect.md, *Joins*).

use indexmap::IndexMap;

use super::Tree;
use super::params::{limit, page, sort, truth};

/// Rows of a join unless the caller says otherwise.
const LIMIT: u64 = 10;

/// The query of one join field.
#[derive(Debug, Clone, PartialEq)]
pub enum JoinSelection {
    /// Not to be shown.
    Off,
    Page(JoinPage),
}

/// A page of a join field.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinPage {
    /// Rows of a page; 0: all.
    pub limit: u64,
    /// The page, from 1.
    pub page: u64,
    /// Keys of the order, `-` before descending ones; empty: the other collection's own.
    pub sort: Vec<String>,
    /// A query that has nothing but `where`, unread; none: no condition.
    pub filter: Option<Tree>,
    /// Whether all rows are to be counted.
    pub count: bool,
}

impl Default for JoinPage {
    fn default() -> Self {
        Self { limit: LIMIT, page: 1, sort: Vec::new(), filter: None, count: false }
    }
}

/// `joins`, by field. `joins=false` and what is no map ask for nothing; `joins[x]=true` and
/// `joins[x]=` for a page with the defaults.
pub fn joins(query: &Tree) -> IndexMap<String, JoinSelection> {
    match query.get("joins") {
        Some(Tree::Map(parts)) => parts.iter().map(|(name, part)| (name.clone(), ask(part))).collect(),
        _ => IndexMap::new(),
    }
}

fn ask(part: &Tree) -> JoinSelection {
    if truth(part) == Some(false) {
        return JoinSelection::Off;
    }
    let filter = part.get("where").cloned();
    JoinSelection::Page(JoinPage {
        limit: limit(part, LIMIT),
        page: page(part),
        sort: sort(part).into_iter().map(str::to_owned).collect(),
        filter: filter.map(|tree| Tree::Map(IndexMap::from([("where".to_owned(), tree)]))),
        count: part.get("count").and_then(truth) == Some(true),
    })
}
