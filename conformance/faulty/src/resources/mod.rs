//! Data sets, lists and their filters, and intake.

pub(crate) mod feed;
mod filter;
pub(crate) mod intake;
mod list;
