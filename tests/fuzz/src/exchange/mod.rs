//! The exchange: documents, batches, tables and XML.

pub(crate) mod batches;
pub(crate) mod documents;
pub(crate) mod tables;
pub(crate) mod xml;
