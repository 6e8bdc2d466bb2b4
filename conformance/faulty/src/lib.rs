//! A small ADE 1.5.1 server in memory that can be configured to be wrong in one way ([`Fault`]), or
//! right in an awkward one ([`Mode`]): to test testers of servers, and clients.
//!
//! It follows the standard and `docs/feed-profile.md`, holds made-up documents of two dozen
//! collections at four locations ([`LOCATIONS`]), and knows two accounts, [`ASSOCIATION`] and [`FARM`].
//! What it serves follows from the catalogue of the crate `ade`; there is no code for any one
//! collection. A fault is implemented beside the behaviour that it breaks: search for its name.
//!
//! It listens on the loopback interface and protects no secrets. Do not make it reachable from other machines.

mod book;
mod disturb;
mod fault;
mod judge;
mod mode;
mod named;
mod resources;
mod seed;
mod serve;
mod spoil;
mod token;
mod watch;
mod wire;
mod world;

pub use disturb::Disturb;
pub use fault::Fault;
pub use judge::{Conduct, Verdict, judge};
pub use mode::Mode;
pub use seed::{ANIMAL_SCHEME, LOCATION_SCHEME, LOCATIONS, Location, SOURCE, collections};
pub use token::session;
pub use watch::{Demands, Exchange};
pub use wire::server::Server;
pub use world::{ASSOCIATION, FARM, Options, PASSWORD};
