//! Cache of the rows that a running write has read, since rules, hooks and the projection read the same
//! ones. Values that the write sets are updated here; any other write to a collection drops its rows.

use model::record::{Record, SlotSet, Value};
use model::registry::{Collection, Field, ID, Lookup, Test};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that are remembered of one look-up at most; further rows are looked up again.
const MOST: usize = 5_000;
/// Look-ups that are remembered of one collection.
const LOOKUPS: usize = 4;

/// The slots that a row has, ascending.
type Shape = Arc<[usize]>;

/// Values that a further condition of such a look-up has at most.
const FEW: usize = 16;

/// A look-up that may be remembered: by one number first, of columns only.
#[derive(Debug)]
pub(super) struct CacheableLookup {
    by: usize,
    keys: Vec<i64>,
    /// The other conditions.
    further_conditions: Vec<(String, Test)>,
    slots: Shape,
}

impl CacheableLookup {
    /// None of a look-up of another kind.
    pub(super) fn of(c: &Collection, lookup: &Lookup) -> Option<Self> {
        let ([(path, Test::In(values)), further_conditions @ ..], None) = (lookup.all.as_slice(), &lookup.instead)
        else {
            return None;
        };
        let long = |test: &Test| matches!(test, Test::In(values) if values.len() > FEW);
        if further_conditions.iter().any(|(_, test)| long(test)) {
            return None;
        }
        if lookup.fields.is_empty() || !lookup.order.is_empty() || lookup.limit.is_some() {
            return None;
        }
        let by = c.slot(path)?;
        let fields = lookup.fields.iter().map(|path| c.slot(path));
        let mut slots: Vec<usize> = fields.chain([Some(ID), Some(by)]).collect::<Option<_>>()?;
        slots.sort_unstable();
        slots.dedup();
        let mut stored = slots.iter().filter_map(|slot| c.fields.get(*slot));
        let keys = values.iter().map(Value::int).collect::<Option<Vec<i64>>>()?;
        let fits = keys.len() <= MOST && stored.all(Field::stored);
        fits.then(|| Self { by, keys, further_conditions: further_conditions.to_vec(), slots: slots.into() })
    }

    /// The same rows as a look-up by ids, of rows that a look-up of another kind found. None where it did not read
    /// columns.
    pub(super) fn by_id(c: &Collection, lookup: &Lookup, rows: &[Record]) -> Option<Self> {
        if lookup.fields.is_empty() {
            return None;
        }
        let fields = lookup.fields.iter().map(|path| c.slot(path));
        let mut slots: Vec<usize> = fields.chain([Some(ID)]).collect::<Option<_>>()?;
        slots.sort_unstable();
        slots.dedup();
        let mut stored = slots.iter().filter_map(|slot| c.fields.get(*slot));
        stored.all(Field::stored).then(|| Self {
            by: ID,
            keys: rows.iter().filter_map(|row| row.get(ID).int()).collect(),
            further_conditions: Vec::new(),
            slots: slots.into(),
        })
    }
}

#[derive(Debug)]
struct CachedRows {
    lookup: CacheableLookup,
    /// Ascending.
    keys: Vec<i64>,
    /// With the key that each was found by, by which they ascend.
    rows: Vec<(i64, Record)>,
}

impl CachedRows {
    fn answers(&self, lookup: &CacheableLookup) -> bool {
        let has = |row: &Record| lookup.slots.iter().all(|slot| row.has(*slot));
        let read = |slot| self.lookup.slots.binary_search(slot).is_ok();
        self.lookup.by == lookup.by
            && self.lookup.further_conditions == lookup.further_conditions
            && (lookup.keys.iter()).all(|key| self.keys.binary_search(key).is_ok())
            // Values that were written since may complete what was read.
            && (lookup.slots.iter().all(read)
                || (lookup.keys.iter()).all(|key| self.with(*key).all(has)))
    }

    /// Whether its rows are the same, and found by the same, whatever these slots hold.
    fn is_apart(&self, c: &Collection, slots: SlotSet) -> bool {
        let condition = |path: &str| c.slot(path).is_none_or(|slot| slots.contains(slot));
        !slots.contains(self.lookup.by) && !(self.lookup.further_conditions.iter()).any(|(path, _)| condition(path))
    }

    /// Takes over values that were written to rows. Only rows that are found by their ids are found again.
    fn amend(&mut self, slots: &[usize], rows: &[(i64, Vec<&Value>)]) {
        let mut shapes: Option<(Shape, Shape)> = None;
        for (id, values) in rows {
            let at = self.rows.binary_search_by_key(id, |(key, _)| *key);
            let Some((_, row)) = at.ok().and_then(|at| self.rows.get_mut(at)) else { continue };
            let before: Shape = row.slots().cloned().unwrap_or_default();
            // Rows that were read together have the same columns.
            let shape = match &shapes {
                Some((base, shape)) if *base == before => Arc::clone(shape),
                _ => {
                    let mut all: Vec<usize> = before.iter().chain(slots).copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    let shape: Shape = all.into();
                    shapes = Some((before, Arc::clone(&shape)));
                    shape
                }
            };
            let value = |slot: &usize| {
                let written = slots.binary_search(slot).ok().and_then(|at| values.get(at).copied());
                written.unwrap_or_else(|| row.get(*slot)).clone()
            };
            *row = Record::part(row.width(), &shape, shape.iter().map(value).collect());
        }
    }

    fn with(&self, key: i64) -> impl Iterator<Item = &Record> {
        let from = self.rows.partition_point(|(at, _)| *at < key);
        self.rows.get(from..).unwrap_or_default().iter().take_while(move |(at, _)| *at == key).map(|(_, row)| row)
    }
}

/// Each key once.
fn ascending(keys: &[i64]) -> Vec<i64> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[derive(Debug, Default)]
pub(super) struct ReadCache(BTreeMap<&'static str, Vec<CachedRows>>);

impl ReadCache {
    /// The rows of a look-up, if they are known.
    pub(super) fn find(&self, c: &'static Collection, lookup: &CacheableLookup) -> Option<Vec<Record>> {
        let entry = self.0.get(c.slug)?.iter().find(|entry| entry.answers(lookup))?;
        let keys = ascending(&lookup.keys);
        let mut rows: Vec<&Record> = keys.iter().flat_map(|key| entry.with(*key)).collect();
        if lookup.by != ID {
            rows.sort_by_key(|row| row.get(ID).int());
        }
        let part = |row: &&Record| {
            if row.slots() == Some(&lookup.slots) {
                return (*row).clone();
            }
            let values = lookup.slots.iter().map(|slot| row.get(*slot).clone());
            Record::part(c.width(), &lookup.slots, values.collect())
        };
        Some(rows.iter().map(part).collect())
    }

    /// Remembers what a look-up found.
    pub(super) fn keep(&mut self, c: &'static Collection, lookup: CacheableLookup, records: &[Record]) {
        if records.len() > MOST {
            return;
        }
        let row = |record: &Record| Some((record.get(lookup.by).int()?, record.clone()));
        let mut rows: Vec<(i64, Record)> = records.iter().filter_map(row).collect();
        rows.sort_by_key(|(key, _)| *key);
        let all = self.0.entry(c.slug).or_default();
        if all.len() >= LOOKUPS {
            all.remove(0);
        }
        all.push(CachedRows { keys: ascending(&lookup.keys), rows, lookup });
    }

    /// These values of rows are written, in the order of the slots, all of which have columns.
    pub(super) fn amended(&mut self, c: &'static Collection, slots: SlotSet, rows: &[(i64, Vec<&Value>)]) {
        let Some(all) = self.0.get_mut(c.slug) else { return };
        let written: Vec<usize> = slots.iter().collect();
        let reads = |entry: &CachedRows| written.iter().any(|slot| entry.lookup.slots.contains(slot));
        all.retain(|entry| entry.is_apart(c, slots) && (entry.lookup.by == ID || !reads(entry)));
        for entry in all.iter_mut().filter(|entry| entry.lookup.by == ID) {
            entry.amend(&written, rows);
        }
    }

    pub(super) fn changed(&mut self, c: &'static Collection) {
        self.0.remove(c.slug);
    }

    /// Anything may be different now.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}
