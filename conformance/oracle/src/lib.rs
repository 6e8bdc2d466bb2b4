//! Judges change feeds of the ICAR Animal Data Exchange (generic data exchange, ADE 1.5) by
//! what came over the wire.
//!
//! Three depths, each on top of the one before:
//!
//! - [`Page::read`] takes a page whole or not at all;
//! - [`Chain`] judges pages one after the other by what the client holds from those before:
//!   enough for any client of any server, with no knowledge of what was written;
//! - [`Trial`] also knows what was written, by whom it may be seen, and when: it judges
//!   completeness, order, tombstones and rights, from every token that was ever given.
//!
//! Where only the last states are known, [`against_last`] compares them.
//!
//! What a server promises is a [`Profile`]: [`Profile::standard`] for any ADE 1.5 server,
//! [`Profile::herdbook`] for what Herdbook Hub promises beyond it. A broken law is a
//! [`Violation`]: a [`Kind`] for machines, words for people. [`Probe`] judges the answers to
//! tokens that must not be taken.
//!
//! The crate knows no server: neither its types nor its store, only JSON.

mod chain;
mod complete;
mod last;
mod probe;
mod profile;
mod time;
mod trial;
mod truth;
mod violation;
mod watcher;
mod wire;

pub use chain::{Chain, Judged, Memory};
pub use last::against_last;
pub use probe::Probe;
pub use profile::{Identity, Order, Profile, Repeats};
pub use time::nanoseconds;
pub use trial::{Open, ReaderId, Step, Trial};
pub use truth::{CommitId, Scope};
pub use violation::{Kind, Violation};
pub use wire::{Answer, Asked, FULL_SYNC, Key, Page, Resource, State, fingerprint};
