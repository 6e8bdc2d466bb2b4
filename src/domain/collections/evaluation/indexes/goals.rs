//! What matings are to improve (docs/mating.md, *Goal*): an index, or traits with weights.

use super::profiles::key_of;
use super::values::SLUG;
use super::{bases, estimates, profiles};
use crate::collections::FieldSet;
use crate::collections::evaluation::traits::FARTHEST_VALUE;
use crate::collections::slots::slots;
use crate::derive::index::{Estimates, TRAITS, index};
use model::error::Result;
use model::registry::{BookReader, Lookup};
use std::collections::{BTreeMap, BTreeSet};

slots!(Values of "index-values" { animal, value });

/// The goal of a plan of matings.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// The value by a profile, by its key.
    Profile(String),
    /// The sum of the breeding values, each times its weight per unit of the trait and the direction of the trait, as in
    /// an economic profile: of calf mortality a positive weight means less.
    Weights(Vec<(&'static str, f64)>),
}

impl Goal {
    /// A trait that a goal may have, by its name.
    #[must_use]
    pub fn of_traits(name: &str) -> Option<&'static str> {
        Self::traits().find(|one| *one == name)
    }

    /// All traits that a goal may have: those of the indexes.
    pub fn traits() -> impl Iterator<Item = &'static str> {
        TRAITS.iter().map(|one| one.key)
    }

    /// The largest weight, in either direction.
    pub const FARTHEST_WEIGHT: f64 = FARTHEST_VALUE;

    /// The values of animals, of the rows that the reader of the book reads. By the profile of a farm, which has values of
    /// its own animals only, they are computed as those are.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn values(&self, context: &mut dyn BookReader, animals: &BTreeSet<i64>) -> Result<BTreeMap<i64, f64>> {
        match self {
            Self::Profile(key) => {
                let id = key.strip_prefix("own:").and_then(|id| id.parse().ok());
                let profile = match id.filter(|id| key_of(*id) == *key) {
                    Some(id) => profiles::one(context, id).await?,
                    None => None,
                };
                let Some(profile) = profile.filter(|profile| profile.organization.is_some()) else {
                    return stored(context, key, animals).await;
                };
                let (_, base) = bases::active(context).await?;
                let value = |of: &Estimates| Some(index(profile.kind, &profile.weights, &base, of)?.value);
                computed(context, animals, value).await
            }
            Self::Weights(weights) => computed(context, animals, |of| sum(weights, of)).await,
        }
    }
}

/// The sum by weights; none where one of the traits has no value.
fn sum(weights: &[(&'static str, f64)], estimates: &Estimates) -> Option<f64> {
    let part = |(name, weight): &(&str, f64)| {
        let mut traits = TRAITS.iter().zip(estimates);
        let (one, estimate) = traits.find(|(one, _)| one.key == *name)?;
        Some(weight * one.direction * estimate.value?)
    };
    weights.iter().map(part).sum()
}

async fn computed(
    context: &mut dyn BookReader,
    animals: &BTreeSet<i64>,
    value: impl Fn(&Estimates) -> Option<f64>,
) -> Result<BTreeMap<i64, f64>> {
    let animals = estimates::estimates(context, animals).await?.into_iter();
    Ok(animals.filter_map(|(id, animal)| Some((id, value(&animal.estimates)?))).collect())
}

async fn stored(context: &mut dyn BookReader, key: &str, animals: &BTreeSet<i64>) -> Result<BTreeMap<i64, f64>> {
    let s = Values::get();
    let lookup = Lookup::by_ids("animal", animals.iter().copied()).is_in("profileKey", vec![key.into()]);
    let rows = context.find(SLUG, lookup.fields(Values::PATHS)).await?;
    Ok(rows.iter().filter_map(|row| row.get(s.animal).int().zip(row.get(s.value).num())).collect())
}
