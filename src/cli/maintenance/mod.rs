//! Commands for the database of a book: migrations, copies, values computed anew.

pub(super) mod backup;
pub(super) mod clock;
pub(super) mod migrate;
pub(super) mod recompute;
pub(super) mod reproject;
pub(super) mod schema;
pub(super) mod tombstones;
pub(super) mod transfer;
