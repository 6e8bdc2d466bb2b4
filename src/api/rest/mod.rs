//! The REST operations over every declared collection, from one set of handlers (docs/dialect.md,
//! *Query string*, *Answers*). Must not know any single collection.

pub(super) mod append_members;
mod batch;
pub(super) mod bulk;
pub(super) mod call;
pub(super) mod card;
pub(super) mod certificates;
pub(super) mod decision;
pub(super) mod download;
pub(crate) mod findings;
pub(super) mod for_many;
mod form;
mod idempotency;
pub(super) mod means;
pub(super) mod mended_rows;
pub(super) mod packages;
mod previewed;
mod printed;
pub(super) mod read;
pub(super) mod signed_package;
mod table_rows;
pub(super) mod target;
mod uploads;
pub(super) mod usage;
pub(super) mod view;
pub(super) mod view_links;
mod workbook;
pub(super) mod write;
pub(crate) mod written;
