//! What the columns of files mean, by headings, dialects, and what senders and the Association said.

pub(crate) mod book_header;
pub(crate) mod by_dialect;
pub(crate) mod column_samples;
pub(crate) mod columns;
pub(crate) mod constants;
pub(crate) mod dialect_part;
pub(crate) mod file_column;
pub(crate) mod known_columns;
pub(crate) mod proposals;
pub(crate) mod templates;
pub(crate) mod whole_collection;
