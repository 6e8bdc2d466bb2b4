//! The rules of single movements.

use super::course::{Kind, Ownership, Step};
use super::ownership::{farm, ownership_before};
use super::view::{Courses, Parties, Slots, step_of};
use crate::collections::days::{Clocks, Place};
use crate::collections::events::dated;
use crate::collections::herd::animals::Animal;
use model::error::Issue;
use model::record::Record;
use model::registry::{Draft, Principal, Verb};
use std::collections::BTreeSet;

/// Whether an animal comes back to its owner after an absence: nobody gives it away.
pub(super) fn returns(row: &Record, before: &Ownership) -> bool {
    let s = Slots::get();
    let absent = row.get(s.kind).text().and_then(Kind::parse) == Some(Kind::Absence);
    let link = |slot| row.get(slot).int();
    absent && link(s.to).is_some() && link(s.to) == before.owner && link(s.from) != before.owner
}

/// Whether a new movement waits for its seller: a farm that is not the giver recorded it,
/// and the giver takes part in the book.
pub(super) fn waits(draft: &mut Draft, caller: &Principal, courses: &Courses, parties: &Parties) {
    let s = Slots::get();
    let from = draft.new.get(s.from).int();
    let animal = draft.new.get(s.animal).int();
    let before = animal.and_then(|animal| ownership_before(courses, animal, draft));
    let given = before.is_none_or(|before| !returns(&draft.new, &before));
    let waits = farm(caller) && given && from != caller.organization && parties.registered(from);
    draft.new.set(s.confirmation, if waits { "pending" } else { "none" });
    draft.new.set(s.applied, !waits);
}

/// One to which its receiver objected is part of the book: only the Association deletes it.
pub(super) fn disputed(drafts: &mut [Draft], caller: &Principal) {
    let objected = |d: &Draft| d.new.get(Slots::get().confirmation).text() == Some("objected");
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Delete && farm(caller) && objected(d)) {
        let message = "The buyer objected to this movement: only the Association deletes it.";
        draft.refused.push(Issue::error("id", "forbidden", message));
    }
}

/// A movement by which somebody got the animal stays while the next one rests on it: the receiver gave it on.
pub(super) fn undone(drafts: &mut [Draft], courses: &Courses) {
    let gone: BTreeSet<i64> = drafts.iter().filter(|d| d.verb == Verb::Delete).map(|d| d.id).collect();
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Delete && d.clean()) {
        let Some(step) = step_of(&draft.new).filter(|step| step.to.is_some() && step.to != step.from) else {
            continue;
        };
        let steps = draft.new.get(Slots::get().animal).int().map_or(&[][..], |animal| courses.steps(animal));
        let at = steps.iter().position(|own| own.id == step.id);
        let later = at.and_then(|at| steps.get(at + 1..)).unwrap_or_default();
        let moves = |later: &&Step| !matches!(later.kind, Kind::Absence | Kind::Transfer) && !gone.contains(&later.id);
        if later.iter().find(moves).is_some_and(|next| next.from == step.to) {
            let message = "A later movement rests on this one: it is deleted first.";
            draft.fault("id", "in-use", message);
        }
    }
}

/// Date, parties and herds.
pub(super) fn check(draft: &mut Draft, courses: &Courses, parties: &Parties, clocks: &Clocks) {
    let s = Slots::get();
    let animal = draft.new.get(s.animal).int();
    let kind = draft.new.get(s.kind).text().and_then(Kind::parse);
    let (Some(animal), Some(kind)) = (animal, kind) else {
        return;
    };
    let row = courses.animals.get(&animal);
    let birth = row.and_then(|a| Animal(a).birth());
    let now = clocks.now(row.map(Place::of).unwrap_or_default());
    if let Some(date) = draft.new.get(s.date).time() {
        draft.issues.extend(dated("date", date, now, birth));
    }
    let link = |slot| draft.new.get(slot).int();
    let (from, to) = (link(s.from), link(s.to));
    let mut faults = receiver(kind, from, to, link(s.to_herd));
    if !parties.keeps(from, link(s.from_herd)) {
        faults.push(foreign("fromHerd"));
    }
    if !kind.ends() && !parties.keeps(to, link(s.to_herd)) {
        faults.push(foreign("toHerd"));
    }
    if let Some(before) = ownership_before(courses, animal, draft) {
        if kind == Kind::Import {
            faults.extend(import(parties, from, to, &before));
        } else if !returns(&draft.new, &before) && from != before.owner {
            let message = "The giver did not own the animal on that day.";
            faults.push(Issue::error("from", "not-the-owner", message));
        }
    }
    draft.issues.extend(faults);
}

/// Faults of the receiver.
fn receiver(kind: Kind, from: Option<i64>, to: Option<i64>, to_herd: Option<i64>) -> Vec<Issue> {
    let mut faults = Vec::new();
    let mut fault = |path: &str, code: &'static str, message: &'static str| {
        faults.push(Issue::error(path, code, message));
    };
    match kind {
        Kind::Sale | Kind::Lease if to.is_none() => {
            fault("to", "required", "A sale or lease needs a receiver.");
        }
        Kind::Sale | Kind::Lease if to == from => {
            let message = "Giver and receiver are the same.";
            fault("to", "same-organization", message);
        }
        Kind::Cull | Kind::Death => {
            if to.is_some() {
                fault("to", "not-allowed", "A cull or death has no receiver.");
            }
            if to_herd.is_some() {
                fault("toHerd", "not-allowed", "A cull or death has no receiver.");
            }
        }
        Kind::Transfer if to != from => fault("to", "not-allowed", "A transfer stays within one organisation."),
        Kind::Import if to.is_none() => fault("to", "required", "An import needs a receiver."),
        _ => {}
    }
    faults
}

/// An import comes from outside: not from a registered organisation, and not of an animal that
/// another owner has alive.
fn import(parties: &Parties, from: Option<i64>, to: Option<i64>, before: &Ownership) -> Option<Issue> {
    if parties.registered(from) {
        let message = "An import does not come from a registered organisation.";
        return Some(Issue::error("from", "not-allowed", message));
    }
    let is_party = before.owner == to || before.owner == from;
    let taken = before.state == "alive" && before.owner.is_some() && !is_party;
    taken.then(|| {
        let message = "The animal has another owner; record a sale.";
        Issue::error("kind", "not-the-owner", message)
    })
}

fn foreign(path: &str) -> Issue {
    Issue::error(path, "foreign-herd", "The herd belongs to another organisation.")
}
