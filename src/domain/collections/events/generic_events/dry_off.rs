//! An accepted drying-off and its row of `calvings`, where dryings-off live.

use super::Events;
use crate::collections::days::{placed, placed_changes};
use crate::collections::dictionaries::lookups::{by_id, grouped, related};
use crate::collections::events::history::{Amendments, Calvings, event_of};
use crate::derive::day_of;
use crate::derive::lactation::CalvingEvent;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, Command, HookContext, ID};
use std::collections::BTreeMap;

/// Animal and day of an accepted drying-off.
fn accepted(row: &Record) -> Option<(i64, i64)> {
    let s = Events::get();
    let accepted = row.get(s.kind).text() == Some("dryOff") && row.get(s.status).text() == Some("accepted");
    let (animal, date) = (row.get(s.animal).int()?, row.get(s.date).time()?);
    accepted.then_some((animal, day_of(date)))
}

/// An event that stands for a row at another place than before.
struct MovedEvent<'a> {
    change: &'a Change,
    place: (i64, i64),
    was: Option<(i64, i64)>,
}

/// Finds or makes the rows that accepted dryings-off stand for, moves those whose event
/// moved to another day, and links them. A row outlives its event.
pub(super) async fn link(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Events::get();
    let placed = placed_changes(context, "events", changes).await?;
    let dry_offs: Vec<MovedEvent<'_>> = (changes.iter().zip(placed.iter()))
        .filter_map(|(change, placed)| {
            let place = accepted(placed.new.as_ref()?)?;
            let was = placed.old.as_ref().and_then(accepted);
            (was != Some(place)).then_some(MovedEvent { change, place, was })
        })
        .collect();
    let mut links: BTreeMap<i64, Option<i64>> = (changes.iter())
        .filter(|c| {
            let new = c.new.as_ref();
            new.is_some_and(|row| accepted(row).is_none() && !row.get(s.calving).is_null())
        })
        .map(|c| (c.id, None))
        .collect();
    if !dry_offs.is_empty() {
        links.extend(rows(context, &dry_offs).await?);
    }
    let ids = links.keys().copied();
    let mut amendments = Amendments::default();
    for (id, row) in by_id(context, "events", ids, &["calving"]).await? {
        let link = links.get(&id).copied().flatten();
        amendments.note(&row, [(s.calving, Value::from(link))]);
    }
    amendments.write(context, "events").await
}

/// The row of `calvings` of each event.
async fn rows(context: &mut dyn HookContext, dry_offs: &[MovedEvent<'_>]) -> Result<BTreeMap<i64, Option<i64>>> {
    let c = Calvings::get();
    let animals = dry_offs.iter().map(|event| event.place.0);
    let fields = ["animal", "date", "eventType"];
    let stored = related(context, "calvings", "animal", animals, &fields).await?;
    let stored = placed(context, "calvings", stored).await?;
    let dry = stored.into_iter().filter(|r| event_of(r) == CalvingEvent::DryOff);
    let stored = grouped(dry.collect(), c.animal);
    let day = |row: &Record| row.get(c.date).time().map(day_of);
    let mut links = BTreeMap::new();
    let mut places: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    let mut commands = Vec::new();
    let mut waiting = Vec::new();
    for event in dry_offs {
        let (change, place) = (event.change, &event.place);
        let own = stored.get(&place.0).map_or(&[][..], Vec::as_slice);
        if let Some(existing) = own.iter().find(|r| day(r) == Some(place.1)) {
            links.insert(change.id, existing.get(ID).int());
            continue;
        }
        let at = *places.entry(*place).or_insert_with(|| {
            let moved = moved(event, own);
            commands.extend(command(change, moved));
            commands.len() - 1
        });
        waiting.push((change.id, at));
    }
    if !commands.is_empty() {
        let ids = context.write("calvings", commands).await?;
        for (event, at) in waiting {
            links.insert(event, ids.get(at).copied());
        }
    }
    Ok(links)
}

/// The row that the event stood for before it moved to another day.
fn moved(event: &MovedEvent<'_>, own: &[Record]) -> Option<i64> {
    let (_, was) = event.was?;
    let link = event.change.old.as_ref()?.get(Events::get().calving).int()?;
    let row = own.iter().find(|r| r.get(ID).int() == Some(link))?;
    let same = row.get(Calvings::get().date).time().map(day_of) == Some(was);
    same.then_some(link)
}

fn command(change: &Change, moved: Option<i64>) -> Option<Command> {
    let s = Events::get();
    let event = change.new.as_ref()?;
    let date = ("date".to_owned(), event.get(s.date).clone());
    Some(match moved {
        Some(id) => Command::Update(id, vec![date]),
        None => Command::Create(vec![
            ("animal".to_owned(), event.get(s.animal).clone()),
            date,
            ("eventType".to_owned(), Value::from("dryOff")),
            ("ownerOrg".to_owned(), event.get(s.owner_org).clone()),
        ]),
    })
}
