//! How often a bull served (docs/writing.md, *Values that rest on what others own*).
//!
//! Herds that are hidden from a bull's owner name bulls of others, so the number must not reveal
//! this to the owner. Until the Association or a laboratory confirmed the bull, those services
//! count that its owner reads without a grant: the owner's rows, rows about the owner's animals,
//! and rows about animals with an open card. From then on all count.

use crate::collections::dictionaries::lookups::{CHUNK, by_id, related};
use crate::collections::events::history::Amendments;
use crate::collections::herd::animals::{Animal, Slots};
use crate::collections::slots::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, HookContext};
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// The number, on the bull.
    BullSlots of "animals" { count: "semen.inseminations" }
);
slots!(Services of "inseminations" { bull, animal, owner: "ownerOrg" });

/// What is read of bulls.
const BULL: &[&str] = &["owner", "trustLevel", "semen.inseminations"];
/// What is read of the animals that were served.
const SERVED: &[&str] = &["owner", "publicVisible", "publicDetails"];

/// Animals that were served, as far as they are read.
type Animals = BTreeMap<i64, Record>;

/// Whether a service counts: the organisation that made the row, and the animal.
fn counts(bull: Animal<'_>, animals: &Animals, made_by: Option<i64>, animal: Option<i64>) -> bool {
    let owner = bull.link(Slots::get().owner);
    let own = |organization: Option<i64>| organization.is_some() && organization == owner;
    let animal = animal.and_then(|id| animals.get(&id)).map(Animal);
    let open = |a: Animal<'_>| own(a.link(Slots::get().owner)) || a.card();
    bull.confirmed() || own(made_by) || animal.is_some_and(open)
}

/// Counts the services of bulls up and down by changes of `inseminations`. Popular bulls
/// have more services than could be counted anew for each; the book's lock keeps the count
/// right.
pub(crate) async fn count_services(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Services::get();
    let mut steps: BTreeMap<i64, Vec<(&Record, i64)>> = BTreeMap::new();
    for change in changes {
        let same = |(old, new): (&Record, &Record)| {
            [s.bull, s.animal, s.owner].iter().all(|slot| old.get(*slot) == new.get(*slot))
        };
        if change.old.as_ref().zip(change.new.as_ref()).is_some_and(same) {
            continue;
        }
        for (row, step) in [(&change.old, -1), (&change.new, 1)] {
            if let Some((bull, row)) = row.as_ref().and_then(|r| Some((r.get(s.bull).int()?, r))) {
                steps.entry(bull).or_default().push((row, step));
            }
        }
    }
    if steps.is_empty() {
        return Ok(());
    }
    let bulls = by_id(context, "animals", steps.keys().copied(), BULL).await?;
    let doubtful = |id: &i64| bulls.get(id).is_some_and(|bull| !Animal(bull).confirmed());
    let served_ids: BTreeSet<i64> = (steps.iter())
        .filter(|(bull, _)| doubtful(bull))
        .flat_map(|(_, rows)| rows.iter().filter_map(|(row, _)| row.get(s.animal).int()))
        .collect();
    let animals = by_id(context, "animals", served_ids, SERVED).await?;
    let mut amendments = Amendments::default();
    for (id, bull) in &bulls {
        let steps = steps.get(id).map_or(&[][..], Vec::as_slice);
        let counted = |row: &Record| {
            let (made_by, animal) = (row.get(s.owner).int(), row.get(s.animal).int());
            counts(Animal(bull), &animals, made_by, animal)
        };
        let more: i64 = (steps.iter()).filter(|(row, _)| counted(row)).map(|(_, step)| step).sum();
        let before = bull.get(BullSlots::get().count).int().unwrap_or(0);
        note(&mut amendments, bull, before + more);
    }
    amendments.write(context, "animals").await
}

/// Counts anew what changed with these animals: they are bulls whose owner or confirmation
/// is another, or their owner or card is, on which it hangs who reads that they were served.
pub(crate) async fn recounted(context: &mut dyn HookContext, changed: &BTreeSet<i64>) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let s = Services::get();
    let rows = related(context, "inseminations", "animal", changed.iter().copied(), &["bull"]).await?;
    let bulls_of_rows: BTreeSet<i64> =
        (rows.iter()).filter_map(|row| row.get(s.bull).int()).chain(changed.iter().copied()).collect();
    let mut bulls = by_id(context, "animals", bulls_of_rows, BULL).await?;
    // All services of a confirmed bull count, regardless of who owns the animals.
    bulls.retain(|id, bull| changed.contains(id) || !Animal(bull).confirmed());
    let ids: Vec<i64> = bulls.keys().copied().collect();
    let mut amendments = Amendments::default();
    for ids in ids.chunks(CHUNK) {
        let fields = ["animal", "ownerOrg"];
        let services = context.series("inseminations", "bull", ids, &fields).await?;
        let link = |row: &[Value], at: usize| row.get(at).and_then(Value::int);
        let doubtful = |id: &i64| bulls.get(id).is_some_and(|bull| !Animal(bull).confirmed());
        let served_ids: BTreeSet<i64> = (services.iter())
            .filter(|(bull, _)| doubtful(bull))
            .flat_map(|(_, rows)| rows.rows().filter_map(|row| link(row, 0)))
            .collect();
        let animals = by_id(context, "animals", served_ids, SERVED).await?;
        for (id, bull) in ids.iter().filter_map(|id| Some((id, bulls.get(id)?))) {
            let counted = |row: &&[Value]| counts(Animal(bull), &animals, link(row, 1), link(row, 0));
            let rows = services.get(id);
            let count = rows.map_or(0, |rows| rows.rows().filter(counted).count());
            note(&mut amendments, bull, i64::try_from(count).unwrap_or(i64::MAX));
        }
    }
    amendments.write(context, "animals").await
}

fn note(amendments: &mut Amendments, bull: &Record, count: i64) {
    let stored_count = (count > 0).then_some(count);
    amendments.note(bull, [(BullSlots::get().count, Value::from(stored_count))]);
}
