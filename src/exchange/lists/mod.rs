//! Reading without following a feed: lists by locations, addresses, animals of the whole book, statistics.

pub(crate) mod address;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod paths;
pub(crate) mod sires;
pub(crate) mod statistics;
