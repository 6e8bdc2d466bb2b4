//! `icarIdentifierType`, the base of all identifiers: an id issued under a scheme.

use serde::{Deserialize, Serialize};

/// An identifier. The scheme is written like a reversed domain (`eu.animalId`); both are compared exactly.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identifier {
    /// Unique within the scheme.
    pub id: String,
    /// Who issues the ids.
    pub scheme: String,
}

impl Identifier {
    /// An identifier of that scheme and id.
    pub fn new(scheme: impl Into<String>, id: impl Into<String>) -> Self {
        Self { id: id.into(), scheme: scheme.into() }
    }
}
