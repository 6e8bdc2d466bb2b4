//! Reads documents: fields of a row, unmapped members, messages (docs/design/mappings.md,
//! *Rendering and reading*). The standard's validator has looked at the document before; knows no
//! store.

use crate::compile::file::File;
use crate::compile::plan::{Read, Target, TemplatePart};
use crate::compile::read_entries::Reading;
use crate::compile::{Compiler, Level};
use crate::read::reference::text;
use crate::read::rest::DictionaryLookup;
use crate::read::value::Reader;
use crate::read::work::Work;
use crate::{LOCATIONS, Mapping, ReferenceResolver};
use model::error::{Issue, Severity};
use model::fast::IndexMap;
use model::record::Value;
use model::registry::{ID, Kind, Writer};
use serde_json::{Map, Value as Json};

/// In `set`: the organisation of the location.
const PLACE: &str = "{location}";

/// Which row a document is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The one with the document's pair, else a new one.
    Pair,
    /// The one with this id: the pair is our own.
    Id(i64),
    /// The one with the document's pair, else the existing one with this id
    /// ([`Mapping::is_part`]).
    PairOr(i64),
}

/// A document read.
#[derive(Debug, Clone, PartialEq)]
pub struct Intake {
    /// The row meant.
    pub row: Row,
    /// The sender's source and key; empty texts when they are missing (an error is reported).
    pub pair: (String, String),
    /// `meta.isDeleted`: delete the row, or, of a part, write [`Intake::fields`], all empty.
    pub deleted: bool,
    /// Slots and values to write. Slots that are not named do not change.
    pub fields: Vec<(usize, Value)>,
    /// Of a document of several rows ([`Mapping::parts`]): what each has for itself.
    pub parts: Vec<Vec<(usize, Value)>>,
    /// Slots and values for a new row only.
    pub new: Vec<(usize, Value)>,
    /// Members that no field holds.
    pub extra: Map<String, Json>,
    /// The messages for the sender; paths are JSON pointers. One error refuses the document.
    pub issues: Vec<Issue>,
}

impl Intake {
    /// Whether the document is refused.
    pub fn refused(&self) -> bool {
        self.issues.iter().any(|i| i.severity == Severity::Error)
    }
}

/// The reading side of a mapping.
#[derive(Debug, Default)]
pub(crate) struct Inward {
    pub reading: Reading,
    set: Vec<(usize, Value)>,
    /// Slots that get the organisation of the location.
    placed: Vec<usize>,
    /// The organisation that sends, where hooks do not fill it.
    sender: Option<usize>,
    animal: Option<usize>,
    pub find: Vec<DictionaryLookup>,
}

impl Inward {
    pub(crate) fn animal_slot(&self) -> Option<usize> {
        self.animal
    }

    /// Of a passthrough; `animal` is the slot of the animal.
    pub(crate) fn of_passthrough(reading: Reading, animal: Option<usize>) -> Self {
        Self { reading, animal, ..Self::default() }
    }
}

impl<'r> Compiler<'r> {
    pub(crate) fn inward(&mut self, file: &File, level: Level<'r>, reading: Reading) -> Inward {
        let collection = level.scope.collection;
        let fills = |slot: usize| {
            let all = reading.entries.iter().flat_map(|e| match &e.read {
                Read::Parts(inner) => inner.as_slice(),
                _ => std::slice::from_ref(e),
            });
            let mut all = all.map(|e| &e.target);
            all.any(|target| matches!(target, Target::Slot(s) if *s == slot))
        };
        let find = self.dictionary_lookups(file, level, fills);
        let placed_at = |(path, value): (&String, &toml::Value)| {
            let kind = collection.field(path).map(|f| &f.kind);
            let location = matches!(kind, Some(Kind::Relation(to)) if to == LOCATIONS);
            (location && value.as_str() == Some(PLACE)).then(|| collection.slot(path))?
        };
        let placed = file.head.set.iter().filter_map(placed_at).collect();
        let mut fixed = file.head.set.clone();
        fixed.retain(|path, value| placed_at((path, value)).is_none());
        let set = self.fixed(collection, &format!("{}: set", file.name), &fixed);
        let free = |path: &&String| collection.field(path).is_some_and(|f| f.writer != Writer::Server);
        let slot = |path: &Option<String>| path.as_ref().filter(free).and_then(|p| collection.slot(p));
        Inward {
            reading,
            set,
            placed,
            sender: slot(&file.head.scope),
            animal: match file.head.beside {
                Some(_) => Some(ID),
                None => slot(&file.head.animal),
            },
            find,
        }
    }
}

impl Mapping {
    /// Reads a document. A member of the wrong type has been reported by the validator and is left
    /// out here.
    pub fn intake(&self, doc: &Json, resolved: &dyn ReferenceResolver) -> Intake {
        let mut work = Work {
            reader: Reader { identifiers: &self.identifiers, resolved, base: String::new() },
            set: IndexMap::default(),
            used: Vec::new(),
            texts: Vec::new(),
            issues: Vec::new(),
            parts: Vec::new(),
        };
        let meta = doc.get("meta").unwrap_or(&Json::Null);
        let part = |work: &mut Work<'_>, name: &str| {
            let value = text(meta, name).filter(|t| !t.is_empty());
            if value.is_none() {
                work.missing(format!("/meta/{name}"));
            }
            value.unwrap_or_default().to_owned()
        };
        let pair = (part(&mut work, "source"), part(&mut work, "sourceId"));
        let deleted = meta.get("isDeleted").and_then(Json::as_bool) == Some(true);
        if deleted {
            return self.deletion(pair, work);
        }
        for (needed, name) in [
            (self.inward.animal.is_some(), "animal"),
            (!self.event.is_empty() && self.beside.is_none(), "eventDateTime"),
        ] {
            if needed && doc.get(name).is_none_or(Json::is_null) {
                work.missing(format!("/{name}"));
            }
        }
        work.entries(&self.inward.reading.entries, doc);
        work.required(&self.inward.reading.entries);
        let row = self.row(&pair, doc, &mut work);
        let mut extra = self.unmapped_members(doc, &work.used);
        let mut fields: Vec<(usize, Value)> = work.set.into_iter().collect();
        self.take_rest(&mut extra, &mut fields);
        if self.beside.is_some() {
            // The row has its event; a document may repeat it.
            extra.shift_remove("eventDateTime");
        }
        if self.part {
            fields.retain(|(slot, _)| Some(*slot) != self.inward.animal);
        }
        let mut new = self.inward.set.clone();
        if let Some(slot) = self.inward.sender {
            new.push((slot, Value::Int(resolved.location())));
        }
        let here = Value::Int(resolved.location());
        new.extend(self.inward.placed.iter().map(|slot| (*slot, here.clone())));
        let mut intake = Intake { row, pair, deleted, fields, parts: work.parts, new, extra, issues: work.issues };
        self.find_parts(&mut intake, resolved);
        intake
    }

    /// Slots and values with the sender's pair and the unmapped members: all that is written.
    /// `created`: the row is new.
    pub fn writes(&self, intake: Intake, created: bool) -> Vec<(usize, Value)> {
        let mut all = intake.fields;
        if created {
            all.extend(intake.new);
        }
        let gone = intake.deleted;
        if let Some((source, id)) = self.pair
            && !matches!(intake.row, Row::Id(_))
        {
            let value = |text: String| {
                if gone { Value::Null } else { Value::Text(text) }
            };
            if let Some(dataset_slot) = self.dataset_slot {
                all.push((dataset_slot, value(self.dataset.clone())));
            }
            all.push((source, value(intake.pair.0)));
            all.push((id, value(intake.pair.1)));
        }
        if let Some(slot) = self.extra {
            let extra = (!gone && !intake.extra.is_empty()).then(|| Value::json(Json::Object(intake.extra)));
            all.push((slot, extra.unwrap_or(Value::Null)));
        }
        all
    }

    fn deletion(&self, pair: (String, String), work: Work<'_>) -> Intake {
        let entries = &self.inward.reading.entries;
        let slots = entries.iter().filter(|_| self.part).filter_map(|e| match e.target {
            Target::Slot(slot) if Some(slot) != self.inward.animal => Some((slot, e.empty.clone())),
            _ => None,
        });
        Intake {
            row: self.own_row(&pair).map_or(Row::Pair, Row::Id),
            fields: slots.collect(),
            parts: Vec::new(),
            pair,
            deleted: true,
            new: Vec::new(),
            extra: Map::new(),
            issues: work.issues,
        }
    }

    /// The row that our own pair names.
    fn own_row(&self, (source, id): &(String, String)) -> Option<i64> {
        let key = id.strip_prefix(&self.dataset)?.strip_prefix(':')?;
        let key = match self.key.0.as_slice() {
            [TemplatePart::Text(head), TemplatePart::Value(_)] => key.strip_prefix(head.as_str())?,
            _ => key,
        };
        (*source == self.source).then(|| key.parse().ok()).flatten()
    }

    fn row(&self, pair: &(String, String), doc: &Json, work: &mut Work<'_>) -> Row {
        if let Some(id) = self.own_row(pair) {
            return Row::Id(id);
        }
        if !self.part {
            return Row::Pair;
        }
        let animal = self.inward.animal.and_then(|slot| work.set.get(&slot)?.int());
        let event = text(doc, "eventDateTime").and_then(ade::time::parse);
        let (Some(animal), Some(before)) = (animal, event) else {
            return Row::Pair;
        };
        let resolved = work.reader.resolved;
        match resolved.latest(&self.collection, animal, before) {
            Some(id) => Row::PairOr(id),
            None => {
                let message = "the animal has no earlier record that this belongs to";
                work.issues.push(Issue::error("/eventDateTime", "no-earlier-record", message));
                Row::Pair
            }
        }
    }
}
