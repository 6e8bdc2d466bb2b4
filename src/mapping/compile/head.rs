//! Compiles the head of a mapping file and puts the mapping together.

use crate::compile::file::{Animals, Direction, EntryText, File, Words};
use crate::compile::lists::{LIST, ListEntry, Variant};
use crate::compile::plan::{Condition, Object, Spread, Template};
use crate::compile::{Compiler, Level};
use crate::passthrough::can_keep;
use crate::path::{Root, Scope, Source};
use crate::read::beside::named_row;
use crate::read::document::Inward;
use crate::render::relations::Hops;
use crate::{LOCATIONS, Mapping};
use model::registry::{ACTIVITIES, Collection, Kind, Writer};
use std::sync::Arc;

impl<'r> Compiler<'r> {
    pub(crate) fn mapping(&mut self, file: &'r File, source: &str) -> Option<Mapping> {
        let head = &file.head;
        let level = self.level(file)?;
        let collection = level.scope.collection;
        let mut hops = Hops::default();
        let entries = self.entries(file, level);
        let entries = self.written_out(entries);
        self.envelope_free(file);
        let at = format!("{}: ", file.name);
        let when = self.conditions(level.scope, &head.when, &at, &mut hops);
        let waiting = self.waiting(file, level.scope, &mut hops);
        let match_rule = self.match_rule(file, level.scope, &mut hops);
        let (corrections, beside) = (self.corrections(file, level), self.beside(file));
        let variants = self.variants(file, level, &entries, &when, &mut hops);
        let is_whole = variants.is_empty();
        let mut object = Object::default();
        if is_whole {
            let given = std::iter::once(&when).chain(waiting.as_ref().map(|one| &one.when));
            object = self.whole_object(file, level, &entries, given, &mut hops);
        }
        let keeps_raw = head.sent.is_some();
        let sendable = keeps_raw || head.verbs.contains(['P', 'B']);
        self.senders(file, sendable);
        self.raw_documents(file);
        let is_read = sendable && !keeps_raw;
        let how = (is_read, corrections.is_some(), beside.is_some());
        let inward = self.inward_of(file, level, &entries, how);
        let rest = self.rest(file, level, &entries, &mut object);
        let not_after = self.not_after(file, level, &mut hops);
        let [animal, location] = self.head_sources(file, level, &mut hops);
        let event = events(file, level.scope, &mut hops);
        let names = is_whole.then(|| self.named_by(file, level, None, &mut hops));
        let (key, id) = names.unwrap_or_default();
        let own = self.own_slots(file, collection, &mut hops);
        let element = self.element(file, collection, own.spread);
        ["id", "createdAt"].iter().for_each(|path| hops.own(path));
        self.shareable(file, location.as_ref(), &event);
        Some(Mapping {
            name: file.name.trim_end_matches(".toml").to_owned(),
            dataset: head.dataset.clone(),
            resource: head.resource.clone(),
            collection: head.collection.clone(),
            verbs: head.verbs.clone(),
            closed: head.closed.clone().filter(|_| !sendable),
            senders: head.senders.clone(),
            keeps_raw,
            source: source.to_owned(),
            identifiers: Arc::clone(&self.identifiers),
            when,
            spread: own.spread,
            variants,
            key,
            id,
            animal,
            location,
            event,
            scope: own.scope,
            pair: own.pair,
            extra: own.extra,
            created: collection.created_slot(),
            dataset_slot: own.dataset_slot,
            parts: own.parts,
            rest,
            computed: computed(collection, &entries),
            not_after,
            part: head.part,
            by_day: head.by.is_some(),
            same: self.same(file, level, &mut hops),
            object,
            own: hops.own,
            relations: hops.list,
            inward,
            passthrough: None,
            element,
            waiting,
            match_rule,
            corrections,
            beside,
            stated: self.stated(file, collection),
        })
    }

    /// Mappings of a data set have different collections and one resource type.
    pub(crate) fn check_dataset<'m>(
        &mut self,
        others: impl Iterator<Item = &'m Mapping>,
        mapping: &Mapping,
        file: &str,
    ) {
        for other in others.filter(|other| other.dataset == mapping.dataset) {
            let (code, message) = if other.collection == mapping.collection {
                ("declared-twice", "has two files for one collection")
            } else if other.resource == mapping.resource {
                continue;
            } else {
                ("other-resource", "has two resource types")
            };
            let message = format!("the data set {} {message}", mapping.dataset);
            self.fault(&format!("{file}: dataset"), code, message);
        }
    }

    /// How documents are read.
    fn inward_of(
        &mut self,
        file: &File,
        level: Level<'r>,
        entries: &[(String, EntryText)],
        (is_read, corrects, is_beside): (bool, bool, bool),
    ) -> Inward {
        if file.head.element.is_some() {
            return Inward::of_element();
        }
        let mut reading = match is_read {
            true => self.reading(level, &event_last(entries)),
            false => Default::default(),
        };
        if corrects {
            // What a correction does not say stays.
            for entry in &mut reading.entries {
                (entry.keep, entry.required) = (true, false);
            }
        }
        if is_beside {
            reading.entries.extend(named_row());
        }
        self.inward(file, level, reading)
    }

    fn raw_documents(&mut self, file: &File) {
        let dataset = &file.head.dataset;
        if file.head.sent.is_some() && !can_keep(dataset) {
            let message = format!("the standard has no collection {dataset} at locations");
            self.fault(&format!("{}: sent", file.name), "not-kept", message);
        }
    }

    /// Animal and location of a document.
    fn head_sources(&mut self, file: &File, level: Level<'r>, hops: &mut Hops) -> [Option<Source>; 2] {
        let head = &file.head;
        [(&head.animal, "animal"), (&head.location, "location")].map(|(path, place)| {
            let at = format!("{}: {place}", file.name);
            let source = self.source(level.scope, path.as_ref()?, &at)?;
            hops.read(&source);
            Some(source)
        })
    }

    /// What is written where a document has no variants.
    fn whole_object<'c>(
        &mut self,
        file: &File,
        level: Level<'r>,
        entries: &[(String, EntryText)],
        given: impl Iterator<Item = &'c Vec<Condition>>,
        hops: &mut Hops,
    ) -> Object {
        let object = self.object(level, entries, hops);
        for given in given {
            self.envelope_filled(file, &object, given);
        }
        object
    }

    /// Two sources that must lead to the same record.
    fn same(&mut self, file: &File, level: Level<'r>, hops: &mut Hops) -> Option<(Source, Source)> {
        let at = format!("{}: same", file.name);
        let [one, other] = file.head.same.as_ref()?;
        let both = [one, other].map(|path| self.source(level.scope, path, &at));
        both.iter().flatten().for_each(|s| hops.read(s));
        let [one, other] = both;
        one.zip(other)
    }

    /// Activities of organisations say who sends, where anything is sent.
    fn senders(&mut self, file: &File, sendable: bool) {
        let at = format!("{}: senders", file.name);
        if !file.head.senders.is_empty() && !sendable {
            let message = "nobody sends resources of this file".to_owned();
            self.fault(&at, "bad-senders", message);
        }
        let organizations = self.registry.get(LOCATIONS);
        let field = organizations.and_then(|c| c.field(ACTIVITIES));
        for word in &file.head.senders {
            let has_values = field.is_some_and(|f| match &f.kind {
                Kind::Selects(words) => words.iter().any(|one| one == word),
                _ => false,
            });
            if !has_values {
                let message = format!("no organisation is accredited as {word}");
                self.fault(&at, "no-such-sender", message);
            }
        }
    }

    /// The documents of a row by name of a list; none without one.
    fn variants(
        &mut self,
        file: &File,
        level: Level<'r>,
        entries: &[(String, EntryText)],
        given: &[Condition],
        hops: &mut Hops,
    ) -> Vec<Variant> {
        let words = file.head.spread.list();
        let Some(list) = words.iter().find_map(|w| w.strip_prefix(LIST)) else {
            return Vec::new();
        };
        let at = format!("{}: spread", file.name);
        let mut variants = Vec::new();
        for entry_name in self.listed(list, &at) {
            let spell = |(at, entry): &(String, EntryText)| {
                let spelt = entry_name.spell(entry, self.tables, self.prefix);
                let at = at.clone();
                spelt.into_iter().map(move |e| (at.clone(), e))
            };
            let spelt: Vec<_> = entries.iter().flat_map(spell).collect();
            let when = self.conditions(level.scope, &entry_name.filled(), &at, hops);
            let object = self.object(level, &spelt, hops);
            let given: Vec<Condition> = given.iter().chain(&when).cloned().collect();
            self.envelope_filled(file, &object, &given);
            let (key, id) = self.named_by(file, level, Some(&entry_name), hops);
            variants.push(Variant { when, key, id, object });
        }
        variants
    }

    /// Rows can share a document only where everything that distinguishes them is taken from the
    /// book: location and day, both by plain relations.
    fn shareable(&mut self, file: &File, location: Option<&Source>, event: &[Source]) {
        let plain = |s: &Source| s.root == Root::Row && s.steps.iter().all(|step| !step.reverse);
        let head = &file.head;
        let good = location.is_some_and(plain)
            && matches!(event, [one] if one.own())
            && head.when.is_empty()
            && head.spread == Words::None
            && head.pair.is_none();
        if !good && head.by.is_some() {
            let message = "needs a location, one own field as event, and no when, spread or pair";
            self.fault(&format!("{}: by", file.name), "bad-share", message.to_owned());
        }
    }

    /// Key and `id` of a document.
    fn named_by(
        &mut self,
        file: &File,
        level: Level<'r>,
        entry: Option<&ListEntry>,
        hops: &mut Hops,
    ) -> (Template, Option<Template>) {
        let mut template = |text: &String, place: &str| {
            let text = entry.map_or_else(|| text.clone(), |n| n.template(text));
            let at = format!("{}: {place}", file.name);
            self.template(level.scope, &text, &at, hops)
        };
        let key = template(&file.head.key, "key");
        let id = file.head.id.as_ref().map(|text| template(text, "id"));
        (key, id)
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
            let message = format!("{} is not of G, P, B", head.verbs);
            self.fault(&at("verbs"), "bad-verbs", message);
        }
        Some(Level {
            scope: Scope { registry: self.registry, collection, spread: file.spread(), rows: None },
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
                entry.only = file.head.beside.as_ref().map(|_| Direction::Out);
                entries.push((format!("{}: {place}", file.name), entry));
            }
        };
        if let Some(animal) = &file.head.animal {
            let how = match file.head.animals {
                Animals::Here => "animal",
                Animals::Read => "animal:read",
            };
            lead("animal", Words::One(animal.clone()), Some(how), "animal");
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
    fn envelope_filled(&mut self, file: &File, object: &Object, given: &[Condition]) {
        let standard = self.standard;
        let head = &file.head;
        for name in standard.required_members(&head.resource).into_iter().flatten() {
            let allowed = match *name {
                "resourceType" | "meta" => true,
                "location" => head.location.is_some(),
                "id" => head.id.is_some(),
                name => (object.members.iter()).any(|m| m.name == name && m.is_sure(given)),
            };
            if !allowed {
                let message = format!("{} requires {name}, no entry surely fills it", head.resource);
                self.fault(&file.name, "required-unfilled", message);
            }
        }
    }

    fn own_slots(&mut self, file: &File, collection: &Collection, hops: &mut Hops) -> OwnSlots {
        let head = &file.head;
        if let Some(rest) = &head.rest {
            hops.own(rest);
        }
        let mut slot = |c: &mut Self, path: Option<String>, place: &str| {
            let path = path?;
            hops.own(&path);
            let slot = collection.slot(&path);
            if slot.is_none() {
                let message = format!("{} has no field {path}", collection.slug);
                c.fault(&format!("{}: {place}", file.name), "no-such-field", message);
            }
            slot
        };
        // The pairs of elements stand in the list.
        let own = head.element.is_none();
        let part = |name: &str| (head.pair.as_ref().filter(|_| own)).map(|p| format!("{p}.{name}"));
        let pair = (slot(self, part("source"), "pair")).zip(slot(self, part("sourceId"), "pair"));
        let dataset_slot = part("dataset").filter(|path| collection.slot(path).is_some());
        OwnSlots {
            pair,
            dataset_slot: slot(self, dataset_slot, "pair"),
            parts: slot(self, head.parts.clone(), "parts"),
            extra: slot(self, head.extra.clone().filter(|_| own), "extra"),
            scope: slot(self, head.scope.clone(), "scope"),
            spread: slot(self, file.spread().map(str::to_owned), "spread").map(|slot| {
                let kind = collection.fields.get(slot).map(|f| &f.kind);
                match kind {
                    Some(Kind::Rows(_)) => Spread::Rows(slot),
                    _ => Spread::Ids(slot),
                }
            }),
        }
    }
}

impl File {
    /// The field whose elements make documents.
    pub(crate) fn spread(&self) -> Option<&str> {
        let field = |word: &String| !word.starts_with(LIST);
        match &self.head.spread {
            Words::One(word) if field(word) => Some(word),
            Words::Many(words) => words.iter().find(|w| field(w)).map(String::as_str),
            _ => None,
        }
    }
}

/// Members that show a field of the server and fill none.
fn computed(c: &Collection, entries: &[(String, EntryText)]) -> Vec<String> {
    let server = |path: &String| c.field(path).is_some_and(|field| field.writer == Writer::Server);
    let computed = entries.iter().map(|(_, entry)| entry).filter(|entry| {
        let fields = entry.field.list();
        let plain = entry.how.is_none() && !entry.ade.contains(['.', '[']) && !fields.is_empty();
        plain && entry.only == Some(Direction::Out) && fields.iter().all(server)
    });
    computed.map(|entry| entry.ade.clone()).collect()
}

/// Faults in them are reported by the entry that represents the head's word.
fn events(file: &File, scope: Scope<'_>, hops: &mut Hops) -> Vec<Source> {
    let paths = file.head.event.list();
    let sources: Vec<Source> = paths.iter().filter_map(|p| scope.source(p)).collect();
    sources.iter().for_each(|s| hops.read(s));
    sources
}

/// Of several members for one time the more exact one counts.
fn event_last(entries: &[(String, EntryText)]) -> Vec<(String, EntryText)> {
    let (last, mut first): (Vec<_>, Vec<_>) =
        (entries.iter().cloned()).partition(|(_, entry)| entry.ade == "eventDateTime");
    first.extend(last);
    first
}

struct OwnSlots {
    pair: Option<(usize, usize)>,
    dataset_slot: Option<usize>,
    parts: Option<usize>,
    extra: Option<usize>,
    scope: Option<usize>,
    spread: Option<Spread>,
}
