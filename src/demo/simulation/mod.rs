//! What happens on the farms, by chance that depends on the seed alone; which animals the book has.

pub(crate) mod calendar;
pub(crate) mod herd;
pub(crate) mod names;
pub(crate) mod plan;
pub(crate) mod select;
pub(crate) mod sires;
pub(crate) mod streams;
