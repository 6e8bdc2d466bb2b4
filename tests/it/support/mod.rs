//! What the tests stand on.

pub(crate) mod fixture;
pub(crate) mod postgres;
pub(crate) mod template;
