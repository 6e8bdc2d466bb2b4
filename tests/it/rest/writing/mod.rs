//! Writing: bodies, dry runs, repeated creates, removals, findings.

mod bodies;
mod dry_runs;
mod findings;
mod idempotency;
mod ignored;
mod marked;
mod removals;
mod values;
