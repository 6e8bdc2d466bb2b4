//! Reads of the stored documents: lists of a collection, single resources, and what is computed for a request.

pub(super) mod collection;
pub(super) mod computed;
pub(super) mod links;
pub(super) mod page;
pub(super) mod sires;
pub(super) mod sorting;
