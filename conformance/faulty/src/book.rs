//! The stored documents of the server, in the order of their last change. This module does not depend on HTTP.

use crate::fault::Fault;
use crate::seed::{self, LOCATION_SCHEME, LOCATIONS, SOURCE};
use ade::catalog::{Catalog, CollectionEntry};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// A document, or its tombstone.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// The number in its address, and its place in lists.
    pub(crate) id: u64,
    /// Name of its collection.
    pub(crate) collection: &'static str,
    /// Which of [`LOCATIONS`] has it.
    pub(crate) place: usize,
    pub(crate) source: String,
    pub(crate) source_id: String,
    /// The document as it is returned: with type, `meta` and location; for a tombstone these alone.
    pub(crate) document: Value,
    /// The document that was sent last, to recognise a repetition.
    sent: Value,
    /// `meta.modified` of what was sent last.
    sent_modified: Option<i64>,
    /// When it was changed here, epoch milliseconds; no two are the same.
    pub(crate) modified: i64,
    created: i64,
    /// Its place in the order of all changes, from 1.
    pub(crate) change: u64,
    pub(crate) deleted: bool,
}

/// The outcome of a document that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Created,
    Updated,
    Unchanged,
    Stale,
    Deleted,
}

impl Outcome {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Stale => "stale",
            Self::Deleted => "deleted",
        }
    }
}

/// All documents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Book {
    /// Shared, so that a copy of the book costs little.
    records: Vec<Arc<Record>>,
    change: u64,
    last: i64,
    fault: Option<Fault>,
    /// Whether an older state that comes late replaces a later one.
    last_wins: bool,
}

impl Book {
    /// As it is at the start: the made-up documents, of which some were deleted again.
    pub(crate) fn new(fault: Option<Fault>, last_wins: bool) -> Self {
        static START: LazyLock<Book> = LazyLock::new(Book::at_start);
        let mut book = START.clone();
        book.fault = fault;
        book.last_wins = last_wins;
        book
    }

    fn at_start() -> Self {
        let mut book = Self { fault: None, ..Self::default() };
        for one in seed::seeds() {
            let Some(entry) = Catalog::get().collection(one.collection) else {
                continue;
            };
            let mut document = one.document;
            let modified = ade::time::format_shortest(one.modified);
            let meta = json!({"source": SOURCE, "sourceId": one.source_id, "modified": modified});
            document.insert("meta".to_owned(), meta);
            book.last = one.modified - 1;
            book.store(entry, one.place, &Value::Object(document), one.modified);
        }
        for id in ["remarks:N2", "weights:N5", "remarks:S1"] {
            let found = book.records.iter().find(|one| one.source_id == id).cloned();
            if let Some(one) = found
                && let Some(entry) = Catalog::get().collection(one.collection)
            {
                let meta = json!({"source": SOURCE, "sourceId": id, "isDeleted": true});
                book.store(entry, one.place, &json!({"meta": meta}), book.last + 60_000);
            }
        }
        book
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The last change.
    pub(crate) const fn change(&self) -> u64 {
        self.change
    }

    /// All records, in the order of their numbers.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.records.iter()
    }

    /// Whether an animal of that identifier is at a place.
    pub(crate) fn has_animal(&self, place: usize, identifier: &Value) -> bool {
        let here = self.records.iter().filter(|one| one.collection == "animals" && one.place == place && !one.deleted);
        here.into_iter().any(|one| has(one, identifier))
    }

    /// Whether both identifiers are of one animal.
    pub(crate) fn same_animal(&self, one: &Value, other: &Value) -> bool {
        self.records.iter().any(|record| record.collection == "animals" && has(record, one) && has(record, other))
    }

    fn position(&self, entry: &CollectionEntry, place: usize, source: &str, source_id: &str) -> Option<usize> {
        self.records.iter().position(|one| {
            one.collection == entry.name && one.place == place && one.source == source && one.source_id == source_id
        })
    }

    /// Stores a document, or deletes what it names. `now` is the clock; times of changes always
    /// ascend, even if the clock goes back.
    pub(crate) fn store(
        &mut self,
        entry: &'static CollectionEntry,
        place: usize,
        original: &Value,
        now: i64,
    ) -> (u64, Outcome) {
        let text = |pointer| original.pointer(pointer).and_then(Value::as_str);
        let source = text("/meta/source").unwrap_or_default().to_owned();
        let source_id = text("/meta/sourceId").unwrap_or_default().to_owned();
        let sender_time = text("/meta/modified").and_then(ade::time::parse);
        let gone = original.pointer("/meta/isDeleted") == Some(&Value::Bool(true));
        let at = self.position(entry, place, &source, &source_id);
        let at = at.filter(|_| !self.is(Fault::RepeatCreatesTwice) || gone);
        let before = at.and_then(|at| self.records.get(at));
        let created = before.filter(|one| !one.deleted).map(|one| one.created);
        if let Some(before) = before {
            let same = before.deleted == gone && (gone || content(&before.sent) == content(original));
            let late = before.sent_modified.zip(sender_time).is_some_and(|(had, sender_time)| sender_time < had);
            if late && !self.last_wins {
                return (before.id, Outcome::Stale);
            }
            if before.deleted && self.is(Fault::RecreateHidden) {
                return (before.id, Outcome::Created);
            }
            if same || (self.is(Fault::CorrectionIgnored) && !before.deleted && !gone) {
                return (before.id, Outcome::Unchanged);
            }
        } else if gone {
            return (0, Outcome::Deleted);
        }
        if gone && self.is(Fault::RetractLeavesInList) {
            return (before.map_or(0, |one| one.id), Outcome::Deleted);
        }
        let outcome = match (gone, created) {
            (true, _) => Outcome::Deleted,
            (false, None) => Outcome::Created,
            (false, Some(_)) => Outcome::Updated,
        };
        self.change += 1;
        self.last = now.max(self.last + 1);
        if self.is(Fault::ModifiedStays)
            && let Some(before) = before
        {
            self.last = before.modified;
        }
        let fresh = at.unwrap_or(self.records.len());
        let mut record = Record {
            id: fresh as u64 + 1,
            collection: entry.name.as_str(),
            place,
            source,
            source_id,
            document: Value::Null,
            sent: original.clone(),
            sent_modified: sender_time,
            modified: self.last,
            created: created.unwrap_or(self.last),
            change: self.change,
            deleted: gone,
        };
        record.document = self.document(entry, &record);
        let id = record.id;
        if gone && self.is(Fault::RetractNoTombstone) {
            record.change = 0;
        }
        match self.records.get_mut(fresh) {
            Some(slot) => *slot = Arc::new(record),
            None => self.records.push(Arc::new(record)),
        }
        (id, outcome)
    }

    /// A value as it is stored.
    fn stored_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if self.is(Fault::LettersLost) => {
                json!(text.replace(|c: char| !c.is_ascii(), "?"))
            }
            Value::String(text) if self.is(Fault::OffsetDropped) && text.contains("T") => {
                let civil = text.get(..19).filter(|_| ade::time::parse(text).is_some());
                civil.map_or_else(|| value.clone(), |civil| json!(format!("{civil}Z")))
            }
            other => other.clone(),
        }
    }

    /// The document that is returned for a record: the sent members, and those that the server owns.
    fn document(&self, entry: &CollectionEntry, record: &Record) -> Value {
        let mut document = Map::new();
        document.insert("resourceType".to_owned(), json!(entry.resource));
        let mut meta = Map::new();
        if !record.deleted {
            let original = record.sent.get("meta").and_then(Value::as_object);
            meta.extend(original.cloned().unwrap_or_default());
            meta.remove("isDeleted");
        }
        let source = match self.is(Fault::PostChangesSource) {
            true => SOURCE,
            false => &record.source,
        };
        meta.insert("source".to_owned(), json!(source));
        meta.insert("sourceId".to_owned(), json!(record.source_id));
        let written = ade::time::format_shortest(record.modified);
        meta.insert("modified".to_owned(), json!(written));
        if record.deleted {
            meta.insert("isDeleted".to_owned(), json!(true));
            meta.insert("reason".to_owned(), json!("deleted"));
        } else {
            let created = ade::time::format_shortest(record.created);
            meta.insert("created".to_owned(), json!(created));
        }
        document.insert("meta".to_owned(), Value::Object(meta));
        let place = LOCATIONS.get(record.place).map_or("", |place| place.id);
        let location = json!({"scheme": LOCATION_SCHEME, "id": place});
        document.insert("location".to_owned(), location);
        if record.deleted {
            return Value::Object(document);
        }
        let own = ["resourceType", "meta", "location", "@self"];
        if self.is(Fault::CorrectionMerges)
            && let Some(had) = self.records.iter().find(|one| one.id == record.id)
        {
            let had = had.document.as_object().into_iter().flatten();
            for (name, value) in had.filter(|(name, _)| !own.contains(&name.as_str())) {
                document.insert(name.clone(), value.clone());
            }
        }
        for (name, value) in record.sent.as_object().into_iter().flatten() {
            let dropped = self.is(Fault::PostForgetsMembers) && name == "eventDateTime";
            if !own.contains(&name.as_str()) && !value.is_null() && !dropped {
                document.insert(name.clone(), self.stored_value(value));
            }
        }
        // The documents of the start are correct.
        if record.source != SOURCE {
            self.forget(entry, &mut document);
        }
        if !document.contains_key("id") && entry.resource != "icarAnimalCoreResource" {
            document.insert("id".to_owned(), json!(record.id.to_string()));
        }
        Value::Object(document)
    }
}

impl Book {
    /// Alters a document before it is stored, as the fault demands.
    fn forget(&self, entry: &CollectionEntry, document: &mut Map<String, Value>) {
        let attention = entry.name == "attention-events";
        match self.fault {
            Some(Fault::OptionalForgotten) if attention => {
                document.remove("responsible");
            }
            Some(Fault::NestedForgotten) if attention => {
                let device = document.get_mut("device").and_then(Value::as_object_mut);
                device.and_then(|device| device.remove("serial"));
            }
            Some(Fault::TextCut) if entry.name == "remarks" => {
                let note = document.get("note").and_then(Value::as_str);
                if let Some(cut) = note.map(|note| note.chars().take(16).collect::<String>()) {
                    document.insert("note".to_owned(), json!(cut));
                }
            }
            Some(Fault::CodesMerged) if document.get("priority") == Some(&json!("Critical")) => {
                document.insert("priority".to_owned(), json!("Urgent"));
            }
            Some(Fault::ElementsSorted) if attention => {
                let causes = document.get_mut("causes").and_then(Value::as_array_mut);
                if let Some(causes) = causes {
                    causes.sort_by_key(Value::to_string);
                }
            }
            Some(Fault::DefaultInvented) if entry.name == "remarks" => {
                let name = document.entry("responsible");
                name.or_insert_with(|| json!("this server"));
            }
            Some(Fault::KeptAsText) if attention => {
                if let Some(score) = document.get_mut("deviceAttentionScore") {
                    *score = json!(score.to_string());
                }
            }
            _ => {}
        }
    }
}

fn has(animal: &Record, number: &Value) -> bool {
    let also = animal.document.get("alternativeIdentifiers");
    let also = also.and_then(Value::as_array).into_iter().flatten();
    let mut all = animal.document.get("identifier").into_iter().chain(also);
    all.any(|own| ["scheme", "id"].iter().all(|m| own.get(m) == number.get(m)))
}

/// The members that count when a document is compared with the one that was sent before.
fn content(document: &Value) -> Value {
    let mut content = document.clone();
    if let Some(members) = content.as_object_mut() {
        for owned in ["resourceType", "location", "@self", "id"] {
            members.remove(owned);
        }
        if let Some(meta) = members.get_mut("meta").and_then(Value::as_object_mut) {
            meta.remove("modified");
            meta.remove("created");
        }
    }
    content
}
