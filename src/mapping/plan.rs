//! A compiled mapping: the tree that is written, the entries that are read. Built by
//! `compile`, walked by `render` and `intake`.

use super::ade_path::AdePath;
use super::codes::Codes;
use super::identifiers::Identifiers;
use super::path::{Source, View};
use crate::registry::Kind;
use std::sync::Arc;

/// A condition on a field.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub source: Source,
    /// Admitted values; `*` any filled one, an empty word: not filled.
    pub admitted: Vec<String>,
}

impl Condition {
    pub(crate) fn holds(&self, view: View<'_>) -> bool {
        self.admitted
            .iter()
            .any(|word| match (word.as_str(), view) {
                ("", View::Null) => true,
                ("*", view) => view != View::Null,
                (word, View::Text(t)) => word == t,
                (word, View::Bool(b)) => word == if b { "true" } else { "false" },
                (word, View::Int(i)) => word.parse() == Ok(i),
                _ => false,
            })
    }
}

/// An object of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub members: Vec<Member>,
}

/// A member, with the ways to fill it; the first that has something wins.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub name: String,
    /// `"name":`
    pub key: Vec<u8>,
    /// Without it the object is invalid and therefore left out.
    pub required: bool,
    pub ways: Vec<Out>,
}

/// A way to fill a member.
#[derive(Debug, Clone)]
pub(crate) enum Out {
    /// Fixed JSON. Alone it does not make an object worth sending, unless it is conditional.
    /// `yields`: the sender's own value, if kept, comes first.
    Const {
        json: Vec<u8>,
        when: Vec<Condition>,
        yields: bool,
    },
    /// A value of the record.
    Leaf {
        sources: Vec<Source>,
        write: Write,
        when: Vec<Condition>,
        default: Option<Vec<u8>>,
    },
    Object(Object),
    /// A list with elements of its own meaning.
    List(Vec<Element>),
    /// One element per row.
    Rows(Rows),
    /// A whole document of another mapping inside this one.
    Include {
        source: Source,
        object: Object,
    },
}

/// An element of a list, with the member and value that tell it from others.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub pick: Option<(String, String)>,
    pub out: Out,
}

/// The elements of a rows field.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub slot: usize,
    pub object: Object,
    /// Rows that plain counts stand for while there are none: slot of the count, the row.
    pub counts: Vec<(usize, serde_json::Value)>,
}

/// How a leaf is written. Each returns whether something was written.
#[derive(Debug, Clone)]
pub(crate) enum Write {
    Text,
    Upper,
    Number,
    Integer,
    Boolean,
    Time,
    Day,
    /// A number as text, times a factor.
    Decimal(f64),
    Codes(Arc<Codes>),
    /// The main identifier of the animal whose record the source ends at.
    Animal(Arc<Identifiers>),
    /// A list of the main one and the international one.
    Animals(Arc<Identifiers>),
    /// The alternatives, in their order.
    Alternatives(Arc<Identifiers>),
    /// An organisation, by its id.
    Location(Arc<Identifiers>),
    /// Gender from sex and sexual status (second source).
    Gender(Arc<Codes>, Arc<Codes>),
    /// Breed fractions: main breed, then code and share of each improver.
    Fractions,
    /// Number of rows in the slot, or sum of the counts; the last one, of the dead, only for `all`.
    Births {
        slot: usize,
        all: bool,
    },
}

/// How a member is read.
#[derive(Debug, Clone)]
pub(crate) enum Read {
    Text,
    Number,
    Integer,
    Boolean,
    Time,
    /// Numeric text, divided by the factor.
    Decimal(f64),
    Codes(Arc<Codes>),
    /// A quantity, brought to the unit.
    Measure(Unit),
    /// `{id, scheme}` of a scheme; `strict`: others are not ours to read.
    Identifier {
        scheme: String,
        strict: bool,
    },
    /// One animal; `list`: the first that is found; `male`: only males.
    Animal {
        list: bool,
        male: bool,
    },
    Location,
    /// Rows.
    Rows(RowsIn),
}

/// The unit that a quantity is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Kilogram,
    Second,
}

/// How rows are read.
#[derive(Debug, Clone)]
pub(crate) struct RowsIn {
    pub entries: Vec<In>,
    /// Slots and patterns of rows that are kept as counts.
    pub counts: Vec<(usize, serde_json::Value)>,
}

/// Where a read value goes.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The own field.
    Slot(usize),
    /// A member of the current row.
    Item(String),
}

/// A read entry.
#[derive(Debug, Clone)]
pub(crate) struct In {
    pub path: AdePath,
    pub also: Option<AdePath>,
    pub read: Read,
    pub target: Target,
    /// Kind and limits of the field that is filled.
    pub kind: Kind,
    pub required: bool,
    /// The related record is looked up by this field: collection, field.
    pub lookup: Option<(String, String)>,
    pub keep: bool,
    pub placeholder: bool,
    /// Unknown relations stay as text in this slot.
    pub text: Option<usize>,
    pub above: Option<f64>,
    /// Only while this slot is empty.
    pub unless: Option<usize>,
    /// What an absent member means.
    pub empty: crate::record::Value,
}

/// The document's key: texts and alternatives of sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Template(pub Vec<Part>);

/// A part of a template.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Text(String),
    Value(Vec<Source>),
}

impl Member {
    /// Whether a record that satisfies its declaration surely fills the member.
    pub(crate) fn is_sure(&self) -> bool {
        self.ways.iter().any(|way| match way {
            Out::Const { when, .. } => when.is_empty(),
            Out::Leaf {
                sources,
                write,
                when,
                default,
            } => {
                let known = matches!(write, Write::Gender(..)) || default.is_some();
                when.is_empty() && (known || sources.iter().any(|s| s.required))
            }
            Out::Object(inner) => inner.members.iter().any(Self::is_sure),
            Out::List(_) | Out::Rows(_) => false,
            Out::Include { .. } => true,
        })
    }
}
