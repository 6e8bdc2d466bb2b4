//! What tells readers that a resource is gone: how long that is stored, and which resources go with an animal that is sold or a location that is merged.

pub(crate) mod merged;
pub(crate) mod ownership_moves;
pub(crate) mod retention;
