//! The values of the animals of a write, computed in its transaction.

use super::runs::{self, Work};
use super::values::{self, SLUG, stands};
use super::{estimates, profiles};
use crate::collections::dictionaries::lookups::related;
use crate::collections::events::history::Amendments;
use crate::collections::slots::slots;
use crate::derive::index::{MANY, Standing};
use model::error::Result;
use model::record::Value;
use model::registry::{BookReader, HookContext, Lookup, Test};
use std::collections::BTreeSet;

slots!(Values of "index-values" { animal, profile: "profileKey", value, year: "birthYear" });

/// Animals of one write up to which it computes their values; those of more follow in a run.
const WRITE: usize = 500;
/// Animals of one write up to which it is counted at once where they stand.
const FEW: usize = 8;
/// Rows that are counted for one number: cohorts that are larger wait for the run.
const MOST: i64 = 20_000;

/// Computes the values of animals of which the evaluation, the exterior or the owner may have changed. Where
/// they stand is counted at once for few animals; those that they overtake follow in a run.
pub(crate) async fn follow(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    if context.loads() || ids.len() > WRITE {
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
    let changed = values::compute(context, ids, &animals, &profiles, None).await?;
    if changed.is_empty() {
        return Ok(());
    }
    stand(context, &changed).await
}

/// Finds out where values of animals stand that were born in another year than the book said.
pub(crate) async fn follow_births(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let rows = related(context, SLUG, "animal", ids.iter().copied(), &["animal"]).await?;
    let animals = rows.iter().filter_map(|row| row.get(Values::get().animal).int());
    let animals: BTreeSet<i64> = animals.collect();
    match animals.is_empty() {
        true => Ok(()),
        false => stand(context, &animals).await,
    }
}

async fn stand(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let work = match ids.len() <= FEW {
        true => {
            count(context, ids).await?;
            Work::STANDINGS_LATER
        }
        false => Work::STANDINGS,
    };
    runs::request(context, runs::BOOK, None, work).await
}

/// Counts where the values of animals stand.
async fn count(context: &mut dyn HookContext, ids: &BTreeSet<i64>) -> Result<()> {
    let s = Values::get();
    let rows = context.find(SLUG, Lookup::by_ids("animal", ids.iter().copied())).await?;
    let mut amendments = Amendments::default();
    for row in &rows {
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
