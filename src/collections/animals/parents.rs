//! Parents of animals: the rules on them (model, section 3.1). What follows for inbreeding and
//! depth of the pedigree is in [`kinship`].

use super::hooks::animal;
use super::kinship;
use super::view::{Animal, Slots};
use crate::collections::history::fill;
use crate::collections::lookups::{by_id, related, written};
use crate::derive::day_of;
use crate::derive::pedigree::{Parents, makes_cycle};
use crate::error::{Issue, Result};
use crate::record::Record;
use crate::registry::{BookReader, Draft, Verb};
use std::collections::{BTreeMap, BTreeSet};

/// Generations of ancestors that are read: more than any herd book holds, so that damaged
/// data cannot read without end.
const GENERATIONS: usize = 40;
const FIELDS: &[&str] = &[
    "father",
    "mother",
    "birthDate",
    "inbreeding",
    "inbreedingNeedsApproval",
    "pedigreeDepth",
    "owner",
    "pastOwners",
    "publicVisible",
    "publicDetails",
    "trustLevel",
];

/// Animals with all ancestors that are known.
#[derive(Debug, Default)]
pub(super) struct Family(pub(super) BTreeMap<i64, Record>);

impl Family {
    /// Reads level by level, one look-up for each.
    pub(super) async fn load(desk: &mut dyn BookReader, ids: BTreeSet<i64>) -> Result<Self> {
        let mut family = Self::default();
        let mut level = ids;
        for _ in 0..=GENERATIONS {
            level.retain(|id| !family.0.contains_key(id));
            if level.is_empty() {
                break;
            }
            let rows = by_id(desk, "animals", std::mem::take(&mut level), FIELDS).await?;
            for row in rows.values() {
                let (father, mother) = Animal(row).parents();
                level.extend([father, mother].into_iter().flatten());
            }
            family.0.extend(rows);
        }
        Ok(family)
    }

    pub(super) fn rows(&self) -> BTreeMap<i64, Parents> {
        (self.0.iter())
            .map(|(id, row)| (*id, of(*id, Animal(row))))
            .collect()
    }
}

fn of(id: i64, animal: Animal<'_>) -> Parents {
    let (sire, dam) = animal.parents();
    Parents { id, sire, dam }
}

/// Rules on parents and birth, and the computed fields of the animal itself.
pub(super) async fn check(desk: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let watched = [s.father, s.mother, s.birth];
    let concerned = |d: &Draft| watched.iter().any(|slot| d.changes(*slot));
    let ids: BTreeSet<i64> = (drafts
        .iter()
        .filter(|d| d.verb != Verb::Delete && concerned(d)))
    .flat_map(|d| <[_; 2]>::from(animal(d).parents()))
    .flatten()
    .collect();
    let family = Family::load(desk, ids).await?;
    let mut rows = family.rows();
    for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
        if draft.changes(s.father) || draft.changes(s.mother) {
            rows.insert(draft.id, of(draft.id, animal(draft)));
        }
    }
    let born = younger_children(desk, drafts).await?;
    for draft in written(drafts).filter(|d| concerned(d)) {
        related_wrongly(draft, &rows);
        younger(draft, &family, born.get(&draft.id).copied());
    }
    let parents = |d: &Draft| d.changes(s.father) || d.changes(s.mother);
    for draft in written(drafts).filter(|d| d.verb == Verb::Create || parents(d)) {
        let values = kinship::of_draft(draft, &family, &rows);
        fill(draft, values);
    }
    Ok(())
}

/// Father, mother and the animal are three, and nobody is his own ancestor.
fn related_wrongly(draft: &mut Draft, rows: &BTreeMap<i64, Parents>) {
    let (father, mother) = animal(draft).parents();
    let own = Some(draft.id);
    let mut fault = |path: &str, code: &'static str, message: &str| {
        draft.issues.push(Issue::error(path, code, message));
    };
    let mut selves = false;
    for (path, parent) in [("father", father), ("mother", mother)] {
        if parent == own {
            selves = true;
            fault(path, "self-parent", "An animal is not its own parent.");
        }
    }
    if father.is_some() && father == mother {
        fault(
            "mother",
            "self-parent",
            "Father and mother are the same animal.",
        );
    }
    // Only a stored animal can have descendants.
    if selves || draft.verb != Verb::Update {
        return;
    }
    for (path, parent) in [("father", father), ("mother", mother)] {
        let above = parent.map(|id| ancestors(rows, [id])).unwrap_or_default();
        if makes_cycle(above.into_values(), draft.id, parent, None) {
            let message = "The parent descends from the animal.";
            draft
                .issues
                .push(Issue::error(path, "pedigree-cycle", message));
        }
    }
}

/// Parents are born on an earlier day, children on a later one.
fn younger(draft: &mut Draft, family: &Family, first_child: Option<i64>) {
    let (father, mother) = animal(draft).parents();
    let Some(birth) = animal(draft).birth().map(day_of) else {
        return;
    };
    for (path, parent) in [("father", father), ("mother", mother)] {
        let parent = parent.and_then(|id| family.0.get(&id));
        let born = parent.and_then(|p| Animal(p).birth()).map(day_of);
        if born.is_some_and(|born| born >= birth) {
            let message = "The parent is not older than the animal.";
            draft
                .issues
                .push(Issue::error(path, "parent-younger", message));
        }
    }
    if first_child.is_some_and(|child| day_of(child) <= birth) {
        let message = "The animal is not older than its offspring.";
        draft
            .issues
            .push(Issue::error("birthDate", "parent-younger", message));
    }
}

/// Birth of the first child of animals whose own birth is corrected.
async fn younger_children(
    desk: &mut dyn BookReader,
    drafts: &[Draft],
) -> Result<BTreeMap<i64, i64>> {
    let s = Slots::get();
    let corrected: Vec<i64> = (drafts.iter())
        .filter(|d| d.verb == Verb::Update && d.changes(s.birth))
        .map(|d| d.id)
        .collect();
    let mut first = BTreeMap::new();
    for (path, slot) in [("father", s.father), ("mother", s.mother)] {
        let fields = [path, "birthDate"];
        let rows = related(desk, "animals", path, corrected.iter().copied(), &fields).await?;
        for row in &rows {
            if let (Some(id), Some(birth)) = (row.get(slot).int(), Animal(row).birth()) {
                let known = first.entry(id).or_insert(birth);
                *known = birth.min(*known);
            }
        }
    }
    Ok(first)
}

/// Whether one of two animals is an ancestor of the other.
pub(super) async fn kin(desk: &mut dyn BookReader, one: i64, other: i64) -> Result<bool> {
    let family = Family::load(desk, BTreeSet::from([one, other])).await?;
    let rows = family.rows();
    let above = |of: i64, wanted: i64| ancestors(&rows, [of]).contains_key(&wanted);
    Ok(above(one, other) || above(other, one))
}

/// Some animals and their ancestors, out of many.
fn ancestors(
    rows: &BTreeMap<i64, Parents>,
    ids: impl IntoIterator<Item = i64>,
) -> BTreeMap<i64, Parents> {
    let mut open: Vec<i64> = ids.into_iter().collect();
    let mut found = BTreeMap::new();
    while let Some(id) = open.pop() {
        if let Some(row) = rows.get(&id).filter(|_| !found.contains_key(&id)) {
            open.extend([row.sire, row.dam].into_iter().flatten());
            found.insert(id, *row);
        }
    }
    found
}
