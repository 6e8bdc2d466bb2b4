//! How documents are to be shown.

use crate::api::Hub;
use crate::query::qs::{self, Tree};

/// What a query says of the look of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct View {
    /// Levels of relations shown as documents.
    pub(crate) depth: u8,
}

impl View {
    /// From a query.
    pub(crate) fn read(hub: &Hub, query: &Tree) -> Self {
        Self {
            depth: qs::depth(query, hub.settings.depth),
        }
    }
}
