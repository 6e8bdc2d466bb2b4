//! Births that senders report of animals of the book (docs/exchange.md, *Births*). The animal has the
//! pair of the document; it is the calf of a recorded calving, or becomes one: where the book
//! has one calving of its mother with a place for it, the calving lists it from then on.

use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::events::calvings::places::{Calf, Calving, first_listing};
use crate::collections::events::hidden_source;
use crate::collections::herd::animals::view::{Animal, Slots};
use crate::derive::day_of;
use model::error::{Error, Issue, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Class, Decl, Draft, HookContext, ID, relation};
use std::collections::{BTreeMap, BTreeSet};

/// Days between the birth of a calf and the calving that it was born at.
const APART: i64 = 1;
/// The fields whose values may stand on the tag of a calf.
const NUMBERS: [&str; 8] = [
    "identNumber",
    "altIds.isoId",
    "altIds.internationalId",
    "altIds.earTag",
    "altIds.inventoryNumber",
    "altIds.chipNumber",
    "altIds.gpkNumber",
    "altIds.originNumber",
];
/// What is read of calves besides.
const CALF: [&str; 8] =
    ["owner", "mother", "birthDate", "sex", "birthOrg", "birthAde.source", "birthAde.sourceId", "birthAdeExtra"];
/// The message to a sender whose calf has no calving.
const NO_PARTURITION: &str = "The book has no calving that this animal was born at. Send the parturition \
     with the calf in progenyDetails, or record the dam of the animal if her calving of that day is in \
     the book and belongs to this location.";

/// The pair of the sender of the birth, and the organisation that sent it.
pub(crate) fn fields() -> Vec<Decl> {
    let mut fields = hidden_source("birthAde", "birthAdeExtra");
    let organization = relation("birthOrg", "organizations").server().class(Class::Hidden);
    fields.push(organization.doc("Organisation whose sender sent the birth.").into());
    fields
}

/// Slots of what a birth adds to its animal.
fn slots() -> [usize; 4] {
    let s = Slots::get();
    [s.birth_org, s.birth_source, s.birth_source_id, s.birth_extra]
}

/// Whether a draft writes what belongs to a birth that was sent, and nothing else: the animal is as
/// it was.
pub(crate) fn is_alone(draft: &Draft) -> bool {
    let Some(old) = draft.old.as_ref() else {
        return false;
    };
    if !slots().iter().any(|slot| draft.changes(*slot)) {
        return false;
    }
    let mut before = old.clone();
    for slot in slots() {
        before.set(slot, draft.new.get(slot).clone());
    }
    before == draft.new
}

/// Finds a place at a calving for animals whose birth was sent; a record that was merged into another
/// one has no birth of its own any more.
pub(crate) async fn follow(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let pair = |row: &Record| [s.birth_source, s.birth_source_id].map(|slot| row.get(slot).clone());
    let mut exchange_rows: Vec<&Record> = Vec::new();
    let mut merged: BTreeSet<i64> = BTreeSet::new();
    for change in changes {
        let Some(new) = change.new.as_ref().filter(|new| is_sent(new)) else {
            continue;
        };
        if !new.get(s.merged).is_null() {
            merged.insert(change.id);
        } else if change.old.as_ref().map(pair) != Some(pair(new)) {
            exchange_rows.push(new);
        }
    }
    forget(context, &merged).await?;
    match place(context, &exchange_rows).await?.is_empty() {
        true => Ok(()),
        false => Err(Error::Invalid(vec![Issue::error("id", "no-parturition", NO_PARTURITION)])),
    }
}

/// Animals that calvings do not list any more: a birth that was sent finds another place, or ends with
/// the calving.
pub(crate) async fn left(context: &mut dyn HookContext, calves: BTreeSet<i64>) -> Result<()> {
    if calves.is_empty() {
        return Ok(());
    }
    let fields: Vec<&str> = CALF.iter().chain(&NUMBERS).copied().collect();
    let rows = by_id(context, "animals", calves, &fields).await?;
    let exchange_rows: Vec<&Record> = rows.values().filter(|row| is_sent(row)).collect();
    let homeless = place(context, &exchange_rows).await?;
    forget(context, &homeless).await
}

/// The calves of cows that are deleted: their calvings go with them.
pub(crate) async fn orphaned(context: &mut dyn HookContext, gone: &BTreeMap<i64, &Record>) -> Result<()> {
    let ids = gone.keys().copied();
    let calvings = related(context, "calvings", "animal", ids, &["calves"]).await?;
    let calves = calvings.iter().flat_map(Calving::calves_of);
    let calves: BTreeSet<i64> = calves.filter(|id| !gone.contains_key(id)).collect();
    let rows = by_id(context, "animals", calves, &CALF).await?;
    let exchange_ids = rows.iter().filter(|(_, row)| is_sent(row));
    let exchange_ids = exchange_ids.map(|(id, _)| *id).collect();
    forget(context, &exchange_ids).await
}

fn is_sent(row: &Record) -> bool {
    !row.get(Slots::get().birth_source).is_null()
}

async fn forget(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    if animals.is_empty() {
        return Ok(());
    }
    let nothing = slots().map(|slot| (slot, Value::Null)).to_vec();
    let rows = animals.iter().map(|id| (*id, nothing.clone()));
    context.amend("animals", rows.collect()).await
}

/// Lets calvings list animals that none of them lists yet; those for which there is no place.
async fn place(context: &mut dyn HookContext, animals: &[&Record]) -> Result<BTreeSet<i64>> {
    let mut homeless = BTreeSet::new();
    if animals.is_empty() {
        return Ok(homeless);
    }
    let animals = animals.iter().map(|row| (*row).clone()).collect();
    let animals = &placed(context, "animals", animals).await?;
    let ids = animals.iter().filter_map(|row| row.get(ID).int());
    let first = first_listing(context, ids).await?;
    let mut open: Vec<&Record> = Vec::new();
    for row in animals {
        let id = row.get(ID).int().unwrap_or_default();
        match first.get(&id) {
            Some(true) => {}
            Some(false) => drop(homeless.insert(id)),
            None => open.push(row),
        }
    }
    let mut calvings = of_mothers(context, &open).await?;
    let mut taken: BTreeSet<i64> = BTreeSet::new();
    for row in open {
        let animal = Animal(row);
        let calf = calf(row);
        let birth = animal.birth().map(day_of);
        let mother = animal.parents().1;
        let fits = |c: &&mut Calving| {
            let own = mother.is_some_and(|id| c.animal() == Some(id));
            let owner = c.owner.is_some() && c.owner == animal.link(Slots::get().owner);
            let near = c.day().zip(birth);
            own && owner && near.is_some_and(|(one, other)| (one - other).abs() <= APART) && c.place(&calf).is_some()
        };
        let mut matches = calvings.iter_mut().filter(fits);
        match (matches.next(), matches.next()) {
            (Some(calving), None) => {
                calving.take(&calf);
                taken.extend(calving.id());
            }
            _ => {
                homeless.insert(calf.id);
            }
        }
    }
    let commands: Vec<_> = (calvings.iter())
        .filter(|c| c.id().is_some_and(|id| taken.contains(&id)))
        .filter_map(Calving::command)
        .collect();
    context.write("calvings", commands).await?;
    Ok(homeless)
}

fn calf(row: &Record) -> Calf {
    let s = Slots::get();
    let numbers = [s.ident, s.iso_id, s.international, s.ear_tag, s.inventory, s.chip, s.gpk, s.origin_number];
    Calf {
        id: row.get(ID).int().unwrap_or_default(),
        sex: row.get(s.sex).text().unwrap_or_default().to_owned(),
        numbers: (numbers.into_iter().filter_map(|slot| row.get(slot).text())).map(str::to_owned).collect(),
    }
}

/// The calvings of the mothers of animals, with the owners of the mothers: who may write them.
async fn of_mothers(context: &mut dyn BookReader, animals: &[&Record]) -> Result<Vec<Calving>> {
    let mothers: BTreeSet<i64> = (animals.iter()).filter_map(|row| Animal(row).parents().1).collect();
    let owner = Slots::get().owner;
    let owners = by_id(context, "animals", mothers.iter().copied(), &["owner"]).await?;
    let owner_of = |id: i64| owners.get(&id).and_then(|row| row.get(owner).int());
    Calving::of(context, mothers, owner_of).await
}
