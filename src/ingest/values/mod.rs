//! What cells mean: how dates, numbers and words are written.

pub(crate) mod blank;
pub(crate) mod cell_value;
pub(crate) mod cells;
pub(crate) mod identifiers;
pub(crate) mod notation;
pub(crate) mod scales;
pub(crate) mod spelling;
pub(crate) mod units;
pub(crate) mod unknown_values;
