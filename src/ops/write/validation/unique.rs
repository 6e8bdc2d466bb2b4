//! Unique keys: against the book by one look-up for each key, and among the drafts themselves.

use crate::write::WriteTransaction;
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{Class, Collection, Draft, ID, Kind, Lookup, Test, Verb};
use std::collections::BTreeSet;

const DAY: i64 = 86_400_000;
/// Values of a field of a key up to which a look-up names them.
const FEW: usize = 1_000;

type KeyValues = Vec<String>;

#[derive(Clone, Copy)]
struct UniqueKey<'k> {
    collection: &'static Collection,
    slots: &'k [usize],
}

impl UniqueKey<'_> {
    fn is_day(&self, slot: usize) -> bool {
        let kind = self.collection.fields.get(slot).map(|f| &f.kind);
        matches!(kind, Some(Kind::Day))
    }

    fn is_by_day(&self) -> bool {
        self.slots.iter().any(|slot| self.is_day(*slot))
    }

    /// None for a row that lacks a value of the key.
    fn of(&self, row: &Record) -> Option<KeyValues> {
        let values = self.slots.iter().map(|slot| match row.get(*slot) {
            Value::Null => None,
            // A day is one key, regardless of the sent time of day.
            Value::Time(at) if self.is_day(*slot) => Some(at.div_euclid(DAY).to_string()),
            Value::Text(text) => Some(text.clone()),
            v => Some(format!("{v:?}")),
        });
        values.collect()
    }

    /// Finds the rows that may have the key of one of the drafts; none if none can.
    fn lookup(&self, drafts: &[Draft], asks: &[usize]) -> Option<Lookup> {
        let drafts: Vec<&Draft> = asks.iter().filter_map(|i| drafts.get(*i)).collect();
        let last = self.slots.last()?;
        let values: Vec<Value> =
            (drafts.iter()).filter(|d| self.of(&d.new).is_some()).map(|d| d.new.get(*last).clone()).collect();
        if values.is_empty() {
            return None;
        }
        let fields = (self.slots.iter()).filter_map(|slot| self.collection.fields.get(*slot));
        let paths: Vec<&str> = fields.map(|field| field.path.as_str()).collect();
        let mut lookup = Lookup::default().fields(&paths);
        for (slot, path) in self.slots.iter().zip(&paths) {
            // The last part is the most telling; the others narrow.
            let part = if slot == last { Some(values.clone()) } else { few_values(&drafts, *slot) };
            lookup = match part {
                None => lookup.test(path, Test::Filled),
                Some(part) if self.is_day(*slot) => days(lookup, path, &part),
                Some(part) => lookup.is_in(path, part),
            };
        }
        Some(lookup)
    }
}

/// The values of a field, unless they are too many for a look-up.
fn few_values(drafts: &[&Draft], slot: usize) -> Option<Vec<Value>> {
    let mut values: Vec<Value> = Vec::new();
    for draft in drafts {
        let value = draft.new.get(slot);
        if !value.is_null() && !values.contains(value) && values.len() <= FEW {
            values.push(value.clone());
        }
    }
    (values.len() <= FEW).then_some(values)
}

/// Narrows a look-up to the days from the first to the last of the values, and those beside them: times of a day of
/// a place may be of the UTC day beside it.
fn days(lookup: Lookup, path: &str, values: &[Value]) -> Lookup {
    let days = || values.iter().filter_map(Value::time).map(|at| at.div_euclid(DAY));
    match (days().min(), days().max()) {
        (Some(first), Some(last)) => lookup
            .test(path, Test::From(Value::Time((first - 1) * DAY)))
            .test(path, Test::Before(Value::Time((last + 2) * DAY))),
        _ => lookup,
    }
}

impl WriteTransaction<'_> {
    pub(crate) async fn unique(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        let single = (c.fields.iter().enumerate()).filter(|(_, f)| f.unique).map(|(slot, _)| vec![slot]);
        let keys: Vec<Vec<usize>> =
            single.chain((c.uniques.iter()).map(|k| k.iter().map(|p| c.at(p)).collect())).collect();
        for slots in &keys {
            self.unique_key(UniqueKey { collection: c, slots }, drafts).await?;
        }
        Ok(())
    }

    async fn unique_key(&mut self, key: UniqueKey<'_>, drafts: &mut [Draft]) -> Result<()> {
        let c = key.collection;
        let asks: Vec<usize> = (drafts.iter().enumerate())
            .filter(|(_, d)| d.verb != Verb::Delete && key.slots.iter().any(|s| d.changes(*s)))
            .map(|(i, _)| i)
            .collect();
        let keys = self.keys_of(key, drafts).await?;
        let Some(lookup) = key.lookup(drafts, &asks) else { return Ok(()) };
        let mut taken = self.rows_by_key(key, &lookup).await?;
        // A row of this set that gives its key up frees it.
        for (d, (old, new)) in drafts.iter().zip(&keys) {
            if let Some(k) = old
                && new.as_ref() != Some(k)
                && let Some(ids) = taken.get_mut(k)
            {
                ids.remove(&d.id);
            }
        }
        let last = key.slots.last().and_then(|slot| c.fields.get(*slot));
        let disputed = match (key.slots, last) {
            ([_], Some(field)) => c.disputed_slot(field),
            _ => None,
        };
        // A row that the caller does not see must not be revealed by a refusal.
        let closed = if disputed.is_some() { self.closed_rows(c, &taken, drafts).await? } else { BTreeSet::new() };
        let path = last.map_or("", |field| field.path.as_str());
        for i in asks {
            let Some(draft) = drafts.get_mut(i) else { continue };
            let Some(k) = keys.get(i).and_then(|(_, new)| new.clone()) else { continue };
            let others = taken.entry(k).or_default();
            let own = draft.id;
            if others.iter().any(|id| *id != own && !closed.contains(id)) {
                let message = "Value must be unique";
                draft.issues.push(Issue::error(path, "not-unique", message));
                continue;
            }
            if let Some(slot) = disputed.filter(|_| others.iter().any(|id| *id != own)) {
                draft.new.set(slot, own);
            }
            others.insert(own);
        }
        Ok(())
    }

    /// The ids of the rows that a look-up finds, by their keys.
    async fn rows_by_key(&mut self, key: UniqueKey<'_>, lookup: &Lookup) -> Result<IndexMap<KeyValues, BTreeSet<i64>>> {
        let c = key.collection;
        let mut rows = self.load(c, lookup).await?;
        if key.is_by_day() {
            rows = c.hooks.placed(c, self, rows).await?;
        }
        let mut taken: IndexMap<KeyValues, BTreeSet<i64>> = IndexMap::default();
        for row in rows {
            if let (Some(k), Some(id)) = (key.of(&row), row.get(ID).int()) {
                taken.entry(k).or_default().insert(id);
            }
        }
        Ok(taken)
    }

    /// The values of a key in drafts, stored and new; days are those of the places of the rows.
    async fn keys_of(
        &mut self,
        key: UniqueKey<'_>,
        drafts: &[Draft],
    ) -> Result<Vec<(Option<KeyValues>, Option<KeyValues>)>> {
        if !key.is_by_day() {
            let of = |row: &Record| key.of(row);
            return Ok((drafts.iter()).map(|d| (d.old.as_ref().and_then(of), key.of(&d.new))).collect());
        }
        let c = key.collection;
        // A row without an old one stands for itself.
        let old = drafts.iter().map(|d| d.old.as_ref().unwrap_or(&d.new).clone());
        let old = c.hooks.placed(c, self, old.collect()).await?;
        let new = drafts.iter().map(|d| d.new.clone()).collect();
        let new = c.hooks.placed(c, self, new).await?;
        let keys = drafts.iter().zip(old.iter().zip(&new));
        Ok(keys.map(|(d, (old, new))| (d.old.as_ref().and_then(|_| key.of(old)), key.of(new))).collect())
    }

    /// Of the rows that have some keys, those that the caller does not read.
    async fn closed_rows(
        &mut self,
        c: &'static Collection,
        taken: &IndexMap<KeyValues, BTreeSet<i64>>,
        drafts: &[Draft],
    ) -> Result<BTreeSet<i64>> {
        let own = |id: &i64| drafts.iter().any(|d| d.id == *id);
        let ids: BTreeSet<i64> = taken.values().flatten().filter(|id| !own(id)).copied().collect();
        if ids.is_empty() || self.caller.sees_all() {
            return Ok(BTreeSet::new());
        }
        let open = self.rows_read(c, Class::Row, ids.clone()).await?;
        Ok(ids.difference(&open).copied().collect())
    }
}
