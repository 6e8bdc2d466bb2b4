//! Rows from the simulated world.

mod animals;
mod evaluations;
mod events;
mod movements;

pub(super) use animals::animals;
pub(super) use evaluations::evaluations;
pub(super) use events::events;
