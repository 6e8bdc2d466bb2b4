//! Compares the resources that a reader holds with the last states, where only these are known.

use crate::violation::{Kind, Violation};
use crate::wire::{Key, Resource, State};
use std::collections::BTreeMap;

/// Compares what a current reader holds with the last states of all resources that it may see, in
/// the order of their commits. `heard` is what it received along one chain, in order: the last
/// states in it must have the order of their commits.
#[must_use]
pub fn against_last<'r>(
    expected: impl IntoIterator<Item = &'r Resource>,
    held: &BTreeMap<Key, State>,
    heard: &[(Key, State)],
) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut places: BTreeMap<&Key, (usize, State)> = BTreeMap::new();
    for (at, resource) in expected.into_iter().enumerate() {
        let (key, last) = (&resource.key, resource.state);
        places.insert(key, (at, last));
        let Some(has) = held.get(key) else {
            // Even a deletion must be reported to a reader that began before it.
            let words = format!("never received {key}{}", deleted(&last));
            let kind = if last.deleted { Kind::LostTombstone } else { Kind::Missing };
            found.push(Violation::new(kind, words));
            continue;
        };
        if *has == last {
            continue;
        }
        let kind = match (has.deleted, last.deleted) {
            (false, true) => Kind::LostTombstone,
            (true, false) => Kind::FalseTombstone,
            _ if has.modified == last.modified => Kind::Altered,
            _ => Kind::Missing,
        };
        let words = format!("holds {key}{} as {has:?}, not as {last:?}", deleted(&last));
        found.push(Violation::new(kind, words));
    }
    for key in held.keys().filter(|key| !places.contains_key(key)) {
        let words = format!("holds {key}, which is not there");
        found.push(Violation::new(Kind::Leak, words));
    }
    // The last time that each state was received counts: the same state may have been received before.
    let last: BTreeMap<&Key, usize> = heard.iter().enumerate().map(|(at, (k, _))| (k, at)).collect();
    let mut latest: Option<(usize, &Key)> = None;
    for (turn, (key, state)) in heard.iter().enumerate() {
        if last.get(key) != Some(&turn) {
            continue;
        }
        let Some((at, _)) = places.get(key).filter(|(_, last)| last == state) else {
            continue;
        };
        match latest {
            Some((before, name)) if *at < before => {
                let words = format!("received {key} after {name}, which was committed later");
                found.push(Violation::new(Kind::Order, words));
            }
            _ => latest = Some((*at, key)),
        }
    }
    found
}

const fn deleted(state: &State) -> &'static str {
    if state.deleted { " (deleted)" } else { "" }
}
