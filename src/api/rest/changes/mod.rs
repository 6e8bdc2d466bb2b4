//! Requests that write: single records, many at once, decisions, files.

pub(crate) mod append_members;
mod batch;
pub(crate) mod bulk;
pub(crate) mod decision;
pub(crate) mod for_many;
mod idempotency;
mod uploads;
pub(crate) mod write;
pub(crate) mod written;
