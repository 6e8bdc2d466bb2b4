//! Rows from the simulated world.

mod animals;
mod events;
mod movements;

pub(super) use animals::animals;
pub(super) use events::events;
