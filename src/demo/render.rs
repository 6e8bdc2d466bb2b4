//! Rows from the simulated world.

mod animals;
mod evaluations;
mod events;
mod health;
mod movements;
mod notes;

pub(super) use animals::animals;
pub(super) use evaluations::evaluations;
pub(super) use events::events;
