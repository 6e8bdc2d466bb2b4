//! Packages: files of farms become rows of the book (docs/packages.md).

pub(crate) mod desk;
mod documents;
mod exports;
mod files;
mod replaced;
mod rights;
mod told;
mod ways;
mod whole;
