//! Documents that stand beside a row (`beside` of the head): the row is the animal that they name, which
//! they neither make nor change nor delete. It has their pair and the members that no field holds.

use crate::compile::Compiler;
use crate::compile::file::{Beside, File};
use crate::compile::plan::{Read, ReadRule, Target};
use crate::path::{Env, View};
use crate::{ANIMALS, Intake, Mapping, Related, ade_path};
use model::error::Issue;
use model::record::{Record, Value, time};
use model::registry::{ID, Kind};

/// Milliseconds.
const DAY: i64 = 86_400_000;

impl Compiler<'_> {
    pub(crate) fn beside(&mut self, file: &File) -> Option<Beside> {
        let head = &file.head;
        let beside = head.beside.clone()?;
        let by_id = head.animal.as_deref() == Some("id") && head.collection == ANIMALS;
        let stores_pair = head.pair.is_some() && head.extra.is_some() && head.scope.is_some();
        if !by_id || !stores_pair || head.meets.is_some() || head.part {
            let message = "needs animals with `animal = \"id\"`, a pair, extra and a scope, and \
                           neither meets nor part";
            let at = format!("{}: beside", file.name);
            self.fault(&at, "bad-beside", message.to_owned());
        }
        Some(beside)
    }
}

/// Reads the animal of a document as the row that it is about.
pub(crate) fn named_row() -> Option<ReadRule> {
    let read = Read::Animal { list: false, male: false, read: false };
    let kind = Kind::Relation(ANIMALS.to_owned());
    let path = ade_path::AdePath::parse("animal")?;
    Some(ReadRule::new(path, None, read, Target::Slot(ID), kind))
}

impl Mapping {
    /// How its documents stand beside the rows of their animals, if they do.
    pub fn beside(&self) -> Option<&Beside> {
        self.beside.as_ref()
    }

    /// Takes the row out of what a document says of fields: no document writes them.
    pub fn take_row(&self, intake: &mut Intake) -> Option<i64> {
        let id = intake.fields.iter().find(|(slot, _)| *slot == ID);
        let row = id.and_then(|(_, value)| value.int());
        intake.fields.clear();
        row
    }

    /// The fault of a document whose event is not that of the row.
    pub fn other_event(&self, own_event: Option<i64>, row: &Record, related: &dyn Related) -> Option<Issue> {
        let beside = self.beside.as_ref()?;
        let env = Env { row, parts: &[], element: None, item: None, related };
        let event = self.event.iter().find_map(|source| match source.view(&env) {
            View::Time(at) => Some(at),
            _ => None,
        });
        let (own_event, event) = own_event.zip(event)?;
        let apart = (time::day_start(own_event) - time::day_start(event)).abs() / DAY;
        let fault = || Issue::error("/eventDateTime", "field-value", beside.other.clone());
        (apart > beside.days).then(fault)
    }

    /// What a document writes into the row that it stands beside.
    pub fn stands(&self, intake: &Intake, location: i64) -> Vec<(usize, Value)> {
        let mut values = self.writes(intake.clone(), false);
        values.extend(self.scope.map(|slot| (slot, Value::Int(location))));
        values
    }

    /// What is written into that row when the document is retracted.
    pub fn clears(&self) -> Vec<(usize, Value)> {
        let pair = self.pair.map(|(source, id)| [source, id]);
        let slots = pair.into_iter().flatten().chain(self.extra);
        let slots = slots.chain(self.scope);
        slots.map(|slot| (slot, Value::Null)).collect()
    }

    /// Whether a row has a document of a sender of this location.
    pub fn is_sent_here(&self, row: &Record, location: i64) -> bool {
        let has_pair = (self.pair).is_some_and(|(source, _)| !row.get(source).is_null());
        let scope = self.scope.and_then(|slot| row.get(slot).int());
        has_pair && scope == Some(location)
    }
}
