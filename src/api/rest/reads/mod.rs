//! Requests that read: records, lists in every format, files.

pub(crate) mod download;
pub(super) mod form;
pub(crate) mod read;
pub(super) mod table_rows;
pub(super) mod workbook;
