//! A compiled mapping: the tree that is written, the entries that are read. Built by
//! `compile`, walked by `render` and `intake`.

use crate::ade_path::AdePath;
use crate::codes::Codes;
use crate::identifiers::Identifiers;
use crate::path::{Env, Source, View};
use crate::render::body;
use model::registry::Kind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The word of `each` that means the rows of the document.
pub(crate) const PARTS: &str = "parts";

/// A condition on a field.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub source: Source,
    /// Or one of these.
    pub or: Vec<Source>,
    /// Admitted values; `*` any filled one, an empty word: not filled.
    pub admitted: Vec<String>,
}

impl Condition {
    /// Whether it holds for a record.
    pub(crate) fn met(&self, env: &Env<'_>) -> bool {
        let mut sources = std::iter::once(&self.source).chain(&self.or);
        sources.any(|s| self.holds(s.view(env)))
    }

    pub(crate) fn holds(&self, view: View<'_>) -> bool {
        self.admitted.iter().any(|word| match (word.as_str(), view) {
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
    /// The sender's own value, where it was stored whole, takes precedence over ours.
    pub yields: bool,
    pub ways: Vec<WriteRule>,
}

/// A way to write a member of a document.
#[derive(Debug, Clone)]
pub(crate) enum WriteRule {
    /// Fixed JSON. Alone it does not make an object worth sending, unless it is conditional.
    Const {
        json: Vec<u8>,
        when: Vec<Condition>,
    },
    /// A value of the record.
    Leaf {
        sources: Vec<Source>,
        write: Write,
        when: Vec<Condition>,
        default: Option<Vec<u8>>,
    },
    Object(Object),
    /// An object that is written only where the conditions hold.
    Given {
        when: Vec<Condition>,
        object: Object,
    },
    /// A list with elements of its own meaning.
    List(Vec<Element>),
    /// One element per row.
    Rows(Rows),
    /// One element per row of the document.
    Parts(Object),
    /// A whole document of another mapping inside this one.
    Include {
        source: Source,
        when: Vec<Condition>,
        object: Object,
    },
}

/// An element of a list, with the member and value that distinguish it from others.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub pick: Option<(String, String)>,
    /// It is the first of its list.
    pub first: bool,
    pub out: WriteRule,
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
    /// The first or the last second of the UTC day.
    DayEdge {
        end: bool,
    },
    /// A number as text, times a factor.
    Decimal(f64),
    /// The first number times the second, in percent; one decimal.
    Share,
    Codes(Arc<Codes>),
    /// A list of codes, or of objects with a code in this member.
    Words(Arc<Codes>, Option<String>),
    /// A number as yes or no: only 0 is no.
    Flag,
    /// Number and scheme of an identifier by pairs of sources; a last one alone has this scheme.
    Pairs(String),
    /// The main identifier of the animal whose record the source ends at.
    Animal(Arc<Identifiers>),
    /// A list of the main one and the international one.
    Animals(Arc<Identifiers>),
    /// The main ones of the animals of a list (first source) that an organisation (second
    /// source) owns, by the slot of their owner; perhaps none.
    Here {
        ids: Arc<Identifiers>,
        owner: usize,
    },
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
    Codes(Arc<Codes>),
    /// A list of codes, or of objects with a code in this member.
    Words(Arc<Codes>, Option<String>),
    /// Yes or no as 1 or 0.
    Flag,
    /// An identifier of any scheme but this one, into two fields.
    Pair(String),
    /// The rows of a document.
    Parts(Vec<ReadRule>),
    /// A quantity, brought to the unit of the field.
    Measure(Units),
    /// `{id, scheme}` of a scheme; `strict`: others are not ours to read.
    Identifier {
        scheme: String,
        strict: bool,
    },
    /// One animal; `list`: the first that is found; `male`: only males; `read`: the animal of the
    /// document, any that the sender reads.
    Animal {
        list: bool,
        male: bool,
        read: bool,
    },
    Location,
    /// Animals of the location.
    Here(OwnedAnimals),
    Rows(RowsRule),
}

/// The units in which a quantity may be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Units {
    /// The one that the standard has there: that of a quantity sent without one.
    pub usual: String,
    /// What one of each is in the unit of the field.
    pub sizes: BTreeMap<String, f64>,
}

/// How a list of animals of the location is read.
#[derive(Debug, Clone)]
pub(crate) struct OwnedAnimals {
    /// Most of them.
    pub most: usize,
    /// Slot of the owner of animals, and the organisation that must be it.
    pub owner: usize,
    pub place: Source,
    /// Slot that has the value instead of the list: while it is filled and the list is not, none
    /// is sent.
    pub rival: Option<usize>,
}

/// How rows are read.
#[derive(Debug, Clone)]
pub(crate) struct RowsRule {
    pub entries: Vec<ReadRule>,
    /// Slots and patterns of rows that are stored as counts.
    pub counts: Vec<(usize, serde_json::Value)>,
}

/// The target of a read value.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The own field.
    Slot(usize),
    /// A member of the current row.
    Item(String),
}

/// An entry of a mapping for reading documents.
#[derive(Debug, Clone)]
pub(crate) struct ReadRule {
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
    /// Only while this slot is empty.
    pub unless: Option<usize>,
    /// Only while these slots hold one of these values.
    pub when: Vec<(usize, Vec<String>)>,
    /// Not used, and so stored as sent, when an entry before has filled the field with another
    /// value.
    pub yields: bool,
    /// Slots that may say the same already; then there is nothing to fill.
    pub same: Vec<usize>,
    pub quiet: bool,
    pub spare: bool,
    /// Slot of the scheme ([`Read::Pair`]).
    pub second: Option<usize>,
    /// What an absent member means.
    pub empty: model::record::Value,
}

/// The document's key: texts and alternatives of sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Template(pub Vec<TemplatePart>);

#[derive(Debug, Clone)]
pub(crate) enum TemplatePart {
    Text(String),
    Value(Vec<Source>),
}

/// What a row makes several documents of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spread {
    /// One per record of the relation list in this slot.
    Ids(usize),
    /// One per row of the rows field in this slot.
    Rows(usize),
}

impl WriteRule {
    /// A fixed text.
    pub(crate) fn text(text: &str) -> Self {
        let mut json = Vec::new();
        body::string(text, &mut json);
        Self::Const { json, when: Vec::new() }
    }

    /// Whether it surely writes something where a source is filled.
    fn covers(&self, filled: &Source) -> bool {
        match self {
            Self::Leaf { sources, when, .. } => when.is_empty() && sources.contains(filled),
            Self::Const { when, .. } => {
                (when.iter()).all(|c| c.source == *filled && c.or.is_empty() && c.admitted == ["*"])
            }
            _ => false,
        }
    }
}

impl Member {
    /// Whether a record that satisfies its declaration, and fulfils the conditions, surely
    /// fills the member.
    pub(crate) fn is_sure(&self, given: &[Condition]) -> bool {
        let covered = given.iter().filter(|c| c.admitted == ["*"]).any(|c| {
            let mut sources = std::iter::once(&c.source).chain(&c.or);
            sources.all(|s| self.ways.iter().any(|way| way.covers(s)))
        });
        covered
            || self.ways.iter().any(|way| match way {
                WriteRule::Const { when, .. } => when.is_empty(),
                WriteRule::Leaf { sources, write, when, default } => {
                    let always = matches!(write, Write::Gender(..) | Write::Here { .. }) || default.is_some();
                    when.is_empty() && (always || sources.iter().any(|s| s.required))
                }
                WriteRule::Object(inner) => inner.members.iter().any(|m| m.is_sure(given)),
                WriteRule::List(_) | WriteRule::Rows(_) | WriteRule::Parts(_) | WriteRule::Given { .. } => false,
                WriteRule::Include { when, .. } => when.is_empty(),
            })
    }
}
