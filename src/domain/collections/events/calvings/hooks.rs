//! The hooks of calvings: numbers, the dry-off that is stored in a separate row, counts that follow
//! from the calves.

use super::places::Calving as Listed;
use super::progeny;
use crate::collections::dictionaries::lookups::{grouped, named, related, written};
use crate::collections::events::history::{
    Calvings, Meanings, calved, calving_of, event_of, fill, next_number, of_gestation, parities,
    served, services_of,
};
use crate::collections::events::{self, EventKind, Key};
use crate::collections::herd::animals::left_calvings;
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Command, Draft, HookContext, ID, Verb};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub(super) struct Calving;

impl EventKind for Calving {
    const KEY: Key = Key::DataSet;

    async fn prepare(&self, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
        number(context, drafts).await
    }

    async fn check(
        &self,
        context: &mut dyn BookReader,
        drafts: &mut [Draft],
        _animals: &BTreeMap<i64, Record>,
    ) -> Result<()> {
        check(context, drafts).await
    }

    async fn effects(&self, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
        dry_off(context, changes).await?;
        left_calvings(context, left(changes)).await?;
        calved(context, changes).await
    }
}

/// The animals that rows do not list as calves any more.
fn left(changes: &[Change]) -> BTreeSet<i64> {
    let listed = |row: Option<&Record>| -> BTreeSet<i64> {
        let calving = row.filter(|row| event_of(row) == CalvingEvent::Calving);
        calving.into_iter().flat_map(Listed::calves_of).collect()
    };
    let of = |change: &Change| &listed(change.old.as_ref()) - &listed(change.new.as_ref());
    changes.iter().flat_map(of).collect()
}

/// Fills `number` of new rows that leave it out.
async fn number(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Calvings::get();
    let lacks = |d: &Draft| d.verb == Verb::Create && d.new.get(s.number).is_null();
    let animals = drafts.iter().filter(|d| lacks(d));
    let animals: Vec<i64> = animals.filter_map(|d| d.new.get(s.animal).int()).collect();
    if animals.is_empty() {
        return Ok(());
    }
    let calvings = parities(context, animals).await?;
    for draft in drafts.iter_mut().filter(|d| lacks(d)) {
        let own = draft
            .new
            .get(s.animal)
            .int()
            .and_then(|id| calvings.get(&id));
        if let Some(date) = draft.new.get(s.date).time() {
            let own = own.map_or(&[][..], Vec::as_slice);
            let number = next_number(own, event_of(&draft.new), date);
            draft.new.set(s.number, number);
        }
    }
    Ok(())
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Calvings::get();
    let now = context.now();
    let ids = named(drafts, s.animal);
    let calvings = parities(context, ids.iter().copied()).await?;
    let services = services_of(context, ids).await?;
    let meanings = Meanings::load(context, services.values().flatten()).await?;
    for draft in written(drafts) {
        let animal = draft.new.get(s.animal).int();
        let own = animal.and_then(|id| services.get(&id));
        let own = served(own.map_or(&[][..], Vec::as_slice), &meanings);
        progeny::counts(draft);
        let Some(row) = calving_of(&draft.new) else {
            continue;
        };
        fill(draft, of_gestation(row, &own));
        let siblings = animal.and_then(|id| calvings.get(&id));
        view(draft, row, siblings.map_or(&[][..], Vec::as_slice), now);
    }
    Ok(())
}

/// `dryOffDate` and `milkingDays`: as written, else as the row with this number says.
fn view(draft: &mut Draft, row: CalvingRow, siblings: &[CalvingRow], now: i64) {
    let s = Calvings::get();
    if row.event != CalvingEvent::Calving {
        draft.new.set(s.dry_off, Value::Null);
        return;
    }
    if !draft.changes(s.dry_off) {
        let stored = (siblings.iter())
            .filter(|c| c.event == CalvingEvent::DryOff && c.number == row.number)
            .map(|c| c.date)
            .min();
        draft.new.set(s.dry_off, stored.map(Value::Time));
    }
    let Some(dry_off) = draft.new.get(s.dry_off).time() else {
        return;
    };
    let days = day_of(dry_off) - day_of(row.date);
    if days < 0 {
        let message = "The drying-off is before the calving.";
        draft.fault("dryOffDate", "calving-order", message);
    }
    draft
        .issues
        .extend(events::dated("dryOffDate", dry_off, now, None));
    draft.new.set(s.milking_days, days);
}

/// Makes, moves or removes the dry-off rows of calvings whose `dryOffDate` was written.
async fn dry_off(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Calvings::get();
    let wanted: Vec<&Record> = (changes.iter())
        .filter_map(|c| {
            let new = c.new.as_ref()?;
            let old = c.old.as_ref().map_or(&Value::Null, |o| o.get(s.dry_off));
            let differs = new.get(s.dry_off) != old;
            (differs && event_of(new) == CalvingEvent::Calving).then_some(new)
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let animals = wanted.iter().filter_map(|r| r.get(s.animal).int());
    let fields = ["animal", "number", "date", "eventType"];
    let rows = related(context, "calvings", "animal", animals, &fields).await?;
    let rows = grouped(rows, s.animal);
    let commands: Vec<_> = (wanted.into_iter())
        .filter_map(|calving| command(calving, &rows))
        .collect();
    if !commands.is_empty() {
        context.write("calvings", commands).await?;
    }
    Ok(())
}

fn command(calving: &Record, rows: &BTreeMap<i64, Vec<Record>>) -> Option<Command> {
    let s = Calvings::get();
    let animal = calving.get(s.animal).int()?;
    let number = calving.get(s.number);
    let date = calving.get(s.dry_off);
    let stored = rows
        .get(&animal)
        .into_iter()
        .flatten()
        .find(|r| event_of(r) == CalvingEvent::DryOff && r.get(s.number) == number);
    match (stored, date.is_null()) {
        (None, true) => None,
        (None, false) => Some(Command::Create(vec![
            ("animal".to_owned(), Value::Int(animal)),
            ("number".to_owned(), number.clone()),
            ("date".to_owned(), date.clone()),
            ("eventType".to_owned(), Value::from("dryOff")),
        ])),
        (Some(row), true) => Some(Command::Delete(row.get(ID).int()?)),
        (Some(row), false) => (row.get(s.date) != date).then_some(Command::Update(
            row.get(ID).int()?,
            vec![("date".to_owned(), date.clone())],
        )),
    }
}
