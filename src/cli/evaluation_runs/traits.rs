//! The traits of an evaluation: what their records are, and with which variances they are evaluated.

use super::inputs::{Inputs, LactationRecord, SCORES};
use breeding::{Effect, Evaluation, Fault, Parameters, Pedigree, Records, Solver, evaluate};
use domain::collections::evaluations::LINEAR;
use domain::derive::index::MANY;
use serde_json::{Value as Json, json};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Parities of lactations that have an effect of their own; later ones count as the last of them.
const PARITIES: i64 = 5;
/// A linear trait is shown in deviations of this size at most, as on the charts of bulls.
const WIDEST: f64 = 3.0;

#[derive(Debug, Clone, Copy)]
pub(super) struct EvaluatedTrait {
    /// Its name in evaluations.
    pub(super) key: &'static str,
    value: TraitValue,
    pub(super) parameters: Parameters,
}

#[derive(Debug, Clone, Copy)]
enum TraitValue {
    /// Of a lactation; −1 where less is better.
    Lactation(fn(&LactationRecord) -> Option<f64>, f64),
    /// A linear trait, by its place.
    Linear(usize),
}

const fn share(heritability: f64, repeatability: f64) -> Parameters {
    Parameters { heritability, repeatability }
}

/// All of them, with the variances of the base `CDCB-2025-metric`.
pub(super) fn all() -> Vec<EvaluatedTrait> {
    let of = |key, value, direction, parameters| EvaluatedTrait {
        key,
        value: TraitValue::Lactation(value, direction),
        parameters,
    };
    let mut all = vec![
        of("milk", |row| Some(row.milk), 1.0, share(0.30, 0.55)),
        of("fatKg", |row| row.fat, 1.0, share(0.30, 0.55)),
        of("proteinKg", |row| row.protein, 1.0, share(0.30, 0.55)),
        // Cells: a lower score is a healthier udder.
        of("udderHealth", |row| row.score, -1.0, share(0.12, 0.30)),
    ];
    all.extend(LINEAR.iter().enumerate().map(|(place, (key, _))| EvaluatedTrait {
        key,
        value: TraitValue::Linear(place),
        parameters: match *key {
            "rearLegsRear" | "rearLegsSide" | "hoofAngle" | "frontLegs" | "movement" => share(0.15, 0.40),
            _ => share(0.28, 0.50),
        },
    }));
    all
}

impl EvaluatedTrait {
    /// Paths of its fields in evaluations.
    #[cfg(feature = "parquet")]
    pub(super) fn paths(&self) -> Vec<String> {
        match self.value {
            TraitValue::Lactation(..) => vec![format!("{}Forecast", self.key), format!("{}R", self.key)],
            TraitValue::Linear(_) => vec![format!("exterior.{}", self.key)],
        }
    }

    pub(super) fn records(&self, inputs: &Inputs) -> Records {
        let (mut animals, mut values) = (Vec::new(), Vec::new());
        let effects = match self.value {
            TraitValue::Lactation(value, _) => {
                let rows = inputs.lactations.iter().filter_map(|row| Some((row, value(row)?)));
                let (mut seasons, mut ages) = (Vec::new(), Vec::new());
                for (row, value) in rows {
                    animals.push(row.animal);
                    values.push(value);
                    seasons.push((row.herd, row.season));
                    ages.push(age_class(row));
                }
                vec![Effect::of("herd, year and quarter of calving", &seasons), Effect::of("parity and age", &ages)]
            }
            TraitValue::Linear(place) => {
                let score = |scores: &[Option<i64>; SCORES]| scores.get(place).copied().flatten();
                let rows = inputs.types.iter().filter_map(|row| Some((row, score(&row.scores)?)));
                let (mut years, mut lactations) = (Vec::new(), Vec::new());
                for (row, score) in rows {
                    animals.push(row.animal);
                    #[expect(clippy::cast_precision_loss, reason = "scores are 1 to 9")]
                    values.push(score as f64);
                    years.push((row.herd, row.year));
                    lactations.push(row.lactation.map_or(-1, |lactation| lactation.clamp(0, PARITIES)));
                }
                vec![Effect::of("herd and year of classification", &years), Effect::of("lactation", &lactations)]
            }
        };
        Records { animals, effects, values }
    }

    /// Its breeding values: zero is the mean of the animals with records.
    ///
    /// # Errors
    /// Those of [`evaluate`].
    pub(super) fn evaluate(
        &self,
        pedigree: &Pedigree,
        records: &Records,
        stop: &AtomicBool,
    ) -> Result<TraitResult, Fault> {
        let mut base = records.animals.clone();
        base.sort_unstable();
        base.dedup();
        let evaluation =
            evaluate(pedigree, records, self.parameters, Some(&base), Solver::default(), &mut |_| match stop
                .load(Ordering::Relaxed)
            {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })?;
        Ok(TraitResult::of(*self, &base, evaluation))
    }
}

/// Parity, and age at calving in classes of two months; −1 where it is not known.
fn age_class(row: &LactationRecord) -> (i64, i64) {
    let parity = row.number.min(PARITIES);
    // Younger and older ones are few: from 20 to 36 months at the first calving, a year more with each further one.
    let from = 20 + 12 * (parity - 1);
    let age = row.age.map(|age| age.clamp(from, from + 16 + 6 * (parity - 1)) / 2);
    (parity, age.unwrap_or(-1))
}

/// Breeding values of a trait, as they are published.
#[derive(Debug)]
pub(super) struct TraitResult {
    own: EvaluatedTrait,
    /// By place, rounded; none where no record tells the level.
    values: Vec<Option<f64>>,
    /// By place, per cent.
    reliabilities: Vec<f64>,
    /// What the run says of the trait.
    pub(super) summary: Json,
    /// Animals with records.
    pub(super) animals: usize,
    /// Its base, if it is a trait of indexes and has enough animals.
    pub(super) base: Option<Json>,
}

impl TraitResult {
    fn of(own: EvaluatedTrait, base: &[u32], evaluation: Evaluation) -> Self {
        let Evaluation {
            parameters,
            records,
            animals_with_records,
            iterations,
            residual,
            values,
            reliabilities,
            groups,
            ..
        } = evaluation;
        let of = |place: &u32| values.get(*place as usize).copied().flatten();
        let (animals, sum) = base.iter().filter_map(of).fold((0, 0.0), |(n, sum), value| (n + 1, sum + value));
        let centre = sum / count(animals);
        let squares = base.iter().filter_map(of).map(|value| (value - centre).powi(2));
        let observed = (squares.sum::<f64>() / count(animals)).sqrt();
        let sure = base.iter().filter_map(|place| reliabilities.get(*place as usize));
        let reliability = sure.sum::<f64>() / count(base.len());
        // Breeding values vary less than what they estimate.
        let genetic = observed / (reliability / 100.0).sqrt();
        let published = |value: f64| match own.value {
            TraitValue::Lactation(_, direction) => Some(rounded(value * direction, 1_000.0)),
            TraitValue::Linear(_) if genetic.is_nan() || genetic <= 0.0 => None,
            TraitValue::Linear(_) => Some(rounded((value / genetic).clamp(-WIDEST, WIDEST), 100.0)),
        };
        let values: Vec<Option<f64>> = values.iter().map(|value| value.and_then(published)).collect();
        let summary = json!({
            "trait": own.key,
            "heritability": parameters.heritability,
            "repeatability": parameters.repeatability,
            "records": records,
            "animals": animals_with_records,
            "groups": groups.len(),
            "iterations": iterations,
            "residual": residual,
            "meanReliability": rounded(reliability, 10.0),
            "sd": rounded(observed, 1_000.0),
            "geneticSd": rounded(genetic, 1_000.0),
        });
        let of_indexes = matches!(own.value, TraitValue::Lactation(..));
        let enough = i64::try_from(animals_with_records).unwrap_or(i64::MAX) >= MANY && genetic > 0.0;
        let base = (of_indexes && enough && genetic.is_finite()).then(|| {
            json!({
                "trait": own.key,
                "mean": 0,
                "sd": rounded(genetic, 1_000.0),
                "sdObserved": rounded(observed, 1_000.0),
                "meanR": rounded(reliability, 10.0),
                "n": animals_with_records,
            })
        });
        Self { own, values, reliabilities, summary, animals: animals_with_records, base }
    }

    /// Whether the value of an animal is sure enough. Where records tell no level of it, relatives may make it sure all the
    /// same, and there is none.
    pub(super) fn is_sure(&self, place: usize, least: f64) -> bool {
        self.values.get(place).is_some_and(Option::is_some) && self.reliability(place) >= least
    }

    /// Reliability of an animal, %, one decimal.
    fn reliability(&self, place: usize) -> f64 {
        let reliability = self.reliabilities.get(place).copied().unwrap_or_default();
        rounded(reliability, 10.0).clamp(0.0, 100.0)
    }

    /// The fields of the evaluation of an animal; a linear trait only where it is sure enough.
    pub(super) fn fields(&self, place: usize, least: f64) -> Vec<(String, f64)> {
        let Some(value) = self.values.get(place).copied().flatten() else {
            return Vec::new();
        };
        let (key, reliability) = (self.own.key, self.reliability(place));
        match self.own.value {
            TraitValue::Lactation(..) => vec![(format!("{key}Forecast"), value), (format!("{key}R"), reliability)],
            TraitValue::Linear(_) if reliability < least => Vec::new(),
            TraitValue::Linear(_) => vec![(format!("exterior.{key}"), value)],
        }
    }
}

fn rounded(value: f64, unit: f64) -> f64 {
    // Never -0.
    (value * unit).round() / unit + 0.0
}

#[expect(clippy::cast_precision_loss, reason = "animals are fewer than 2^53")]
fn count(n: usize) -> f64 {
    n as f64
}
