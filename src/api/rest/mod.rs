//! The REST operations over every declared collection, from one set of handlers (docs/dialect.md,
//! *Query string*, *Answers*). Must not know any single collection.

pub(super) mod call;
pub(super) mod changes;
pub(super) mod counts;
mod faults;
pub(crate) mod findings;
pub(crate) mod mating;
pub(super) mod means;
pub(super) mod reads;
pub(super) mod sheets;
pub(super) mod submissions;
pub(super) mod target;
pub(super) mod usage;
pub(super) mod view_links;
pub(crate) mod work_lists;
