//! Packages: files of farms become rows of the book (docs/packages.md).

mod desk;
mod files;
mod rights;
mod told;
mod ways;
