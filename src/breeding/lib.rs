//! Breeding values by an animal model (docs/evaluation.md): sums only, without a database, a clock or files.
//!
//! [`Pedigree`] orders the animals and computes their inbreeding; [`assign_groups`] gives unknown parents a genetic
//! group; [`evaluate`] solves the mixed-model equations of one trait and approximates the reliabilities. [`Blupf90`]
//! writes the same for other programs.
//!
//! **The result is the same bit for bit for the same input**, on any number of threads: every sum has one order, which
//! follows from the order of the animals and records that the caller gives. Who wants others to repeat a run sorts both
//! by something that is exported, such as the id.
#![expect(
    clippy::indexing_slicing,
    reason = "positions are checked when a pedigree and its records are read, and are of one crate"
)]

mod blupf90;
mod equations;
mod evaluation;
mod fault;
mod groups;
mod inbreeding;
mod parallel;
mod pedigree;
mod progress;
mod records;
mod reliability;
mod solver;

#[cfg(test)]
mod tests;

pub use blupf90::Blupf90;
pub use evaluation::{EffectSolutions, Evaluation, Parameters, VERSION, evaluate};
pub use fault::Fault;
pub use groups::{Group, GroupRule, assign_groups};
pub use pedigree::{Animal, Parent, Pedigree};
pub use progress::Progress;
pub use records::{Effect, Records};
pub use solver::Solver;
