//! The ADE face over HTTP, on each database.

mod access;
mod animals;
mod events;
mod feeds;
mod full_syncs;
mod intake;
mod reading;
mod round_trip;
mod stage;
