//! Packages of rows that a farm hands in: previews, rows as they were signed, corrected rows.

pub(crate) mod mended_rows;
pub(crate) mod packages;
pub(super) mod previewed;
pub(crate) mod signed_package;
pub(crate) mod templates;
