//! Help on pages.

pub(crate) mod field;
