//! Packages, their signatures, and how much an organisation may store.

pub(crate) mod course;
mod quotas;
pub(crate) mod signatures;
