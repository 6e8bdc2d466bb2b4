//! From a row to bytes.

use super::{Leaf, Part, Shape, Shown};
use crate::error::{Error, Result};
use crate::record::time;
use crate::store::Row;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Rendered documents by collection and id.
pub(super) type Documents = BTreeMap<&'static str, BTreeMap<i64, Vec<u8>>>;
/// Ids of relation lists by owner, for each list of a shape.
pub(super) type Links = Vec<BTreeMap<i64, Vec<i64>>>;

/// Writes rows of one shape.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    pub(super) shape: &'a Shape,
    pub(super) links: &'a Links,
    /// What stands in place of ids.
    pub(super) related: &'a Documents,
    /// Bytes of related documents that may still be written; none when there were more.
    pub(super) room: &'a Cell<Option<usize>>,
}

/// Bytes of related documents in one part of an answer. Every level multiplies, so that a
/// few rows at depth 10 could otherwise fill the memory.
const ROOM: usize = 256 << 20;

/// A fresh [`Writer::room`].
pub(super) fn room() -> Cell<Option<usize>> {
    Cell::new(Some(ROOM))
}

impl Shape {
    /// Whether the row shows fields of a class.
    pub(super) fn shows(&self, row: &Row, class: Option<usize>) -> bool {
        class.is_none_or(|place| row.truth(self.columns.len() + place) == Some(true))
    }

    /// Every relation that the row shows, with its collection.
    pub(super) fn relations(
        &self,
        row: &Row,
        links: &Links,
        visit: &mut dyn FnMut(&'static str, i64),
    ) {
        for (list, ids) in self.lists.iter().zip(links) {
            if self.shows(row, list.class) {
                let ids = row.int(0).and_then(|id| ids.get(&id));
                ids.into_iter()
                    .flatten()
                    .for_each(|id| visit(list.target, *id));
            }
        }
        self.single(&self.parts, row, visit);
    }

    fn single(&self, parts: &[Part], row: &Row, visit: &mut dyn FnMut(&'static str, i64)) {
        for part in parts {
            let leaf = match part {
                Part::Group(_, inner) => {
                    self.single(inner, row, visit);
                    continue;
                }
                Part::Leaf(leaf) if self.shows(row, leaf.class) => leaf,
                Part::Leaf(_) => continue,
            };
            match &leaf.shown {
                Shown::One(target) => {
                    row.int(leaf.column)
                        .into_iter()
                        .for_each(|id| visit(target, id));
                }
                Shown::Rows(related) => {
                    let rows = json_rows(row, leaf.column);
                    for (name, value) in rows.iter().flatten() {
                        let target = related.iter().find(|(sub, _)| sub == name);
                        let Some((_, target)) = target else { continue };
                        match value {
                            Value::Array(ids) => {
                                let ids = ids.iter().filter_map(Value::as_i64);
                                ids.for_each(|id| visit(target, id));
                            }
                            id => id.as_i64().into_iter().for_each(|id| visit(target, id)),
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

impl Writer<'_> {
    /// Appends the document of a row.
    ///
    /// # Errors
    /// [`Error::Malformed`] when related documents take too much room.
    pub(super) fn write(&self, row: &Row, out: &mut Vec<u8>) -> Result<()> {
        out.push(b'{');
        self.parts(&self.shape.parts, row, out);
        if self.shape.collection.auth {
            comma(out);
            out.extend_from_slice(b"\"collection\":");
            text(self.shape.collection.slug, out);
        }
        out.push(b'}');
        match self.room.get() {
            Some(_) => Ok(()),
            None => Err(Error::Malformed(
                "the answer grows too large at this depth: ask for fewer rows or levels".to_owned(),
            )),
        }
    }

    fn parts(&self, parts: &[Part], row: &Row, out: &mut Vec<u8>) {
        for part in parts {
            match part {
                Part::Leaf(leaf) => {
                    if !self.shape.shows(row, leaf.class) {
                        continue;
                    }
                    for key in &leaf.keys {
                        comma(out);
                        out.extend_from_slice(key);
                        self.value(leaf, row, out);
                    }
                }
                Part::Group(key, inner) => {
                    let before = out.len();
                    comma(out);
                    out.extend_from_slice(key);
                    out.push(b'{');
                    let empty = out.len();
                    self.parts(inner, row, out);
                    if out.len() == empty {
                        out.truncate(before);
                    } else {
                        out.push(b'}');
                    }
                }
            }
        }
    }

    fn value(&self, leaf: &Leaf, row: &Row, out: &mut Vec<u8>) {
        let column = leaf.column;
        let written = match &leaf.shown {
            Shown::Int => row.int(column).map(|n| whole(n, out)),
            Shown::Num => row.num(column).map(|n| decimal(n, out)),
            Shown::Bool => row.truth(column).map(|yes| {
                out.extend_from_slice(if yes { b"true" } else { b"false" });
            }),
            Shown::Time => row.time(column).map(|ms| {
                out.push(b'"');
                time::write_iso(ms, out);
                out.push(b'"');
            }),
            Shown::Text => row.text(column).map(|t| text(t, out)),
            Shown::Json => row
                .text(column)
                .map(|t| out.extend_from_slice(t.as_bytes())),
            Shown::JsonList => {
                let list = row.text(column).unwrap_or("[]");
                out.extend_from_slice(list.as_bytes());
                Some(())
            }
            Shown::One(target) => row.int(column).map(|id| self.one(target, id, out)),
            Shown::Many(place) => {
                let list = self.shape.lists.get(*place);
                let owner = row.int(0).unwrap_or_default();
                let ids = self.links.get(*place).and_then(|ids| ids.get(&owner));
                self.many(list.map_or("", |list| list.target), ids, out);
                Some(())
            }
            Shown::Rows(related) => {
                self.rows(related, row, column, out);
                Some(())
            }
        };
        if written.is_none() {
            out.extend_from_slice(b"null");
        }
    }

    fn one(&self, target: &str, id: i64, out: &mut Vec<u8>) {
        let Some(document) = self.related.get(target).and_then(|all| all.get(&id)) else {
            return whole(id, out);
        };
        let room = self
            .room
            .get()
            .and_then(|room| room.checked_sub(document.len()));
        self.room.set(room);
        match room {
            Some(_) => out.extend_from_slice(document),
            None => whole(id, out),
        }
    }

    fn many(&self, target: &str, ids: Option<&Vec<i64>>, out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, id) in ids.into_iter().flatten().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            self.one(target, *id, out);
        }
        out.push(b']');
    }

    /// Rows are kept as JSON; only where something takes the place of ids are they read.
    fn rows(&self, related: &[(&str, &str)], row: &Row, column: usize, out: &mut Vec<u8>) {
        let known = |target: &str| self.related.get(target).is_some();
        if !related.iter().any(|(_, target)| known(target)) {
            let list = row.text(column).unwrap_or("[]");
            return out.extend_from_slice(list.as_bytes());
        }
        out.push(b'[');
        for (place, members) in json_rows(row, column).iter().enumerate() {
            out.extend_from_slice(if place > 0 { b",{" } else { b"{" });
            for (name, value) in members {
                comma(out);
                text(name, out);
                out.push(b':');
                let target = related.iter().find(|(sub, _)| sub == name);
                match (target, value, value.as_i64()) {
                    (Some((_, target)), _, Some(id)) => self.one(target, id, out),
                    (Some((_, target)), Value::Array(ids), _) => {
                        let ids = ids.iter().filter_map(Value::as_i64).collect();
                        self.many(target, Some(&ids), out);
                    }
                    _ => out.extend_from_slice(value.to_string().as_bytes()),
                }
            }
            out.push(b'}');
        }
        out.push(b']');
    }
}

/// The objects of a JSON list; what is none is passed over.
fn json_rows(row: &Row, column: usize) -> Vec<serde_json::Map<String, Value>> {
    let list: Option<Vec<Value>> = row
        .text(column)
        .and_then(|text| serde_json::from_str(text).ok());
    let objects = list.into_iter().flatten().filter_map(|value| match value {
        Value::Object(members) => Some(members),
        _ => None,
    });
    objects.collect()
}

/// A member follows, unless it is the first. No value ends in an opening brace.
fn comma(out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
}

// Writing into memory cannot fail, so the results of the serializer are passed over.

pub(super) fn whole(n: i64, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, &n);
}

/// Without a trailing `.0`, as JavaScript writes numbers.
fn decimal(n: f64, out: &mut Vec<u8>) {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    if n.fract() == 0.0 && n.abs() < 1e15 {
        whole(n as i64, out);
    } else {
        // What is no number is null.
        let _ = serde_json::to_writer(out, &n);
    }
}

fn text(value: &str, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}
