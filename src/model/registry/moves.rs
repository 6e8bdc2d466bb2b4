//! The moves of state machines on rows on their way into the book, and on rows that were
//! written: illegal ones are bad content (400), legal ones of callers who may not are
//! refused (403), both on the path of the field (docs/design/registry.md, *State machines*).

use crate::error::Issue;
use crate::messages::Word;
use crate::record::Value;
use crate::registry::access::{Caller, Principal, Verb};
use crate::registry::collection::Collection;
use crate::registry::collection::hook::{Change, Draft};
use crate::registry::collection::states::{Move, Mover, Reading, Set, States, Who};
use crate::registry::field::Writer;
use crate::said;

const DAY: i64 = 86_400_000;

impl Collection {
    /// Checks the moves of drafts, and writes the effects of the legal ones.
    pub fn step(&self, caller: &Principal, now: i64, drafts: &mut [Draft]) {
        let step = Step { collection: self, caller, now };
        for states in &self.states {
            for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
                step.take(states, draft);
            }
        }
    }

    /// The move that a written row made in the machine of a field.
    pub fn moved(&self, path: &str, change: &Change) -> Option<&Move> {
        let states = self.states.iter().find(|s| s.path == path)?;
        let new = change.new.as_ref()?;
        let to = states.read(self, new);
        let Some(old) = &change.old else {
            return states.find(None, &to);
        };
        let differs = |slot: &usize| old.get(*slot) != new.get(*slot);
        let from = states.read(self, old);
        let same = from == to && states.reading == Reading::Value;
        if same || !states.slots().iter().any(differs) {
            return None;
        }
        states.find(Some(&from), &to)
    }

    /// Whether a caller's value for a field of the server (`~`) is accepted, because the caller may
    /// request moves of it.
    pub fn takes_moves(&self, caller: &Principal, slot: usize) -> bool {
        caller.caller == Caller::Association && self.moved_by_association(slot)
    }

    /// Whether only people of the Association stand in a field: they alone write it, or make the moves that set it.
    pub fn is_of_association(&self, path: &str) -> bool {
        let sets =
            |one: &&Move| one.sets.iter().any(|(own, how)| *own == path && matches!(how, Set::Me | Set::MeIfEmpty));
        let mut moves = self.states.iter().flat_map(|states| &states.moves).filter(sets).peekable();
        let of_association = |mover: &Mover| matches!(mover.who, Who::Association | Who::Admin);
        let moved = moves.peek().is_some() && moves.all(|one| one.movers.iter().all(of_association));
        moved || self.field(path).is_some_and(|field| field.writer == Writer::Association)
    }

    /// Whether the Association makes moves by changing this field.
    pub fn moved_by_association(&self, slot: usize) -> bool {
        (self.states.iter()).any(|states| states.slots().contains(&slot) && states.moved_by_association())
    }
}

struct Step<'a> {
    collection: &'a Collection,
    caller: &'a Principal,
    now: i64,
}

impl Step<'_> {
    fn take(&self, states: &States, draft: &mut Draft) {
        let c = self.collection;
        let system = self.caller.caller == Caller::System;
        let from = match &draft.old {
            None if states.begun_by_server && !system => {
                for (slot, path) in states.slots().iter().zip(states.paths()) {
                    let default = c.field(path).and_then(|f| f.default.clone());
                    draft.new.set(*slot, default.unwrap_or_default());
                }
                return;
            }
            None => None,
            Some(_) if !states.slots().iter().any(|s| draft.changes(*s)) => return,
            Some(old) => Some(states.read(c, old).into_owned()),
        };
        let to = states.read(c, &draft.new).into_owned();
        if states.reading == Reading::Value && from.as_deref() == Some(to.as_str()) {
            return;
        }
        let Some(one) = states.find(from.as_deref(), &to) else {
            // A row that any caller may create begins in the default state; the system takes over
            // rows that lived elsewhere, in any state.
            if from.is_some() || (!system && to != states.default(c)) {
                let path = self.at(states, draft);
                let state_word = |word: String| Word { slug: c.slug, path: states.path, word };
                let text = match from {
                    Some(from) => {
                        said!("There is no way from {from} to {to}.", from = state_word(from), to = state_word(to))
                    }
                    None => said!("A new row does not begin as {to}.", to = state_word(to)),
                };
                let issue = Issue::error(path, "illegal-move", text);
                draft.issues.push(issue);
            }
            return;
        };
        if !self.permitted(one, draft) {
            let path = self.at(states, draft);
            (draft.refused).push(Issue::error(path, "forbidden", one.says));
            return;
        }
        let stored = draft.old.as_ref().unwrap_or(&draft.new);
        let own = |path: &str| stored.get(c.at(path)).text();
        if !one.when.iter().all(|(path, words)| own(path).is_some_and(|word| words.contains(&word))) {
            let path = self.at(states, draft);
            (draft.issues).push(Issue::error(path, "illegal-move", one.says));
            return;
        }
        self.perform(one, draft);
    }

    /// The field on which a fault is reported: the one that moves.
    fn at(&self, states: &States, draft: &Draft) -> &'static str {
        let mut moved = states.slots().iter().zip(states.paths());
        let moved = moved.find(|(slot, _)| draft.changes(**slot));
        moved.map_or(states.path, |(_, path)| path)
    }

    fn permitted(&self, one: &Move, draft: &Draft) -> bool {
        if self.caller.caller == Caller::System {
            return true;
        }
        let stored = draft.old.as_ref().unwrap_or(&draft.new);
        let unlike = one.unlike.is_none_or(|path| {
            self.caller.user.is_none() || stored.get(self.collection.at(path)).int() != self.caller.user
        });
        unlike && one.movers.iter().any(|mover| self.is(mover, draft))
    }

    fn is(&self, mover: &Mover, draft: &Draft) -> bool {
        let stored = draft.old.as_ref().unwrap_or(&draft.new);
        let my = self.caller.organization;
        let farm = self.caller.caller == Caller::Farm;
        let who = match mover.who {
            Who::Farm(capability) => farm && self.caller.can(capability),
            Who::Party(capability, path) => {
                let party = stored.get(self.collection.at(path)).int();
                farm && self.caller.can(capability) && my.is_some() && party == my
            }
            Who::Association => self.caller.caller == Caller::Association,
            Who::Admin => self.caller.admin,
            Who::System => false,
        };
        let fresh = mover.within.is_none_or(|(days, since)| {
            let since = stored.get(self.collection.at(since)).time();
            since.is_none_or(|at| self.now - at <= days * DAY)
        });
        who && fresh
    }

    fn perform(&self, one: &Move, draft: &mut Draft) {
        let c = self.collection;
        let system = self.caller.caller == Caller::System;
        for path in one.needs {
            let value = draft.new.get(c.at(path));
            if value.is_null() || value.text().is_some_and(|t| t.trim().is_empty()) {
                let text = said!("This field is required to go to {state}.", state = one.to);
                let issue = Issue::error(*path, "required", text);
                draft.issues.push(issue);
            }
        }
        for (path, set) in &one.sets {
            let slot = c.at(path);
            // Hooks name the time and the person themselves where they know better.
            let is_set = system && draft.sent.contains(slot);
            let me = || Value::from(self.caller.user);
            let value = match set {
                _ if is_set => continue,
                Set::MeIfEmpty if !draft.new.get(slot).is_null() => continue,
                Set::Now => Value::Time(self.now),
                Set::Me | Set::MeIfEmpty => me(),
                Set::Empty => Value::Null,
                Set::To(value) => value.clone(),
            };
            draft.new.set(slot, value);
        }
    }
}
