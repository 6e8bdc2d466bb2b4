//! Which fields of which related records rendering reads: the tree by which the caller
//! loads them level by level, and by which a change finds the rows to render again.

use crate::path::{Root, Source, Step};

/// How a hop leads on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// A relation: its slot in the record before.
    Relation(usize),
    /// A relation list of the row: its slot.
    List(usize),
    /// A relation inside a rows field of the row: slot of the rows, name of the member.
    Rows(usize, String),
    /// Records that point to the record before: the path of their relation. The first by
    /// id counts.
    Reverse(String),
}

/// A relation that rendering follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The hop before, as an index into the same list; `None`: it starts at the row.
    pub from: Option<usize>,
    /// The whole path from the row, for messages: `bull.breed`.
    pub path: String,
    /// How it leads on.
    pub via: Via,
    /// The collection that it leads to.
    pub collection: String,
    /// Fields read there.
    pub fields: Vec<String>,
}

impl Hop {
    /// Number of relations from the row, beginning with 1. Load the hops of one level
    /// together, one look-up per collection.
    pub fn level(&self, hops: &[Self]) -> usize {
        let mut level = 1;
        let mut at = self.from;
        while let Some(hop) = at.and_then(|i| hops.get(i)) {
            level += 1;
            at = hop.from;
        }
        level
    }
}

/// The tree while it grows.
#[derive(Debug, Default, Clone)]
pub(crate) struct Hops {
    pub own: Vec<String>,
    pub list: Vec<Hop>,
}

impl Hops {
    /// An own field is read.
    pub(crate) fn own(&mut self, path: &str) {
        add(&mut self.own, path);
    }

    /// The value of a source is read.
    pub(crate) fn read(&mut self, source: &Source) {
        self.read_at(source, &source.last);
    }

    /// Another field of the source's record is read.
    pub(crate) fn read_at(&mut self, source: &Source, field: &str) {
        match &source.root {
            Root::Row => {}
            Root::Element { path, .. } => {
                self.own(path);
                // The bare element is its id: nothing to load.
                if source.steps.is_empty() && field == "id" {
                    return;
                }
            }
            Root::Item { rows, .. } => {
                self.own(rows);
                if source.last.is_empty() {
                    return;
                }
            }
        }
        let at = self.record(source);
        self.field(at, field);
    }

    /// The hop of a source's record; none: the row.
    fn record(&mut self, source: &Source) -> Option<usize> {
        let root = match &source.root {
            Root::Row => None,
            Root::Element { slot, path, target } => Some(self.hop(None, Via::List(*slot), path, target)),
            Root::Item { slot, rows, name, target, .. } => {
                Some(self.hop(None, Via::Rows(*slot, name.clone()), &format!("{rows}.{name}"), target))
            }
        };
        source.steps.iter().fold(root, |at, step| self.step(at, step))
    }

    /// A field of the records of an own relation list is read.
    pub(crate) fn read_listed(&mut self, list: &Source, target: &str, field: &str) {
        self.own(&list.last);
        let hop = self.hop(None, Via::List(list.slot), &list.last, target);
        self.field(Some(hop), field);
    }

    fn step(&mut self, at: Option<usize>, step: &Step) -> Option<usize> {
        if step.reverse {
            self.field(at, "id");
            let hop = self.hop(at, Via::Reverse(step.path.clone()), &step.path, &step.target);
            self.field(Some(hop), &step.path);
            return Some(hop);
        }
        self.field(at, &step.path);
        Some(self.hop(at, Via::Relation(step.slot), &step.path, &step.target))
    }

    fn field(&mut self, at: Option<usize>, field: &str) {
        match at {
            None => add(&mut self.own, field),
            Some(i) => {
                if let Some(hop) = self.list.get_mut(i) {
                    add(&mut hop.fields, field);
                }
            }
        }
    }

    fn hop(&mut self, from: Option<usize>, via: Via, path: &str, collection: &str) -> usize {
        let existing = self.list.iter().position(|h| h.from == from && h.via == via);
        if let Some(at) = existing {
            return at;
        }
        let before = from.and_then(|i| self.list.get(i)).map(|h| format!("{}.", h.path));
        self.list.push(Hop {
            from,
            path: format!("{}{path}", before.unwrap_or_default()),
            via,
            collection: collection.to_owned(),
            fields: vec!["id".to_owned()],
        });
        self.list.len() - 1
    }

    /// Takes over what a mapping included at the source's record reads.
    pub(crate) fn nest(&mut self, source: &Source, nested: Self) {
        for field in &nested.own {
            self.read_at(source, field);
        }
        let base = self.record(source);
        let mut moved: Vec<usize> = Vec::new();
        for hop in nested.list {
            let from = match hop.from {
                None => base,
                Some(i) => moved.get(i).copied(),
            };
            let name = hop.path.rsplit('.').next().unwrap_or_default().to_owned();
            let at = self.hop(from, hop.via, &name, &hop.collection);
            for field in &hop.fields {
                self.field(Some(at), field);
            }
            moved.push(at);
        }
    }
}

fn add(list: &mut Vec<String>, path: &str) {
    if !path.is_empty() && !list.iter().any(|p| p == path) {
        list.push(path.to_owned());
    }
}
