//! Which row of the book a row of a file is: by its id, by unique keys, by the natural key of the declaration.

use model::error::Result;
use model::record::zone::is_day;
use model::record::{Record, Value};
use model::registry::{BookReader, Class, Collection, Field, ID, Kind, Lookup, Test};
use ops::WriteTransaction;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// Values of a key, comparable. Days are those of the places of the rows.
pub(super) type Key = (usize, Vec<String>);

/// A row of a file as values.
pub(super) type Values = BTreeMap<usize, Value>;

#[derive(Debug)]
pub(super) struct Keys {
    collection: &'static Collection,
    all: Vec<(Vec<usize>, bool)>,
    /// Whether the rows are a farm's.
    farm: bool,
}

impl Keys {
    pub(super) fn of(collection: &'static Collection, farm: bool) -> Self {
        let all = collection.recognised();
        Self { collection, all, farm }
    }

    /// Whether a row without any key lacks a field that it must have.
    pub(super) fn must_come(&self) -> bool {
        let mut slots = self.all.iter().flat_map(|(slots, _)| slots);
        slots.any(|slot| self.collection.fields.get(*slot).is_some_and(Field::must_come))
    }

    /// The field that a message about the key of a row is about.
    pub(super) fn path(&self, filled: &[Key]) -> String {
        let slot = filled.first().and_then(|(place, _)| self.all.get(*place)).and_then(|(slots, _)| slots.first());
        let field = slot.and_then(|slot| self.collection.fields.get(*slot));
        field.map_or_else(|| "id".to_owned(), |field| field.path.clone())
    }

    /// The keys that a row fills, the strictest first.
    pub(super) fn filled(&self, values: &Values) -> Vec<Key> {
        let c = self.collection;
        let keys = self.all.iter().enumerate().filter_map(|(place, (slots, whole))| {
            let parts = slots.iter().map(|slot| {
                let stated = values.get(slot).filter(|v| !v.is_null());
                let default = c.fields.get(*slot).and_then(|f| f.begins(self.farm));
                let value = stated.or(default.as_ref()).unwrap_or(&Value::Null);
                (stated.is_some(), part(c, *slot, value))
            });
            let parts: Vec<(bool, String)> = parts.collect();
            let filled = match whole {
                true => parts.iter().all(|(_, text)| !text.is_empty()),
                // A natural key has its animal, or whatever it begins with, or its name.
                false => parts.iter().any(|(stated, _)| *stated),
            };
            filled.then(|| (place, parts.into_iter().map(|(_, text)| text).collect()))
        });
        keys.collect()
    }

    /// Whether a row of the book can be the row of a file that was recognised by a natural key: no
    /// strict key of the two differs.
    fn agrees(&self, record: &Record, keys: &[Key]) -> bool {
        keys.iter().all(|(place, texts)| {
            let Some((slots, true)) = self.all.get(*place).map(|(s, w)| (s, *w)) else { return true };
            let own: Vec<String> = slots.iter().map(|s| part(self.collection, *s, record.get(*s))).collect();
            own.iter().any(String::is_empty) || own == *texts
        })
    }

    /// The values of rows of the file with their days on the clocks of their places.
    async fn placed<'r>(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[(Option<i64>, &'r Values)],
    ) -> Result<Vec<Cow<'r, Values>>> {
        let c = self.collection;
        let instant = |(slot, value): (&usize, &Value)| {
            c.fields.get(*slot).is_some_and(|f| f.kind == Kind::Day) && value.time().is_some_and(|at| !is_day(at))
        };
        let all = || rows.iter().map(|(_, values)| *values);
        if !all().any(|values| values.iter().any(instant)) {
            return Ok(all().map(Cow::Borrowed).collect());
        }
        let record = |values: &Values| {
            let mut record = Record::empty(c.width());
            values.iter().for_each(|(slot, value): (&usize, &Value)| record.set(*slot, value.clone()));
            record
        };
        let placed = c.hooks.placed(c, work, all().map(record).collect()).await?;
        let values = |(own, row): (&Values, &Record)| {
            let value = |(slot, own): (&usize, &Value)| match c.fields.get(*slot).map(|f| &f.kind) {
                Some(Kind::Instant) => (*slot, own.clone()),
                _ => (*slot, row.get(*slot).clone()),
            };
            Cow::Owned(own.iter().map(value).collect())
        };
        Ok(all().zip(&placed).map(values).collect())
    }

    /// The rows of the book by id, and for each row of the file those that it may be.
    pub(super) async fn candidates(
        &self,
        work: &mut WriteTransaction<'_>,
        rows: &[(Option<i64>, &Values)],
    ) -> Result<Vec<Vec<Record>>> {
        let c = self.collection;
        let mut records: BTreeMap<i64, Record> = BTreeMap::new();
        let ids: Vec<i64> = rows.iter().filter_map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            keep(work.find(c.slug, Lookup::by_ids("id", ids)).await?, &mut records);
        }
        let own = self.placed(work, rows).await?;
        let filled: Vec<Vec<Key>> = (rows.iter().zip(&own))
            .map(|((id, _), values)| match id {
                Some(_) => Vec::new(),
                None => self.filled(values),
            })
            .collect();
        let mut by_key: BTreeMap<Key, BTreeSet<i64>> = BTreeMap::new();
        for (place, (slots, _)) in self.all.iter().enumerate() {
            let having: Vec<&Values> = (rows.iter().zip(&filled))
                .filter(|(_, keys)| keys.iter().any(|(p, _)| *p == place))
                .map(|((_, values), _)| *values)
                .collect();
            if having.is_empty() {
                continue;
            }
            let stored = work.find(c.slug, lookup(c, slots, &having)).await?;
            let placed = c.hooks.placed(c, work, stored.clone()).await?;
            for (record, own) in placed.iter().zip(&stored) {
                let value = |slot: usize| match c.fields.get(slot).map(|field| &field.kind) {
                    // Only days are those of the place; an instant is the same everywhere.
                    Some(Kind::Instant) => own.get(slot),
                    _ => record.get(slot),
                };
                let key = (place, slots.iter().map(|slot| part(c, *slot, value(*slot))).collect());
                by_key.entry(key).or_default().insert(record.get(ID).int().unwrap_or_default());
            }
            keep(stored, &mut records);
        }
        // What the caller does not read is not there for it.
        let readable = work.reads(c.slug, Class::Row, records.keys().copied().collect()).await?;
        records.retain(|id, _| readable.contains(id));
        let all = rows.iter().zip(&filled).map(|((id, _), keys)| {
            if let Some(id) = id {
                return records.get(id).cloned().into_iter().collect();
            }
            for key in keys {
                let strict = self.all.get(key.0).is_some_and(|(_, whole)| *whole);
                let ids = by_key.get(key).into_iter().flatten();
                let fits = |record: &&Record| strict || self.agrees(record, keys);
                let fitting: Vec<Record> = ids.filter_map(|id| records.get(id)).filter(fits).cloned().collect();
                if !fitting.is_empty() {
                    return fitting;
                }
            }
            Vec::new()
        });
        Ok(all.collect())
    }
}

fn keep(rows: Vec<Record>, records: &mut BTreeMap<i64, Record>) {
    for record in rows {
        if let Some(id) = record.get(ID).int() {
            records.insert(id, record);
        }
    }
}

/// Rows that may have one of these keys: by what selects best, the rest is compared afterwards.
fn lookup(c: &'static Collection, slots: &[usize], rows: &[&Values]) -> Lookup {
    let mut lookup = Lookup::default();
    let mut chosen = false;
    let field = |slot: &usize| c.fields.get(*slot);
    // A relation first, or the only part; then the days in between.
    let mut ordered: Vec<&usize> = slots.iter().collect();
    ordered.sort_by_key(|slot| match field(slot).map(|f| &f.kind) {
        Some(Kind::Relation(_)) => 0,
        Some(Kind::Text(_) | Kind::Email) => 1,
        Some(Kind::Day | Kind::Instant) => 2,
        _ => 3,
    });
    for slot in ordered {
        let Some(field) = field(slot) else { continue };
        let values = rows.iter().filter_map(|values| values.get(slot));
        match &field.kind {
            Kind::Day | Kind::Instant => {
                let times: Vec<i64> = values.filter_map(Value::time).collect();
                if let (true, Some(first), Some(last)) =
                    (times.len() == rows.len(), times.iter().min(), times.iter().max())
                {
                    // Times of a day of a place may be of the UTC day beside it.
                    let from = (first.div_euclid(DAY) - 1) * DAY;
                    let until = (last.div_euclid(DAY) + 2) * DAY;
                    lookup = lookup
                        .test(&field.path, Test::From(Value::Time(from)))
                        .test(&field.path, Test::Before(Value::Time(until)));
                    chosen = true;
                }
            }
            Kind::Relation(_) | Kind::Text(_) | Kind::Email if !chosen => {
                let mut unique = BTreeSet::new();
                let values = values.filter(|v| !v.is_null());
                let values: Vec<Value> = values.filter(|v| unique.insert(part(c, *slot, v))).cloned().collect();
                // Rows that leave it out are looked for by another part.
                let all = rows.iter().all(|r| r.get(slot).is_some_and(|v| !v.is_null()));
                if all && !values.is_empty() {
                    lookup = lookup.is_in(&field.path, values);
                    chosen = true;
                }
            }
            _ => {}
        }
    }
    lookup
}

/// A part of a key as text; empty when it is not filled.
pub(super) fn part(c: &Collection, slot: usize, value: &Value) -> String {
    let day = c.fields.get(slot).is_some_and(|f| f.kind == Kind::Day);
    match value {
        Value::Null => String::new(),
        Value::Time(ms) if day => ms.div_euclid(DAY).to_string(),
        Value::Time(ms) => ms.to_string(),
        Value::Text(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Num(number) => number.to_string(),
        Value::Ids(_) | Value::Texts(_) | Value::Json(_) => String::new(),
    }
}
