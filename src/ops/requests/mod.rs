//! Requests to write: their bodies, those over many rows, copies, dry runs, repetitions, and rows of files.

pub(crate) mod body;
pub(crate) mod bulk;
pub(crate) mod dry_run;
pub(crate) mod duplicate;
pub(crate) mod fill;
pub(crate) mod for_many;
pub(crate) mod idempotency;
pub(crate) mod import;
pub(crate) mod shown_once;
