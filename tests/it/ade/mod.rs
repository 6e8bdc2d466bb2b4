//! The ADE face over HTTP, on each database.

mod batches;
mod feeds;
mod paging;
mod pushes;
mod reading;
mod refusals;
mod sending;
mod stage;
