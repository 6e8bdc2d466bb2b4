//! The mapping files of the book itself.

/// Name and text of each file in `mappings`, as `build.rs` finds them.
pub(crate) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/mappings.rs"));
