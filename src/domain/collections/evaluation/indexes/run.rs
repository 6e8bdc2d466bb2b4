//! A run, step by step: each step is a transaction, and what it has done stands in the row of the run. Whoever takes a
//! run over goes on with the values behind the cursor; places and comparisons are made anew.

use super::comparing::Comparing;
use super::ranking::Ranking;
use super::runs::{self, Subject};
use super::values::{self, SLUG};
use super::{built_in, estimates, profiles};
use model::error::Result;
use model::record::Value;
use model::registry::{Command, HookContext, ID, Lookup};
use std::collections::BTreeSet;

/// Animals of one step, and values of a profile that is gone; few in the tests of this crate.
const STEP: i64 = if cfg!(test) { 3 } else { 500 };
const GONE: i64 = if cfg!(test) { 2 } else { 2_000 };

/// A run that goes on.
#[derive(Debug, Clone)]
pub struct IndexRun(Phase);

#[derive(Debug, Clone)]
enum Phase {
    /// Values of all profiles, or of one.
    Values {
        profile: Option<i64>,
        after: i64,
        done: i64,
    },
    Ranking(Box<Ranking>),
    Comparing(Box<Comparing>),
    /// Values of a profile that is gone.
    Removing(i64),
}

/// One step of the run of a job; the first one takes it. None when there is no further one.
///
/// # Errors
/// Those of the context.
pub async fn index_step(context: &mut dyn HookContext, id: i64, run: Option<IndexRun>) -> Result<Option<IndexRun>> {
    let phase = match run {
        None => begin(context, id).await?,
        Some(IndexRun(phase)) => step(context, id, phase).await?,
    };
    Ok(phase.map(IndexRun))
}

async fn begin(context: &mut dyn HookContext, id: i64) -> Result<Option<Phase>> {
    let Some(start) = runs::start(context, id).await? else {
        return Ok(None);
    };
    let profile = match start.subject {
        Subject::Base(base) => {
            let Some(comparing) = Comparing::of(context, base).await? else {
                runs::drop_run(context, id).await?;
                return Ok(None);
            };
            let animals = evaluated(context).await?;
            runs::begin(context, id, animals).await?;
            return Ok(Some(Phase::Comparing(Box::new(comparing))));
        }
        Subject::Own(profile) if profiles::one(context, profile).await?.is_none() => {
            return Ok(Some(Phase::Removing(profile)));
        }
        Subject::Own(profile) => Some(profile),
        Subject::Book => None,
    };
    let Some(after) = start.cursor else {
        let built_in = || built_in::profiles().into_iter().map(|one| one.key).collect();
        let keys = profile.map_or_else(built_in, |profile| vec![profiles::key_of(profile)]);
        return ranking(context, id, keys).await.map(Some);
    };
    let owner = match profile {
        Some(profile) => profiles::one(context, profile).await?.and_then(|one| one.organization),
        None => None,
    };
    let animals = match owner {
        Some(owner) => context.count("animals", Lookup::by_ids("owner", [owner]), i64::MAX).await?,
        None => evaluated(context).await?,
    };
    runs::begin(context, id, animals).await?;
    Ok(Some(Phase::Values { profile, after, done: start.done }))
}

/// Animals with an evaluation in force.
async fn evaluated(context: &mut dyn HookContext) -> Result<i64> {
    let lookup = Lookup::default().is_in("isCurrent", vec![Value::Bool(true)]);
    context.count("animal-evaluations", lookup, i64::MAX).await
}

async fn step(context: &mut dyn HookContext, id: i64, phase: Phase) -> Result<Option<Phase>> {
    match phase {
        Phase::Values { profile, after, done } => match compute(context, profile, after).await? {
            Some((last, animals)) => {
                let done = done.saturating_add(animals);
                runs::advance(context, id, (last, done)).await?;
                Ok(Some(Phase::Values { profile, after: last, done }))
            }
            None => {
                let keys = match profile {
                    Some(profile) => vec![profiles::key_of(profile)],
                    None => profiles::keys(context).await?,
                };
                ranking(context, id, keys).await.map(Some)
            }
        },
        Phase::Ranking(mut ranking) => match ranking.step(context).await? {
            true => Ok(Some(Phase::Ranking(ranking))),
            false => runs::finish(context, id).await.map(|()| None),
        },
        Phase::Comparing(mut comparing) => match comparing.step(context).await? {
            true => {
                runs::advance_comparison(context, id, comparing.progress()).await?;
                Ok(Some(Phase::Comparing(comparing)))
            }
            false => runs::finish(context, id).await.map(|()| None),
        },
        Phase::Removing(profile) => {
            let key = profiles::key_of(profile);
            let lookup = Lookup::default().is_in("profileKey", vec![key.as_str().into()]);
            let rows = context.find(SLUG, lookup.fields(&["id"]).limit(GONE)).await?;
            let gone = rows.iter().filter_map(|row| row.get(ID).int());
            let gone: Vec<Command> = gone.map(Command::Delete).collect();
            if gone.is_empty() {
                return runs::drop_run(context, id).await.map(|()| None);
            }
            context.write(SLUG, gone).await?;
            Ok(Some(Phase::Removing(profile)))
        }
    }
}

async fn ranking(context: &mut dyn HookContext, id: i64, keys: Vec<String>) -> Result<Phase> {
    runs::goes_over(context, id, "ranking").await?;
    Ok(Phase::Ranking(Box::new(Ranking::over(keys))))
}

/// Computes the values of some animals; the last row that was read, and how many animals there were. None at the end.
async fn compute(context: &mut dyn HookContext, profile: Option<i64>, after: i64) -> Result<Option<(i64, i64)>> {
    let own = match profile {
        Some(profile) => profiles::one(context, profile).await?,
        None => None,
    };
    if profile.is_some() && own.is_none() {
        // It was deleted, for which there is a run.
        return Ok(None);
    }
    let owner = own.as_ref().and_then(|own| own.organization);
    let animals = match owner {
        Some(owner) => estimates::step_of_owner(context, owner, after, STEP).await?,
        None => estimates::step(context, after, STEP).await?,
    };
    let Some((ids, last)) = animals else {
        return Ok(None);
    };
    let animals = estimates::estimates(context, &ids).await?;
    match own {
        Some(own) => {
            let profiles = std::slice::from_ref(&own);
            values::compute(context, &ids, &animals, profiles, Some(&own.key)).await?;
        }
        None => {
            let owners: BTreeSet<i64> = animals.values().filter_map(|one| one.owner).collect();
            let profiles = profiles::applying(context, owners).await?;
            values::compute(context, &ids, &animals, &profiles, None).await?;
        }
    }
    Ok(Some((last, i64::try_from(ids.len()).unwrap_or(i64::MAX))))
}
