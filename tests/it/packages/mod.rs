//! Packages: files of farms become rows of the book (docs/packages.md).

mod cells;
pub(crate) mod desk;
mod documents;
mod exports;
mod files;
mod formats;
mod notation;
mod numbers;
mod order;
mod replaced;
mod rights;
mod told;
mod ways;
mod whole;
