//! Documents: rows of a statement written to JSON straight from the driver's row, by the
//! kind of each field and in the order of the declaration (the REST dialect, section 2).
//! What a caller does not see is absent. Must not know HTTP.

mod expand;
mod write;

pub(super) use expand::Reader;

use super::access::Gate;
use crate::query::Filter;
use crate::registry::{Class, Collection, Field, Kind, Node, Registry};
use crate::store::{Scan, Sql, condition};

/// How the documents of one collection look to one caller: which columns are read, and
/// what of each row is written.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) collection: &'static Collection,
    columns: Vec<&'static str>,
    classes: Vec<(Class, Filter)>,
    parts: Vec<Part>,
    /// Relation lists, in the order in which leaves count them.
    lists: Vec<List>,
}

#[derive(Debug)]
struct List {
    table: String,
    target: &'static str,
    class: Option<usize>,
}

#[derive(Debug)]
enum Part {
    Leaf(Leaf),
    /// An object under its key.
    Group(Vec<u8>, Vec<Part>),
}

#[derive(Debug)]
struct Leaf {
    /// `"name":`, and the same of every alias.
    keys: Vec<Vec<u8>>,
    shown: Shown,
    /// Place of the column in the row.
    column: usize,
    /// Place of its class among those that depend on the row.
    class: Option<usize>,
}

#[derive(Debug)]
enum Shown {
    Int,
    Num,
    Bool,
    Time,
    Text,
    Json,
    /// JSON that is a list even when it is empty.
    JsonList,
    /// JSON rows of which some fields are relations: name and collection.
    Rows(Vec<(&'static str, &'static str)>),
    /// A relation to that collection.
    One(&'static str),
    /// The relation list of that number.
    Many(usize),
}

impl Shape {
    /// Decides what a caller sees of a collection.
    pub(super) fn new(gate: &Gate<'_>, collection: &'static Collection) -> Self {
        let mut shape = Self {
            collection,
            columns: Vec::new(),
            classes: Vec::new(),
            parts: Vec::new(),
            lists: Vec::new(),
        };
        shape.parts = shape.lay(gate, &collection.layout);
        shape
    }

    fn lay(&mut self, gate: &Gate<'_>, nodes: &'static [Node]) -> Vec<Part> {
        let mut parts = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Leaf(slot) => {
                    let field = self.collection.fields.get(*slot);
                    parts.extend(field.and_then(|f| self.leaf(gate, f)).map(Part::Leaf));
                }
                Node::Group(name, nodes) => {
                    let inner = self.lay(gate, nodes);
                    if !inner.is_empty() {
                        parts.push(Part::Group(key(name), inner));
                    }
                }
            }
        }
        parts
    }

    fn leaf(&mut self, gate: &Gate<'_>, field: &'static Field) -> Option<Leaf> {
        if field.kind == Kind::Password {
            return None;
        }
        let class = self.class(gate, field.class)?;
        let shown = match &field.kind {
            Kind::Relations(target) => {
                self.lists.push(List {
                    table: self.collection.link_table(field),
                    target,
                    class,
                });
                Shown::Many(self.lists.len() - 1)
            }
            kind => shown(gate.registry, kind),
        };
        let column = self.columns.len();
        if field.stored() {
            self.columns.push(&field.column);
        }
        let aliases = self.collection.aliases.iter();
        let aliases = aliases.filter(|(canonical, _)| *canonical == field.path);
        let names = aliases.map(|(_, alias)| alias.rsplit('.').next().unwrap_or(alias));
        Some(Leaf {
            keys: std::iter::once(field.name())
                .chain(names)
                .map(key)
                .collect(),
            shown,
            column,
            class,
        })
    }

    /// Whether a class is seen: never (none), always, or by the row.
    #[expect(clippy::option_option, reason = "never, always, by the row")]
    fn class(&mut self, gate: &Gate<'_>, class: Class) -> Option<Option<usize>> {
        if let Some(known) = self.classes.iter().position(|(c, _)| *c == class) {
            return Some(Some(known));
        }
        match gate.sees(self.collection, class) {
            Filter::False => None,
            Filter::True => Some(None),
            filter => {
                self.classes.push((class, filter));
                Some(Some(self.classes.len() - 1))
            }
        }
    }

    /// `SELECT … FROM … a`, with a column per class that depends on the row.
    pub(super) fn select(&self, scan: &mut Scan, sql: &mut Sql) {
        for (place, column) in self.columns.iter().enumerate() {
            sql.push(if place == 0 { "SELECT a." } else { ", a." });
            sql.name(column);
        }
        for (_, filter) in &self.classes {
            sql.push(", (");
            condition(scan, sql, self.collection, "a", filter);
            sql.push(")");
        }
        sql.push(" FROM ").name(&self.collection.table).push(" a");
    }
}

fn shown(registry: &'static Registry, kind: &'static Kind) -> Shown {
    match kind {
        Kind::Int => Shown::Int,
        Kind::Number => Shown::Num,
        Kind::Bool => Shown::Bool,
        Kind::Day | Kind::Instant => Shown::Time,
        Kind::Json => Shown::Json,
        Kind::Selects(_) => Shown::JsonList,
        Kind::Relation(target) => registry
            .get(target)
            .map_or(Shown::Int, |t| Shown::One(t.slug)),
        Kind::Rows(subs) => {
            let related = subs.iter().filter_map(|sub| {
                let target = registry.get(sub.target()?)?;
                Some((sub.name(), target.slug))
            });
            let related: Vec<_> = related.collect();
            if related.is_empty() {
                Shown::JsonList
            } else {
                Shown::Rows(related)
            }
        }
        Kind::Text(_)
        | Kind::LongText
        | Kind::Email
        | Kind::Password
        | Kind::Select(_)
        | Kind::Relations(_) => Shown::Text,
    }
}

fn key(name: &str) -> Vec<u8> {
    let mut key = serde_json::Value::from(name).to_string().into_bytes();
    key.push(b':');
    key
}
