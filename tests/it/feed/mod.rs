//! Proofs of the foundation: whatever writers do at once, every reader of the feed ends
//! with exactly the documents that he may see.

mod crash;
mod draw;
mod later;
mod process;
mod reader;
mod schedules;
mod servers;
mod stage;
mod verdict;
mod writers;
