//! The REST face through the router, over a book of its own for each test.

mod bodies;
mod events;
mod lists;
mod movements;
mod origins;
mod removals;
mod rights;
mod server;
mod sign_in;
pub(crate) mod stage;
pub(crate) mod world;
mod writes;
