//! Packages: reading and writing their rows, what became of each, and trying again those that wait.

pub(crate) mod changes;
pub(crate) mod deliver;
pub(crate) mod intake;
pub(crate) mod mended;
pub(crate) mod mended_cells;
pub(crate) mod outcomes;
pub(crate) mod pending;
pub(crate) mod piece;
pub(crate) mod queue;
pub(crate) mod replacement;
pub(crate) mod rows;
pub(crate) mod subjects;
pub(crate) mod waiting;
