//! Packages: files of farms become rows of the book (docs/packages.md).

pub(crate) mod desk;
mod documents;
mod files;
mod notation;
mod replaced;
mod rights;
mod told;
mod ways;
mod whole;
