//! Documents of several rows: each element of a list is a row of its own, with a number that is not
//! shown (docs/design/exchange.md, *Special documents*).

use crate::ade_path::{AdePath, PathStep, pointer};
use crate::compile::file::EntryText;
use crate::compile::plan::{PARTS, Read, ReadRule, Target, WriteRule};
use crate::compile::{Compiler, Level, numbered};
use crate::read::document::Intake;
use crate::read::unchanged::same;
use crate::read::work::Work;
use crate::render::relations::Hops;
use crate::{Mapping, Related};
use ade::schema::PathKind;
use model::error::Issue;
use model::record::{Record, Value};
use model::registry::Kind;
use model::said;
use serde_json::Value as Json;

/// More rows of one document are a slip of the sender.
const MOST: usize = 100;

impl<'r> Compiler<'r> {
    /// The elements of a list, one per row of the document.
    pub(crate) fn parts_out(
        &mut self,
        level: Level<'r>,
        entry: &EntryText,
        kind: &PathKind<'_>,
        at: &str,
        hops: &mut Hops,
    ) -> Option<WriteRule> {
        let PathKind::Object(resource) = *kind else {
            let message = format!("{} is no list of objects", entry.ade);
            self.fault(at, "wrong-converter", message);
            return None;
        };
        let inner = Level { resource, ..level };
        let object = self.object(inner, &numbered(at, &entry.map), hops);
        self.filled(resource, &object, at);
        Some(WriteRule::Parts(object))
    }

    pub(crate) fn parts_in(
        &mut self,
        level: Level<'r>,
        at: &str,
        entry: &EntryText,
        (path, also): (AdePath, Option<AdePath>),
        kind: &PathKind<'_>,
    ) -> Option<ReadRule> {
        let PathKind::Object(resource) = *kind else {
            return None;
        };
        let inner = Level { resource, ..level };
        let entries = self.reading(inner, &numbered(at, &entry.map)).entries;
        let target = Target::Item(PARTS.to_owned());
        let read = Read::Parts(entries);
        Some(ReadRule::new(path, also, read, target, Kind::Json))
    }
}

impl<'a> Work<'a> {
    /// Reads each element into slots of its own.
    pub(crate) fn read_parts(&mut self, entry: &'a ReadRule, entries: &'a [ReadRule], doc: &Json) {
        let before = self.parts.len();
        for (places, list) in entry.values_in(doc) {
            for (i, element) in list.as_array().into_iter().flatten().take(MOST + 1).enumerate() {
                let mut at = places.clone();
                at.push(PathStep::Element(i));
                let base = std::mem::replace(&mut self.reader.base, pointer(&at));
                let set = std::mem::take(&mut self.set);
                let used = std::mem::take(&mut self.used);
                self.entries(entries, element);
                self.required(entries);
                let part = std::mem::replace(&mut self.set, set);
                let inner = std::mem::replace(&mut self.used, used);
                self.used.extend(inner.iter().map(|p| [&at[..], &p[..]].concat()));
                self.reader.base = base;
                self.parts.push(part.into_iter().collect());
            }
        }
        let at = entry.path.pointer();
        match self.parts.len() - before {
            0 => self.missing(at),
            n if n > MOST => {
                let message = said!("has more than {limit} elements", limit = MOST);
                self.issues.push(Issue::error(at, "field-value", message));
            }
            _ => {}
        }
    }
}

impl Mapping {
    /// Slot of the number of a row within its document, where documents have several.
    pub fn parts(&self) -> Option<usize> {
        self.parts
    }

    /// The JSON pointer of the member of one element that fills a field, or of the document.
    pub fn pointer_of_part(&self, slot: usize, part: usize) -> Option<String> {
        self.part_entries().find_map(|(list, entries)| {
            let fills = |e: &&ReadRule| matches!(&e.target, Target::Slot(s) if *s == slot);
            let entry = entries.iter().find(fills)?;
            Some(format!("{}/{part}{}", list.path.pointer(), entry.path.pointer()))
        })
    }

    /// The JSON pointer of the list whose elements are rows.
    pub fn pointer_of_parts(&self) -> Option<String> {
        self.part_entries().next().map(|(list, _)| list.path.pointer())
    }

    pub(crate) fn part_entries(&self) -> impl Iterator<Item = (&ReadRule, &[ReadRule])> {
        let entries = self.inward.reading.entries.iter();
        entries.filter_map(|e| match &e.read {
            Read::Parts(inner) => Some((e, inner.as_slice())),
            _ => None,
        })
    }

    /// [`Mapping::settle`] for the rows of a document. An element that is said just as it is
    /// served changes nothing in its row; fields of the document are those of every row.
    pub fn settle_parts(&self, doc: &Json, rows: &[&Record], related: &dyn Related, intake: &mut Intake) {
        let Some(first) = rows.first() else { return };
        let mut rendered = Vec::new();
        self.render_parts(rows, related, &mut rendered);
        let [served] = rendered.as_slice() else {
            return;
        };
        let Some(served) = served.json() else { return };
        self.settle_to(doc, first, &served, intake);
        for (list, entries) in self.part_entries() {
            let stated = list.values_in(doc);
            let ours = list.values_in(&served);
            let elements = |matches: &[(Vec<PathStep<'_>>, &Json)]| -> Vec<Json> {
                let all = matches.iter().filter_map(|(_, v)| v.as_array());
                all.flatten().cloned().collect()
            };
            for (i, (stated, ours)) in elements(&stated).iter().zip(&elements(&ours)).enumerate() {
                let Some(part) = intake.parts.get_mut(i) else {
                    continue;
                };
                let equal = |e: &ReadRule| {
                    let name = e.path.first();
                    same(stated.get(name), ours.get(name))
                };
                let said = |slot: usize| {
                    let mut filling = entries
                        .iter()
                        .filter(|e| e.second == Some(slot) || matches!(&e.target, Target::Slot(s) if *s == slot));
                    filling.all(equal)
                };
                let all = same(Some(stated), Some(ours));
                part.retain(|(slot, _)| !all && !said(*slot));
            }
        }
    }

    /// Fields of a part that keep their value in one row and are given by another row's.
    pub(crate) fn find_parts(&self, intake: &mut Intake, resolved: &dyn crate::ReferenceResolver) {
        for lookup in &self.inward.find {
            let id = Value::from(resolved.id(&lookup.reference));
            let lacks = |fields: &[(usize, Value)]| !fields.iter().any(|(s, v)| *s == lookup.slot && !v.is_null());
            if lookup.also {
                for part in intake.parts.iter_mut().filter(|p| lacks(p)) {
                    part.retain(|(slot, _)| *slot != lookup.slot);
                    part.push((lookup.slot, id.clone()));
                }
            } else if lacks(&intake.fields) {
                intake.new.push((lookup.slot, id));
            }
        }
    }
}
