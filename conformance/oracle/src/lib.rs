//! Judges change feeds of the ICAR Animal Data Exchange (generic data exchange, ADE 1.5) by the
//! pages that came over the wire.
//!
//! - [`Page::read`] accepts a page whole or not at all;
//! - [`Chain`] judges pages one after the other by the resources that the client holds from those
//!   before: enough for any client of any server, without knowledge of the writes;
//! - [`against_last`] compares what a reader holds with the last states, where these are known:
//!   completeness, order, tombstones and rights.
//!
//! What a server promises is a [`Profile`]: [`Profile::standard`] for any ADE 1.5 server,
//! [`Profile::herdbook`] for the further promises of Herdbook Hub. A broken law is a [`Violation`]:
//! a [`Kind`] for machines, words for people. [`Probe`] judges the answers to tokens that must not be accepted.
//!
//! The crate depends on no server: neither on its types nor on its store, only on JSON.

mod chain;
mod last;
mod probe;
mod profile;
mod time;
mod violation;
mod wire;

pub use chain::{Chain, Judged, Memory};
pub use last::against_last;
pub use probe::Probe;
pub use profile::{Identity, Profile, Repeats};
pub use time::nanoseconds;
pub use violation::{Kind, Violation};
pub use wire::{Answer, FULL_SYNC, Key, Page, PageRequest, Resource, State, fingerprint};
