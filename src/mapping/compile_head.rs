//! Compiles the head of a mapping file and puts the mapping together.

use super::Mapping;
use super::compile::{Compiler, Level};
use super::file::{EntryText, File, Words};
use super::path::{Scope, Source};
use super::plan::Object;
use super::relations::Hops;
use crate::registry::Collection;
use std::sync::Arc;

impl<'r> Compiler<'r> {
    pub(crate) fn mapping(&mut self, file: &'r File, source: &str) -> Option<Mapping> {
        let at = |place: &str| format!("{}: {place}", file.name);
        let head = &file.head;
        let level = self.level(file)?;
        let collection = level.scope.collection;
        let mut hops = Hops::default();
        let entries = self.entries(file, level);
        self.envelope_free(file);
        let object = self.object(level, &entries, &mut hops);
        self.envelope_filled(file, &object);
        let writable = head.verbs.contains(['P', 'B']);
        let reading = if writable {
            self.reading(level, &entries)
        } else {
            Default::default()
        };
        let inward = self.inward(file, collection, reading);
        let mut head_source = |c: &mut Self, path: &Option<String>, place: &str| {
            let source = c.source(level.scope, path.as_ref()?, &at(place))?;
            hops.read(&source);
            Some(source)
        };
        let animal = head_source(self, &head.animal, "animal");
        let location = head_source(self, &head.location, "location");
        let event = events(file, level.scope, &mut hops);
        let when = self.conditions(level.scope, &head.when, &at(""), &mut hops);
        let key = self.template(level.scope, &head.key, &at("key"), &mut hops);
        let id = (head.id.as_ref()).map(|t| self.template(level.scope, t, &at("id"), &mut hops));
        let own = self.own_slots(file, collection, &mut hops);
        hops.own("id");
        hops.own("createdAt");
        Some(Mapping {
            dataset: head.dataset.clone(),
            resource: head.resource.clone(),
            collection: head.collection.clone(),
            verbs: head.verbs.clone(),
            source: source.to_owned(),
            identifiers: Arc::clone(&self.identifiers),
            when,
            spread: own.spread,
            key,
            id,
            animal,
            location,
            event,
            scope: own.scope,
            pair: own.pair,
            extra: own.extra,
            created: collection.created_slot(),
            part: head.part,
            object,
            own: hops.own,
            relations: hops.list,
            inward,
        })
    }

    /// Collection and resource, or faults.
    fn level(&mut self, file: &'r File) -> Option<Level<'r>> {
        let at = |place: &str| format!("{}: {place}", file.name);
        let head = &file.head;
        let Some(collection) = self.registry.get(&head.collection) else {
            let message = format!("no collection {}", head.collection);
            self.fault(&at("collection"), "no-such-collection", message);
            return None;
        };
        if self.standard.resource(&head.resource).is_none() {
            let message = format!("the standard has no resource {}", head.resource);
            self.fault(&at("resource"), "no-such-resource", message);
            return None;
        }
        if head.verbs.is_empty() || head.verbs.chars().any(|c| !"GPB".contains(c)) {
            self.fault(
                &at("verbs"),
                "bad-verbs",
                format!("{} is not of G, P, B", head.verbs),
            );
        }
        Some(Level {
            scope: Scope {
                registry: self.registry,
                collection,
                spread: head.spread.as_deref(),
                rows: None,
            },
            resource: &head.resource,
        })
    }

    /// The entries with those that the head stands for in front.
    fn entries(&self, file: &File, level: Level<'r>) -> Vec<(String, EntryText)> {
        let mut entries = Vec::new();
        let mut lead = |ade: &str, field: Words, how: Option<&str>, place: &str| {
            if self.standard.resolve_path(level.resource, ade).is_some() {
                let mut entry = EntryText::new(ade, field);
                entry.how = how.map(str::to_owned);
                entries.push((format!("{}: {place}", file.name), entry));
            }
        };
        if let Some(animal) = &file.head.animal {
            lead(
                "animal",
                Words::One(animal.clone()),
                Some("animal"),
                "animal",
            );
        }
        if file.head.event != Words::None {
            lead("eventDateTime", file.head.event.clone(), None, "event");
        }
        entries.extend(file.entries.iter().cloned());
        entries
    }

    /// No entry may write where the envelope is written.
    fn envelope_free(&mut self, file: &File) {
        for (at, entry) in &file.entries {
            let first = entry.ade.split(['.', '[']).next().unwrap_or_default();
            if ["resourceType", "@self", "meta", "location", "id"].contains(&first) {
                let message = format!("{first} is written by the head of the file");
                self.fault(&format!("{at}.ade"), "envelope", message);
            }
        }
    }

    /// Members of the envelope are filled by the head; the rest of the required ones by entries.
    fn envelope_filled(&mut self, file: &File, object: &Object) {
        let standard = self.standard;
        let head = &file.head;
        for name in standard
            .required_members(&head.resource)
            .into_iter()
            .flatten()
        {
            let known = match *name {
                "resourceType" | "meta" => true,
                "location" => head.location.is_some(),
                "id" => head.id.is_some(),
                name => object.members.iter().any(|m| m.name == name && m.is_sure()),
            };
            if !known {
                let message = format!(
                    "{} requires {name}, no entry surely fills it",
                    head.resource
                );
                self.fault(&file.name, "required-unfilled", message);
            }
        }
    }

    fn own_slots(&mut self, file: &File, collection: &Collection, hops: &mut Hops) -> OwnSlots {
        let head = &file.head;
        let mut slot = |c: &mut Self, path: Option<String>, place: &str| {
            let path = path?;
            hops.own(&path);
            let found = collection.slot(&path);
            if found.is_none() {
                let message = format!("{} has no field {path}", collection.slug);
                c.fault(&format!("{}: {place}", file.name), "no-such-field", message);
            }
            found
        };
        let part = |name: &str| head.pair.as_ref().map(|p| format!("{p}.{name}"));
        let pair = (slot(self, part("source"), "pair")).zip(slot(self, part("sourceId"), "pair"));
        OwnSlots {
            pair,
            extra: slot(self, head.extra.clone(), "extra"),
            scope: slot(self, head.scope.clone(), "scope"),
            spread: slot(self, head.spread.clone(), "spread"),
        }
    }
}

/// Faults in them are told by the entry that stands for the head's word.
fn events(file: &File, scope: Scope<'_>, hops: &mut Hops) -> Vec<Source> {
    let paths = file.head.event.list();
    let found: Vec<Source> = paths.iter().filter_map(|p| scope.source(p)).collect();
    found.iter().for_each(|s| hops.read(s));
    found
}

struct OwnSlots {
    pair: Option<(usize, usize)>,
    extra: Option<usize>,
    scope: Option<usize>,
    spread: Option<usize>,
}
