//! The values of the animals of a write, computed in its transaction.

use super::runs::{self, Work};
use super::values::{self, SLUG, ValueChanges, stands};
use super::{estimates, profiles};
use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::events::history::Amendments;
use crate::collections::slots::slots;
use crate::derive::index::{MANY, Standing};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Command, HookContext, ID, Lookup, Test};
use std::collections::BTreeSet;

slots!(Values of "index-values" { animal, organization, profile: "profileKey", value, year: "birthYear" });

/// Animals of one write up to which it computes their values; those of more follow in a run. Few in the tests of this
/// crate.
const WRITE: usize = if cfg!(test) { 3 } else { 500 };
/// Values of one write up to which it is counted at once where they stand, by at most four statements each.
const FEW: usize = 16;
/// Rows that are counted for one number: cohorts that are larger wait for the run.
const MOST: i64 = 20_000;

/// Computes the values of animals of which the evaluation, the exterior or the owner may have changed. Where
/// they stand is counted at once for few values; those that they overtake follow in a run.
pub(crate) async fn follow(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    if context.loads() || ids.len() > WRITE {
        remove(context, ids).await?;
        return runs::recompute_all(context).await;
    }
    let animals = estimates::estimates(context, ids).await?;
    let profiles = match animals.is_empty() {
        true => Vec::new(),
        false => {
            let owners = animals.values().filter_map(|animal| animal.owner).collect();
            profiles::applying(context, owners).await?
        }
    };
    let changes = values::compute(context, ids, &animals, &profiles, None).await?;
    stand(context, changes).await
}

/// Deletes at once what must not stay until the run: values of animals without an evaluation in force, which it passes
/// over, and those by profiles of others than the owner, who reads all values of the animal.
async fn remove(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let s = Values::get();
    let ids: Vec<i64> = ids.iter().copied().collect();
    for ids in ids.chunks(WRITE) {
        let rows = related(context, SLUG, "animal", ids.iter().copied(), &["animal", "organization"]).await?;
        if rows.is_empty() {
            continue;
        }
        let animals = estimates::estimates(context, &ids.iter().copied().collect()).await?;
        let applies = |row: &&Record| {
            let animal = row.get(s.animal).int().and_then(|id| animals.get(&id));
            animal.is_some_and(|animal| row.get(s.organization).int().is_none_or(|id| animal.owner == Some(id)))
        };
        let gone = rows.iter().filter(|row| !applies(row)).filter_map(|row| row.get(ID).int());
        context.write(SLUG, gone.map(Command::Delete).collect()).await?;
    }
    Ok(())
}

/// Finds out where values of animals stand that were born in another year than the book said.
pub(crate) async fn follow_births(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let rows = related(context, SLUG, "animal", ids.iter().copied(), &["profileKey", "organization"]).await?;
    let values = rows.iter().filter_map(|row| row.get(ID).int());
    let mut changes = ValueChanges { rows: values.collect(), ..ValueChanges::default() };
    rows.iter().for_each(|row| changes.note_row(row));
    stand(context, changes).await
}

async fn stand(context: &mut dyn HookContext, changes: ValueChanges) -> Result<()> {
    let work = match changes.rows.len() <= FEW {
        true => {
            count(context, changes.rows).await?;
            Work::STANDINGS_LATER
        }
        false => Work::STANDINGS,
    };
    runs::request(context, changes.subjects, work).await
}

/// Counts where values stand.
async fn count(context: &mut dyn HookContext, ids: BTreeSet<i64>) -> Result<()> {
    let s = Values::get();
    let rows = by_id(context, SLUG, ids, &[]).await?;
    let mut amendments = Amendments::default();
    for row in rows.values() {
        let (Some(key), Some(value)) = (row.get(s.profile).text(), row.get(s.value).num()) else {
            continue;
        };
        if let Some(standing) = standing(context, key, value, row.get(s.year)).await? {
            amendments.note(row, stands(Some(standing)));
        }
    }
    amendments.write(context, SLUG).await
}

/// Where a value stands, and whether among those of its year; none in a cohort that is too large to be counted.
async fn standing(
    context: &mut dyn BookReader,
    key: &str,
    value: f64,
    year: &Value,
) -> Result<Option<(Standing, bool)>> {
    let of_profile = || Lookup::default().is_in("profileKey", vec![key.into()]);
    let of_year = || of_profile().is_in("birthYear", vec![year.clone()]);
    let in_year = match year.is_null() {
        true => 0,
        false => context.count(SLUG, of_year(), MOST + 1).await?,
    };
    let same_year = in_year >= MANY;
    let cohort = || if same_year { of_year() } else { of_profile() };
    let all = match same_year {
        true => in_year,
        false => context.count(SLUG, of_profile(), MOST + 1).await?,
    };
    if all > MOST {
        return Ok(None);
    }
    let below = cohort().test("value", Test::Before(value.into()));
    let equal = cohort().is_in("value", vec![value.into()]);
    let standing = Standing {
        below: context.count(SLUG, below, MOST).await?,
        equal: context.count(SLUG, equal, MOST).await?,
        all,
    };
    Ok(Some((standing, same_year)))
}
