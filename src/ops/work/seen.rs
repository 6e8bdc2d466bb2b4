//! Rows that a running write has read: rules, hooks and the projection ask for the same ones one
//! after another. A write to a collection removes its rows from here.

use model::record::{Record, Value};
use model::registry::{Collection, Field, ID, Lookup, Test};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that are remembered of one look-up at most; further rows are looked up again.
const MOST: usize = 5_000;
/// Look-ups that are remembered of one collection.
const LOOKUPS: usize = 4;

/// Values that a further condition of such a look-up has at most.
const FEW: usize = 16;

/// A look-up that may be remembered: by one number first, of columns only.
#[derive(Debug)]
pub(super) struct Asked {
    by: usize,
    keys: Vec<i64>,
    /// The other conditions.
    besides: Vec<(String, Test)>,
    slots: Arc<[usize]>,
}

impl Asked {
    /// None of a look-up of another kind.
    pub(super) fn of(c: &Collection, lookup: &Lookup) -> Option<Self> {
        let ([(path, Test::In(values)), besides @ ..], None) =
            (lookup.all.as_slice(), &lookup.instead)
        else {
            return None;
        };
        let long = |test: &Test| matches!(test, Test::In(values) if values.len() > FEW);
        if besides.iter().any(|(_, test)| long(test)) {
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
        let keys = values
            .iter()
            .map(Value::int)
            .collect::<Option<Vec<i64>>>()?;
        let fits = keys.len() <= MOST && stored.all(Field::stored);
        fits.then(|| Self {
            by,
            keys,
            besides: besides.to_vec(),
            slots: slots.into(),
        })
    }
}

#[derive(Debug)]
struct Found {
    asked: Asked,
    /// Ascending.
    keys: Vec<i64>,
    /// With the key that each was found by, by which they ascend.
    rows: Vec<(i64, Record)>,
}

impl Found {
    fn answers(&self, asked: &Asked) -> bool {
        self.asked.by == asked.by
            && self.asked.besides == asked.besides
            && (asked.keys.iter()).all(|key| self.keys.binary_search(key).is_ok())
            && (asked.slots.iter()).all(|slot| self.asked.slots.binary_search(slot).is_ok())
    }

    /// The rows with a key.
    fn with(&self, key: i64) -> impl Iterator<Item = &Record> {
        let from = self.rows.partition_point(|(at, _)| *at < key);
        let rest = self.rows.get(from..).unwrap_or_default().iter();
        rest.take_while(move |(at, _)| *at == key)
            .map(|(_, row)| row)
    }
}

/// Each key once.
fn ascending(keys: &[i64]) -> Vec<i64> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// What was read, by collection.
#[derive(Debug, Default)]
pub(super) struct Seen(BTreeMap<&'static str, Vec<Found>>);

impl Seen {
    /// The rows of a look-up, if they are known.
    pub(super) fn find(&self, c: &'static Collection, asked: &Asked) -> Option<Vec<Record>> {
        let mut all = self.0.get(c.slug)?.iter();
        let found = all.find(|found| found.answers(asked))?;
        let rows = ascending(&asked.keys);
        let rows = rows.iter().flat_map(|key| found.with(*key));
        let mut rows: Vec<&Record> = rows.collect();
        if asked.by != ID {
            rows.sort_by_key(|row| row.get(ID).int());
        }
        let part = |row: &&Record| {
            if asked.slots == found.asked.slots {
                return (*row).clone();
            }
            let values = asked.slots.iter().map(|slot| row.get(*slot).clone());
            Record::part(c.width(), &asked.slots, values.collect())
        };
        Some(rows.iter().map(part).collect())
    }

    /// Remembers what a look-up found.
    pub(super) fn keep(&mut self, c: &'static Collection, asked: Asked, records: &[Record]) {
        if records.len() > MOST {
            return;
        }
        let row = |record: &Record| Some((record.get(asked.by).int()?, record.clone()));
        let mut rows: Vec<(i64, Record)> = records.iter().filter_map(row).collect();
        rows.sort_by_key(|(key, _)| *key);
        let all = self.0.entry(c.slug).or_default();
        if all.len() >= LOOKUPS {
            all.remove(0);
        }
        all.push(Found {
            keys: ascending(&asked.keys),
            rows,
            asked,
        });
    }

    /// How many rows it holds, counted once for each look-up.
    pub(super) fn len(&self) -> usize {
        let found = self.0.values().flatten();
        found.map(|found| found.rows.len()).sum()
    }

    /// A collection is written to.
    pub(super) fn changed(&mut self, c: &'static Collection) {
        self.0.remove(c.slug);
    }

    /// Anything may be different now.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}
