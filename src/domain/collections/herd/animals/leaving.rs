//! Writing the state of an animal: it records, amends or deletes the closing movement
//! (docs/states.md, *animals · state*).

use super::view::animal;
use super::view::{Animal, Slots};
use crate::collections::days::{Clocks, Place, as_day};
use crate::collections::dictionaries::lookups::{related_ids, written};
use crate::collections::events::dated;
use crate::collections::herd::movements::{self, Closing, Reasons};
use crate::collections::people::organizations;
use crate::derive::{DAY_MS, day_of};
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Caller, Capability, Change, Command, Draft, HookContext, Principal, Verb};

fn slots() -> [usize; 4] {
    let s = Slots::get();
    [s.state, s.disposal_date, s.disposal_reason, s.disposal_organization]
}

/// Whether the draft writes the state or what belongs to it.
fn writes(draft: &Draft) -> bool {
    let made = draft.verb == Verb::Create && animal(draft).state() == "alive";
    let slots = slots();
    let [state, rest @ ..] = slots;
    (draft.changes(state) && !made) || rest.iter().any(|slot| draft.changes(*slot))
}

/// Checks the move, and fills the day of leaving.
pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let ids: Vec<i64> = (drafts.iter()).filter(|d| d.verb != Verb::Delete && writes(d)).map(|d| d.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let closing = movements::last(context, ids).await?;
    let reasons = Reasons::load(context, related_ids(drafts, Slots::get().disposal_reason)).await?;
    let clocks = Clocks::of(context, drafts.iter().map(|d| Place::of(&d.new))).await?;
    let (now, caller) = (context.now(), context.caller().clone());
    for draft in written(drafts).filter(|d| writes(d)) {
        let last = closing.get(&draft.id);
        let was = draft.old.as_ref().map_or("alive", |o| Animal(o).state()).to_owned();
        let state = animal(draft).state().to_owned();
        // Moves of the state itself were judged by its machine.
        let is_faulty = draft.refused.iter().any(|i| i.path == "state");
        if is_faulty || (was != "alive" && state != "alive" && was != state) {
            continue;
        }
        if caller.caller == Caller::Farm && !caller.can(Capability::Move) {
            let message = "Recording a movement needs the right to move animals.";
            draft.refused.push(Issue::error("state", "forbidden", message));
        } else if state == "alive" {
            back(draft, &was, last, &caller, now);
        } else {
            leave(draft, last, clocks.now(Place::of(&draft.new)));
            let s = Slots::get();
            if [s.state, s.disposal_reason].iter().any(|slot| draft.changes(*slot)) {
                let reason = draft.new.get(s.disposal_reason).int();
                draft.issues.extend(reasons.fault("disposalReason", reason, state != "sold"));
            }
        }
    }
    Ok(())
}

/// Alive again: the closing movement is deleted; its recorder may do this for 30 days, and an
/// admin.
fn back(draft: &mut Draft, was: &str, last: Option<&Closing>, caller: &Principal, now: i64) {
    let s = Slots::get();
    if was == "alive" {
        if !draft.new.get(s.disposal_date).is_null() {
            let message = "The animal counts as alive, and a day of leaving is sent: leave the day out, or say how the animal left (state or reason).";
            draft.fault("disposalDate", "disposal-vs-state", message);
        }
    } else if let Some(last) = last.filter(|last| last.state.is_some()) {
        let recorder = caller.user.is_some() && last.recorded_by == caller.user;
        let fresh = now - last.created_at <= movements::DAYS * DAY_MS;
        let free = caller.admin || caller.caller == Caller::System;
        if !(free || recorder && fresh && !last.shared) {
            let message = match last.shared {
                true => "Both sides confirmed the movement: the giver must release it first, or an admin deletes it.",
                false => "Only the user who recorded a movement may delete it, within 30 days, or an admin.",
            };
            draft.refused.push(Issue::error("state", "forbidden", message));
        }
    }
    for slot in [s.disposal_date, s.disposal_reason, s.disposal_organization] {
        draft.new.set(slot, Value::Null);
    }
}

fn leave(draft: &mut Draft, last: Option<&Closing>, now: i64) {
    let s = Slots::get();
    if draft.new.get(s.disposal_date).is_null() {
        draft.new.set(s.disposal_date, as_day(now));
    }
    let Some(date) = draft.new.get(s.disposal_date).time() else {
        return;
    };
    let birth = animal(draft).birth();
    draft.issues.extend(dated("disposalDate", date, now, birth));
    let amends = draft.old.as_ref().is_some_and(|o| Animal(o).state() != "alive");
    if !amends && last.is_some_and(|last| day_of(date) < day_of(last.date)) {
        let message = "The animal has a later movement; record the movement as a row of movements.";
        draft.fault("disposalDate", "movement-sequence", message);
    }
    let receiver = !draft.new.get(s.disposal_organization).is_null();
    if receiver && animal(draft).state() != "sold" {
        let message = "A cull or death has no receiver.";
        draft.fault("disposalOrganization", "not-allowed", message);
    }
}

/// Records what [`check`] let through. Changes that movements themselves made do not come
/// here, since they are written without hooks.
pub(super) async fn record(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let moved: Vec<(i64, &Record)> = (changes.iter())
        .filter_map(|change| {
            let new = change.new.as_ref()?;
            let moved = match &change.old {
                Some(old) => slots().iter().any(|slot| old.get(*slot) != new.get(*slot)),
                None => Animal(new).state() != "alive",
            };
            moved.then_some((change.id, new))
        })
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    let closing = movements::last(context, moved.iter().map(|m| m.0)).await?;
    let place = placeholder(context, &moved).await?;
    let recorder = (context.caller().user, context.caller().role());
    let commands: Vec<Command> =
        (moved.iter()).filter_map(|(id, new)| command(*id, Animal(new), closing.get(id), place, recorder)).collect();
    context.write("movements", commands).await?;
    Ok(())
}

/// The placeholder, when a sale names no receiver.
async fn placeholder(context: &mut dyn HookContext, moved: &[(i64, &Record)]) -> Result<Option<i64>> {
    let slot = Slots::get().disposal_organization;
    let nameless = |new: &Record| Animal(new).state() == "sold" && new.get(slot).is_null();
    if moved.iter().any(|(_, new)| nameless(new)) {
        return organizations::placeholder(context).await.map(Some);
    }
    Ok(None)
}

fn command(
    id: i64,
    animal: Animal<'_>,
    last: Option<&Closing>,
    placeholder: Option<i64>,
    (user, role): (Option<i64>, Option<&'static str>),
) -> Option<Command> {
    let s = Slots::get();
    let closing = last.filter(|last| last.state.is_some());
    let kind = match animal.state() {
        "sold" => "sale",
        "culled" => "cull",
        "dead" => "death",
        _ => return closing.map(|last| Command::Delete(last.id)),
    };
    let mut fields = vec![
        ("date".to_owned(), animal.0.get(s.disposal_date).clone()),
        ("reason".to_owned(), animal.0.get(s.disposal_reason).clone()),
    ];
    if kind == "sale" {
        let to = animal.link(s.disposal_organization).or(placeholder);
        fields.push(("to".to_owned(), Value::from(to)));
    }
    if let Some(last) = closing {
        return Some(Command::Update(last.id, fields));
    }
    fields.extend([
        ("animal".to_owned(), Value::Int(id)),
        ("kind".to_owned(), Value::from(kind)),
        ("from".to_owned(), Value::from(animal.link(s.owner))),
        ("fromHerd".to_owned(), Value::from(animal.link(s.herd))),
        ("recordedBy".to_owned(), Value::from(user)),
        ("recordedRole".to_owned(), Value::from(role)),
    ]);
    Some(Command::Create(fields))
}
