//! Percentiles and ranks of all values, profile by profile: the values are read in steps, placed in memory (64 bytes for
//! each), and written in steps. A value that changed since it was read is left: its write asked for another run.

use super::values::{SLUG, stands};
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::events::history::Amendments;
use crate::collections::slots::slots;
use crate::derive::index::{Place, RankedValue, standings};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, HookContext, ID, Lookup, Test};

slots!(Values of "index-values" { value, year: "birthYear" });

/// Values that one step reads, and places that one step writes.
const READ: i64 = 5_000;
const WRITTEN: usize = 2_000;

/// A pass over profiles.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranking {
    /// Keys of the profiles that are left; of the last one values may have been read.
    keys: Vec<String>,
    /// The last value that was read.
    after: i64,
    values: Vec<RankedValue>,
    /// What is left to be written.
    places: Vec<Place>,
}

impl Ranking {
    /// Over these profiles.
    pub(super) fn over(keys: Vec<String>) -> Self {
        Self {
            keys,
            ..Self::default()
        }
    }

    /// One step; false when there is none left.
    pub(super) async fn step(&mut self, context: &mut dyn HookContext) -> Result<bool> {
        if !self.places.is_empty() {
            let from = self.places.len().saturating_sub(WRITTEN);
            write(context, self.places.split_off(from)).await?;
            return Ok(true);
        }
        let Some(key) = self.keys.last() else {
            return Ok(false);
        };
        let values = read(context, key, self.after).await?;
        match values.last() {
            Some(last) => {
                self.after = last.id;
                self.values.extend(values);
            }
            None => {
                self.places = standings(std::mem::take(&mut self.values));
                self.keys.pop();
                self.after = 0;
            }
        }
        Ok(true)
    }
}

async fn read(context: &mut dyn BookReader, key: &str, after: i64) -> Result<Vec<RankedValue>> {
    let lookup = Lookup::default()
        .is_in("profileKey", vec![key.into()])
        .test("id", Test::From(Value::Int(after.saturating_add(1))))
        .fields(&["value", "birthYear"])
        .order(&["id"])
        .limit(READ);
    let rows = context.find(SLUG, lookup).await?;
    Ok(rows.iter().filter_map(ranked).collect())
}

fn ranked(row: &Record) -> Option<RankedValue> {
    let s = Values::get();
    Some(RankedValue {
        id: row.get(ID).int()?,
        value: row.get(s.value).num()?,
        year: row.get(s.year).int(),
    })
}

async fn write(context: &mut dyn HookContext, places: Vec<Place>) -> Result<()> {
    let ids = places.iter().map(|place| place.value.id);
    let fields = [
        "value",
        "birthYear",
        "percentile",
        "cohort",
        "cohortSameYear",
        "rank",
    ];
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
