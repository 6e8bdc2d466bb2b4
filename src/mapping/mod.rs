//! Translates records to ADE documents and back (model, section 7): mapping files compiled
//! against the registry and the standard, a writer and a reader. The grammar stands in
//! `mappings/README.md`.
//!
//! Must not know who asks, how rows are stored, or when a change is committed: related
//! records come through [`Related`], looked-up ids through [`Resolved`], the times of
//! change are put into the [`Body`] afterwards.

mod ade_path;
mod body;
mod builtin;
mod codes;
mod compile;
mod compile_head;
mod compile_in;
mod compile_value;
mod file;
mod identifiers;
mod intake;
mod kept;
mod leaf;
mod path;
mod plan;
mod read;
mod reference;
mod relations;
mod render;
mod settle;
mod time;
mod tree;
mod work;

#[cfg(test)]
mod tests;

pub use body::Body;
pub use intake::{Intake, Row};
pub use reference::{Purpose, Reference};
pub use relations::{Hop, Via};
pub use render::Rendered;

use crate::error::Issue;
use crate::record::Record;
use crate::registry::Registry;
use compile::Compiler;
use file::{CodesText, Faults, File, TableText};
use identifiers::Identifiers;
use indexmap::IndexMap;
use path::Source;
use plan::{Condition, Object, Template};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What an installation chooses (model, section 7.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `exchange.prefix`: the book's reverse-domain prefix, `{p}` in schemes.
    pub prefix: String,
    /// `exchange.source`: `meta.source` of what the book serves as its own.
    pub source: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            prefix: "org.herdbook".to_owned(),
            source: "org.herdbook".to_owned(),
        }
    }
}

/// Related records that the caller has loaded ([`Mapping::relations`] says which).
pub trait Related {
    /// A record by its id.
    fn get(&self, collection: &str, id: i64) -> Option<&Record>;
    /// The first record, by id, whose relation points to `id` ([`Via::Reverse`]).
    fn pointing(&self, collection: &str, relation: &str, id: i64) -> Option<&Record>;
}

/// What the book knows about what a document names ([`Mapping::references`] says what to
/// look up).
pub trait Resolved {
    /// The id of the one record that a reference means; none when there is none or more
    /// than one. Codes that several entries share mean the first by sort order.
    fn id(&self, reference: &Reference) -> Option<i64>;
    /// For mappings with [`Mapping::is_part`]: the row of the animal that the document
    /// belongs to, that is the last one dated not after `before` (epoch milliseconds).
    fn latest(&self, collection: &str, animal: i64, before: i64) -> Option<i64>;
    /// The organisation that stands for those outside the book.
    fn placeholder(&self) -> Option<i64>;
    /// The organisation of the location that the document was sent to.
    fn location(&self) -> i64;
}

pub(crate) type CodeTables = BTreeMap<String, TableText>;

/// All mappings of an installation.
#[derive(Debug)]
pub struct Mappings {
    list: IndexMap<String, Mapping>,
    generation: u64,
}

impl Mappings {
    /// Compiles the built-in files with those of `overrides` laid over them.
    ///
    /// # Errors
    /// Every fault in every file; the path reads `<file>: <place in the file>`.
    pub fn build(
        registry: &'static Registry,
        settings: &Settings,
        overrides: Option<&Path>,
    ) -> Result<Self, Vec<Issue>> {
        Self::layered(registry, settings, builtin::FILES, overrides)
    }

    fn layered(
        registry: &'static Registry,
        settings: &Settings,
        builtin: &[(&str, &str)],
        overrides: Option<&Path>,
    ) -> Result<Self, Vec<Issue>> {
        let mut faults = Faults::default();
        let mut tables = file::layered(builtin, overrides, &mut faults);
        let generation = generation(&tables, settings);
        let codes = codes_text(tables.remove(CODES), &mut faults);
        let animals = registry.get("animals");
        let (identifiers, missing) =
            Identifiers::build(animals, &codes.animal, &codes.location, &settings.prefix);
        for field in missing {
            let message = format!("animals has no field {field}");
            faults.add(&format!("{CODES}: animal"), "no-such-field", message);
        }
        let files: BTreeMap<String, File> = (tables.into_iter())
            .filter_map(|(name, table)| {
                Some((name.clone(), file::read(&name, table, &mut faults)?))
            })
            .collect();
        let mut compiler = Compiler {
            registry,
            standard: ade::schema::Standard::get(),
            tables: &codes.tables,
            identifiers: Arc::new(identifiers),
            prefix: &settings.prefix,
            files: &files,
            faults,
        };
        let mut list = IndexMap::new();
        for file in files.values() {
            let Some(mapping) = compiler.mapping(file, &settings.source) else {
                continue;
            };
            if let Some(twice) = list.insert(mapping.dataset.clone(), mapping) {
                let message = format!("the data set {} has two files", twice.dataset);
                compiler.fault(
                    &format!("{}: dataset", file.name),
                    "declared-twice",
                    message,
                );
            }
        }
        let issues = compiler.faults.0;
        if issues.is_empty() {
            Ok(Self { list, generation })
        } else {
            Err(issues)
        }
    }

    /// The mapping of a data set (`test-day-results`).
    pub fn get(&self, dataset: &str) -> Option<&Mapping> {
        self.list.get(dataset)
    }

    /// All mappings, by file name.
    pub fn iter(&self) -> impl Iterator<Item = &Mapping> {
        self.list.values()
    }

    /// A hash of everything that changes the bytes of documents: files, prefix, source,
    /// release of the standard, form of the writer. Another value means: render all again.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

/// The collection whose rows are the standard's locations (model, section 7.1).
pub(crate) const LOCATIONS: &str = "organizations";

const CODES: &str = "codes.toml";

/// Raised when the writer itself changes what it writes.
const WRITER: &str = "writer 2";

fn generation(tables: &BTreeMap<String, toml::Table>, settings: &Settings) -> u64 {
    let mut hash = Sha256::new();
    for text in [WRITER, ade::VERSION, &settings.prefix, &settings.source] {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    for (name, table) in tables {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(table.to_string().as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    digest
        .iter()
        .take(8)
        .fold(0, |n, byte| n << 8 | u64::from(*byte))
}

fn codes_text(table: Option<toml::Table>, faults: &mut Faults) -> CodesText {
    let read = toml::Value::Table(table.unwrap_or_default()).try_into::<CodesText>();
    read.unwrap_or_else(|e| {
        faults.add(CODES, "unreadable", e.message().to_owned());
        CodesText {
            animal: Vec::new(),
            location: String::new(),
            tables: BTreeMap::new(),
        }
    })
}

/// What the head of a mapping may say of its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The animal that the document is about.
    Animal,
    /// When it happened.
    Event,
    /// The organisation where it lives.
    Location,
}

/// The translation between a collection and a data set, both ways.
#[derive(Debug)]
pub struct Mapping {
    dataset: String,
    resource: String,
    collection: String,
    verbs: String,
    source: String,
    identifiers: Arc<Identifiers>,
    when: Vec<Condition>,
    spread: Option<usize>,
    key: Template,
    id: Option<Template>,
    animal: Option<Source>,
    location: Option<Source>,
    event: Vec<Source>,
    scope: Option<usize>,
    pair: Option<(usize, usize)>,
    extra: Option<usize>,
    created: usize,
    part: bool,
    object: Object,
    own: Vec<String>,
    relations: Vec<Hop>,
    inward: intake::Inward,
}

impl Mapping {
    /// Name of the data set and of the collection in the standard's addresses.
    pub fn dataset(&self) -> &str {
        &self.dataset
    }
    /// `resourceType` of its documents.
    pub fn resource(&self) -> &str {
        &self.resource
    }
    /// The collection whose rows it translates.
    pub fn collection(&self) -> &str {
        &self.collection
    }
    /// Whether documents may be posted, one by one (`P`).
    pub fn can_post(&self) -> bool {
        self.verbs.contains('P')
    }
    /// Whether documents may come in batches (`B`).
    pub fn can_batch(&self) -> bool {
        self.verbs.contains('B')
    }
    /// Whether its documents have an animal, an event time, a location.
    pub fn has(&self, part: Part) -> bool {
        match part {
            Part::Animal => self.animal.is_some(),
            Part::Event => !self.event.is_empty(),
            Part::Location => self.location.is_some(),
        }
    }
    /// The field of animals that a scheme of animal numbers means.
    pub fn animal_field(&self, scheme: &str) -> Option<&str> {
        self.identifiers.field(scheme)
    }
    /// Whether reading may need [`Resolved::placeholder`].
    pub fn needs_placeholder(&self) -> bool {
        self.inward.reading.entries.iter().any(|e| e.placeholder)
    }
    /// Whether its documents describe part of a row that lives by another mapping: they
    /// find their row by [`Resolved::latest`], and deleting one empties the part's fields.
    pub fn is_part(&self) -> bool {
        self.part
    }
    /// Whether a row makes one document per element of a list.
    pub fn is_spread(&self) -> bool {
        self.spread.is_some()
    }
    /// Slot of the organisation in the key of idempotency (model, section 7.1).
    pub fn scope(&self) -> Option<usize> {
        self.scope
    }
    /// Slots of the sender's `meta.source` and `meta.sourceId`.
    pub fn pair(&self) -> Option<(usize, usize)> {
        self.pair
    }
    /// Slot of the members that no field holds.
    pub fn extra(&self) -> Option<usize> {
        self.extra
    }
    /// Paths of the row's own fields that rendering reads.
    pub fn own_fields(&self) -> &[String] {
        &self.own
    }
    /// The relations that rendering follows, each after the one it starts from. A change
    /// of one of [`Hop::fields`] in a hop's collection changes the documents of the rows
    /// that reach it.
    pub fn relations(&self) -> &[Hop] {
        &self.relations
    }
    /// The hops through which a change of these fields of a collection is seen.
    pub fn dependencies<'a, 'c>(
        &'a self,
        collection: &'c str,
        changed: &'c [&'c str],
    ) -> impl Iterator<Item = (usize, &'a Hop)> + use<'a, 'c> {
        (self.relations.iter().enumerate()).filter(move |(_, hop)| {
            hop.collection == collection && hop.fields.iter().any(|f| changed.contains(&f.as_str()))
        })
    }
}
