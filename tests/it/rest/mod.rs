//! The REST face through the router, over a book of its own for each test.

mod access;
mod accounts;
pub(crate) mod animals;
pub(crate) mod certificates;
mod keys;
pub(crate) mod operation;
pub(crate) mod reading;
pub(crate) mod requests;
pub(crate) mod stage;
mod submissions;
pub(crate) mod uploads;
pub(crate) mod world;
mod writing;
