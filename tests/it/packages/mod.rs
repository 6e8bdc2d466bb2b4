//! Packages: files of farms become rows of the book (docs/packages.md).

mod desk;
mod documents;
mod files;
mod rights;
mod ways;
mod whole;
