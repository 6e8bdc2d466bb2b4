//! Translates records to ADE documents and back (docs/design/mappings.md, *Mappings*): mapping
//! files compiled against the registry and the standard, a writer and a reader. The grammar stands
//! in `mappings/README.md`.
//!
//! Must not know who asks, how rows are stored, or when a change is committed: related records come through
//! [`Related`], looked-up ids through [`ReferenceResolver`], the times of change are put into the [`Body`] afterwards.

mod ade_path;
mod check;
mod codes;
mod compile;
mod dialects;
mod identifiers;
mod passthrough;
mod path;
mod read;
mod render;
mod schemes;
mod statistics;
mod unmapped_members;
mod wording;

#[cfg(test)]
mod tests;

pub use check::Check;
pub use compile::file::{Beside, Corrections, Scheme};
pub use dialects::{
    DateOrder, DecimalSign, Dialect, DialectColumn, DialectForm, DialectSheet, Dialects, Events, FixedField,
    FixedLines, FixedPart, Gather, Mark, code,
};
pub use passthrough::{SentDocument, content};
pub use read::corrections::Correction;
pub use read::document::{Intake, Row};
pub use read::elements::Element;
pub use read::groups::{Group, GroupPart};
pub use read::match_rule::{MatchRule, MatchWrites};
pub use read::reference::{Purpose, Reference};
pub use read::stated::{Statement, StatementRule};
pub use read::unchanged::same;
pub use render::RenderedDocument;
pub use render::body::Body;
pub use render::relations::{Hop, Via};
pub use schemes::ListedScheme;
pub use statistics::{AGGREGATIONS, Classes, Figures, Metric, Statistics, WHOLE};
pub use wording::{CORRECTED, Difference, WordedDocument, Wording};

use compile::Compiler;
use compile::file::{CodesText, Faults, File, TableText};
use compile::plan::{Condition, Object, Spread, Template};
use identifiers::Identifiers;
use model::error::Issue;
use model::fast::IndexMap;
use model::record::Record;
use model::registry::Registry;
use path::Source;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What an installation chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `exchange.prefix`: the book's reverse-domain prefix, `{p}` in schemes.
    pub prefix: String,
    /// `exchange.source`: `meta.source` of what the book serves as its own.
    pub source: String,
    /// `book.time_zone`: IANA name of the zone of places that have none of their own, `{zone}` in constants.
    pub zone: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            prefix: "org.herdbook".to_owned(),
            source: "org.herdbook".to_owned(),
            zone: model::record::zone::USUAL.to_owned(),
        }
    }
}

/// Related records that the caller has loaded ([`Mapping::relations`] says which).
pub trait Related {
    fn get(&self, collection: &str, id: i64) -> Option<&Record>;
    /// The first record, by id, whose relation points to `id` ([`Via::Reverse`]).
    fn pointing(&self, collection: &str, relation: &str, id: i64) -> Option<&Record>;
}

/// What the book knows about what a document names ([`Mapping::references`] says what to
/// look up).
pub trait ReferenceResolver {
    /// The id of the one record that a reference means; none when there is none or more
    /// than one. Codes that several entries share mean the first by sort order.
    fn id(&self, reference: &Reference) -> Option<i64>;
    /// For mappings with [`Mapping::is_part`]: the row of the animal that the document
    /// belongs to, that is the last one dated not after `before` (epoch milliseconds).
    fn latest(&self, collection: &str, animal: i64, before: i64) -> Option<i64>;
    /// The organisation that represents those outside the book.
    fn placeholder(&self) -> Option<i64>;
    /// The organisation of the location that the document was sent to.
    fn location(&self) -> i64;
}

pub(crate) type CodeTables = BTreeMap<String, TableText>;

/// All mappings of an installation.
#[derive(Debug)]
pub struct Mappings {
    list: IndexMap<String, Mapping>,
    /// Data sets without a file.
    passthrough: IndexMap<String, Mapping>,
    /// The passthrough of data sets that have a file now, for raw documents from before.
    former: IndexMap<String, Mapping>,
    groups: read::groups::Groups,
    schemes: Vec<ListedScheme>,
    identifiers: Arc<Identifiers>,
    statistics: Statistics,
    generation: u64,
    loose: Vec<String>,
    dialects: Arc<Dialects>,
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
        Self::layered(registry, settings, compile::builtin::FILES, overrides)
    }

    fn layered(
        registry: &'static Registry,
        settings: &Settings,
        builtin: &[(&str, &str)],
        overrides: Option<&Path>,
    ) -> Result<Self, Vec<Issue>> {
        let mut faults = Faults::default();
        let mut tables = compile::file::layered(builtin, overrides, &mut faults);
        let files = dialects::FILES;
        let dialects = dialects::layered(registry, files, overrides, &mut faults);
        let generation = generation(&tables, settings);
        let codes = codes_text(tables.remove(CODES), &mut faults);
        let groups = read::groups::Groups::read(tables.remove(read::groups::FILE), &mut faults);
        let animals = registry.get(ANIMALS);
        let (identifiers, wrong) = Identifiers::build(animals, &codes.animal, &codes.location, &settings.prefix);
        for (code, message) in wrong {
            faults.add(&format!("{CODES}: animal"), code, message);
        }
        let identifiers = Arc::new(identifiers);
        let files = tables.into_iter().filter_map(|(name, table)| {
            let file = compile::file::read(&name, table, &mut faults)?;
            Some((name, file))
        });
        let files: BTreeMap<String, File> = files.collect();
        let mut compiler = Compiler {
            registry,
            standard: ade::schema::Standard::get(),
            tables: &codes.tables,
            lists: &codes.lists,
            units: &codes.units,
            identifiers: Arc::clone(&identifiers),
            prefix: &settings.prefix,
            zone: &settings.zone,
            files: &files,
            faults,
            uses: compile::uses::Uses::default(),
        };
        let statistics = compiler.statistics(&settings.source);
        let mut list = IndexMap::default();
        for file in files.values() {
            let Some(mapping) = compiler.mapping(file, &settings.source) else {
                continue;
            };
            compiler.check_dataset(list.values(), &mapping, &file.name);
            list.insert(mapping.name.clone(), mapping);
        }
        let schemes = compiler.schemes();
        let issues = std::mem::take(&mut compiler.faults.0);
        if issues.is_empty() {
            let loose =
                (compiler.uses).loose(&codes.unused, |file| files.get(file).map_or(file, |f| f.head.dataset.as_str()));
            let mut taken: Vec<&str> = list.values().map(|m| m.dataset.as_str()).collect();
            taken.push(statistics.dataset());
            let without_file = passthrough::without_file(&taken, &settings.source, &compiler.identifiers);
            let all = passthrough::without_file(&[], &settings.source, &compiler.identifiers);
            Ok(Self {
                former: (all.into_iter())
                    .filter(|mapping| taken.contains(&mapping.dataset.as_str()))
                    .map(|mapping| (mapping.dataset.clone(), mapping))
                    .collect(),
                passthrough: (without_file.into_iter()).map(|mapping| (mapping.dataset.clone(), mapping)).collect(),
                list,
                groups,
                schemes,
                statistics,
                generation,
                loose,
                identifiers,
                dialects: Arc::new(dialects),
            })
        } else {
            Err(issues)
        }
    }

    /// The mapping of a data set (`test-day-results`), also of a passthrough; of several
    /// collections the one whose file is named as the set.
    pub fn get(&self, dataset: &str) -> Option<&Mapping> {
        let main = self.list.get(dataset).filter(|m| m.dataset == dataset);
        main.or_else(|| self.iter().find(|m| m.dataset == dataset)).or_else(|| self.passthrough.get(dataset))
    }

    /// What takes in the resources of a data set: its passthrough, where they are stored as they
    /// are sent, else its mapping.
    pub fn taking(&self, dataset: &str) -> Option<&Mapping> {
        let mapping = self.get(dataset)?;
        match mapping.keeps_raw {
            true => self.passthrough(dataset),
            false => Some(mapping),
        }
    }

    /// The mapping by which raw documents of a data set say something of rows.
    pub fn stating(&self, dataset: &str) -> Option<&Mapping> {
        self.iter().find(|m| m.dataset == dataset && m.stated.is_some())
    }

    /// The passthrough of a data set, also if it has a file now: raw documents from before
    /// stay until their sender sends them again.
    pub fn passthrough(&self, dataset: &str) -> Option<&Mapping> {
        (self.passthrough.get(dataset)).or_else(|| self.former.get(dataset))
    }

    /// The data sets that were passthroughs and have a file now.
    pub fn formerly_passthrough(&self) -> impl Iterator<Item = &str> {
        self.former.keys().map(String::as_str)
    }

    /// A mapping by the name of its file, without extension.
    pub fn named(&self, name: &str) -> Option<&Mapping> {
        (self.list.get(name)).or_else(|| self.passthrough.get(name))
    }

    /// The main mapping of each data set.
    pub fn datasets(&self) -> impl Iterator<Item = &Mapping> {
        self.iter().filter(|m| {
            let main = self.get(&m.dataset);
            main.is_some_and(|main| main.name == m.name)
        })
    }

    /// Statistics that are computed on request.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The mappings that have a file, by file name.
    pub fn iter(&self) -> impl Iterator<Item = &Mapping> {
        self.list.values()
    }

    /// The schemes of animal numbers, the main one first.
    pub fn animal_schemes(&self) -> &[Scheme] {
        &self.identifiers.animal
    }

    /// The scheme of locations as it is written.
    pub fn location_scheme(&self) -> &str {
        &self.identifiers.location
    }

    /// The schemes of locations that are read: the one that is written, and its aliases.
    pub fn location_schemes(&self) -> impl Iterator<Item = &str> {
        let aliases = self.identifiers.location_aliases.iter();
        std::iter::once(self.location_scheme()).chain(aliases.map(String::as_str))
    }

    /// All data sets: those with a file, then passthroughs
    /// ([`Mapping::is_passthrough`]), in the order of the catalogue.
    pub fn all(&self) -> impl Iterator<Item = &Mapping> {
        self.datasets().chain(self.passthrough.values())
    }

    /// The identifier schemes of documents.
    pub fn schemes(&self) -> &[ListedScheme] {
        &self.schemes
    }

    /// What the animals named in documents of a data set get of them.
    pub fn group(&self, dataset: &str) -> Option<&Group> {
        self.groups.of(dataset)
    }

    /// The data set that references to sets of animals mean.
    pub fn sets(&self) -> &str {
        self.groups.sets()
    }

    /// How files of other programs are read.
    pub fn dialects(&self) -> &Arc<Dialects> {
        &self.dialects
    }

    /// Codes of the standard in mapped members that neither go out nor come in, and for
    /// which `codes.toml` gives no reason; and reasons that hold for no code.
    pub fn loose_codes(&self) -> &[String] {
        &self.loose
    }

    /// A hash of everything that changes the bytes of documents: files, prefix, source,
    /// release of the standard, form of the writer. Another value means: render all again.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

/// The collection whose rows are the standard's locations (docs/design/exchange.md, *Locations*).
pub const LOCATIONS: &str = "organizations";

/// The collection of animals, whose numbers have schemes of their own.
pub(crate) const ANIMALS: &str = "animals";

const CODES: &str = "codes.toml";

/// Raised when the writer itself changes what it writes.
const WRITER: &str = "writer 2";

fn generation(tables: &BTreeMap<String, toml::Table>, settings: &Settings) -> u64 {
    let mut hash = Sha256::new();
    for text in [WRITER, ade::VERSION, &settings.prefix, &settings.source, &settings.zone] {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    // What lists are narrowed by is indexed where documents are written.
    hash.update(format!("{:?}", ade::catalog::Catalog::get().answers()).as_bytes());
    for (name, table) in tables {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(table.to_string().as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte))
}

fn codes_text(table: Option<toml::Table>, faults: &mut Faults) -> CodesText {
    let read = toml::Value::Table(table.unwrap_or_default()).try_into::<CodesText>();
    read.unwrap_or_else(|e| {
        faults.add(CODES, "unreadable", e.message().to_owned());
        CodesText {
            animal: Vec::new(),
            location: compile::file::LocationText::Name(String::new()),
            tables: BTreeMap::new(),
            lists: BTreeMap::new(),
            units: BTreeMap::new(),
            unused: BTreeMap::new(),
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
#[derive(Debug, Default)]
pub struct Mapping {
    name: String,
    dataset: String,
    resource: String,
    collection: String,
    verbs: String,
    closed: Option<String>,
    /// Activities of those who send.
    senders: Vec<String>,
    /// Documents are stored beside the rows.
    keeps_raw: bool,
    source: String,
    identifiers: Arc<Identifiers>,
    when: Vec<Condition>,
    spread: Option<Spread>,
    /// The documents of a row by name of a list, instead of `object`.
    variants: Vec<compile::lists::Variant>,
    key: Template,
    id: Option<Template>,
    animal: Option<Source>,
    location: Option<Source>,
    event: Vec<Source>,
    scope: Option<usize>,
    pair: Option<(usize, usize)>,
    extra: Option<usize>,
    created: usize,
    /// Slot of the data set that the pair belongs to, where several share the collection.
    dataset_slot: Option<usize>,
    parts: Option<usize>,
    rest: Option<read::rest::Rest>,
    /// Members that the book computes.
    computed: Vec<String>,
    not_after: Vec<(Source, Source)>,
    part: bool,
    by_day: bool,
    /// Two sources that must lead to the same record.
    same: Option<(Source, Source)>,
    object: Object,
    own: Vec<String>,
    relations: Vec<Hop>,
    inward: read::document::Inward,
    passthrough: Option<passthrough::Passthrough>,
    element: Option<Element>,
    waiting: Option<read::match_rule::WaitRule>,
    match_rule: Option<MatchRule>,
    corrections: Option<Corrections>,
    beside: Option<Beside>,
    stated: Option<StatementRule>,
}

impl Mapping {
    /// Name of its file, without extension.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Name of the data set and of the collection in the standard's addresses.
    pub fn dataset(&self) -> &str {
        &self.dataset
    }
    /// `resourceType` of its documents.
    pub fn resource(&self) -> &str {
        &self.resource
    }
    /// Members that the book computes: once it has a value there, no other one of a sender is read.
    pub fn computed(&self) -> &[String] {
        &self.computed
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
    /// What organisations that send its resources are accredited for, besides the Association;
    /// none: every organisation sends to its own location.
    pub fn senders(&self) -> &[String] {
        &self.senders
    }
    /// Whether what is sent is stored as it was sent, also beside rows of a collection.
    pub fn keeps_sent(&self) -> bool {
        self.keeps_raw || self.is_passthrough()
    }
    /// Why nobody sends its resources, in a sentence for senders.
    pub fn closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }
    /// Whether its documents have an animal, an event time, a location.
    pub fn has(&self, part: Part) -> bool {
        if let Some(passthrough) = self.passthrough {
            return match part {
                Part::Animal => passthrough.animal,
                Part::Event => passthrough.event,
                Part::Location => true,
            };
        }
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
    /// Why the animal that an identifier of a document names was not found, in words for the
    /// sender. The message for an animal of another location is the same as for one that does not
    /// exist.
    pub fn animal_unknown(&self, pointer: &str, identifier: &serde_json::Value) -> Issue {
        let part = |name| read::reference::text(identifier, name).unwrap_or_default();
        let among = identifiers::HERE;
        let (code, message) = self.identifiers.unknown(part("scheme"), part("id"), among);
        Issue::error(pointer, code, message)
    }
    /// Whether reading may need [`ReferenceResolver::placeholder`].
    pub fn needs_placeholder(&self) -> bool {
        self.inward.reading.entries.iter().any(|e| e.placeholder)
    }
    /// Whether its documents describe part of a row that lives by another mapping: they
    /// find their row by [`ReferenceResolver::latest`], and deleting one empties the part's fields.
    pub fn is_part(&self) -> bool {
        self.part
    }
    /// Whether a row may make several documents.
    pub fn is_spread(&self) -> bool {
        self.spread.is_some() || !self.variants.is_empty()
    }
    /// Whether all rows of one location and one day make one document.
    pub fn is_by_day(&self) -> bool {
        self.by_day
    }
    /// The path of the organisation in rows: relations, then a field.
    pub fn location_path(&self) -> Option<Vec<&str>> {
        let source = self.location.as_ref()?;
        let steps = source.steps.iter().map(|step| step.path.as_str());
        Some(steps.chain([source.last.as_str()]).collect())
    }
    /// The field of rows that holds the day.
    pub fn event_path(&self) -> Option<&str> {
        self.event.first().map(|source| source.last.as_str())
    }
    /// Slot of the organisation in the key of idempotency.
    pub fn scope(&self) -> Option<usize> {
        self.scope
    }
    /// Slots of the sender's `meta.source` and `meta.sourceId`.
    pub fn pair(&self) -> Option<(usize, usize)> {
        self.pair
    }
    /// Slot of the animal that documents name.
    pub fn animal_slot(&self) -> Option<usize> {
        self.inward.animal_slot()
    }
    /// Slot of the data set that the pair is a key of, where several share the collection.
    pub fn dataset_slot(&self) -> Option<usize> {
        self.dataset_slot
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
