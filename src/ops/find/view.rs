//! How documents are to be shown (docs/dialect.md, *Depth*, *Select and populate*, *Joins*). Must not know HTTP.

use indexmap::IndexMap;
use model::query::qs::{self, JoinSelection, Select, Tree};
use model::registry::{Field, Registry};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The documents as a caller requests them. The default shows every field, relations as ids, and no join.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// Levels of relations shown as documents.
    pub depth: u8,
    /// Selected fields; none: all.
    pub select: Option<Select>,
    /// Selected fields of expanded documents, by collection.
    pub populate: IndexMap<String, Select>,
    /// The requests for join fields, by field. One that is neither here nor in an including `select` is not read.
    pub joins: IndexMap<String, JoinSelection>,
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
        }
    }
}

/// Shows related records of fields by their titles, in the words of `populate`.
pub fn names_of<'f>(registry: &Registry, fields: impl IntoIterator<Item = &'f Field>) -> Value {
    let targets: BTreeSet<&str> = fields.into_iter().filter_map(Field::target).collect();
    let targets = targets.into_iter().filter_map(|slug| registry.get(slug));
    let names = targets.map(|c| {
        let mut names = Map::new();
        c.title_paths().into_iter().for_each(|path| select_field(&mut names, path));
        (c.slug.to_owned(), Value::Object(names))
    });
    Value::Object(names.collect())
}

/// Adds a field to a selection, in the words of `select`.
pub fn select_field(select: &mut Map<String, Value>, path: &str) {
    match path.split_once('.') {
        None => {
            select.insert(path.to_owned(), json!("true"));
        }
        Some((group, rest)) => {
            let inner = select.entry(group).or_insert_with(|| json!({}));
            if let Value::Object(inner) = inner {
                select_field(inner, rest);
            }
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
