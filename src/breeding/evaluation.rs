//! The evaluation of one trait.

use crate::equations::Equations;
use crate::fault::Fault;
use crate::pedigree::Pedigree;
use crate::progress::Progress;
use crate::records::{Effect, Records, RecordsByAnimal};
use crate::reliability::reliabilities;
use crate::solver::{Solver, solve};
use std::ops::ControlFlow;

/// What a run says of itself, together with [`VERSION`].
pub const METHOD: &str = "repeatability animal model; reliabilities by daughter equivalents";
/// Becomes another one with every change of a formula or of the order of a sum.
pub const VERSION: &str = "1";

/// The variances of a trait, as parts of the phenotypic variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// h², the part of the additive genetic variance.
    pub heritability: f64,
    /// The part of additive genetic variance and permanent environment together. As much as the heritability where an
    /// animal has no permanent environment, as in conformation.
    pub repeatability: f64,
}

impl Parameters {
    pub(crate) fn check(self) -> Result<(), Fault> {
        let Self {
            heritability,
            repeatability,
        } = self;
        if heritability > 0.0 && heritability <= repeatability && repeatability < 1.0 {
            return Ok(());
        }
        Err(Fault::NoVariance {
            heritability,
            repeatability,
        })
    }
}

/// Breeding values of one trait, and how they came about. What a run has to say besides (commit number and digest of its
/// input) the caller knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    pub parameters: Parameters,
    pub solver: Solver,
    /// How many records, and animals with records, there were.
    pub records: usize,
    pub animals_with_records: usize,
    pub iterations: u32,
    /// What is left of the right-hand side of the equations, as part of it.
    pub residual: f64,
    /// The breeding value of each animal in the unit of the records, in the order of the caller, less the mean of the base.
    pub values: Vec<f64>,
    /// The reliability of each animal, 0..100.
    pub reliabilities: Vec<f64>,
    /// The permanent environment of each animal.
    pub permanent: Vec<f64>,
    /// The breeding value of each genetic group, less the mean of the base.
    pub groups: Vec<f64>,
    /// The solutions of each fixed effect by level. Only differences within an effect have a meaning; the first has the
    /// mean of the records.
    pub effects: Vec<EffectSolutions>,
}

/// The solutions of a fixed effect.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectSolutions {
    pub name: String,
    pub levels: Vec<f64>,
}

/// Breeding values and reliabilities of all animals of a pedigree from the records of one trait.
///
/// `base` are the places of the animals whose mean value is zero, for instance cows with records born in one year. Without
/// a base zero is the mean of the unknown parents, which a pedigree with groups does not have.
///
/// `watch` is called after each step and may stop the run.
///
/// # Errors
/// If records are of no animal or uneven, the parameters no variances, the base missing, or the equations not solved.
pub fn evaluate(
    pedigree: &Pedigree,
    records: &Records,
    parameters: Parameters,
    base: Option<&[u32]>,
    solver: Solver,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Evaluation, Fault> {
    parameters.check()?;
    let Parameters {
        heritability,
        repeatability,
    } = parameters;
    // In additive genetic variances.
    let error = (1.0 - repeatability) / heritability;
    let permanent = (repeatability - heritability) / heritability;
    let base = base_positions(pedigree, base)?;
    let names = records
        .effects
        .iter()
        .map(|Effect { name, .. }| name.clone());
    let names: Vec<String> = names.collect();
    let records = RecordsByAnimal::new(records, pedigree)?;
    let mut equations =
        Equations::new(pedigree, &records, error, error / permanent, solver.threads);
    let right = equations.right();
    let diagonal = equations.diagonal();
    let solution = solve(
        |x, product| equations.multiply(x, product),
        &diagonal,
        &right,
        solver,
        &mut *watch,
    )?;
    let permanent_values = equations.permanent(&solution.values);
    let animals = equations.animals();
    let (fixed, values) = solution.values.split_at(animals.start);
    let mean = |positions: &[usize]| -> f64 {
        positions
            .iter()
            .map(|position| values[*position])
            .sum::<f64>()
            / positions.len() as f64
    };
    let zero = base.map_or(0.0, |positions| mean(&positions));
    let less: Vec<f64> = values.iter().map(|value| value - zero).collect();
    let (own, groups) = less.split_at(pedigree.len());
    let reliabilities = reliabilities(pedigree, &records, error, permanent, watch)?;
    let reliabilities: Vec<f64> = reliabilities.iter().map(|part| part * 100.0).collect();
    let effects = names
        .into_iter()
        .zip(records.first_level.windows(2))
        .enumerate();
    Ok(Evaluation {
        parameters,
        solver,
        records: records.values.len(),
        animals_with_records: records
            .begin
            .windows(2)
            .filter(|pair| pair[0] < pair[1])
            .count(),
        iterations: solution.iterations,
        residual: solution.residual,
        values: pedigree.by_place(own),
        reliabilities: pedigree.by_place(&reliabilities),
        permanent: pedigree.by_place(&permanent_values),
        groups: groups[..pedigree.groups].to_vec(),
        effects: effects
            .map(|(number, (name, bounds))| {
                // What is taken off the values comes back in the first effect.
                let added = if number == 0 {
                    records.mean + zero
                } else {
                    0.0
                };
                let levels = &fixed[bounds[0] as usize..bounds[1] as usize];
                EffectSolutions {
                    name,
                    levels: levels.iter().map(|level| level + added).collect(),
                }
            })
            .collect(),
    })
}

fn base_positions(pedigree: &Pedigree, base: Option<&[u32]>) -> Result<Option<Vec<usize>>, Fault> {
    let Some(places) = base else {
        return if pedigree.groups == 0 {
            Ok(None)
        } else {
            Err(Fault::NoBase)
        };
    };
    let position = |place: &u32| {
        pedigree
            .positions
            .get(*place as usize)
            .map(|position| *position as usize)
    };
    let positions: Option<Vec<_>> = places.iter().map(position).collect();
    match positions {
        Some(positions) if !positions.is_empty() => Ok(Some(positions)),
        _ => Err(Fault::NoBase),
    }
}
