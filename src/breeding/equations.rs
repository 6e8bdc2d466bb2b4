//! The mixed-model equations of one trait, as a product with a vector: no matrix is stored.
//!
//! The model is y = fixed effects + animal + permanent environment + error. The unknowns are, in this order, the levels
//! of all fixed effects, the breeding values of animals by position, those of genetic groups, and a zero that stands
//! for the parents without a group. All is in units of the error variance.
//!
//! - *Records.* The permanent environment of an animal is absorbed: of the deviations of its n records from fixed
//!   effects and breeding value, their sum divided by n + γ is taken off, where γ is the ratio of the error variance to
//!   that of the permanent environment (Henderson 1984, Applications of Linear Models in Animal Breeding, chapter 16).
//! - *Relationships.* The inverse of the relationships is (I − P)'D⁻¹(I − P), where P has a half for each parent and D
//!   the variances within families; that are Henderson's rules with inbreeding (Journal of Dairy Science 58 (1975)
//!   1727; Quaas, Biometrics 32 (1976) 949). Groups are columns of P like parents (Quaas, Journal of Dairy Science 71
//!   (1988) 1338).
//! - *Animals without information*, by a record of their own or of a descendant, have no equations: they say nothing of
//!   others, and their values follow from those of their parents (as in the reduced animal model of Quaas and Pollak,
//!   Journal of Animal Science 51 (1980) 1277). In the equations a bull with a thousand calves without records would
//!   have a diagonal of which almost nothing is information, and the solver would need many steps.

use crate::parallel::{each, pieces};
use crate::pedigree::Pedigree;
use crate::records::RecordsByAnimal;
use std::ops::Range;

/// Into how many pieces the animals are divided. Each sums up the fixed effects of its records for itself, and these
/// sums are added in the order of the pieces; so the result depends on this number, and not on that of threads.
const PIECES: usize = 8;

pub(crate) struct Equations<'a> {
    pedigree: &'a Pedigree,
    records: &'a RecordsByAnimal,
    /// Of each position, error variance by variance within its family; 0 of an animal without information.
    within: &'a [f64],
    /// Error variance by variance of the permanent environment; infinite where that has none.
    permanent_ratio: f64,
    threads: usize,
    /// Where pieces begin, as positions; the last is the end.
    bounds: Vec<usize>,
    sums: Sums,
}

/// Sums of one product.
#[derive(Default)]
struct Sums {
    /// Of the levels of fixed effects, by piece.
    fixed: Vec<Vec<f64>>,
    /// What each animal deviates from the mean of its parents, by the variance within.
    deviations: Vec<f64>,
}

/// A part of the product: a range of positions, and the rows to write.
struct Piece<'a> {
    positions: Range<usize>,
    animals: &'a mut [f64],
    deviations: &'a mut [f64],
    fixed: &'a mut [f64],
}

impl<'a> Equations<'a> {
    pub(crate) fn new(
        pedigree: &'a Pedigree,
        records: &'a RecordsByAnimal,
        within: &'a [f64],
        permanent_ratio: f64,
        threads: usize,
    ) -> Self {
        // Pieces with as many records and animals each.
        let work = |position: &usize| records.begin[*position] as usize + position;
        let positions: Vec<usize> = (0..=pedigree.len()).collect();
        let whole = work(&pedigree.len());
        let bound = |piece: usize| positions.partition_point(|position| work(position) * PIECES < whole * piece);
        Self {
            pedigree,
            records,
            within,
            permanent_ratio,
            threads,
            bounds: (0..=PIECES).map(bound).collect(),
            sums: Sums { fixed: vec![vec![0.0; records.all_levels()]; PIECES], deviations: vec![0.0; pedigree.len()] },
        }
    }

    /// The number of unknowns.
    fn size(&self) -> usize {
        self.animals().end + self.pedigree.groups + 1
    }

    /// Where the animals are among the unknowns.
    pub(crate) fn animals(&self) -> Range<usize> {
        let fixed = self.records.all_levels();
        fixed..fixed + self.pedigree.len()
    }

    /// The right-hand side.
    pub(crate) fn right(&mut self) -> Vec<f64> {
        let mut right = vec![0.0; self.size()];
        let (records, ratio) = (self.records, self.permanent_ratio);
        self.by_piece(&mut right, |piece| {
            let Piece { positions, animals, deviations, fixed } = piece;
            deviations.fill(0.0);
            for (at, position) in positions.enumerate() {
                let (levels, values) = records.of(position);
                animals[at] = absorb(levels, values, ratio, fixed);
            }
        });
        right
    }

    /// The product of the coefficients with `unknowns`.
    pub(crate) fn multiply(&mut self, unknowns: &[f64], product: &mut [f64]) {
        let Self { pedigree, records, within, permanent_ratio, .. } = *self;
        let own = &unknowns[records.all_levels()..];
        self.by_piece(product, |piece| {
            let Piece { positions, animals, deviations, fixed } = piece;
            let mut values = Vec::new();
            for (at, position) in positions.enumerate() {
                let (levels, _) = records.of(position);
                values.clear();
                for levels in levels.chunks_exact(records.effects()) {
                    let fixed: f64 = levels.iter().map(|level| unknowns[*level as usize]).sum();
                    values.push(fixed + own[position]);
                }
                animals[at] = absorb(levels, &values, permanent_ratio, fixed);
                let [sire, dam] = pedigree.parents[position].map(|parent| own[parent as usize]);
                deviations[at] = (own[position] - 0.5 * (sire + dam)) * within[position];
            }
        });
    }

    /// Computes the rows of fixed effects, animals and groups: first what `work` sums of each piece, then what progeny
    /// gives to its parents.
    fn by_piece(&mut self, rows: &mut [f64], work: impl Fn(Piece<'_>) + Sync) {
        let Self { pedigree, records, threads, .. } = *self;
        let (of_fixed, others) = rows.split_at_mut(records.all_levels());
        let (of_animals, of_groups) = others.split_at_mut(pedigree.len());
        let positions = self.bounds.windows(2).map(|pair| pair[0]..pair[1]);
        let tasks = positions.clone().zip(pieces(of_animals, &self.bounds));
        let tasks = tasks.zip(pieces(&mut self.sums.deviations, &self.bounds)).zip(&mut self.sums.fixed);
        let tasks =
            tasks.map(|(((positions, animals), deviations), fixed)| Piece { positions, animals, deviations, fixed });
        each(threads, tasks.collect(), |piece| {
            piece.fixed.fill(0.0);
            work(piece);
        });
        for (level, row) in of_fixed.iter_mut().enumerate() {
            *row = self.sums.fixed.iter().map(|sums| sums[level]).sum();
        }
        let deviations = &self.sums.deviations;
        let of_progeny = |parent: usize| -> f64 {
            let progeny = pedigree.progeny_of(parent).iter();
            progeny.map(|child| deviations[*child as usize]).sum::<f64>() * 0.5
        };
        let tasks = positions.zip(pieces(of_animals, &self.bounds)).collect();
        each(threads, tasks, |(positions, rows): (Range<usize>, &mut [f64])| {
            for (row, position) in rows.iter_mut().zip(positions) {
                *row += deviations[position] - of_progeny(position);
            }
        });
        of_groups.fill(0.0);
        for (group, row) in of_groups.iter_mut().take(pedigree.groups).enumerate() {
            *row = -of_progeny(pedigree.len() + group);
        }
    }

    /// The diagonal of the coefficients; 0 of what has no equation: a level without records, an animal or group without
    /// information, and the zero at the end.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let Self { pedigree, records, within, permanent_ratio, .. } = *self;
        let mut diagonal = vec![0.0; self.size()];
        let (of_fixed, others) = diagonal.split_at_mut(records.all_levels());
        for (position, parents) in pedigree.parents.iter().enumerate() {
            let (levels, values) = records.of(position);
            let number = values.len() as f64;
            // How many records of the animal each level has, by sorting.
            let mut levels = levels.to_vec();
            levels.sort_unstable();
            for same in levels.chunk_by(|one, other| one == other) {
                let same_number = same.len() as f64;
                of_fixed[same[0] as usize] += same_number - same_number * same_number / (number + permanent_ratio);
            }
            let within = within[position];
            others[position] += number - number * number / (number + permanent_ratio) + within;
            let [sire, dam] = parents.map(|parent| parent as usize);
            // Both parents of one group are one column of P, with a whole for two halves.
            let part = if sire == dam { 0.5 } else { 0.25 };
            others[sire] += part * within;
            others[dam] += part * within;
        }
        others[pedigree.unknown() as usize] = 0.0;
        diagonal
    }

    /// The permanent environment of each position, from solutions of the other unknowns.
    pub(crate) fn permanent(&self, unknowns: &[f64]) -> Vec<f64> {
        let records = self.records;
        let own = &unknowns[records.all_levels()..];
        let of = |position: usize| {
            let (levels, values) = records.of(position);
            let left = levels.chunks_exact(records.effects()).zip(values).map(|(levels, value)| {
                let fixed: f64 = levels.iter().map(|level| unknowns[*level as usize]).sum();
                value - fixed - own[position]
            });
            left.sum::<f64>() / (values.len() as f64 + self.permanent_ratio)
        };
        (0..self.pedigree.len()).map(of).collect()
    }
}

/// Takes the part of the permanent environment off the values of the records of one animal, adds what is left to the
/// levels of each record, and returns its sum.
fn absorb(levels: &[u32], values: &[f64], permanent_ratio: f64, fixed: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let number = values.len() as f64;
    let sum: f64 = values.iter().sum();
    let permanent = sum / (number + permanent_ratio);
    for (levels, value) in levels.chunks_exact(levels.len() / values.len()).zip(values) {
        for level in levels {
            fixed[*level as usize] += value - permanent;
        }
    }
    sum - number * permanent
}
