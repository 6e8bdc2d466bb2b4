/// Why a pedigree, records or parameters cannot be evaluated. Animals are named by their place in the caller's slice.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    #[error("animal {animal} has a parent {parent}, but there are {animals} animals")]
    NoSuchParent { animal: usize, parent: u32, animals: usize },
    #[error("animal {0} is its own ancestor")]
    Cycle(usize),
    #[error("sire and dam of animal {0} are one animal")]
    OneParentTwice(usize),
    #[error("{0} animals and groups, records, or levels of an effect are too many")]
    TooMany(usize),
    #[error("record {record} is of animal {animal}, which the pedigree does not have")]
    NoSuchAnimal { record: usize, animal: u32 },
    #[error("the value of record {0} is no number")]
    NoNumber(usize),
    #[error("there are no records")]
    NoRecords,
    #[error("the model needs at least one fixed effect")]
    NoEffect,
    #[error("effect {effect} has {levels} levels, but there are {records} records")]
    UnevenEffect { effect: usize, levels: usize, records: usize },
    #[error("heritability {heritability} and repeatability {repeatability}: needs 0 < h² ≤ r < 1")]
    NoVariance { heritability: f64, repeatability: f64 },
    #[error("with genetic groups the values need a base: animals with values, whose mean is zero")]
    NoBase,
    #[error("the run was stopped")]
    Stopped,
    #[error("not solved after {iterations} iterations: relative residual {residual:e}")]
    NotSolved { iterations: u32, residual: f64 },
}
