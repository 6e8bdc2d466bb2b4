//! Writes the row of a statement as JSON.

use super::{Elements, FieldSelection, Leaf, LeafKind, Part, Shape};
use model::error::{Error, Result};
use model::record::time;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use store::Row;

/// Rendered documents by selection and id.
pub(super) type Documents = BTreeMap<FieldSelection, BTreeMap<i64, Vec<u8>>>;

/// The values of rows in other tables, by the ids of the rows.
#[derive(Debug, Default)]
pub(super) struct LinkedValues {
    /// Ids of each relation list.
    pub(super) lists: Vec<BTreeMap<i64, Vec<i64>>>,
    pub(super) joins: Vec<BTreeMap<i64, JoinedRows>>,
    /// Ancestors, written already.
    pub(super) lineages: Vec<BTreeMap<i64, Vec<u8>>>,
    /// Events, in the same way.
    pub(super) timelines: Vec<BTreeMap<i64, Vec<u8>>>,
}

/// The rows of a join field that a document shows.
#[derive(Debug, Default)]
pub(super) struct JoinedRows {
    pub(super) ids: Vec<i64>,
    /// Whether another page follows.
    pub(super) more: bool,
    /// All rows, where they were counted.
    pub(super) total: u64,
}

/// Writes rows of one shape.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    pub(super) shape: &'a Shape,
    pub(super) linked: &'a LinkedValues,
    /// The documents in place of ids.
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
    pub(super) fn shows(&self, row: &Row, class: Option<usize>) -> bool {
        class.is_none_or(|place| row.truth(self.columns.len() + place) == Some(true))
    }

    /// Every relation that the row shows, with its collection.
    pub(super) fn relations(&self, row: &Row, linked: &LinkedValues, visit: &mut dyn FnMut(FieldSelection, i64)) {
        for (list, ids) in self.lists.iter().zip(&linked.lists) {
            if self.shows(row, list.class) {
                let ids = row.int(0).and_then(|id| ids.get(&id));
                ids.into_iter().flatten().take(list.expanded).for_each(|id| visit(list.selection, *id));
            }
        }
        for (join, rows) in self.joins.iter().zip(&linked.joins) {
            let joined = row.int(0).and_then(|id| rows.get(&id));
            joined.into_iter().flat_map(|joined| &joined.ids).for_each(|id| visit(join.selection, *id));
        }
        self.single(&self.parts, row, visit);
    }

    fn single(&self, parts: &[Part], row: &Row, visit: &mut dyn FnMut(FieldSelection, i64)) {
        for part in parts {
            let leaf = match part {
                Part::Group(_, inner) => {
                    self.single(inner, row, visit);
                    continue;
                }
                Part::Leaf(leaf) if self.shows(row, leaf.class) => leaf,
                Part::Leaf(_) => continue,
            };
            match &leaf.kind {
                LeafKind::One(selection) => {
                    row.int(leaf.column).into_iter().for_each(|id| visit(*selection, id));
                }
                LeafKind::Rows(Elements { related, .. }) if !related.is_empty() => {
                    let rows = json_rows(row, leaf.column);
                    for (name, value) in rows.iter().flatten() {
                        let Some((_, selection)) = related.iter().find(|(sub, _)| sub == name) else { continue };
                        match value {
                            Value::Array(ids) => {
                                ids.iter().filter_map(Value::as_i64).for_each(|id| visit(*selection, id));
                            }
                            id => id.as_i64().into_iter().for_each(|id| visit(*selection, id)),
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
        if self.shape.with_collection {
            comma(out);
            out.extend_from_slice(b"\"collection\":");
            text(self.shape.collection.slug, out);
        }
        out.push(b'}');
        match self.room.get() {
            Some(_) => Ok(()),
            None => {
                Err(Error::Malformed("the answer grows too large at this depth: ask for fewer rows or levels".into()))
            }
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
        let written = match &leaf.kind {
            LeafKind::Int => row.int(column).map(|n| whole(n, out)),
            LeafKind::Num => row.num(column).map(|n| decimal(n, out)),
            LeafKind::Bool => row.truth(column).map(|yes| {
                out.extend_from_slice(if yes { b"true" } else { b"false" });
            }),
            LeafKind::Time => row.time(column).map(|ms| {
                out.push(b'"');
                time::write_iso(ms, out);
                out.push(b'"');
            }),
            LeafKind::Text => row.text(column).map(|t| text(t, out)),
            LeafKind::Json => row.text(column).map(|t| out.extend_from_slice(t.as_bytes())),
            LeafKind::JsonList => {
                let list = row.text(column).unwrap_or("[]");
                out.extend_from_slice(list.as_bytes());
                Some(())
            }
            LeafKind::One(selection) => row.int(column).map(|id| self.one(*selection, id, out)),
            LeafKind::Many(place) => {
                let list = self.shape.lists.get(*place);
                let owner = row.int(0).unwrap_or_default();
                let lists = self.linked.lists.get(*place);
                let ids = lists.and_then(|lists| lists.get(&owner)).map(Vec::as_slice).unwrap_or_default();
                let expanded = list.map_or(0, |list| list.expanded);
                self.many(list.map(|list| list.selection), expanded, ids, out);
                Some(())
            }
            LeafKind::Join(place) => {
                self.join(*place, row.int(0).unwrap_or_default(), out);
                Some(())
            }
            LeafKind::Lineage(place) | LeafKind::Timeline(place) => {
                let written = match &leaf.kind {
                    LeafKind::Timeline(_) => self.linked.timelines.get(*place),
                    _ => self.linked.lineages.get(*place),
                };
                written.and_then(|all| all.get(&row.int(0)?)).map(|bytes| out.extend_from_slice(bytes))
            }
            LeafKind::Rows(elements) => {
                self.rows(elements, row, column, out);
                Some(())
            }
        };
        if written.is_none() {
            out.extend_from_slice(b"null");
        }
    }

    /// `{"docs":[…],"hasNextPage":…}`, with `totalDocs` where rows were counted.
    fn join(&self, place: usize, owner: i64, out: &mut Vec<u8>) {
        let joined = self.linked.joins.get(place).and_then(|rows| rows.get(&owner));
        let join = self.shape.joins.get(place);
        out.extend_from_slice(b"{\"docs\":");
        let ids = joined.map_or(&[][..], |joined| &joined.ids);
        self.many(join.map(|join| join.selection), usize::MAX, ids, out);
        out.extend_from_slice(match joined.is_some_and(|joined| joined.more) {
            true => b",\"hasNextPage\":true",
            false => b",\"hasNextPage\":false",
        });
        if let Some(total) = join.and_then(|join| join.total(joined)) {
            out.extend_from_slice(b",\"totalDocs\":");
            whole(i64::try_from(total).unwrap_or(i64::MAX), out);
        }
        out.push(b'}');
    }

    fn one(&self, selection: FieldSelection, id: i64, out: &mut Vec<u8>) {
        let Some(document) = self.related.get(&selection).and_then(|all| all.get(&id)) else { return whole(id, out) };
        let room = self.room.get().and_then(|room| room.checked_sub(document.len()));
        self.room.set(room);
        match room {
            Some(_) => out.extend_from_slice(document),
            None => whole(id, out),
        }
    }

    /// Appends a list, of which the first are documents where there are some.
    fn many(&self, selection: Option<FieldSelection>, expanded: usize, ids: &[i64], out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, id) in ids.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match selection.filter(|_| place < expanded) {
                Some(selection) => self.one(selection, *id, out),
                None => whole(*id, out),
            }
        }
        out.push(b']');
    }

    /// Rows are stored as JSON. They are parsed only where documents replace ids, or where some fields are not shown.
    pub(super) fn rows(&self, elements: &Elements, row: &Row, column: usize, out: &mut Vec<u8>) {
        let is_expanded = |(_, selection): &(_, FieldSelection)| self.related.get(selection).is_some();
        let closed: Vec<&str> = (elements.classed.iter())
            .filter(|(_, place)| place.is_none_or(|place| !self.shape.shows(row, Some(place))))
            .map(|(name, _)| *name)
            .collect();
        let whole = elements.only.is_none() && closed.is_empty();
        if whole && !elements.related.iter().any(is_expanded) {
            let list = row.text(column).unwrap_or("[]");
            return out.extend_from_slice(list.as_bytes());
        }
        out.push(b'[');
        for (place, members) in json_rows(row, column).iter().enumerate() {
            out.extend_from_slice(if place > 0 { b",{" } else { b"{" });
            for (name, value) in members {
                let only = elements.only.as_ref();
                if only.is_some_and(|only| name != "id" && !only.contains(&name.as_str()))
                    || closed.contains(&name.as_str())
                {
                    continue;
                }
                comma(out);
                text(name, out);
                out.push(b':');
                self.element(elements, name, value, out);
            }
            out.push(b'}');
        }
        out.push(b']');
    }

    fn element(&self, elements: &Elements, name: &str, value: &Value, out: &mut Vec<u8>) {
        match (elements.related.iter().find(|(sub, _)| *sub == name), value, value.as_i64()) {
            (Some((_, selection)), _, Some(id)) => self.one(*selection, id, out),
            (Some((_, selection)), Value::Array(ids), _) => {
                let ids: Vec<i64> = ids.iter().filter_map(Value::as_i64).collect();
                self.many(Some(*selection), usize::MAX, &ids, out);
            }
            _ => out.extend_from_slice(value.to_string().as_bytes()),
        }
    }
}

/// The objects of a JSON list; other entries are skipped.
fn json_rows(row: &Row, column: usize) -> Vec<serde_json::Map<String, Value>> {
    let list: Option<Vec<Value>> = row.text(column).and_then(|text| serde_json::from_str(text).ok());
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

// Writing into memory cannot fail, so the results of the serializer are ignored.

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
