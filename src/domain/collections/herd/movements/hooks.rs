//! The hooks of movements: the giver, whether the movement waits for the seller, and its effects on
//! the animal (docs/states.md, *movements · confirmation*, *animals · state*).

use super::course::{Kind, Ownership, last_placing, ownership_after, sorted};
use super::objection;
use super::ownership::{ownership_before, ownership_before_row};
use super::reasons::Reasons;
use super::rules;
use super::view::{Courses, Parties, Slots, step_of};
use crate::collections::days::{Clocks, Place, as_day, placed_changes, put_drafts};
use crate::collections::dictionaries::lookups::{related, related_ids, touched, written};
use crate::collections::evaluation::{follow_indexes, recounted};
use crate::collections::events::history::{Amendments, refresh};
use crate::collections::events::moved_away;
use crate::collections::herd::animals::{Animal, Slots as AnimalSlots};
use crate::collections::hooks::hooks;
use crate::collections::people::notices::{counted, notify};
use crate::collections::platform::clarifications::{self, Clarification, open};
use crate::collections::slots::slots;
use model::error::Result;
use model::letter::Template;
use model::record::{Record, Value};
use model::registry::{BookReader, Caller, Change, Command, Draft, HookContext, ID, Verb};
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// Slots of `access-grants` that a sale ends.
    Grants of "access-grants" { owner, animal, revoked_at: "revokedAt" }
);
slots!(
    /// Slots of `genotype-consents` that a sale ends.
    Consents of "genotype-consents" { owner, animal, revoked_at: "revokedAt" }
);

hooks!(pub(super) Behaviour {
    prepare(collection, context, drafts) {
        let days = put_drafts(context, collection, drafts).await?;
        prepare(context, drafts).await?;
        days.put_back(drafts);
        Ok(())
    }
    check(collection, context, drafts) {
        let days = put_drafts(context, collection, drafts).await?;
        check(context, drafts).await?;
        days.put_back(drafts);
        Ok(())
    }
    effects(context, changes) {
        effects(context, changes).await?;
        let (caller, system) = (context.caller().organization, context.caller().caller == Caller::System);
        // A load of former sales is no news.
        let received = |change: &Change| received(change).filter(|buyer| !system && caller != Some(*buyer));
        let mut notices = counted(Template::MovementPending, "movements", changes.iter().filter_map(waits));
        notices.extend(counted(Template::MovementReceived, "movements", changes.iter().filter_map(received)));
        notices.extend(counted(Template::MovementObjected, "movements", changes.iter().filter_map(objected)));
        notify(context, notices).await
    }
});

/// The giver of a new movement that waits for the giver's confirmation.
fn waits(change: &Change) -> Option<i64> {
    let (s, new) = (Slots::get(), change.new.as_ref()?);
    let pending = new.get(s.confirmation).text() == Some("pending");
    (new.get(s.from).int()).filter(|_| pending && change.old.is_none())
}

/// The buyer of a new sale or lease that applies at once.
fn received(change: &Change) -> Option<i64> {
    let new = change.new.as_ref().filter(|_| change.old.is_none())?;
    let step = step_of(new).filter(|step| step.kind.trades() && !step.outside)?;
    step.to
}

/// The seller of a movement to which the buyer objected.
fn objected(change: &Change) -> Option<i64> {
    let s = Slots::get();
    let is = |row: &Record| row.get(s.confirmation).text() == Some("objected");
    let new = change.new.as_ref().filter(|new| is(new))?;
    let fresh = change.old.as_ref().is_some_and(|old| !is(old));
    new.get(s.from).int().filter(|_| fresh)
}

/// Fills what a new movement leaves out: giver, receiver within one organisation, herd,
/// recorder. Access is checked on the filled row.
async fn prepare(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let new: Vec<i64> =
        (drafts.iter()).filter(|d| d.verb == Verb::Create).filter_map(|d| d.new.get(s.animal).int()).collect();
    if new.is_empty() {
        return Ok(());
    }
    let courses = Courses::visible(context, new).await?;
    let caller = context.caller().clone();
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
        if let Some(user) = caller.user {
            draft.new.set(s.recorded_by, user);
            draft.new.set(s.recorded_role, caller.role());
        }
        let animal = draft.new.get(s.animal).int();
        let kind = draft.new.get(s.kind).text().and_then(Kind::parse);
        let Some(animal) = animal else {
            continue;
        };
        let (Some(kind), Some(before)) = (kind, ownership_before(&courses, animal, draft)) else {
            // Kind or day is missing or bad: the owner gets this error, and not that the write is
            // forbidden.
            let row = courses.animals.get(&animal);
            fill(draft, s.from, row.and_then(|a| Animal(a).link(AnimalSlots::get().owner)));
            continue;
        };
        match kind {
            Kind::Import => {
                let receiver = caller.organization.or(before.owner);
                fill(draft, s.to, receiver);
            }
            Kind::Transfer => {
                fill(draft, s.from, before.owner);
                fill(draft, s.to, draft.new.get(s.from).int());
            }
            // Where it comes back from may be unknown.
            _ if rules::returns(&draft.new, &before) => {}
            _ => fill(draft, s.from, before.owner),
        }
        if kind != Kind::Import && draft.new.get(s.from).int() == before.owner {
            fill(draft, s.from_herd, herd_before(&courses, animal, &before));
        }
    }
    Ok(())
}

fn fill(draft: &mut Draft, slot: usize, value: Option<i64>) {
    if draft.new.get(slot).is_null() {
        draft.new.set(slot, value);
    }
}

/// The herd it stood in: herds change without movements too, so after the last movement
/// the animal's own herd counts.
fn herd_before(courses: &Courses, animal: i64, before: &Ownership) -> Option<i64> {
    let s = AnimalSlots::get();
    let row = Animal(courses.animals.get(&animal)?);
    let present = row.link(s.owner) == before.owner;
    if present { row.link(s.herd) } else { before.herd }
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let courses = Courses::visible(context, related_ids(drafts, s.animal)).await?;
    let parties = Parties::load(context, drafts.iter().map(|d| &d.new)).await?;
    objection::check(context, drafts, &courses).await?;
    let reasons = Reasons::load(context, related_ids(drafts, s.reason)).await?;
    let caller = context.caller().clone();
    let clocks = Clocks::of(context, courses.animals.values().map(Place::of)).await?;
    if drafts.iter().any(|draft| draft.verb == Verb::Delete) && caller.caller != Caller::System {
        // Whoever had the animal reads on its card who has it now, so this tells of no course that is not seen.
        let whole = Courses::load(context, related_ids(drafts, s.animal)).await?;
        rules::undone(drafts, &whole);
        rules::disputed(drafts, &caller);
    }
    for draft in written(drafts) {
        let decided = draft.verb == Verb::Update && draft.changes(s.confirmation);
        if decided {
            draft.new.set(s.confirmed_role, caller.role());
        }
        if draft.verb == Verb::Create {
            rules::waits(draft, &caller, &courses, &parties);
        }
        let moved = [s.animal, s.date, s.kind, s.from, s.to, s.from_herd, s.to_herd];
        let takes_effect = decided && draft.new.get(s.applied).truth();
        if takes_effect || moved.iter().any(|slot| draft.changes(*slot)) {
            rules::check(draft, &courses, &parties, &clocks);
        }
        reasons.check(draft);
        // An applied sale stores the presence that its receiver had then.
        let applies = draft.changes(s.applied) && draft.new.get(s.applied).truth();
        if draft.changes(s.to) || draft.changes(s.kind) || applies {
            let outside = !parties.registered(draft.new.get(s.to).int());
            let kind = draft.new.get(s.kind).text().and_then(Kind::parse);
            draft.new.set(s.outside, outside && kind.is_some_and(Kind::trades));
        }
    }
    Ok(())
}

async fn effects(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let changes = &*placed_changes(context, "movements", changes).await?;
    let ids = touched(changes, s.animal);
    let courses = Courses::load(context, ids.iter().copied()).await?;
    let mut amendments = Amendments::default();
    let mut moved = BTreeSet::new();
    let mut places = Vec::new();
    // Animals that others read now, and those of another owner.
    let (mut read, mut owned) = (BTreeSet::new(), BTreeSet::new());
    let mut sold = BTreeMap::new();
    let a = AnimalSlots::get();
    // A record that was merged into another rests as it was.
    let whole = |(_, row): &(&i64, &Record)| row.get(a.merged).is_null();
    for (&id, row) in courses.animals.iter().filter(whole) {
        let Some(entry) = courses.entry(id) else {
            continue;
        };
        let after = ownership_after(&entry, courses.steps(id));
        let own: Vec<&Change> = (changes.iter())
            .filter(|c| {
                let rows = c.old.iter().chain(&c.new);
                rows.into_iter().any(|r| r.get(s.animal).int() == Some(id))
            })
            .collect();
        let values = settled(&courses, id, row, &entry, &after, &own);
        let differs = |slot| values.iter().any(|(s, v)| *s == slot && row.get(slot) != v);
        if differs(a.owner) {
            sold.extend(Animal(row).link(a.owner).map(|owner| (id, owner)));
        }
        if differs(a.owner) {
            owned.insert(id);
        }
        if differs(a.owner) || differs(a.past_owners) {
            read.insert(id);
        }
        if differs(a.state) || differs(a.disposal_date) {
            moved.insert(id);
        }
        if differs(a.owner) || differs(a.herd) {
            places.push((id, Place::of(row)));
        }
        // Days between two movements are those of the herd between them.
        let rows = own.iter().flat_map(|c| c.old.iter().chain(&c.new)).filter(|r| r.get(s.animal).int() == Some(id));
        places.extend(rows.flat_map(Place::between).map(|place| (id, place)));
        // The log of the animal tells of it, whoever recorded it and took it back.
        let logged = [a.owner, a.state, a.disposal_date, a.disposal_reason, a.disposal_organization];
        let mut now = row.clone();
        for (slot, value) in values.iter().filter(|(slot, _)| logged.contains(slot)) {
            now.set(*slot, value.clone());
        }
        context.note_change("animals", id, row, &now);
        amendments.note(row, values);
    }
    amendments.write(context, "animals").await?;
    recounted(context, &read).await?;
    follow_indexes(context, &owned).await?;
    clarifications::sold(context, &read).await?;
    contradicted(context, &courses, changes).await?;
    end_gifts(context, &sold).await?;
    refresh(context, &moved).await?;
    moved_away(context, places).await
}

/// What farms recorded against a course that they do not see, for the Association.
async fn contradicted(context: &mut dyn HookContext, courses: &Courses, changes: &[Change]) -> Result<()> {
    if context.caller().sees_all() {
        return Ok(());
    }
    let s = Slots::get();
    let clarifications = changes.iter().filter_map(|change| {
        let row = change.new.as_ref()?;
        let applied = row.get(s.applied).truth();
        let fresh = change.old.as_ref().is_none_or(|old| !old.get(s.applied).truth());
        let animal = row.get(s.animal).int()?;
        let kind = row.get(s.kind).text().and_then(Kind::parse)?;
        let before = ownership_before_row(courses, animal, row, change.id)?;
        let given = kind != Kind::Import && !rules::returns(row, &before);
        let wrong = given && row.get(s.from).int() != before.owner;
        (applied && fresh && wrong).then(|| Clarification {
            collection: "movements",
            ..Clarification::conflict("course", change.id, "from", Some(animal))
        })
    });
    open(context, clarifications.collect()).await
}

/// The values of an animal after its movements changed.
fn settled(
    courses: &Courses,
    id: i64,
    row: &Record,
    entry: &Ownership,
    after: &Ownership,
    changes: &[&Change],
) -> Vec<(usize, Value)> {
    let steps = courses.steps(id);
    let was = earlier(id, steps, changes);
    if was.is_empty() && steps.is_empty() {
        return Vec::new();
    }
    let a = AnimalSlots::get();
    let day = |at: Option<i64>| Value::from(at.map(as_day));
    let mut values = vec![
        (a.state, Value::from(after.state)),
        (a.disposal_date, day(after.disposal_date)),
        (a.disposal_reason, Value::from(after.disposal_reason)),
        (a.disposal_organization, Value::from(after.disposal_organization)),
    ];
    let past = Value::Ids(after.past_owners.clone());
    if row.get(a.past_owners).ids() != after.past_owners {
        values.push((a.past_owners, past));
    }
    if after.owner.is_some() {
        values.push((a.owner, Value::from(after.owner)));
    }
    // An end entered before an earlier move does not hide it.
    if last_placing(&was) != last_placing(steps) {
        let herd = restored(&was, steps, after).or(after.herd);
        values.push((a.herd, Value::from(herd)));
        values.push((a.arrival, day(after.arrival)));
        values.push((a.previous, Value::from(after.previous)));
    }
    // The entry stays stored while movements are based on it.
    let start = (!steps.is_empty()).then_some(entry);
    values.extend([
        (a.entry_owner, Value::from(start.and_then(|e| e.owner))),
        (a.entry_herd, Value::from(start.and_then(|e| e.herd))),
        (a.entry_arrival, day(start.and_then(|e| e.arrival))),
        (a.entry_previous, Value::from(start.and_then(|e| e.previous))),
    ]);
    values
}

/// The applied movements of an animal before the changes.
fn earlier(id: i64, steps: &[super::course::Step], changes: &[&Change]) -> Vec<super::course::Step> {
    let animal = Slots::get().animal;
    let changed: BTreeSet<i64> = changes.iter().map(|c| c.id).collect();
    let unchanged = steps.iter().filter(|s| !changed.contains(&s.id)).cloned();
    let old = changes.iter().filter_map(|c| c.old.as_ref());
    let old = old.filter(|row| row.get(animal).int() == Some(id)).filter_map(step_of);
    sorted(unchanged.chain(old).collect())
}

/// The herd that the animal stood in before a movement that is gone, when it is back with
/// the giver: herds change without movements, so the course does not know it.
fn restored(was: &[super::course::Step], now: &[super::course::Step], after: &Ownership) -> Option<i64> {
    let gone = last_placing(was).filter(|last| now.iter().all(|s| s.id != last.id))?;
    // A row that was recorded after the deleted movement takes precedence over it.
    if last_placing(now).is_some_and(|step| step.id > gone.id) {
        return None;
    }
    gone.from_herd.filter(|_| gone.from == after.owner)
}

/// Ends what the old owner gave on single animals.
async fn end_gifts(context: &mut dyn HookContext, sold: &BTreeMap<i64, i64>) -> Result<()> {
    let (g, c) = (Grants::get(), Consents::get());
    let grants = [g.owner, g.animal, g.revoked_at];
    end(context, "access-grants", grants, sold).await?;
    let consents = [c.owner, c.animal, c.revoked_at];
    end(context, "genotype-consents", consents, sold).await
}

async fn end(
    context: &mut dyn HookContext,
    slug: &str,
    [giver, animal, revoked]: [usize; 3],
    sold: &BTreeMap<i64, i64>,
) -> Result<()> {
    let fields = ["owner", "animal", "revokedAt"];
    let given = related(context, slug, "animal", sold.keys().copied(), &fields).await?;
    let now = context.now();
    let ended: Vec<_> = (given.iter())
        .filter(|r| r.get(revoked).is_null())
        .filter(|r| {
            let owner = r.get(animal).int().and_then(|id| sold.get(&id)).copied();
            owner.is_some() && r.get(giver).int() == owner
        })
        .filter_map(|r| {
            let fields = vec![("revokedAt".to_owned(), Value::Time(now))];
            Some(Command::Update(r.get(ID).int()?, fields))
        })
        .collect();
    // Through the pipeline of every write: callers' rights change, and the log records it.
    context.write(slug, ended).await.map(|_| ())
}
