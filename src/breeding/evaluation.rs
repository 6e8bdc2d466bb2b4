//! The evaluation of one trait.

use crate::equations::Equations;
use crate::fault::Fault;
use crate::pedigree::Pedigree;
use crate::progress::Progress;
use crate::records::{Effect, Records, RecordsByAnimal};
use crate::reliability::reliabilities;
use crate::solver::{Solver, solve};
use std::ops::ControlFlow;

/// Version of the computation. Becomes another one with every change of a formula or of the order of a sum.
pub const VERSION: &str = "2";

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
        let Self { heritability, repeatability } = self;
        if heritability > 0.0 && heritability <= repeatability && repeatability < 1.0 {
            return Ok(());
        }
        Err(Fault::NoVariance { heritability, repeatability })
    }

    /// The variance of error, in additive genetic variances.
    fn error(self) -> f64 {
        (1.0 - self.repeatability) / self.heritability
    }

    /// The variance of the permanent environment, in additive genetic variances.
    fn permanent(self) -> f64 {
        (self.repeatability - self.heritability) / self.heritability
    }
}

/// Breeding values of one trait, and how they came about. What a run has to say besides (commit number and digest of
/// its input) the caller knows.
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
    /// The breeding value of each animal in the unit of the records, in the order of the caller, less the mean of the
    /// base. `None` where a part of it comes from a group without records of any descendant.
    pub values: Vec<Option<f64>>,
    /// The reliability of each animal, 0..100.
    pub reliabilities: Vec<f64>,
    /// The permanent environment of each animal.
    pub permanent: Vec<f64>,
    /// The breeding value of each genetic group, less the mean of the base.
    pub groups: Vec<Option<f64>>,
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
/// `base` are the places of the animals whose mean value is zero, for instance cows with records born in one year; all
/// must have a value. Without a base zero is the mean of the unknown parents, which a pedigree with groups does not
/// have.
///
/// `watch` is called after each step and may stop the run.
///
/// # Errors If records are of no animal or uneven, the parameters no variances, the base missing, or the equations not
/// solved.
pub fn evaluate(
    pedigree: &Pedigree,
    records: &Records,
    parameters: Parameters,
    base: Option<&[u32]>,
    solver: Solver,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Evaluation, Fault> {
    parameters.check()?;
    let (error, permanent) = (parameters.error(), parameters.permanent());
    let base = base_positions(pedigree, base)?;
    let effects = &records.effects;
    let records = RecordsByAnimal::new(records, pedigree)?;
    let informed = informed(pedigree, &records);
    let is_known = known_values(pedigree, &informed);
    let in_base = base.iter().flatten();
    if !in_base.copied().all(|position| is_known[position]) {
        return Err(Fault::NoBase);
    }
    let within = |position: usize| match informed[position] {
        true => error / pedigree.variance_within(position),
        false => 0.0,
    };
    let within: Vec<f64> = (0..pedigree.len()).map(within).collect();
    let mut equations = Equations::new(pedigree, &records, &within, error / permanent, solver.threads);
    let right = equations.right();
    let diagonal = equations.diagonal();
    let mut solution = solve(|x, product| equations.multiply(x, product), &diagonal, &right, solver, &mut *watch)?;
    let permanent_values = equations.permanent(&solution.values);
    let animals = equations.animals();
    add_uninformed(pedigree, &informed, &mut solution.values[animals.start..]);
    let (fixed, values) = solution.values.split_at(animals.start);
    let mean = |positions: &[usize]| -> f64 {
        positions.iter().map(|position| values[*position]).sum::<f64>() / positions.len() as f64
    };
    let zero = base.map_or(0.0, |positions| mean(&positions));
    let less = values.iter().zip(&is_known);
    let less: Vec<_> = less.map(|(value, is_known)| is_known.then_some(value - zero)).collect();
    let (own, groups) = less.split_at(pedigree.len());
    let reliabilities = reliabilities(pedigree, &records, error, permanent, watch)?;
    let reliabilities: Vec<f64> = reliabilities.iter().map(|part| part * 100.0).collect();
    let with_records = records.begin.windows(2).filter(|pair| pair[0] < pair[1]);
    Ok(Evaluation {
        parameters,
        solver,
        records: records.values.len(),
        animals_with_records: with_records.count(),
        iterations: solution.iterations,
        residual: solution.residual,
        values: pedigree.by_place(own),
        reliabilities: pedigree.by_place(&reliabilities),
        permanent: pedigree.by_place(&permanent_values),
        groups: groups[..pedigree.groups].to_vec(),
        effects: effect_solutions(effects, &records, fixed, zero),
    })
}

/// The solutions of each effect. What was taken off the values of records and animals comes back in the first one.
fn effect_solutions(effects: &[Effect], records: &RecordsByAnimal, fixed: &[f64], zero: f64) -> Vec<EffectSolutions> {
    let mut added = records.mean + zero;
    let bounds = records.first_level.windows(2);
    let solutions = effects.iter().zip(bounds).map(|(effect, bounds)| {
        let levels = &fixed[bounds[0] as usize..bounds[1] as usize];
        let added = std::mem::take(&mut added);
        EffectSolutions { name: effect.name.clone(), levels: levels.iter().map(|level| level + added).collect() }
    });
    solutions.collect()
}

/// Which positions and groups have information: records of their own or of a descendant.
fn informed(pedigree: &Pedigree, records: &RecordsByAnimal) -> Vec<bool> {
    let mut informed = vec![false; pedigree.unknown() as usize + 1];
    for position in (0..pedigree.len()).rev() {
        informed[position] |= !records.of(position).1.is_empty();
        if informed[position] {
            for parent in pedigree.parents[position] {
                informed[parent as usize] = true;
            }
        }
    }
    informed
}

/// Gives animals without information, which have no equations, the mean of their parents.
fn add_uninformed(pedigree: &Pedigree, informed: &[bool], values: &mut [f64]) {
    for (position, parents) in pedigree.parents.iter().enumerate() {
        if !informed[position] {
            let [sire, dam] = parents.map(|parent| values[parent as usize]);
            values[position] = 0.5 * (sire + dam);
        }
    }
}

/// Whether records tell the value of each position and group: those of a group tell it, if a descendant of it has some,
/// and those of other groups nothing.
fn known_values(pedigree: &Pedigree, informed: &[bool]) -> Vec<bool> {
    let mut is_known = informed.to_vec();
    // A parent without a group is of the base, whose mean is zero.
    is_known[pedigree.unknown() as usize] = true;
    for (position, parents) in pedigree.parents.iter().enumerate() {
        is_known[position] = parents.iter().all(|parent| is_known[*parent as usize]);
    }
    is_known
}

fn base_positions(pedigree: &Pedigree, base: Option<&[u32]>) -> Result<Option<Vec<usize>>, Fault> {
    let Some(places) = base else {
        return if pedigree.groups == 0 { Ok(None) } else { Err(Fault::NoBase) };
    };
    let position = |place: &u32| pedigree.positions.get(*place as usize).map(|position| *position as usize);
    let positions: Option<Vec<_>> = places.iter().map(position).collect();
    match positions {
        Some(positions) if !positions.is_empty() => Ok(Some(positions)),
        _ => Err(Fault::NoBase),
    }
}
