//! Inbreeding and depth of the pedigree, of an animal and of its descendants (docs/derived.md,
//! *Descent*). They are those of the whole pedigree, the same for every reader: a farm that names
//! two parents learns how related they are (docs/design/access.md, *Relatives*).

use super::family::{Family, links};
use crate::collections::events::history::Amendments;
use crate::collections::herd::animals::view::{Animal, Slots};
use crate::derive::pedigree::{Descent, Parents, descents};
use model::error::Result;
use model::record::Value;
use model::registry::{HookContext, ID, Lookup};
use std::collections::{BTreeMap, BTreeSet};

/// Inbreeding above this needs approval, %.
const APPROVAL: f64 = 25.0;

/// Inbreeding, its approval and the depth of animals. `rows` are the links of their families.
pub(crate) fn of_drafts(ids: &[i64], rows: &BTreeMap<i64, Parents>) -> BTreeMap<i64, [(usize, Value); 3]> {
    let descents = descents(rows, ids);
    ids.iter().map(|id| (*id, computed(rows.get(id), descents.get(id)))).collect()
}

/// Recomputes animals whose links changed, and their descendants.
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
    recompute(context, all).await
}

/// Recomputes animals alone.
pub(crate) async fn recompute(context: &mut dyn HookContext, all: BTreeSet<i64>) -> Result<()> {
    let family = Family::load(context, all.clone()).await?;
    let rows = family.rows();
    let ids: Vec<i64> = all.into_iter().collect();
    let mut amendments = Amendments::default();
    // The caller may have closed a circle of descent that they do not see.
    for (id, descent) in descents(&rows, &ids) {
        if let Some(row) = family.0.get(&id) {
            let own = links(id, Animal(row));
            amendments.note(row, computed(Some(&own), Some(&descent)));
        }
    }
    amendments.write(context, "animals").await
}

/// Inbreeding in percent, where a parent is known, and the depth.
fn computed(links: Option<&Parents>, descent: Option<&Descent>) -> [(usize, Value); 3] {
    let s = Slots::get();
    let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
    let has_parent = links.is_some_and(|row| row.sire.is_some() || row.dam.is_some());
    let percent = descent.filter(|_| has_parent).map(|of| rounded(100.0 * of.inbreeding));
    [
        (s.inbreeding, Value::from(percent)),
        (s.needs_approval, Value::from(percent.map(|p| p > APPROVAL))),
        (s.depth, Value::Num(rounded(descent.map_or(0.0, |of| of.depth)))),
    ]
}
