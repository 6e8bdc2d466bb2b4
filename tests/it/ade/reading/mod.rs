//! Locations, collections, filters, pages, formats.

mod catalogue;
mod deployed;
mod discovery;
mod examples;
mod filters;
pub(crate) mod formats;
mod locations;
mod paging;
mod read_only;
mod sorting;
