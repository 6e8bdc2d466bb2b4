//! Animals whose views are computed later, once for all events of a batch or load.

use super::milk_tests::AddedTests;
use super::recompute;
use model::error::Result;
use model::registry::{HookContext, PendingRecompute};
use std::collections::{BTreeMap, BTreeSet};

/// Animals of one step: what is read of them is in memory together.
const STEP: usize = 1_000;

/// Animals that have other events.
pub(super) fn events(ids: &BTreeSet<i64>) -> PendingRecompute {
    ids.iter().map(|id| (*id, BTreeMap::new())).collect()
}

/// Animals that have other milk tests.
pub(super) fn tests(ids: &BTreeSet<i64>) -> PendingRecompute {
    let changed = BTreeMap::from([("milk-tests", i64::MIN)]);
    ids.iter().map(|id| (*id, changed.clone())).collect()
}

/// Animals that have other calvings from a date on.
pub(super) fn calvings(since: &BTreeMap<i64, i64>) -> PendingRecompute {
    let dated = |(id, date): (&i64, &i64)| (*id, BTreeMap::from([("calvings", *date)]));
    since.iter().map(dated).collect()
}

/// Everything of these animals anew: their rows are the same, and belong to other days.
pub(crate) async fn recompute_all(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let changed = BTreeMap::from([("milk-tests", i64::MIN), ("calvings", i64::MIN)]);
    let pending: PendingRecompute = ids.iter().map(|id| (*id, changed.clone())).collect();
    if context.postpone("animals", &pending) {
        return Ok(());
    }
    recompute_pending(context, &pending).await
}

/// Computes what was postponed.
pub(crate) async fn recompute_pending(context: &mut dyn HookContext, pending: &PendingRecompute) -> Result<()> {
    for tested in [false, true] {
        // What their tests add up to is not known any more, or it is as it was.
        let added = if tested { AddedTests::UNKNOWN } else { AddedTests::NONE };
        let of_these = |changed: &BTreeMap<&str, i64>| changed.contains_key("milk-tests") == tested;
        let mut calved: Vec<(i64, i64)> = Vec::new();
        let mut others: Vec<i64> = Vec::new();
        for (id, changed) in pending.iter().filter(|(_, changed)| of_these(changed)) {
            match changed.get("calvings") {
                Some(since) => calved.push((*id, *since)),
                None => others.push(*id),
            }
        }
        for piece in calved.chunks(STEP) {
            let since: BTreeMap<i64, i64> = piece.iter().copied().collect();
            let ids = since.keys().copied().collect();
            recompute(context, &ids, Some(&since), &added).await?;
        }
        for piece in others.chunks(STEP) {
            let ids = piece.iter().copied().collect();
            recompute(context, &ids, None, &added).await?;
        }
    }
    Ok(())
}
