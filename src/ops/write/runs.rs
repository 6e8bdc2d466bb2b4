//! Splits items into runs: items that depend on each other are written one run after another.

use super::{Item, Outcome, WriteTransaction};
use model::error::Result;
use model::registry::{Collection, Principal};
use std::collections::BTreeSet;

impl WriteTransaction<'_> {
    /// Writes items run by run; answers in the order of the items.
    pub(super) async fn in_order(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        items: Vec<Item>,
    ) -> Result<Vec<Outcome>> {
        let runs = runs(c, items);
        // What follows from several rows of one subject is computed once.
        let defers = runs.len() > 1 && self.defer_recompute();
        let done = self.run_by_run(c, caller, runs).await;
        if defers {
            let pending = self.take_pending();
            if done.is_ok() {
                self.recompute_pending(&pending).await?;
            }
        }
        done
    }

    async fn run_by_run(
        &mut self,
        c: &'static Collection,
        caller: &Principal,
        runs: Vec<Vec<Item>>,
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for run in runs {
            outcomes.extend(self.write_run(c, caller, run).await?);
        }
        Ok(outcomes)
    }
}

/// Cuts items into runs in which no two rows build on each other: not by the serial
/// field, not as the same row, and not by a relation of one to another.
fn runs(c: &'static Collection, items: Vec<Item>) -> Vec<Vec<Item>> {
    let serial = c.serial.and_then(|path| c.slot(path));
    let kin: Vec<usize> = c.relations_to(c.slug).map(|(slot, _)| slot).collect();
    let mut runs: Vec<Vec<Item>> = Vec::new();
    let mut run: Vec<Item> = Vec::new();
    let mut keys: BTreeSet<i64> = BTreeSet::new();
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    for item in items {
        let value = |slot: usize| (item.server.iter().chain(&item.body)).find(|(s, _)| *s == slot).map(|(_, v)| v);
        let key = serial.and_then(|slot| value(slot)?.int());
        // A row whose key is not known here (an update by id) is written alone.
        let alone = serial.is_some() && key.is_none();
        let cut = alone
            || key.is_some_and(|k| keys.contains(&k))
            || item.id.is_some_and(|id| ids.contains(&id))
            || (kin.iter().filter_map(|slot| value(*slot)?.int())).any(|id| ids.contains(&id));
        if cut && !run.is_empty() {
            runs.push(std::mem::take(&mut run));
            keys.clear();
            ids.clear();
        }
        if alone {
            runs.push(vec![item]);
            continue;
        }
        keys.extend(key);
        ids.extend(item.id);
        run.push(item);
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}
