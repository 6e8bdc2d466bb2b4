//! A JSON field that holds the members of a resource which no entry names (`rest`), days
//! that must not lie after a day of the row (`not-after`), and relations that intake fills
//! with a fixed entry (`find`).

use crate::Mapping;
use crate::ade_path::ENVELOPE;
use crate::compile::file::{Direction, EntryText, File};
use crate::compile::plan::Object;
use crate::compile::{Compiler, Level};
use crate::path::{Env, Source, View};
use crate::read::reference::{Purpose, Reference};
use crate::render::holds;
use crate::render::relations::Hops;
use model::messages::Sentence;
use model::record::{Record, Value};
use model::registry::Kind;
use model::said;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// The members of the standard that a JSON field holds.
#[derive(Debug)]
pub(crate) struct Rest {
    pub slot: usize,
    members: Vec<RestMember>,
}

/// One of them, with the field of the row that is served while the sender said nothing else.
#[derive(Debug)]
struct RestMember {
    name: String,
    repeats: Option<usize>,
}

/// An entry of a collection that intake looks up: slot of the relation, and whether entries
/// of the mapping fill it too.
#[derive(Debug)]
pub(crate) struct DictionaryLookup {
    pub slot: usize,
    pub also: bool,
    pub reference: Reference,
}

impl Mapping {
    /// The message that a field stays empty because the dictionary lacks the entry that
    /// `find` names, and the pointer of what is of that kind: part `part` of the document, or
    /// all of it. None for other fields.
    pub fn unfound(&self, slot: usize, part: usize) -> Option<(String, Sentence)> {
        let lookup = self.inward.find.iter().find(|lookup| lookup.slot == slot)?;
        let Reference { collection, field, value, .. } = &lookup.reference;
        let message = said!(
            "No entry of {collection} has {field} {value}, which it would be of; one must be \
             added there first.",
            collection = collection,
            field = field,
            value = value,
        );
        let pointer = match self.pointer_of_parts() {
            Some(list) if lookup.also => format!("{list}/{part}"),
            _ => "/resourceType".to_owned(),
        };
        Some((pointer, message))
    }
}

impl<'r> Compiler<'r> {
    pub(crate) fn rest(
        &mut self,
        file: &File,
        level: Level<'r>,
        entries: &[(String, EntryText)],
        object: &mut Object,
    ) -> Option<Rest> {
        let path = file.head.rest.as_ref()?;
        let collection = level.scope.collection;
        let json = (collection.field(path)).is_some_and(|f| f.kind == Kind::Json);
        let (Some(slot), true) = (collection.slot(path), json) else {
            let message = format!("{} has no JSON field {path}", collection.slug);
            self.fault(&format!("{}: rest", file.name), "no-such-field", message);
            return None;
        };
        let first = |entry: &EntryText| {
            let end = entry.ade.find(['.', '[']).unwrap_or(entry.ade.len());
            entry.ade.get(..end).map(str::to_owned)
        };
        let mut members = Vec::new();
        for member in self.standard.members(level.resource).unwrap_or_default() {
            let own: Vec<&EntryText> =
                (entries.iter().map(|(_, e)| e)).filter(|e| first(e).as_deref() == Some(member.name)).collect();
            let only_out = own.iter().all(|e| e.only == Some(Direction::Out));
            if ENVELOPE.contains(&member.name) || member.name == "meta" || !only_out {
                continue;
            }
            let repeats = (own.iter().flat_map(|e| e.field.list())).find_map(|path| collection.slot(&path));
            for written in object.members.iter_mut().filter(|m| m.name == member.name) {
                written.yields = true;
            }
            members.push(RestMember { name: member.name.to_owned(), repeats });
        }
        Some(Rest { slot, members })
    }

    pub(crate) fn not_after(&mut self, file: &File, level: Level<'r>, hops: &mut Hops) -> Vec<(Source, Source)> {
        let mut list = Vec::new();
        for (path, limit) in &file.head.not_after {
            let at = format!("{}: not-after.{path}", file.name);
            let day = self.source(level.scope, path, &at);
            let Some((day, limit)) = day.zip(self.source(level.scope, limit, &at)) else {
                continue;
            };
            for source in [&day, &limit] {
                self.expect(source, &at, "a day", |k| matches!(k, Kind::Day | Kind::Instant));
                hops.read(source);
            }
            list.push((day, limit));
        }
        list
    }

    /// What `find` names.
    pub(crate) fn dictionary_lookups(
        &mut self,
        file: &File,
        level: Level<'r>,
        filled: impl Fn(usize) -> bool,
    ) -> Vec<DictionaryLookup> {
        let mut list = Vec::new();
        for (path, with) in &file.head.find {
            let at = format!("{}: find.{path}", file.name);
            let relation = level.scope.collection.field(path);
            let target = (relation.and_then(|f| f.target())).and_then(|t| self.registry.get(t));
            let Some((slot, target)) = level.scope.collection.slot(path).zip(target) else {
                let message = format!("{} has no relation {path}", level.scope.collection.slug);
                self.fault(&at, "no-such-field", message);
                continue;
            };
            let mut words = with.iter();
            let (Some((field, value)), None) = (words.next(), words.next()) else {
                let message = "takes one field and its value".to_owned();
                self.fault(&at, "bad-parameter", message);
                continue;
            };
            match target.field(field).map(|f| &f.kind) {
                Some(Kind::Select(options)) if !options.contains(value) => {
                    let message = format!("{field} has no value {value}");
                    self.fault(&at, "no-such-value", message);
                }
                Some(Kind::Select(_) | Kind::Text(_)) => list.push(DictionaryLookup {
                    slot,
                    also: filled(slot),
                    reference: Reference {
                        pointer: String::new(),
                        purpose: Purpose::Code,
                        collection: target.slug.to_owned(),
                        field: field.clone(),
                        value: value.clone(),
                    },
                }),
                _ => {
                    let message = format!("{} has no word in {field}", target.slug);
                    self.fault(&at, "no-such-field", message);
                }
            }
        }
        list
    }
}

impl Mapping {
    /// Whether a row makes documents.
    pub(crate) fn fulfils(&self, env: &Env<'_>) -> bool {
        let time = |source: &Source| match source.view(env) {
            View::Time(t) => Some(t),
            _ => None,
        };
        (holds(&self.when, env) || self.waits_in(env))
            && (self.not_after.iter()).all(|(day, limit)| {
                let (day, limit) = (time(day), time(limit));
                day.is_none_or(|day| limit.is_some_and(|limit| day <= limit))
            })
    }

    /// The stored members together with those of the JSON field that the standard takes there.
    pub(crate) fn with_rest(&self, row: &Record, extra: Option<&Map<String, Json>>) -> Option<Map<String, Json>> {
        let rest = self.rest.as_ref()?;
        let payload = row.get(rest.slot).as_json()?.as_object()?;
        let mut merged = extra.cloned().unwrap_or_default();
        for member in &rest.members {
            if let Some(value) = payload.get(&member.name)
                && self.takes(&member.name, value)
            {
                merged.insert(member.name.clone(), value.clone());
            }
        }
        Some(merged)
    }

    /// Whether the standard takes a value as this member. People write the field too.
    fn takes(&self, name: &str, value: &Json) -> bool {
        let doc = Json::Object(Map::from_iter([(name.to_owned(), value.clone())]));
        let at = format!("/{name}");
        !value.is_null() && (ade::validate(&self.resource, &doc).iter()).all(|fault| !fault.pointer.starts_with(&at))
    }

    /// Moves the members that belong to the JSON field out of the members that are stored as sent.
    pub(crate) fn take_rest(&self, extra: &mut Map<String, Json>, fields: &mut Vec<(usize, Value)>) {
        let Some(rest) = &self.rest else { return };
        let mut payload = Map::new();
        for member in &rest.members {
            let Some(value) = extra.remove(&member.name) else {
                continue;
            };
            let said = member.repeats.is_some_and(|slot| {
                let own = fields.iter().find(|(s, _)| *s == slot);
                let time = value.as_str().and_then(ade::time::parse);
                time.is_some() && own.and_then(|(_, v)| v.time()) == time
            });
            if !said {
                payload.insert(member.name.clone(), value);
            }
        }
        fields.push((rest.slot, json(payload)));
    }

    /// What the JSON field holds besides the members of the standard stays; what is served
    /// just so is no change.
    pub(crate) fn settle_rest(&self, row: &Record, fields: &mut Vec<(usize, Value)>, equal: impl Fn(&str) -> bool) {
        let Some(rest) = &self.rest else { return };
        let none = Map::new();
        let before = row.get(rest.slot).as_json().and_then(Json::as_object);
        let before = before.unwrap_or(&none);
        let Some((_, stated)) = fields.iter_mut().find(|(slot, _)| *slot == rest.slot) else {
            return;
        };
        let mut payload = match stated {
            Value::Json(payload) => (Arc::make_mut(payload).as_object_mut()).map(std::mem::take).unwrap_or_default(),
            _ => Map::new(),
        };
        for (name, value) in before {
            let is_member = rest.members.iter().any(|m| m.name == *name);
            if !is_member || equal(name) {
                payload.insert(name.clone(), value.clone());
            } else if !self.takes(name, value) {
                payload.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        payload.retain(|name, _| before.contains_key(name) || !equal(name));
        if payload == *before {
            fields.retain(|(slot, _)| *slot != rest.slot);
        } else {
            *stated = json(payload);
        }
    }

    /// Whether the slot is the JSON field of `rest`.
    pub(crate) fn is_rest(&self, slot: usize) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.slot == slot)
    }
}

fn json(payload: Map<String, Json>) -> Value {
    if payload.is_empty() { Value::Null } else { Value::json(Json::Object(payload)) }
}
