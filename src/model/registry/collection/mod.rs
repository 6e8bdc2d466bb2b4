//! A collection as data: one declaration, from which REST, access, SQL, exchange and
//! tests derive.

pub(crate) mod best_of_day;
pub(crate) mod built_in;
pub(crate) mod for_many;
pub(crate) mod hook;
pub(crate) mod logging;
pub(crate) mod naming;
pub mod notify;
pub(crate) mod package_sets;
pub mod sign_in;
pub(crate) mod states;
pub(crate) mod stock;
pub(crate) mod title;
pub(crate) mod ui_hints;
pub(crate) mod vocabulary;
pub(crate) mod work_lists;

use crate::registry::access::{Access, Verb};
use crate::registry::collection::hook::Hooks;
use crate::registry::collection::sign_in::SignIn;
use crate::registry::features::Feature;
use crate::registry::field::{Decl, Field, Kind, Writer, fields, instant, int};
use crate::registry::upload::Upload;
use indexmap::IndexMap;
use std::fmt;

/// Slot of `id` in every record.
pub const ID: usize = 0;

/// Order of writing a document: a slot, or a group of nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// The field of this slot.
    Leaf(usize),
    /// A named object.
    Group(String, Vec<Node>),
}

/// Rows of another collection that point to this one (docs/dialect.md, *Joins*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Join {
    /// Name in documents and paths: `milkTests`.
    pub name: &'static str,
    /// The other collection: `milk-tests`.
    pub collection: &'static str,
    /// Its relations that point here: `animal`; with several, any of them.
    pub on: &'static [&'static str],
}

/// The first year in which events of animals happen.
const EARLIEST_EVENT: f64 = 1950.0;

/// A declared collection. Slot 0 is `id`; the last three are `seq`, `updatedAt`, `createdAt`.
#[derive(Default)]
pub struct Collection {
    /// Path segment: `milk-tests`.
    pub slug: &'static str,
    /// `Milk Test`, for messages.
    pub singular: String,
    /// `Milk Tests`.
    pub plural: String,
    /// Table: `milk_tests`.
    pub table: String,
    /// All leaf fields, by slot.
    pub fields: Vec<Field>,
    /// Order and grouping of the document, `id` first, `updatedAt`, `createdAt` last.
    pub layout: Vec<Node>,
    /// Rules.
    pub access: Access,
    /// Sort unless given, dialect form (`-createdAt`).
    pub sort: &'static str,
    /// Composite indexes, as field paths.
    pub indexes: Vec<Vec<&'static str>>,
    /// Composite unique keys, as field paths; a key with an empty part does not count.
    pub uniques: Vec<Vec<&'static str>>,
    /// *nk*: the fields by which uploads recognise a row; days count as UTC days. Not unique.
    pub natural: Vec<&'static str>,
    /// Fields searched by parts of words (trigram indexes where the database has them).
    pub trigram: Vec<&'static str>,
    /// How files of other programs name fields, values and rows (docs/import.md).
    pub naming: crate::registry::Naming,
    /// What pages show of it.
    pub ui: crate::registry::UiHints,
    /// Sets of its rows that packages carry.
    pub package_sets: Vec<crate::registry::PackageSet>,
    /// Rows of other collections that point here, under a name of their own.
    pub joins: Vec<Join>,
    /// The hidden number that distinguishes rows with the same unique value, where one is hidden
    /// from the writer of the other ([`Collection::disputes`]).
    pub disputed: Option<&'static str>,
    /// The relation that names the animal a row is about.
    pub animal: Option<&'static str>,
    /// The field that says when an event of that animal happened; rows that have both are
    /// its history.
    pub happens: Option<&'static str>,
    /// Its rows of an animal on one day are one event.
    pub best_of_day: Option<crate::registry::BestOfDay>,
    /// Its rows take the place of built-in values.
    pub built_in: Option<crate::registry::BuiltIn>,
    /// The relations to father and mother of the same collection, where rows descend from
    /// each other.
    pub lineage: Option<[&'static str; 2]>,
    /// What a record that names an ancestor tells of it, to whoever reads that record's lineage
    /// (docs/design/access.md, *Relatives*).
    pub identity: &'static [&'static str],
    /// The relation that names what a row was merged into, where rows are merged.
    pub merged: Option<&'static str>,
    /// The relation to what computed a row; of two such rows with one key, that of a merged record stays with it.
    pub computed_by: Option<&'static str>,
    /// The hidden field that stores what a merger moved, where mergers are undone.
    pub merge_journal: Option<&'static str>,
    /// Canonical path and alias, both accepted and returned.
    pub aliases: Vec<(&'static str, &'static str)>,
    /// Rows of one batch that agree in this field are written one after another, since a
    /// later one builds on what the earlier did. `id` means: every row on its own.
    pub serial: Option<&'static str>,
    /// The rows are files.
    pub upload: Option<Upload>,
    /// The relation to files that a file sent with a body fills.
    pub file: Option<&'static str>,
    /// The feature that works on the rows.
    pub feature: Option<Feature>,
    /// Whether the rows count, and for whom.
    pub stock: Option<crate::registry::Stock>,
    /// Actions on a row, besides changing it.
    pub actions: Vec<crate::registry::Action>,
    /// How rows are made for many rows of another collection.
    pub for_many: Option<crate::registry::ForMany>,
    /// Sign-in collection.
    pub auth: bool,
    /// What signing in asks there.
    pub sign_in: SignIn,
    /// Writes may change callers' rights.
    pub rights: bool,
    /// Used rows are not deleted, whichever relation uses them (dictionaries).
    pub keep_used: bool,
    /// What the logs receive.
    pub logging: crate::registry::Logging,
    /// State machines of its fields.
    pub states: Vec<crate::registry::States>,
    /// Behaviour beyond the declaration.
    pub hooks: Box<dyn Hooks>,
    /// What the records are, with the source.
    pub doc: &'static str,
    /// The part of the model that it belongs to: `Herd`, `Events`, in descriptions.
    pub section: &'static str,
    paths: IndexMap<String, usize>,
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collection({})", self.slug)
    }
}

impl Collection {
    /// Starts a declaration. The singular label falls out of the slug unless given.
    pub fn new(slug: &'static str, access: Access, fields: Vec<Decl>) -> Self {
        let words = title(slug);
        let mut all = vec![Decl::from(int("id").server().doc("Key of the record."))];
        all.extend(fields);
        let mut c = Self {
            slug,
            singular: singular(&words),
            plural: words,
            table: slug.replace('-', "_"),
            access,
            sort: "-createdAt",
            ..Self::default()
        };
        let mut layout = c.lay(all, "");
        let seq = int("seq").server().class(crate::registry::Class::Hidden);
        c.lay(vec![seq.doc("Position in the commit order of the book.").into()], "");
        let stamps = fields![instant("updatedAt").server().indexed(), instant("createdAt").server().indexed(),];
        layout.extend(c.lay(stamps, ""));
        c.layout = layout;
        c.paths = (c.fields.iter().enumerate()).map(|(slot, f)| (f.path.clone(), slot)).collect();
        c
    }

    /// A collection whose rows are files; their fields follow the given ones.
    pub fn uploads(slug: &'static str, access: Access, mut fields: Vec<Decl>, upload: Upload) -> Self {
        fields.extend(upload.fields());
        let mut c = Self::new(slug, access, fields);
        c.upload = Some(upload);
        c
    }

    fn lay(&mut self, decls: Vec<Decl>, prefix: &str) -> Vec<Node> {
        let mut nodes = Vec::new();
        for decl in decls {
            match decl {
                Decl::Field(f) => {
                    let mut f = *f;
                    f.path = format!("{prefix}{}", f.path);
                    f.column = if f.stored() { snake(&f.path) } else { String::new() };
                    nodes.push(Node::Leaf(self.fields.len()));
                    self.fields.push(f);
                }
                Decl::Group(name, members) => {
                    let inner = self.lay(members, &format!("{prefix}{name}."));
                    nodes.push(Node::Group(name, inner));
                }
            }
        }
        nodes
    }

    /// Singular label where it does not fall out of the slug.
    pub fn singular(mut self, label: &str) -> Self {
        self.singular = label.to_owned();
        self
    }
    /// Default sort.
    pub fn sort(mut self, sort: &'static str) -> Self {
        self.sort = sort;
        self
    }
    /// A composite index.
    pub fn index(mut self, paths: &[&'static str]) -> Self {
        self.indexes.push(paths.to_vec());
        self
    }
    /// A composite unique key.
    pub fn unique(mut self, paths: &[&'static str]) -> Self {
        self.uniques.push(paths.to_vec());
        self
    }
    /// *nk*
    pub fn natural(mut self, paths: &[&'static str]) -> Self {
        self.natural = paths.to_vec();
        self
    }
    /// Fields searched by parts of words.
    pub fn trigram(mut self, paths: &[&'static str]) -> Self {
        self.trigram = paths.to_vec();
        self
    }
    pub fn join(mut self, name: &'static str, collection: &'static str, on: &'static [&'static str]) -> Self {
        self.joins.push(Join { name, collection, on });
        self
    }
    /// The relation that names the animal.
    pub fn animal(mut self, path: &'static str) -> Self {
        self.animal = Some(path);
        self
    }
    /// Rows are events of the animal, which happened then.
    pub fn happens(mut self, path: &'static str) -> Self {
        self.happens = Some(path);
        let days = |field: &&mut Field| matches!(field.kind, Kind::Day | Kind::Instant);
        let days = self.fields.iter_mut().filter(days);
        for field in days.filter(|field| field.writer != Writer::Server) {
            field.min.get_or_insert(EARLIEST_EVENT);
        }
        self
    }
    /// Rows descend from each other by these two relations, and tell this of their ancestors.
    pub fn lineage(mut self, father: &'static str, mother: &'static str, identity: &'static [&'static str]) -> Self {
        self.lineage = Some([father, mother]);
        self.identity = identity;
        self
    }
    pub fn alias(mut self, canonical: &'static str, alias: &'static str) -> Self {
        self.aliases.push((canonical, alias));
        self
    }
    /// Written one after another by this field.
    pub fn serial(mut self, path: &'static str) -> Self {
        self.serial = Some(path);
        self
    }
    /// A file sent with a body becomes a row of its own, which this relation names.
    pub fn file(mut self, relation: &'static str) -> Self {
        self.file = Some(relation);
        self
    }
    /// Sign-in collection.
    pub fn auth(mut self) -> Self {
        self.auth = true;
        self
    }
    /// Used rows are not deleted.
    pub fn keep_used(mut self) -> Self {
        self.keep_used = true;
        self
    }
    /// A state machine of one of its fields.
    pub fn states(mut self, states: crate::registry::States) -> Self {
        let states = states.bound(&self);
        self.states.push(states);
        self
    }
    /// Behaviour.
    pub fn hooks(mut self, hooks: impl Hooks) -> Self {
        self.hooks = Box::new(hooks);
        self
    }
    /// What the records are.
    pub fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// The part of the model that it belongs to.
    pub fn section(mut self, section: &'static str) -> Self {
        self.section = section;
        self
    }

    /// Writes to it may change what callers see or may do: everything that was resolved about
    /// callers before is stale then.
    pub fn rights(mut self) -> Self {
        self.rights = true;
        self
    }
    /// A value that must be unique may already be in a row which its writer does not see. The
    /// writer is not informed: the new row gets the value, and a distinguishing number in this
    /// hidden field, which is otherwise 0 and belongs to each unique key that callers write. A
    /// writer who sees both rows is refused.
    pub fn disputes(mut self, path: &'static str) -> Self {
        self.disputed = Some(path);
        self
    }
    /// The slot of that number, for a field whose values it distinguishes.
    pub fn disputed_slot(&self, field: &Field) -> Option<usize> {
        let is_answered = field.unique && field.writer == Writer::Anyone;
        self.slot(self.disputed.filter(|_| is_answered)?)
    }
    /// Whether writes to it may change callers' rights.
    pub fn moves_rights(&self) -> bool {
        self.rights || self.auth
    }

    /// The slot of a path; aliases count.
    pub fn slot(&self, path: &str) -> Option<usize> {
        let canonical = self.aliases.iter().find(|(_, a)| *a == path);
        self.paths.get(canonical.map_or(path, |(c, _)| *c)).copied()
    }
    /// Whether an index has the rows in the order of a field.
    pub fn is_in_order(&self, slot: usize) -> bool {
        let is_first = |keys: &[Vec<&'static str>], path: &str| keys.iter().any(|key| key.first() == Some(&path));
        self.fields.get(slot).is_some_and(|field| {
            let path = field.path.as_str();
            matches!(path, "id" | "createdAt" | "updatedAt")
                || field.indexed
                || field.unique
                || is_first(&self.indexes, path)
                || is_first(&self.uniques, path)
        })
    }
    /// The field of a path; aliases count.
    pub fn field(&self, path: &str) -> Option<&Field> {
        self.slot(path).and_then(|s| self.fields.get(s))
    }
    /// The values of a field that has one of several values.
    pub fn options(&self, path: &str) -> &[String] {
        match self.field(path).map(|field| &field.kind) {
            Some(Kind::Select(words)) => words,
            _ => &[],
        }
    }
    /// The slot of a path that this code declares itself; outside the declaration it
    /// answers a slot that no record has.
    pub fn at(&self, path: &str) -> usize {
        self.slot(path).unwrap_or(usize::MAX)
    }
    /// Number of slots.
    pub fn width(&self) -> usize {
        self.fields.len()
    }
    /// Slot of the hidden `seq`.
    pub fn seq_slot(&self) -> usize {
        self.width() - 3
    }
    /// Slot of `updatedAt`.
    pub fn updated_slot(&self) -> usize {
        self.width() - 2
    }
    /// Slot of `createdAt`.
    pub fn created_slot(&self) -> usize {
        self.width() - 1
    }
    /// Table of a relation list: `calvings__calves`.
    pub fn link_table(&self, field: &Field) -> String {
        format!("{}__{}", self.table, snake(&field.path))
    }
    /// Fields that hold relations to a collection, also in rows (`(slot, sub-field)`).
    pub fn relations_to<'a>(&'a self, slug: &'a str) -> impl Iterator<Item = (usize, Option<&'a Field>)> + 'a {
        self.fields.iter().enumerate().flat_map(move |(slot, f)| {
            let own = (f.target() == Some(slug)).then_some((slot, None));
            let inner: Vec<_> = match &f.kind {
                Kind::Rows(subs) => {
                    (subs.iter()).filter(|s| s.target() == Some(slug)).map(|s| (slot, Some(s))).collect()
                }
                _ => Vec::new(),
            };
            own.into_iter().chain(inner)
        })
    }
    /// Whether no API key does this, regardless of what its account may do: keys neither create nor
    /// delete accounts and keys, nor invite people.
    pub fn is_keyless(&self, verb: Verb) -> bool {
        match verb {
            Verb::Create => self.auth || self.is(Feature::ApiKeys) || self.is(Feature::Invitations),
            Verb::Delete => self.auth || self.is(Feature::ApiKeys),
            Verb::Read | Verb::Update => false,
        }
    }
    /// Whether no API key changes the field: it signs in, or decides what an account may do.
    pub fn is_closed_to_keys(&self, field: &Field) -> bool {
        let enters = field.kind == Kind::Password || ["email", sign_in::ENABLE_API_KEY].contains(&field.path.as_str());
        field.guarded.is_some() || (self.auth && enters)
    }
    /// Whether callers may send the field at all.
    pub fn writable(&self, slot: usize) -> bool {
        self.fields.get(slot).is_some_and(|f| f.writer != Writer::Server)
    }
}

/// `altIds.earTag` → `alt_ids_ear_tag`, `enableAPIKey` → `enable_api_key`.
pub fn snake(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    let mut before = '.';
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().is_some_and(char::is_ascii_lowercase);
        if c == '.' {
            out.push('_');
        } else {
            // In a run of capitals a word begins at the last one.
            if c.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next) {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    out
}

fn title(slug: &str) -> String {
    slug.split('-')
        .map(|w| {
            let mut cs = w.chars();
            cs.next().map(|c| c.to_ascii_uppercase().to_string() + cs.as_str()).unwrap_or_default()
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn singular(plural: &str) -> String {
    if let Some(stem) = plural.strip_suffix("ies") {
        format!("{stem}y")
    } else {
        plural.strip_suffix('s').unwrap_or(plural).to_owned()
    }
}
