//! Reading without following a feed: lists by locations, addresses, animals of the whole book, statistics.

pub(crate) mod address;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod paths;
pub(crate) mod sires;
pub(crate) mod statistics;

use crate::rules::Rules;
use std::sync::Arc;

/// Reads resources where their addresses say, and what is computed of them on request. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Lists {
    pub(crate) rules: Arc<Rules>,
}

impl Lists {
    pub(crate) fn new(rules: Arc<Rules>) -> Self {
        Self { rules }
    }
}
