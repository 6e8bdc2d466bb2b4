//! Animals, their herds, and how they come and go.

pub(crate) mod animals;
pub(crate) mod herds;
pub(crate) mod movements;
pub(crate) mod saved_searches;
