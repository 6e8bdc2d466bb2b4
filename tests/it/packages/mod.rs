//! Packages: files of farms become rows of the book (docs/packages.md).

mod cells;
mod course;
pub(crate) mod desk;
mod dialects;
mod documents;
mod exports;
mod files;
mod sets;
mod templates;
