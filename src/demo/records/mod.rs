//! The rows of the book, made of what was simulated.

pub(crate) mod animals;
pub(crate) mod evaluations;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod milk;
pub(crate) mod milkings;
pub(crate) mod observed;
pub(crate) mod people;
pub(crate) mod rows;
pub(crate) mod tables;
pub(crate) mod weights;
