//! What may be written: the rules of access, limits, keys, locks, and the rows that a caller may name.

pub(crate) mod locks;
pub(crate) mod rules;
pub(crate) mod scope;
pub(crate) mod stock;
pub(crate) mod unique;
pub(crate) mod valid;
pub(crate) mod visible;
