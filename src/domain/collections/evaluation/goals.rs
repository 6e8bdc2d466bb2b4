//! What matings are to improve (docs/mating.md, *Goal*): an index, or traits with weights.

use super::traits::FARTHEST_VALUE;
use crate::collections::registry;
use crate::derive::index::TRAITS;
use model::record::Record;
use model::registry::Collection;
use serde_json::{Value as Json, json};

/// The goal of a plan of matings.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// The value by a profile, by its key.
    Profile(String),
    /// The sum of the breeding values of the evaluation in force, each times its weight per unit of the trait and the
    /// direction of the trait, as in an economic profile: of calf mortality a positive weight means less.
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

    /// The collection whose rows have the values.
    #[must_use]
    pub const fn collection(&self) -> &'static str {
        match self {
            Self::Profile(_) => "index-values",
            Self::Weights(_) => "animal-evaluations",
        }
    }

    /// The rows of animals that have the values, as a condition.
    #[must_use]
    pub fn condition(&self, animals: &[i64]) -> Json {
        let own = match self {
            Self::Profile(key) => json!({"profileKey": {"equals": key}}),
            Self::Weights(_) => json!({"isCurrent": {"equals": true}}),
        };
        json!({"and": [{"animal": {"in": animals}}, own]})
    }

    /// The fields of such a row that are read.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let values: Vec<String> = match self {
            Self::Profile(_) => vec!["value".to_owned()],
            Self::Weights(weights) => weights.iter().map(|(name, _)| path(name)).collect(),
        };
        std::iter::once("animal".to_owned()).chain(values).collect()
    }

    /// The animal of a row and its value; no value where one of the traits has none.
    #[must_use]
    pub fn value(&self, row: &Record) -> Option<(i64, f64)> {
        let c = registry().ok()?.get(self.collection())?;
        let number = |path: &str| row.get(c.slot(path)?).num();
        let value = match self {
            Self::Profile(_) => number("value")?,
            Self::Weights(weights) => {
                let parts = weights.iter().map(|(name, weight)| Some(weight * direction(name) * number(&path(name))?));
                parts.sum::<Option<f64>>()?
            }
        };
        Some((row.get(animal(c)?).int()?, value))
    }
}

fn animal(c: &Collection) -> Option<usize> {
    c.slot(c.animal?)
}

fn direction(name: &str) -> f64 {
    let of_name = TRAITS.iter().find(|one| one.key == name);
    of_name.map_or(1.0, |one| one.direction)
}

/// Where an evaluation has the breeding value of a trait.
fn path(name: &str) -> String {
    match name.ends_with("Composite") {
        true => format!("exterior.{name}"),
        false => format!("{name}Forecast"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::Value;

    #[test]
    fn every_trait_of_an_index_stands_in_an_evaluation() {
        let weights = Goal::traits().map(|name| (name, 1.0)).collect();
        let goal = Goal::Weights(weights);
        let c = registry().unwrap().get(goal.collection()).unwrap();
        for path in goal.fields() {
            assert!(c.slot(&path).is_some(), "{path}");
        }
        assert_eq!(goal.fields().len(), 12);
        assert_eq!((Goal::of_traits("milk"), Goal::of_traits("mlik")), (Some("milk"), None));
    }

    #[test]
    fn the_value_of_a_row_is_the_sum_by_weights() {
        let goal = Goal::Weights(vec![("milk", 0.5), ("udderComposite", -10.0), ("calfMortality", 2.0)]);
        let c = registry().unwrap().get(goal.collection()).unwrap();
        let mut row = Record::partial(c.width());
        row.set(c.at("animal"), Value::Int(7));
        row.set(c.at("milkForecast"), Value::Num(300.0));
        assert_eq!(goal.value(&row), None, "one trait is missing");
        row.set(c.at("exterior.udderComposite"), Value::Num(1.5));
        row.set(c.at("calfMortalityForecast"), Value::Num(1.0));
        // Fewer losses are better.
        assert_eq!(goal.value(&row), Some((7, 133.0)));
        let profile = Goal::Profile("association".to_owned());
        let c = registry().unwrap().get(profile.collection()).unwrap();
        let mut row = Record::partial(c.width());
        row.set(c.at("animal"), Value::Int(8));
        row.set(c.at("value"), Value::Num(55.5));
        assert_eq!(profile.value(&row), Some((8, 55.5)));
    }
}
