//! Which rows documents are about, and in what order they are written.

pub(crate) mod by_mapping;
pub(crate) mod execution_order;
pub(crate) mod joined;
pub(crate) mod match_existing;
pub(crate) mod placeholder;
pub(crate) mod resolve;
pub(crate) mod resolve_rows;
