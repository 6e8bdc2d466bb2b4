//! Percentiles and ranks of all values, profile by profile: the values are read in steps, placed in memory (64 bytes for
//! each), and written in steps. A value that changed since it was read is left: its write requested another run.

use super::values::{SLUG, stands};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::events::history::Amendments;
use crate::collections::slots::slots;
use crate::derive::index::{PlacedValue, RankedValue, standings};
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

slots!(Values of "index-values" { value, year: "birthYear" });

/// Values that one step reads, and places that one step writes; few in the tests of this crate, so that they make
/// several steps.
const READ: i64 = if cfg!(test) { 2 } else { 5_000 };
const WRITE: usize = if cfg!(test) { 3 } else { 2_000 };

/// A pass over profiles.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranking {
    /// Keys of the profiles that are left; of the last one values may have been read.
    keys: Vec<String>,
    /// The values that were read, in ascending order.
    values: Vec<RankedValue>,
    /// What is left to be written.
    places: Vec<PlacedValue>,
}

impl Ranking {
    /// Over these profiles.
    pub(super) fn over(keys: Vec<String>) -> Self {
        Self { keys, ..Self::default() }
    }

    /// One step; false when there is none left.
    pub(super) async fn step(&mut self, context: &mut dyn HookContext) -> Result<bool> {
        if !self.places.is_empty() {
            let from = self.places.len().saturating_sub(WRITE);
            write(context, self.places.split_off(from)).await?;
            return Ok(true);
        }
        let Some(key) = self.keys.last() else {
            return Ok(false);
        };
        let values = read(context, key, &self.values).await?;
        if values.is_empty() {
            self.places = standings(std::mem::take(&mut self.values));
            self.keys.pop();
        }
        self.values.extend(values);
        Ok(true)
    }
}

/// The values of a profile behind those that were read: along the index by value, which serves any part of it.
async fn read(context: &mut dyn BookReader, key: &str, before: &[RankedValue]) -> Result<Vec<RankedValue>> {
    let mut lookup = Lookup::default().is_in("profileKey", vec![key.into()]);
    let mut equal = BTreeSet::new();
    if let Some(last) = before.last() {
        lookup = lookup.test("value", Test::From(last.value.into()));
        let last = before.iter().rev().take_while(|one| one.value == last.value);
        equal.extend(last.map(|one| one.id));
    }
    // As many as before have the lowest value again.
    let limit = READ.saturating_add(i64::try_from(equal.len()).unwrap_or(i64::MAX));
    let lookup = lookup.fields(&["value", "birthYear"]);
    let rows = context.find(SLUG, lookup.order(&["value"]).limit(limit)).await?;
    let values = rows.iter().filter_map(ranked);
    let mut values: Vec<RankedValue> = values.filter(|one| !equal.contains(&one.id)).collect();
    values.sort_by(|a, b| a.value.total_cmp(&b.value));
    Ok(values)
}

fn ranked(row: &Record) -> Option<RankedValue> {
    let s = Values::get();
    Some(RankedValue { id: row.get(ID).int()?, value: row.get(s.value).num()?, year: row.get(s.year).int() })
}

async fn write(context: &mut dyn HookContext, places: Vec<PlacedValue>) -> Result<()> {
    let ids = places.iter().map(|place| place.value.id);
    let fields = ["value", "birthYear", "percentile", "cohort", "cohortSameYear", "rank"];
    let rows = by_id(context, SLUG, ids, &fields).await?;
    let mut amendments = Amendments::default();
    for place in places {
        if let Some(row) = rows.get(&place.value.id)
            && ranked(row) == Some(place.value)
        {
            amendments.note(row, stands(Some((place.standing, place.same_year))));
        }
    }
    amendments.write(context, SLUG).await
}
