//! Tests any ICAR ADE 1.5 server by its URL, from outside, by raw JSON.
//!
//! [`run`] visits a server and gives a [`Report`]: one [`Finding`] for each
//! [`Requirement`] of `requirements.toml`. Knows the standard (`ade`) and the laws of change
//! feeds (`feed-oracle`), and no server.

pub mod awkward;
mod checks;
pub mod cli;
mod client;
mod clock;
mod compare;
mod document;
pub mod offline;
pub mod options;
pub mod report;
pub mod requirements;
mod run;
mod strict;
mod tally;
mod visit;

pub use checks::checked;
pub use options::{Auth, Bounds, Options, Profile, Progress, Quiet};
pub use report::{Evidence, Finding, Outcome, Report};
pub use requirements::{Class, Level, Requirement, Requirements};
pub use run::run;
