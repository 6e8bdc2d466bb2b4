//! Reliabilities by an approximation.

use crate::fault::Fault;
use crate::pedigree::{Pedigree, sum_up};
use crate::progress::{Progress, Watch};
use crate::records::RecordsByAnimal;

/// Stops when no variance changes by more, of an additive genetic variance of 1: a hundredth of a percent.
const CHANGE: f64 = 1e-4;
const MOST_ROUNDS: u32 = 50;

/// The squared correlation of each position's breeding value with the true one, 0..1, from three sources of information
/// that count as independent: own records, progeny and parents (`VanRaden` and Wiggans, Journal of Dairy Science 74
/// (1991) 2737, there in daughter equivalents). Information is a precision, the inverse of an error variance, in units
/// of the additive genetic variance.
///
/// - *Own records*: by the formula of repeated records, where a record counts as the share of its contemporaries'
///   records that are of other animals; for the sire, the share of those of other sires.
/// - *Progeny*: each gives its parent ¼ / (¼ V + w + 1/i), where i is its information without parents, w the variance
///   of Mendelian sampling, and V what is uncertain of the other parent without this progeny.
/// - *Parents*: an animal has before any information of its own the variance ¼ V + ¼ V' + w + F, each parent without it.
///
/// Since each needs the others, all are computed again until nothing changes (as in Misztal and Wiggans, Journal of
/// Dairy Science 71, Supplement 2 (1988) 27). The result is exact where no two animals are related in two ways and the
/// levels of fixed effects are known. Elsewhere it is near (`tests/reliability.rs`): too high where contemporaries are
/// related, too low where parents are. What is uncertain of genetic groups and of fixed effects other than the first
/// does not count.
pub(crate) fn reliabilities(
    pedigree: &Pedigree,
    records: &RecordsByAnimal,
    animal_ratio: f64,
    permanent: f64,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Fault> {
    let own = own_information(pedigree, records, animal_ratio, permanent);
    let count = pedigree.len();
    let inbreeding = |parent: u32| pedigree.inbreeding.get(parent as usize).copied().unwrap_or(0.0);
    let sampling: Vec<f64> =
        (pedigree.parents.iter()).map(|[sire, dam]| 0.5 - 0.25 * (inbreeding(*sire) + inbreeding(*dam))).collect();
    // What parents tell, as the variance before own information and that of progeny; what own records and progeny tell;
    // what each animal tells its sire and its dam.
    // Without information an inbred animal varies by 1 + F.
    let prior = |animal: usize| 1.0 + pedigree.inbreeding[animal];
    let mut before: Vec<f64> = (0..count).map(prior).collect();
    let mut below: Vec<f64> = own.iter().map(|own| own.of_animal).collect();
    let mut to_parents = vec![[0.0; 2]; count];
    let mut variance: Vec<f64> =
        below.iter().zip(&before).map(|(information, before)| 1.0 / (1.0 / before + information)).collect();
    for round in 1..=MOST_ROUNDS {
        let mut sums: Vec<f64> = own.iter().map(|own| own.of_animal).collect();
        for animal in (0..count).rev() {
            let parents = pedigree.parents[animal].map(|parent| parent as usize);
            let uncertain = parent_variances(parents, to_parents[animal], &before, &below);
            for (side, parent) in parents.into_iter().enumerate() {
                if parent >= count {
                    continue;
                }
                let others = 0.25 * uncertain[1 - side] + sampling[animal];
                let mut information = sums[animal];
                if side == 0 {
                    information += own[animal].of_sire - own[animal].of_animal;
                }
                // ¼ / (others + 1/i) without a division by zero.
                let contribution = 0.25 * information / (others * information + 1.0);
                to_parents[animal][side] = contribution;
                sums[parent] += contribution;
            }
        }
        below = sums;
        let mut change = 0.0_f64;
        for animal in 0..count {
            let parents = pedigree.parents[animal].map(|parent| parent as usize);
            let [sire, dam] = parent_variances(parents, to_parents[animal], &before, &below);
            // F is half of the covariance of the parents, which counts in full.
            before[animal] = 0.25 * (sire + dam) + sampling[animal] + pedigree.inbreeding[animal];
            let now = 1.0 / (1.0 / before[animal] + below[animal]);
            change = change.max((now - variance[animal]).abs());
            variance[animal] = now;
        }
        if watch(Progress::Round(round)).is_break() {
            return Err(Fault::Stopped);
        }
        if change < CHANGE {
            break;
        }
    }
    let explained = variance.iter().enumerate();
    let explained = explained.map(|(animal, variance)| (1.0 - variance / prior(animal)).max(0.0));
    Ok(explained.collect())
}

/// What is uncertain of sire and dam, without what one progeny tells them; of an unknown parent everything.
fn parent_variances(parents: [usize; 2], contribution: [f64; 2], before: &[f64], below: &[f64]) -> [f64; 2] {
    let of = |side: usize| {
        let parent = parents[side];
        let before = before.get(parent)?;
        Some(1.0 / (1.0 / before + (below[parent] - contribution[side]).max(0.0)))
    };
    [of(0).unwrap_or(1.0), of(1).unwrap_or(1.0)]
}

/// What the records of an animal tell.
#[derive(Clone, Copy, Default)]
struct Own {
    /// Of the animal: compared with records of other animals.
    of_animal: f64,
    /// Of its sire: compared with records of progeny of other sires.
    of_sire: f64,
}

/// The information of each position's own records; `permanent` is the variance of the permanent environment.
fn own_information(pedigree: &Pedigree, records: &RecordsByAnimal, animal_ratio: f64, permanent: f64) -> Vec<Own> {
    let (count, effects) = (pedigree.len(), records.effects());
    let herds = |position: usize| records.of(position).0.iter().step_by(effects).copied();
    // The sires of all records of each level, one level after the other.
    let mut begin = vec![0_u32; records.first_level[1] as usize + 1];
    for level in records.levels.iter().step_by(effects) {
        begin[*level as usize + 1] += 1;
    }
    sum_up(&mut begin);
    let mut next = begin.clone();
    let mut sires = vec![0_u32; records.values.len()];
    for (position, [sire, _]) in pedigree.parents.iter().enumerate() {
        for level in herds(position) {
            let next = &mut next[level as usize];
            sires[*next as usize] = *sire;
            *next += 1;
        }
    }
    for bounds in begin.windows(2) {
        sires[bounds[0] as usize..bounds[1] as usize].sort_unstable();
    }
    let information = |weight: f64| weight / (permanent * weight + animal_ratio);
    let of = |(position, [sire, _]): (usize, &[u32; 2])| {
        let mut levels: Vec<u32> = herds(position).collect();
        levels.sort_unstable();
        let mut weight = Own::default();
        for same in levels.chunk_by(|one, other| one == other) {
            let level = same[0] as usize;
            let sires = &sires[begin[level] as usize..begin[level + 1] as usize];
            let (own, all) = (same.len() as f64, sires.len() as f64);
            weight.of_animal += own * (1.0 - own / all);
            if (*sire as usize) < count {
                let from = sires.partition_point(|other| other < sire);
                let of_sire = sires[from..].partition_point(|other| other == sire);
                weight.of_sire += own * (1.0 - of_sire as f64 / all);
            }
        }
        Own { of_animal: information(weight.of_animal), of_sire: information(weight.of_sire) }
    };
    pedigree.parents.iter().enumerate().map(of).collect()
}
