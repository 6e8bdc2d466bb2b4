//! A base from the values of the book, and what another base does to all values before it takes effect.

use super::bases;
use super::built_in::Profile;
use super::estimates::{EvaluatedAnimal, estimates, step};
use super::profiles;
use crate::derive::index::{self, Base, COUNT, Comparison, ComparisonResult, Moments, OwnBase, TRAITS, own_base};
use model::error::Result;
use model::record::time;
use model::registry::HookContext;
use serde_json::{Value as Json, json};

/// Animals of one step; few in the tests of this crate.
const STEP: i64 = if cfg!(test) { 3 } else { 500 };

/// A pass over the animals with an evaluation in force.
#[derive(Debug, Clone)]
pub(super) struct Comparing {
    /// The row of the base.
    base: i64,
    after: i64,
    done: i64,
    part: Part,
}

#[derive(Debug, Clone)]
enum Part {
    /// Values and reliabilities of each trait, of animals that were not archived.
    Sums { values: Box<[Moments; COUNT]>, reliabilities: Box<[Moments; COUNT]>, animals: i64 },
    /// Each profile by the base in force, whose version stands before, and by the other one.
    Compare { version: String, bases: Box<[Base; 2]>, profiles: Vec<(Profile, Comparison)> },
}

impl Comparing {
    /// Of a row of bases; none when it is gone.
    pub(super) async fn of(context: &mut dyn HookContext, base: i64) -> Result<Option<Self>> {
        let Some(is_computed) = bases::is_computed(context, base).await? else {
            return Ok(None);
        };
        let part = match is_computed {
            true => compare(context, base).await?,
            false => Part::Sums { values: Default::default(), reliabilities: Default::default(), animals: 0 },
        };
        Ok(Some(Self { base, after: 0, done: 0, part }))
    }

    /// What it does, and how many animals it has looked at.
    pub(super) fn progress(&self) -> (&'static str, i64) {
        let state = match self.part {
            Part::Sums { .. } => "computing",
            Part::Compare { .. } => "comparing",
        };
        (state, self.done)
    }

    /// One step; false when there is none left.
    pub(super) async fn step(&mut self, context: &mut dyn HookContext) -> Result<bool> {
        if let Some((ids, last)) = step(context, self.after, STEP).await? {
            let animals = estimates(context, &ids).await?;
            self.after = last;
            self.done += i64::try_from(animals.len()).unwrap_or(i64::MAX);
            animals.iter().for_each(|(id, animal)| self.part.add(*id, animal));
            return Ok(true);
        }
        match &self.part {
            Part::Sums { values, reliabilities, animals } => {
                let traits = values.iter().zip(reliabilities.iter()).zip(&TRAITS);
                let traits = traits.filter_map(|((values, reliabilities), one)| {
                    Some(trait_row(one.key, own_base(values, reliabilities)?))
                });
                let traits = Json::Array(traits.collect());
                bases::write_traits(context, self.base, traits, *animals).await?;
                self.part = compare(context, self.base).await?;
                (self.after, self.done) = (0, 0);
                Ok(true)
            }
            Part::Compare { version, profiles, .. } => {
                let results = profiles.iter().map(|(profile, sums)| result(profile, sums.result()));
                let now = time::to_iso(context.now());
                let comparison = json!({"with": version, "at": now, "profiles": results.collect::<Vec<_>>()});
                bases::write_comparison(context, self.base, version, comparison).await?;
                Ok(false)
            }
        }
    }
}

/// Compares a base with the one in force, by the profiles of all animals.
async fn compare(context: &mut dyn HookContext, base: i64) -> Result<Part> {
    let (version, before) = bases::active(context).await?;
    let after = bases::one(context, base).await?;
    let profiles = profiles::open(context).await?;
    Ok(Part::Compare {
        version,
        bases: Box::new([before, after]),
        profiles: (profiles.into_iter()).map(|profile| (profile, Comparison::default())).collect(),
    })
}

impl Part {
    fn add(&mut self, id: i64, animal: &EvaluatedAnimal) {
        match self {
            Self::Sums { .. } if animal.archived => {}
            Self::Sums { values, reliabilities, animals } => {
                *animals += 1;
                let sums = values.iter_mut().zip(reliabilities.iter_mut());
                for ((values, reliabilities), estimate) in sums.zip(&animal.estimates) {
                    if let Some(value) = estimate.value {
                        values.add(value);
                        if let Some(reliability) = estimate.reliability {
                            reliabilities.add(reliability);
                        }
                    }
                }
            }
            Self::Compare { bases, profiles, .. } => {
                for (profile, comparison) in profiles {
                    let by = |base: &Base| index::index(profile.kind, &profile.weights, base, &animal.estimates);
                    let [before, after] = bases.each_ref().map(by).map(|index| index.map(|index| index.value));
                    comparison.add(id, before, after);
                }
            }
        }
    }
}

fn trait_row(key: &str, own: OwnBase) -> Json {
    json!({
        "id": key,
        "trait": key,
        "mean": own.base.mean,
        "sd": own.base.sd,
        "sdObserved": own.observed,
        "meanR": own.reliability,
        "n": own.n,
    })
}

fn result(profile: &Profile, result: ComparisonResult) -> Json {
    let moments = |(animals, mean, sd)| json!({"animals": animals, "mean": mean, "sd": sd});
    json!({
        "profileKey": profile.key,
        "profileName": profile.name,
        "animals": result.n,
        "before": moments(result.before),
        "after": moments(result.after),
        "correlation": result.correlation,
        "top": result.top,
        "stayInTop": result.stay,
    })
}
