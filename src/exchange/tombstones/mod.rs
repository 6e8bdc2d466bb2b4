//! Entries that report to readers that a resource is gone: how long they are stored, and which resources go with an
//! animal that is sold or a location that is merged.

pub(crate) mod merged;
pub(crate) mod ownership_moves;
pub(crate) mod retention;
