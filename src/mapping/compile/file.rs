//! The grammar of a mapping file as it is written (`mappings/README.md`), the layering of
//! an installation's files over the built-in ones, and the list of faults. Knows neither
//! the registry nor the standard.

use crate::check::Check;
use model::error::Issue;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// One or several words.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Words {
    #[default]
    None,
    /// One.
    One(String),
    /// Several; the first that is filled counts.
    Many(Vec<String>),
    /// Yes or no, in conditions.
    Flag(bool),
}

impl Words {
    pub(crate) fn list(&self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::One(word) => vec![word.clone()],
            Self::Many(words) => words.clone(),
            Self::Flag(flag) => vec![flag.to_string()],
        }
    }
}

/// Conditions on fields: path and admitted values.
pub(crate) type When = BTreeMap<String, Words>;

/// The part of a file before its entries.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub dataset: String,
    pub resource: String,
    pub collection: String,
    #[serde(default = "read_only")]
    pub verbs: String,
    /// Why nobody sends resources, where neither `P` nor `B` is among the verbs.
    pub closed: Option<String>,
    /// Activities of the organisations that send resources, besides the Association; none: every
    /// organisation to its own location.
    #[serde(default)]
    pub senders: Vec<String>,
    /// What becomes of resources that are sent, unless they become rows.
    pub sent: Option<SentPolicyText>,
    pub animal: Option<String>,
    pub location: Option<String>,
    pub scope: Option<String>,
    #[serde(default)]
    pub when: When,
    #[serde(default)]
    pub spread: Words,
    #[serde(default = "row_id")]
    pub key: String,
    pub id: Option<String>,
    #[serde(default)]
    pub event: Words,
    pub pair: Option<String>,
    pub extra: Option<String>,
    /// Documents are elements of the spread list of a row that they name.
    pub element: Option<ElementText>,
    #[serde(default)]
    pub part: bool,
    /// What rows share a document by.
    pub by: Option<By>,
    /// Two paths that must lead to the same record.
    pub same: Option<[String; 2]>,
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// Relations of rows that intake makes: the first entry with this value of a field.
    #[serde(default)]
    pub find: BTreeMap<String, BTreeMap<String, String>>,
    /// JSON field with the members of the resource that no entry names.
    pub rest: Option<String>,
    /// Field with the number of a row within its document.
    pub parts: Option<String>,
    /// Days that, if filled, do not lie after a day of the row.
    #[serde(default, rename = "not-after")]
    pub not_after: BTreeMap<String, String>,
    /// Which animals documents name.
    #[serde(default)]
    pub animals: Animals,
    /// Rows of senders that are shown before they take effect.
    pub waits: Option<WaitsText>,
    /// Rows that the other side may have recorded.
    pub meets: Option<MeetsText>,
    /// Documents correct rows that are there, and create none.
    pub corrects: Option<Corrections>,
    /// The row is the animal, which documents do not change.
    pub beside: Option<Beside>,
    /// What raw documents say of rows.
    pub stated: Option<StatedText>,
}

/// `[stated]` as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatedText {
    pub list: Option<String>,
    pub names: String,
    pub by: String,
    pub code: Option<String>,
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    pub value: BTreeMap<String, String>,
    #[serde(default)]
    pub kind: BTreeMap<String, [String; 3]>,
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    pub day: Vec<String>,
    pub date: String,
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    #[serde(default)]
    pub association: BTreeMap<String, String>,
    pub sender: String,
    pub flag: String,
}

fn read_only() -> String {
    "G".to_owned()
}

fn row_id() -> String {
    "{id}".to_owned()
}

/// One `[[map]]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryText {
    pub ade: String,
    pub also: Option<String>,
    #[serde(default)]
    pub field: Words,
    #[serde(rename = "as")]
    pub how: Option<String>,
    #[serde(rename = "const")]
    pub constant: Option<Value>,
    pub default: Option<String>,
    #[serde(default)]
    pub when: When,
    pub only: Option<Direction>,
    pub absent: Option<Absent>,
    pub text: Option<String>,
    /// Molar mass of a substance, g/mol.
    pub molar: Option<f64>,
    pub unless: Option<String>,
    /// Field that the row has instead.
    pub rival: Option<String>,
    /// The sender's own member, where it was stored, takes precedence over ours.
    #[serde(default)]
    pub yields: bool,
    /// No message when the look-up fails.
    #[serde(default)]
    pub quiet: bool,
    /// Read only what no entry before has used.
    #[serde(default)]
    pub spare: bool,
    pub include: Option<String>,
    pub each: Option<String>,
    /// One entry for each name of this list.
    pub over: Option<String>,
    /// Only for these names of the list.
    #[serde(default)]
    pub names: Words,
    #[serde(default)]
    pub map: Vec<EntryText>,
}

/// A one-way entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    In,
    Out,
}

/// What becomes of resources that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum SentPolicyText {
    /// They become raw documents, beside the documents of the rows.
    #[serde(rename = "kept")]
    Raw,
}

/// The animals among which the one of a document is looked up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Animals {
    /// Those of the location.
    #[default]
    Here,
    /// All that the sender reads.
    Read,
}

/// Rows of senders that are shown before they take effect.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitsText {
    /// Conditions on own fields that hold meanwhile, instead of those of the head.
    pub when: When,
    /// The message to the sender.
    pub says: String,
    /// Why a row is not shown that no longer waits and did not take effect.
    pub ended: String,
}

/// How a document finds the row that the other side has recorded.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeetsText {
    /// Fields in which they are equal.
    #[serde(default)]
    pub equal: Vec<String>,
    /// Fields in which they are equal where the document has a value.
    #[serde(default)]
    pub named: Vec<String>,
    /// So many days may lie between their events.
    #[serde(default)]
    pub days: i64,
    /// Conditions on own fields of the row.
    #[serde(default)]
    pub when: When,
    /// Field that marks rows to which a document came.
    pub mark: String,
    /// What the sender writes by it.
    #[serde(default)]
    pub join: BTreeMap<String, Value>,
    /// What the sender writes by retracting it.
    #[serde(default)]
    pub leave: BTreeMap<String, Value>,
    /// The message to the sender when the document comes to the row.
    pub says: String,
    /// The message to the sender when the document is retracted and the row stays.
    pub stays: String,
}

/// The row whose list a document belongs to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ElementText {
    /// Data set whose documents represent the rows.
    pub of: String,
    /// Member that names one of them.
    pub by: String,
}

/// What rows share a document by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// Location and day of the event.
    Day,
}

/// What an absent member does to the field; without it the field is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Absent {
    /// The field keeps its value, a new row gets none.
    Keep,
    /// The organisation that represents one outside the book.
    Placeholder,
}

/// A table of `codes.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableText {
    /// The words of a text field are the codes in `camelCase`.
    #[serde(default)]
    pub camel: bool,
    #[serde(default)]
    pub out: BTreeMap<String, String>,
    #[serde(default, rename = "in")]
    pub back: BTreeMap<String, String>,
    #[serde(default)]
    pub unmapped: BTreeMap<String, String>,
    /// Codes of the standard that have no word of ours, with the reason.
    #[serde(default)]
    pub refused: BTreeMap<String, String>,
}

/// The scheme of locations.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum LocationText {
    Name(String),
    /// The name, and other spellings of it that are read and never written.
    #[serde(rename_all = "lowercase")]
    Scheme {
        scheme: String,
        #[serde(default)]
        aliases: Vec<String>,
    },
}

impl LocationText {
    pub(crate) fn parts(&self) -> (&str, &[String]) {
        match self {
            Self::Name(name) => (name, &[]),
            Self::Scheme { scheme, aliases } => (scheme, aliases),
        }
    }
}

/// The size of units, by kind and code.
pub(crate) type UnitSizes = BTreeMap<String, BTreeMap<String, f64>>;

/// `codes.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodesText {
    /// Schemes of animals: the main one first, then the alternatives in their order.
    pub animal: Vec<Scheme>,
    /// Scheme of locations.
    pub location: LocationText,
    #[serde(default)]
    pub tables: BTreeMap<String, TableText>,
    /// Of each kind of quantity the size of its units in one of them.
    #[serde(default)]
    pub units: UnitSizes,
    /// Names, each with a field of its own.
    #[serde(default)]
    pub lists: BTreeMap<String, Vec<String>>,
    /// Codes of an enumeration of the standard that the book never sends: reason, codes.
    #[serde(default)]
    pub unused: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// All faults, in the order found.
#[derive(Debug, Default)]
pub(crate) struct Faults(pub Vec<Issue>);

impl Faults {
    pub(crate) fn add(&mut self, at: &str, code: &'static str, message: String) {
        let issue = Issue::error(at, code, message);
        // Writing and reading an entry may find the same fault.
        if !self.0.contains(&issue) {
            self.0.push(issue);
        }
    }
}

/// A file: its name without extension, head and entries. An entry that cannot be read is
/// a fault and left out, so that the others are still checked.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub name: String,
    pub head: Head,
    pub entries: Vec<(String, EntryText)>,
}

/// The files of an installation laid over the built-in ones.
pub(crate) fn layered(builtin: &[(&str, &str)], folder: Option<&Path>, faults: &mut Faults) -> BTreeMap<String, Table> {
    let mut tables = BTreeMap::new();
    for (name, text) in builtin {
        add(&mut tables, name, text, faults);
    }
    let Some(folder) = folder else {
        return tables;
    };
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(e) => {
            faults.add(&folder.display().to_string(), "unreadable", e.to_string());
            return tables;
        }
    };
    let mut paths: Vec<_> = listed.flatten().map(|entry| entry.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    for path in paths {
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        match std::fs::read_to_string(&path) {
            Ok(text) => add(&mut tables, &name, &text, faults),
            Err(e) => faults.add(&name, "unreadable", e.to_string()),
        }
    }
    tables
}

fn add(tables: &mut BTreeMap<String, Table>, name: &str, text: &str, faults: &mut Faults) {
    match text.parse::<Table>() {
        Ok(table) => match tables.get_mut(name) {
            Some(base) => overlay(base, table),
            None => {
                tables.insert(name.to_owned(), table);
            }
        },
        Err(e) => faults.add(name, "not-toml", e.message().to_owned()),
    }
}

/// Lays one file over another: tables merge by key, entries by their `ade` path, an entry
/// with `drop = true` removes, everything else replaces.
fn overlay(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Array(old)), Value::Array(new)) if key == "map" => entries(old, new),
            (Some(Value::Table(old)), Value::Table(new)) => overlay(old, new),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn entries(old: &mut Vec<Value>, new: Vec<Value>) {
    let path = |v: &Value| v.get("ade").and_then(Value::as_str).map(str::to_owned);
    let paths: Vec<Option<String>> = new.iter().map(path).collect();
    let place = |old: &Vec<Value>, p: &Option<String>| old.iter().position(|o| path(o) == *p);
    let mut cleared: Vec<Option<String>> = Vec::new();
    for (value, name) in new.into_iter().zip(paths) {
        let at = if cleared.contains(&name) {
            None
        } else {
            let at = place(old, &name);
            old.retain(|o| path(o) != name);
            cleared.push(name.clone());
            at
        };
        let dropped = value.get("drop").and_then(Value::as_bool) == Some(true);
        if !dropped {
            let last = (old.iter().rposition(|o| path(o) == name)).map(|i| i + 1);
            old.insert(last.or(at).unwrap_or(old.len()).min(old.len()), value);
        }
    }
}

/// Reads the head and the entries of a file.
pub(crate) fn read(name: &str, mut table: Table, faults: &mut Faults) -> Option<File> {
    let list = match table.remove("map") {
        Some(Value::Array(list)) => list,
        Some(_) => {
            let message = "write [[map]]".to_owned();
            faults.add(&format!("{name}: map"), "not-a-list", message);
            Vec::new()
        }
        None => Vec::new(),
    };
    let mut entries = Vec::new();
    for (i, value) in list.into_iter().enumerate() {
        // Positions shift when files are laid over each other: the path says which is meant.
        let ade = value.get("ade").and_then(Value::as_str).unwrap_or("?");
        let at = format!("{name}: map.{i}({ade})");
        match value.try_into::<EntryText>() {
            Ok(entry) => entries.push((at, entry)),
            Err(e) => faults.add(&at, "unreadable-entry", e.message().to_owned()),
        }
    }
    match Value::Table(table).try_into::<Head>() {
        Ok(head) => Some(File { name: name.to_owned(), head, entries }),
        Err(e) => {
            faults.add(name, "unreadable-head", e.message().to_owned());
            None
        }
    }
}

impl EntryText {
    /// An entry that stands for a word of the head.
    pub(crate) fn new(ade: &str, field: Words) -> Self {
        Self { ade: ade.to_owned(), field, ..Self::default() }
    }
}

/// A scheme of animal numbers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheme {
    /// Its name in documents, in the style of a reversed domain.
    pub scheme: String,
    /// Other spellings of the name, read and never written.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Path of the field of animals that holds the number.
    pub field: String,
    /// What all numbers look like: a regular expression for the whole number.
    pub pattern: Option<String>,
    /// What the digits of a number must obey.
    pub check: Option<Check>,
    #[serde(skip)]
    pub(crate) slot: usize,
    #[serde(skip)]
    pub(crate) shape: Option<Regex>,
}

/// How documents stand beside the row of their animal.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// So many days may lie between the event of a document and that of the row.
    #[serde(default)]
    pub(crate) days: i64,
    /// The message to a sender whose event is another one.
    pub(crate) other: String,
    /// The message to a sender whose animal has a document of another name.
    pub taken: String,
    /// The message to a sender whose document is about another animal than before.
    pub moved: String,
    /// The message to a sender who retracts the document of the book itself.
    pub own: String,
    /// The message to the sender when its document is retracted and the row stays.
    pub stays: String,
}

/// How documents correct rows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corrections {
    /// The member that names the row, an animal of the location.
    pub by: String,
    /// Why no document is retracted, for senders.
    pub stays: String,
    /// Members that correct nothing, and why.
    #[serde(default)]
    pub(crate) closed: BTreeMap<String, String>,
}
