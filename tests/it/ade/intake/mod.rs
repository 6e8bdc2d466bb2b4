//! Intake: single resources, pushes, batches, and what is refused.

mod batches;
mod dry_runs;
mod errors;
mod pushes;
pub(crate) mod raw_documents;
mod refusals;
mod resends;
mod rules;
mod shadowed;
mod single;
mod strict;
mod traces;
mod xml;
