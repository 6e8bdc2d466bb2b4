//! Judges change feeds of the ICAR Animal Data Exchange (generic data exchange, ADE 1.5) by the
//! pages that came over the wire.
//!
//! Three depths, each on top of the one before:
//!
//! - [`Page::read`] accepts a page whole or not at all;
//! - [`Chain`] judges pages one after the other by the resources that the client holds from those
//!   before: enough for any client of any server, without knowledge of the writes;
//! - [`Trial`] also knows the writes, their times, and the readers that may see them: it judges
//!   completeness, order, tombstones and rights, from every token that was ever given.
//!
//! Where only the last states are known, [`against_last`] compares them.
//!
//! What a server promises is a [`Profile`]: [`Profile::standard`] for any ADE 1.5 server,
//! [`Profile::herdbook`] for the further promises of Herdbook Hub. A broken law is a [`Violation`]:
//! a [`Kind`] for machines, words for people. [`Probe`] judges the answers to tokens that must not
//! be accepted.
//!
//! The crate depends on no server: neither on its types nor on its store, only on JSON.

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
