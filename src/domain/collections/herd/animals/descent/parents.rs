//! Parents of animals: the rules on them. What follows for inbreeding and depth of the pedigree is
//! in [`kinship`].

use super::family::{Family, links};
use super::kinship;
use crate::collections::days::{placed, placed_changes};
use crate::collections::dictionaries::lookups::{related, written};
use crate::collections::events::history::fill;
use crate::collections::herd::animals::view::{Animal, Slots, animal};
use crate::collections::platform::clarifications::Clarification;
use crate::derive::day_of;
use crate::derive::pedigree::{Parents, makes_cycle};
use model::error::{Issue, Result};
use model::record::Record;
use model::registry::{BookReader, Change, Class, Draft, ID, Verb};
use std::collections::{BTreeMap, BTreeSet};

/// Rules on parents and birth, and the computed fields of the animal itself.
pub(crate) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let watched = [s.father, s.mother, s.birth];
    let concerned = |d: &Draft| watched.iter().any(|slot| d.changes(*slot));
    let ids: BTreeSet<i64> = (drafts.iter().filter(|d| d.verb != Verb::Delete && concerned(d)))
        .flat_map(|d| <[_; 2]>::from(animal(d).parents()))
        .flatten()
        .collect();
    let family = Family::load(context, ids).await?;
    let mut rows = family.rows();
    for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
        if draft.changes(s.father) || draft.changes(s.mother) {
            rows.insert(draft.id, links(draft.id, animal(draft)));
        }
    }
    let children = children(context, &corrected(drafts)).await?;
    let conflicts: Vec<Conflict> = (drafts.iter())
        .filter(|d| d.verb != Verb::Delete && concerned(d))
        .flat_map(|d| ages(d.id, &d.new, &family, &children))
        .collect();
    // Rows that the caller does not see must not refuse the write, nor what others state about the
    // caller's animal: a child of another owner refuses nothing. The Association gets a
    // clarification.
    let readable = readable(context, Class::Row, conflicts.iter().map(|c| c.other)).await?;
    let judges = context.caller().sees_all();
    let mine = context.caller().organization;
    let tells = |conflict: &Conflict| match conflict.child_of {
        Some(owner) => judges || (owner.is_some() && owner == mine),
        None => readable.contains(&conflict.other),
    };
    let rings: Vec<(i64, &'static str)> =
        (drafts.iter()).filter(|d| d.verb == Verb::Update).flat_map(|d| closed_rings(d, &rows)).collect();
    let visible = visible_lines(context, &rows, &rings).await?;
    for draft in written(drafts).filter(|d| concerned(d)) {
        related_wrongly(draft, &visible);
        for conflict in conflicts.iter().filter(|c| c.animal == draft.id) {
            if tells(conflict) {
                let issue = Issue::error(conflict.path, "parent-younger", conflict.message);
                draft.issues.push(issue);
            }
        }
    }
    let parents = |d: &Draft| d.changes(s.father) || d.changes(s.mother);
    let related: Vec<&mut Draft> = written(drafts).filter(|d| d.verb == Verb::Create || parents(d)).collect();
    let ids: Vec<i64> = related.iter().map(|draft| draft.id).collect();
    let mut computed = kinship::of_drafts(&ids, &rows);
    for draft in related {
        if let Some(values) = computed.remove(&draft.id) {
            fill(draft, values);
        }
    }
    Ok(())
}

/// Father, mother and the animal are three different animals, and no animal is its own ancestor.
fn related_wrongly(draft: &mut Draft, rows: &BTreeMap<i64, Parents>) {
    let (father, mother) = animal(draft).parents();
    let own = Some(draft.id);
    let mut fault = |path: &str, code: &'static str, message: &'static str| {
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
        let message = "Father and mother are the same animal.";
        fault("mother", "self-parent", message);
    }
    // Only a stored animal can have descendants.
    if selves || draft.verb != Verb::Update {
        return;
    }
    for (_, path) in closed_rings(draft, rows) {
        let message = "The parent descends from the animal.";
        draft.issues.push(Issue::error(path, "pedigree-cycle", message));
    }
}

/// On which sides an animal's parent descends from it.
fn descends(id: i64, row: &Record, rows: &BTreeMap<i64, Parents>) -> Vec<(i64, &'static str)> {
    let (father, mother) = Animal(row).parents();
    let ring = |parent: Option<i64>| {
        let above = parent.map(|id| ancestors(rows, [id])).unwrap_or_default();
        makes_cycle(above.into_values(), id, parent, None)
    };
    let sides = [("father", father), ("mother", mother)];
    let wrong = sides.into_iter().filter(|(_, parent)| ring(*parent));
    wrong.map(|(path, _)| (id, path)).collect()
}

/// The circles of [`descends`] that the draft closes: a circle that another user closed refuses
/// nothing here.
fn closed_rings(draft: &Draft, rows: &BTreeMap<i64, Parents>) -> Vec<(i64, &'static str)> {
    let s = Slots::get();
    let sides = [("father", s.father), ("mother", s.mother)];
    let changed = |path: &str| {
        let slot = sides.iter().find(|(name, _)| *name == path);
        slot.is_some_and(|(_, slot)| draft.changes(*slot))
    };
    let mut rings = descends(draft.id, &draft.new, rows);
    rings.retain(|(_, path)| changed(path));
    rings
}

/// The lines of descent that a refusal may reveal to the caller: all of them, unless a refusal
/// depends on one; then only those that the caller sees.
async fn visible_lines(
    context: &mut dyn BookReader,
    rows: &BTreeMap<i64, Parents>,
    rings: &[(i64, &'static str)],
) -> Result<BTreeMap<i64, Parents>> {
    if rings.is_empty() {
        return Ok(rows.clone());
    }
    let open = readable(context, Class::Card, rows.keys().copied()).await?;
    let own = |id: &i64| rings.iter().any(|(animal, _)| animal == id);
    let visible = rows.iter().filter(|(id, _)| open.contains(id) || own(id));
    Ok(visible.map(|(id, row)| (*id, *row)).collect())
}

async fn readable(context: &mut dyn BookReader, class: Class, ids: impl Iterator<Item = i64>) -> Result<BTreeSet<i64>> {
    let ids: BTreeSet<i64> = ids.collect();
    match ids.is_empty() {
        true => Ok(ids),
        false => context.reads("animals", class, ids).await,
    }
}

/// Two births that contradict a descent.
struct Conflict {
    animal: i64,
    other: i64,
    /// Owner of the other one, when that is the child.
    child_of: Option<Option<i64>>,
    path: &'static str,
    message: &'static str,
}

/// Parents are born on an earlier day, children on a later one.
fn ages(id: i64, row: &Record, family: &Family, children: &Children) -> Vec<Conflict> {
    let (father, mother) = Animal(row).parents();
    let Some(birth) = Animal(row).birth().map(day_of) else {
        return Vec::new();
    };
    let mut conflicts = Vec::new();
    let mut conflict = |other, child_of, path, message| {
        conflicts.push(Conflict { animal: id, other, child_of, path, message });
    };
    for (path, parent) in [("father", father), ("mother", mother)] {
        let parent = parent.and_then(|id| Some((id, family.0.get(&id)?)));
        let born = parent.and_then(|(id, p)| Some((id, Animal(p).birth().map(day_of)?)));
        if let Some((parent, _)) = born.filter(|(_, born)| *born >= birth) {
            let message = "The parent is not older than the animal.";
            conflict(parent, None, path, message);
        }
    }
    let children = children.get(&id).into_iter().flatten();
    for child in children.filter(|child| day_of(child.born) <= birth) {
        let message = "The animal is not older than its offspring.";
        conflict(child.id, Some(child.owner), "birthDate", message);
    }
    conflicts
}

struct Child {
    id: i64,
    born: i64,
    owner: Option<i64>,
}

/// Children whose birth is known, by parent.
type Children = BTreeMap<i64, Vec<Child>>;

/// Animals whose birth is corrected: their children may contradict it.
fn corrected(drafts: &[Draft]) -> Vec<i64> {
    let birth = Slots::get().birth;
    let corrected = drafts.iter();
    let corrected = corrected.filter(|d| d.verb == Verb::Update && d.changes(birth));
    corrected.map(|d| d.id).collect()
}

async fn children(context: &mut dyn BookReader, of: &[i64]) -> Result<Children> {
    let s = Slots::get();
    let mut children = Children::new();
    for (path, slot) in [("father", s.father), ("mother", s.mother)] {
        let fields = [path, "birthDate", "owner"];
        let rows = related(context, "animals", path, of.iter().copied(), &fields).await?;
        for row in &placed(context, "animals", rows).await? {
            let ids = (row.get(slot).int(), row.get(ID).int());
            if let (Some(parent), Some(id), Some(born)) = (ids.0, ids.1, Animal(row).birth()) {
                let owner = Animal(row).link(s.owner);
                children.entry(parent).or_default().push(Child { id, born, owner });
            }
        }
    }
    Ok(children)
}

/// Contradictions between the book and the descent of animals that a caller wrote, which could not
/// be reported to the caller.
pub(crate) async fn contradicted(context: &mut dyn BookReader, changes: &[Change]) -> Result<Vec<Clarification>> {
    let s = Slots::get();
    let changes = &*placed_changes(context, "animals", changes).await?;
    let watched = [s.father, s.mother, s.birth];
    let differs = |c: &Change| match (&c.old, &c.new) {
        (Some(old), Some(new)) => watched.iter().any(|slot| old.get(*slot) != new.get(*slot)),
        _ => false,
    };
    // A new row names only animals that its writer sees, and no other row names it yet.
    let changed = changes.iter().filter(|c| differs(c));
    let changed: Vec<(i64, &Record)> = (changed).filter_map(|c| Some((c.id, c.new.as_ref()?))).collect();
    if context.caller().sees_all() || changed.is_empty() {
        return Ok(Vec::new());
    }
    let ids = (changed.iter()).flat_map(|(_, row)| <[_; 2]>::from(Animal(row).parents()));
    let family = Family::load(context, ids.flatten().collect()).await?;
    let corrected: Vec<i64> = changed.iter().map(|(id, _)| *id).collect();
    let children = children(context, &corrected).await?;
    let mut rows = family.rows();
    rows.extend(changed.iter().map(|(id, row)| (*id, links(*id, Animal(row)))));
    let mut clarifications = Vec::new();
    for (id, row) in &changed {
        for conflict in ages(*id, row, &family, &children) {
            clarifications.push(Clarification::conflict("age", *id, conflict.path, Some(conflict.other)));
        }
        for (_, path) in descends(*id, row, &rows) {
            clarifications.push(Clarification::conflict("descent", *id, path, None));
        }
    }
    Ok(clarifications)
}

/// Whether one of two animals is an ancestor of the other.
pub(crate) async fn kin(context: &mut dyn BookReader, one: i64, other: i64) -> Result<bool> {
    let family = Family::load(context, BTreeSet::from([one, other])).await?;
    let rows = family.rows();
    let above = |of: i64, wanted: i64| ancestors(&rows, [of]).contains_key(&wanted);
    Ok(above(one, other) || above(other, one))
}

/// Some animals and their ancestors, out of many.
fn ancestors(rows: &BTreeMap<i64, Parents>, ids: impl IntoIterator<Item = i64>) -> BTreeMap<i64, Parents> {
    let mut open: Vec<i64> = ids.into_iter().collect();
    let mut by_id = BTreeMap::new();
    while let Some(id) = open.pop() {
        if let Some(row) = rows.get(&id).filter(|_| !by_id.contains_key(&id)) {
            open.extend([row.sire, row.dam].into_iter().flatten());
            by_id.insert(id, *row);
        }
    }
    by_id
}
