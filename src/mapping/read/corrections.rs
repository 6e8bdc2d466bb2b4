//! Documents that correct rows which are there (`corrects` of the head): which row one names, and
//! which of its fields the document gives another value. Such a document creates no row, empties no
//! field, and is not stored itself.

use super::value::NOT_STORED;
use crate::compile::file::{Corrections, File};
use crate::compile::plan::Target;
use crate::compile::{Compiler, Level};
use crate::read::document::Intake;
use crate::read::reference::{Purpose, Reference, animal};
use crate::read::unchanged::same;
use crate::{ANIMALS, Mapping, ReferenceResolver};
use model::record::{Record, Value, time};
use model::registry::{Collection, Kind};
use model::said;
use serde_json::Value as Json;

/// Length of a day in RFC 3339.
const DAY: usize = "2000-01-01".len();

/// A value that a document gives a field, and that the row does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The field.
    pub slot: usize,
    /// Its new value.
    pub value: Value,
    /// The member of the document that says so.
    pub member: String,
}

impl Corrections {
    /// Why a member corrects nothing.
    pub fn closed(&self, member: &str) -> Option<&str> {
        self.closed.get(member).map(String::as_str)
    }
}

impl<'r> Compiler<'r> {
    pub(crate) fn corrections(&mut self, file: &File, level: Level<'r>) -> Option<Corrections> {
        let text = file.head.corrects.as_ref()?;
        let at = format!("{}: corrects", file.name);
        let head = &file.head;
        if head.pair.is_some() || !head.verbs.contains(['P', 'B']) || head.collection != ANIMALS {
            let message = "needs P or B, animals as rows, and no pair".to_owned();
            self.fault(&at, "bad-corrects", message);
        }
        for name in text.closed.keys().chain([&text.by]) {
            if self.standard.resolve_path(level.resource, name).is_none() {
                let message = format!("{} has no member {name}", level.resource);
                self.fault(&at, "no-such-member", message);
            }
        }
        Some(text.clone())
    }
}

impl Mapping {
    /// How its documents correct rows, if that is what they do.
    pub fn corrections(&self) -> Option<&Corrections> {
        self.corrections.as_ref()
    }

    /// The look-up of the row that a correction names; none of a document without a number of a
    /// known scheme.
    pub fn row_named(&self, doc: &Json) -> Option<Reference> {
        let by = &self.corrections.as_ref()?.by;
        let at = format!("/{by}");
        animal(&self.identifiers, Purpose::Animal, at, doc.get(by)?)
    }

    /// Whether a member of documents fills a field.
    pub fn reads(&self, member: &str) -> bool {
        let mut entries = self.inward.reading.entries.iter();
        entries.any(|entry| entry.path.first() == member)
    }

    /// What a document says otherwise than its row, which is served as `served`. The messages are
    /// those of the intake.
    pub fn corrects(
        &self,
        collection: &Collection,
        doc: &Json,
        (row, served): (&Record, &Json),
        resolved: &dyn ReferenceResolver,
    ) -> (Vec<Correction>, Intake) {
        let mut news = doc.clone();
        if let Some(members) = news.as_object_mut() {
            members.retain(|name, value| name == "meta" || !same(Some(value), served.get(name)));
        }
        let mut intake = self.intake(&news, resolved);
        for issue in &mut intake.issues {
            let why = (issue.code == NOT_STORED).then(|| issue.message.said("why").cloned());
            if let Some(why) = why.flatten() {
                issue.message = said!("{why}; the book keeps what it has", why = why);
            }
        }
        let mut corrections = Vec::new();
        for (slot, value) in std::mem::take(&mut intake.fields) {
            let entries = self.inward.reading.entries.iter();
            let mut entries = entries.filter(|e| matches!(e.target, Target::Slot(s) if s == slot));
            let said = entries.find_map(|e| {
                let (_, value) = e.values_in(&news).into_iter().next()?;
                Some((e.path.first().to_owned(), value))
            });
            let Some((member, said)) = said.filter(|_| !value.is_null()) else {
                continue;
            };
            let kind = collection.fields.get(slot).map(|field| &field.kind);
            let (value, is_new) = match kind {
                Some(Kind::Day) => {
                    let day = said.as_str().and_then(|text| text.get(..DAY));
                    let day = day.and_then(time::parse).map(Value::Time).unwrap_or(value);
                    let start = |value: &Value| value.time().map(time::day_start);
                    let is_new = start(&day) != start(row.get(slot));
                    (day, is_new)
                }
                _ => {
                    let is_new = value != *row.get(slot);
                    (value, is_new)
                }
            };
            if is_new {
                corrections.push(Correction { slot, value, member });
            }
        }
        (corrections, intake)
    }
}
