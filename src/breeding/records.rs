//! Records of one trait.

use crate::fault::Fault;
use crate::pedigree::{Pedigree, sum_up};

/// A fixed effect: the level of each record. Levels are numbered from 0, and there are not more of them than records.
#[derive(Clone, Debug)]
pub struct Effect {
    pub name: String,
    pub levels: Vec<u32>,
}

impl Effect {
    /// Numbers the distinct keys in their order.
    pub fn of<K: Ord + Copy>(name: &str, keys: &[K]) -> Self {
        let mut distinct = keys.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let level = |key| distinct.partition_point(|other| other < key) as u32;
        Self { name: name.to_owned(), levels: keys.iter().map(level).collect() }
    }
}

/// Records of one trait, in columns.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The place of the animal.
    pub animals: Vec<u32>,
    /// The fixed effects. **The first is that of contemporaries**, such as herd-year-season: a record tells of its
    /// animal what it differs from the others of its level, and reliabilities count it so.
    pub effects: Vec<Effect>,
    pub values: Vec<f64>,
}

impl Records {
    /// The variance of the values within the levels of the first effect, unbiased; none where no level has two records.
    pub fn variance_within(&self) -> Option<f64> {
        let levels = self.effects.first()?.levels.iter().map(|level| *level as usize);
        let of_values = || levels.clone().zip(&self.values);
        let mut sums = vec![(0.0, 0.0); levels.clone().max()? + 1];
        for (level, value) in of_values() {
            let (sum, count) = &mut sums[level];
            (*sum, *count) = (*sum + value, *count + 1.0);
        }
        let squares = of_values().map(|(level, value)| (value - sums[level].0 / sums[level].1).powi(2));
        let used = sums.iter().filter(|(_, count)| *count > 0.0).count();
        let freedom = self.values.len().checked_sub(used).filter(|freedom| *freedom > 0)?;
        Some(squares.sum::<f64>() / freedom as f64)
    }
}

/// Records in the order of the positions of their animals; those of one animal in the order of the caller.
#[derive(Debug)]
pub(crate) struct RecordsByAnimal {
    /// Where the records of each position begin; one more for the end.
    pub(crate) begin: Vec<u32>,
    /// For each record its level of each effect, numbered through all effects.
    pub(crate) levels: Vec<u32>,
    /// The values less their mean.
    pub(crate) values: Vec<f64>,
    pub(crate) mean: f64,
    /// The first level of each effect, and the number of all levels.
    pub(crate) first_level: Vec<u32>,
}

impl RecordsByAnimal {
    pub(crate) fn new(records: &Records, pedigree: &Pedigree) -> Result<Self, Fault> {
        let Records { animals, effects, values } = records;
        if values.is_empty() {
            return Err(Fault::NoRecords);
        }
        if effects.is_empty() {
            return Err(Fault::NoEffect);
        }
        if values.len() > u32::MAX as usize {
            return Err(Fault::TooMany(values.len()));
        }
        let mut first_level = vec![0_u32];
        let mut all_levels = 0_usize;
        for (effect, Effect { levels, .. }) in effects.iter().enumerate() {
            if levels.len() != values.len() || animals.len() != values.len() {
                return Err(Fault::UnevenEffect {
                    effect,
                    levels: levels.len().min(animals.len()),
                    records: values.len(),
                });
            }
            let own_levels = levels.iter().max().map_or(0, |last| *last as usize + 1);
            if own_levels > values.len() {
                return Err(Fault::TooMany(own_levels));
            }
            all_levels += own_levels;
            first_level.push(u32::try_from(all_levels).map_err(|_| Fault::TooMany(all_levels))?);
        }
        let mut begin = vec![0_u32; pedigree.len() + 1];
        for (record, animal) in animals.iter().enumerate() {
            let Some(position) = pedigree.positions.get(*animal as usize) else {
                return Err(Fault::NoSuchAnimal { record, animal: *animal });
            };
            if !values[record].is_finite() {
                return Err(Fault::NoNumber(record));
            }
            begin[*position as usize + 1] += 1;
        }
        sum_up(&mut begin);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let mut next = begin.clone();
        let mut by_animal = vec![0.0; values.len()];
        let mut levels = vec![0_u32; values.len() * effects.len()];
        for (record, animal) in animals.iter().enumerate() {
            let next = &mut next[pedigree.positions[*animal as usize] as usize];
            let at = *next as usize;
            *next += 1;
            by_animal[at] = values[record] - mean;
            for (number, effect) in effects.iter().enumerate() {
                levels[at * effects.len() + number] = first_level[number] + effect.levels[record];
            }
        }
        Ok(Self { begin, levels, values: by_animal, mean, first_level })
    }

    /// The number of levels of all effects.
    pub(crate) fn all_levels(&self) -> usize {
        self.first_level.last().map_or(0, |last| *last as usize)
    }

    pub(crate) fn effects(&self) -> usize {
        self.first_level.len() - 1
    }

    /// Levels and values of the records of a position.
    pub(crate) fn of(&self, position: usize) -> (&[u32], &[f64]) {
        let [from, to] = [position, position + 1].map(|at| self.begin[at] as usize);
        let effects = self.effects();
        (&self.levels[from * effects..to * effects], &self.values[from..to])
    }
}
