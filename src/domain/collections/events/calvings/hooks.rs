//! The hooks of calvings: numbers, the dry-off that is stored in a separate row, counts that follow
//! from the calves.

use super::places::Calving as Listed;
use super::progeny;
use crate::collections::computed::is_left_out;
use crate::collections::days::{Clocks, Place, placed};
use crate::collections::dictionaries::lookups::{by_id, grouped, related, related_ids, written};
use crate::collections::events::history::{
    Calvings, Meanings, calved, calving_of, calvings_of, event_of, fill, numbered, of_gestation, services_of,
    stored_services,
};
use crate::collections::events::{self, EventKind, Key, SUBJECT};
use crate::collections::herd::animals::left_calvings;
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow};
use crate::derive::parity::numbers;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Command, Draft, HookContext, ID};
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
        let s = Calvings::get();
        let rules = context.rules();
        let ids = related_ids(drafts, s.animal);
        let animals = by_id(context, "animals", ids.iter().copied(), SUBJECT).await?;
        let clocks = Clocks::of(context, animals.values().map(Place::of)).await?;
        let calvings = calvings_of(context, ids.iter().copied()).await?;
        let services = services_of(context, ids).await?;
        let meanings = Meanings::load(context, services.values().flatten(), false).await?;
        for draft in written(drafts) {
            let animal = draft.new.get(s.animal).int();
            let own = animal.and_then(|id| services.get(&id));
            let own = stored_services(own.map_or(&[][..], Vec::as_slice), &meanings, &BTreeMap::new());
            progeny::counts(draft);
            let Some(row) = calving_of(&draft.new, rules) else {
                continue;
            };
            let others = animal.and_then(|id| calvings.get(&id)).into_iter().flatten();
            let others = others.filter(|other| other.get(ID).int() != Some(draft.id));
            let others: Vec<CalvingRow> = others.filter_map(|other| calving_of(other, rules)).collect();
            fill(draft, of_gestation(row, &own, &others));
            let place = animal.and_then(|id| animals.get(&id)).map(Place::of);
            let now = clocks.now(place.unwrap_or_default());
            view(draft, row, now);
        }
        Ok(())
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

/// Fills `number` of rows that leave it out; what other rows make of it follows behind the write.
async fn number(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Calvings::get();
    let rules = context.rules();
    for draft in written(drafts) {
        is_left_out(draft, s.number, s.counted);
    }
    let lacks = |d: &&mut Draft| d.new.get(s.number).is_null();
    if !written(drafts).any(|d| lacks(&d)) {
        return Ok(());
    }
    let stored = calvings_of(context, related_ids(drafts, s.animal)).await?;
    for draft in written(drafts).filter(lacks) {
        let animal = draft.new.get(s.animal).int();
        let stored = animal.and_then(|id| stored.get(&id)).map_or(&[][..], Vec::as_slice);
        let others = stored.iter().filter(|row| row.get(ID).int() != Some(draft.id));
        let rows = others.chain([&draft.new]).filter_map(|row| numbered(row, rules));
        let number = numbers(&rows.collect::<Vec<_>>()).last().copied();
        if draft.new.get(s.date).time().is_some() {
            draft.new.set(s.number, number);
        }
    }
    Ok(())
}

/// Checks a written `dryOffDate`, and counts `milkingDays` up to it. What drying-offs say of both follows behind the
/// write: a value that the server set here would be taken for a written one.
fn view(draft: &mut Draft, row: CalvingRow, now: i64) {
    let s = Calvings::get();
    let counted = |row: &Record| {
        let day = |slot| row.get(slot).time().map(day_of);
        Some(day(s.dry_off)? - day(s.date)?)
    };
    if row.event != CalvingEvent::Calving {
        draft.new.set(s.dry_off, Value::Null);
    }
    let days = counted(&draft.new);
    let is_written = draft.changes(s.dry_off) || draft.sent.contains(s.dry_off);
    if let Some(dry_off) = draft.new.get(s.dry_off).time().filter(|_| is_written) {
        if days.is_some_and(|days| days < 0) {
            let message = "The drying-off is before the calving.";
            draft.fault("dryOffDate", "calving-order", message);
        }
        draft.issues.extend(events::dated("dryOffDate", dry_off, now, None));
    }
    let was_counted = |old: &Record| counted(old).is_some_and(|days| *old.get(s.milking_days) == Value::Int(days));
    match days.filter(|days| *days >= 0) {
        Some(days) => draft.new.set(s.milking_days, days),
        None if !draft.changes(s.milking_days) && draft.old.as_ref().is_some_and(was_counted) => {
            draft.new.set(s.milking_days, Value::Null);
        }
        None => {}
    }
}

/// Makes, moves or removes the dry-off rows of calvings whose `dryOffDate` was written.
async fn dry_off(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Calvings::get();
    let wanted: Vec<(&Change, &Record)> = (changes.iter())
        .filter_map(|c| {
            let new = c.new.as_ref()?;
            let old = c.old.as_ref().map_or(&Value::Null, |o| o.get(s.dry_off));
            let differs = new.get(s.dry_off) != old;
            (differs && event_of(new) == CalvingEvent::Calving).then_some((c, new))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let animals = wanted.iter().filter_map(|(_, row)| row.get(s.animal).int());
    let fields = ["animal", "date", "eventType"];
    let rows = related(context, "calvings", "animal", animals, &fields).await?;
    let rows = grouped(placed(context, "calvings", rows).await?, s.animal);
    let commands: Vec<_> =
        (wanted.into_iter()).filter_map(|(change, calving)| command(change, calving, &rows)).collect();
    context.write("calvings", commands).await?;
    Ok(())
}

/// A drying-off of the new day exists, is the one of the former day, or is made. Others are not touched: they are of
/// another lactation, or another report.
fn command(change: &Change, calving: &Record, rows: &BTreeMap<i64, Vec<Record>>) -> Option<Command> {
    let s = Calvings::get();
    let animal = calving.get(s.animal).int()?;
    let date = calving.get(s.dry_off);
    let day = |value: &Value| value.time().map(day_of);
    let on = |wanted: Option<i64>| {
        let own = rows.get(&animal).into_iter().flatten();
        let mut own = own.filter(|row| event_of(row) == CalvingEvent::DryOff);
        own.find(|row| wanted.is_some() && day(row.get(s.date)) == wanted)
    };
    let former = on(change.old.as_ref().and_then(|old| day(old.get(s.dry_off))));
    let former = former.and_then(|row| row.get(ID).int());
    match (former, date.is_null()) {
        (None, true) => None,
        (Some(row), true) => Some(Command::Delete(row)),
        (None, false) if on(day(date)).is_some() => None,
        (None, false) => Some(Command::Create(vec![
            ("animal".to_owned(), Value::Int(animal)),
            ("date".to_owned(), date.clone()),
            ("eventType".to_owned(), Value::from("dryOff")),
        ])),
        (Some(row), false) => Some(Command::Update(row, vec![("date".to_owned(), date.clone())])),
    }
}
