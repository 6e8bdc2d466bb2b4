//! Inbreeding and depth of the pedigree, of an animal and of its descendants
//! (docs/design/derived.md, *Pedigree*).
//!
//! A farm chooses the parents that it writes, so these values must not measure what the farm may
//! not read: otherwise a user who enters a calf of two animals would learn their kinship, and with
//! it their parents. Until the Association or a laboratory confirmed the animal, its values are
//! computed from the part of the pedigree that every reader of the values reads: the owner and the
//! past owners; otherwise a sold calf would reveal to its seller what the buyer knows. From then on
//! they are computed from the whole book.

use super::family::Family;
use super::view::animal;
use super::view::{Animal, Slots};
use crate::collections::events::history::Amendments;
use crate::derive::pedigree::{Parents, Pedigree};
use model::error::Result;
use model::record::Value;
use model::registry::{Draft, HookContext, ID, Lookup};
use std::collections::{BTreeMap, BTreeSet};

/// Inbreeding above this needs approval, %.
const APPROVAL: f64 = 25.0;

/// Which links between ancestors count for an animal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    /// All of the book.
    Book,
    /// The links that each of these organisations reads, as owner, past owner or from public cards.
    Known(BTreeSet<i64>),
}

impl Basis {
    fn of(animal: Animal<'_>) -> Self {
        if animal.confirmed() {
            return Self::Book;
        }
        let s = Slots::get();
        let past = animal.0.get(s.past_owners).ids();
        Self::Known(
            animal
                .link(s.owner)
                .into_iter()
                .chain(past.iter().copied())
                .collect(),
        )
    }

    /// Whether the parents of an ancestor count.
    fn counts(&self, ancestor: Animal<'_>) -> bool {
        let s = Slots::get();
        let Self::Known(readers) = self else {
            return true;
        };
        let owner = ancestor.link(s.owner);
        let past = ancestor.0.get(s.past_owners).ids();
        let reads = |reader: &i64| owner == Some(*reader) || past.contains(reader);
        ancestor.card() || (!readers.is_empty() && readers.iter().all(reads))
    }
}

/// Inbreeding, its approval and the depth of a draft. `rows` are the links of `family` with
/// those of the drafts.
pub(super) fn of_draft(
    draft: &Draft,
    family: &Family,
    rows: &BTreeMap<i64, Parents>,
) -> [(usize, Value); 3] {
    let own = animal(draft);
    if own.parents() == (None, None) {
        return computed(own, None, None);
    }
    let known = known(family, rows, &[draft.id], &Basis::of(own));
    let pedigree = Pedigree::without_circles(&known, draft.id);
    let share = pedigree.inbreeding(&[draft.id]).first().copied().flatten();
    computed(own, share, pedigree.depth(draft.id))
}

/// Recomputes animals, and their descendants: their links, or who reads them, changed.
pub(crate) async fn follow(context: &mut dyn HookContext, changed: &BTreeSet<i64>) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut all = changed.clone();
    let mut level = changed.clone();
    while !level.is_empty() {
        let mut below = BTreeSet::new();
        let parents = Lookup::by_either(["father", "mother"], level).fields(&["id"]);
        let rows = context.find("animals", parents).await?;
        below.extend(rows.iter().filter_map(|r| r.get(ID).int()));
        below.retain(|id| !all.contains(id));
        all.extend(&below);
        level = below;
    }
    let family = Family::load(context, all.clone()).await?;
    let rows = family.rows();
    let mut groups: BTreeMap<Basis, Vec<i64>> = BTreeMap::new();
    for id in all {
        if let Some(row) = family.0.get(&id) {
            groups.entry(Basis::of(Animal(row))).or_default().push(id);
        }
    }
    let mut amendments = Amendments::default();
    for (basis, ids) in groups {
        let known = known(&family, &rows, &ids, &basis);
        let pedigrees = match Pedigree::new(known.values().copied()) {
            Ok(all) => vec![(ids, all)],
            // The caller closed a circle of descent that they do not see.
            Err(_) => (ids.into_iter())
                .map(|id| (vec![id], Pedigree::without_circles(&known, id)))
                .collect(),
        };
        for (ids, pedigree) in pedigrees {
            let shares = pedigree.inbreeding(&ids).into_iter();
            let values = shares.zip(pedigree.depths(&ids));
            for (id, (share, depth)) in ids.iter().zip(values) {
                if let Some(row) = family.0.get(id) {
                    amendments.note(row, computed(Animal(row), share, depth));
                }
            }
        }
    }
    amendments.write(context, "animals").await
}

/// The ancestors of some animals, with the links that count for them.
fn known(
    family: &Family,
    rows: &BTreeMap<i64, Parents>,
    ids: &[i64],
    basis: &Basis,
) -> BTreeMap<i64, Parents> {
    let mut open: Vec<i64> = ids.to_vec();
    let mut found: BTreeMap<i64, Parents> = BTreeMap::new();
    let own: BTreeSet<i64> = ids.iter().copied().collect();
    while let Some(id) = open.pop() {
        let Some(row) = rows.get(&id).filter(|_| !found.contains_key(&id)) else {
            continue;
        };
        let stored = family.0.get(&id);
        if own.contains(&id) || stored.is_none_or(|a| basis.counts(Animal(a))) {
            open.extend([row.sire, row.dam].into_iter().flatten());
            found.insert(id, *row);
        } else {
            let (sire, dam) = (None, None);
            found.insert(id, Parents { id, sire, dam });
        }
    }
    found
}

/// Inbreeding in percent, with both parents known only, and the depth.
fn computed(animal: Animal<'_>, share: Option<f64>, depth: Option<f64>) -> [(usize, Value); 3] {
    let s = Slots::get();
    let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
    let both = matches!(animal.parents(), (Some(_), Some(_)));
    let percent = share.filter(|_| both).map(|f| rounded(100.0 * f));
    [
        (s.inbreeding, Value::from(percent)),
        (s.needs_approval, Value::from(percent.map(|p| p > APPROVAL))),
        (s.depth, Value::Num(rounded(depth.unwrap_or(0.0)))),
    ]
}
