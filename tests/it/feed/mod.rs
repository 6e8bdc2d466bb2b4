//! Proofs of the foundation: for any concurrent writers, every reader of the feed ends with exactly
//! the documents that it may see.

mod crash;
pub(crate) mod draw;
mod full_syncs;
mod later;
pub(crate) mod process;
mod reader;
mod schedules;
mod servers;
pub(crate) mod stage;
mod verdict;
mod writers;
