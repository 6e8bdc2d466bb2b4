//! What ranks of animals start from. Uses nothing of the book, so that every section may use it.

/// The rank of an animal without a value.
pub(crate) const NO_RANK: f64 = -1_000_000.0;
