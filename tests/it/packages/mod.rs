//! Packages: files of farms become rows of the book (docs/packages.md).

mod cells;
pub(crate) mod desk;
mod dialects;
mod documents;
mod exports;
mod files;
mod formats;
mod heads;
mod held;
mod notation;
mod nothing;
mod numbers;
mod order;
mod replaced;
mod rights;
mod sets;
mod told;
mod units;
mod values;
mod ways;
mod whole;
