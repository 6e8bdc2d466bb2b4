//! Commands that fill a book: the demonstration, synthetic rows, files.

pub(super) mod demo;
pub(super) mod generate;
pub(super) mod import;
mod portrait;
mod underway;
