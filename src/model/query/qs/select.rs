//! `select` and `populate`: which fields an answer shows (docs/dialect.md, *Select and populate*).

use indexmap::IndexMap;

use super::params::truth;
use super::{JoinPage, Tree};

/// What a caller wants to see. `id` is always shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Select {
    /// Only these fields.
    Include(SelectTree),
    /// All but these fields.
    Exclude(SelectTree),
}

/// Field names with what is chosen of each.
pub type SelectTree = IndexMap<String, Choice>;

/// How much of a field is chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The whole field.
    Whole,
    /// Parts of a group, of the rows of an array, or of the records of a relation.
    Parts(SelectTree),
    /// A page of a join field; the name that it stands under may be another, so that one
    /// field can be requested several times. A query string cannot say this.
    Join {
        /// The join field.
        name: String,
        /// Which rows.
        page: JoinPage,
        /// What of them.
        parts: SelectTree,
    },
    /// The ancestors of a record, under any name. A query string cannot express this.
    Lineage {
        /// How many generations.
        generations: u8,
        /// Levels of relations shown as documents.
        depth: u8,
        /// What of the records.
        parts: SelectTree,
    },
    /// What happened to a record, under any name. A query string cannot express this.
    Story {
        /// Which events.
        story: Story,
        /// Levels of relations shown as documents.
        depth: u8,
        /// What of the events, by their collections.
        parts: SelectTree,
    },
}

/// The requested events of a record: a page of them, the latest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    /// Their collections; none: all.
    pub kinds: Vec<String>,
    /// Not before, epoch milliseconds.
    pub from: Option<i64>,
    /// Not after, epoch milliseconds.
    pub to: Option<i64>,
    /// Events of a page.
    pub limit: u64,
    /// The page, from 1.
    pub page: u64,
}

/// `select`; `None` when absent or empty, which shows everything. One `false` anywhere makes it an
/// exclusion, in which `true` means nothing. Forms that name no field (`select=name`,
/// `select[]=name`) include nothing but `id`.
pub fn select(query: &Tree) -> Option<Select> {
    query.get("select").and_then(read)
}

/// `populate`: the [`Select`] for expanded documents of each named collection.
pub fn populate(query: &Tree) -> IndexMap<String, Select> {
    match query.get("populate") {
        Some(Tree::Map(parts)) => {
            parts.iter().filter_map(|(name, part)| read(part).map(|select| (name.clone(), select))).collect()
        }
        _ => IndexMap::new(),
    }
}

fn read(tree: &Tree) -> Option<Select> {
    match tree {
        Tree::Text(text) if text.is_empty() => None,
        Tree::Map(parts) if parts.is_empty() => None,
        tree if has_false(tree) => Some(Select::Exclude(chosen(tree, false))),
        tree => Some(Select::Include(chosen(tree, true))),
    }
}

// The recursion is bounded: a query string nests ten levels, JSON sixty-four.
fn has_false(tree: &Tree) -> bool {
    match tree {
        Tree::Map(parts) => parts.values().any(has_false),
        leaf => truth(leaf) == Some(false),
    }
}

/// The fields marked with `mark`; groups without any are left out.
fn chosen(tree: &Tree, mark: bool) -> SelectTree {
    let Tree::Map(parts) = tree else {
        return SelectTree::new();
    };
    let choice = |part: &Tree| match part {
        Tree::Map(_) => Some(chosen(part, mark)).filter(|parts| !parts.is_empty()).map(Choice::Parts),
        leaf => (truth(leaf) == Some(mark)).then_some(Choice::Whole),
    };
    parts.iter().filter_map(|(name, part)| Some((name.clone(), choice(part)?))).collect()
}
