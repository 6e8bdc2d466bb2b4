//! Full syncs: what a sender no longer names is deleted.

pub(crate) mod course;
mod ends;
mod late;
mod model;
