//! `icarMetaDataType`: where a resource comes from and how old it is.

use serde::{Deserialize, Serialize};

use crate::time::Instant;

/// The `meta` of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The system of origin, a URI or a reversed domain.
    pub source: String,
    /// The resource's id in `source`; with it the identity of the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// Whether it was deleted at the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_deleted: Option<bool>,
    /// When it was last changed at the source.
    pub modified: Instant,
    /// When it was created at the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Instant>,
    /// The person or organisation that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// Since when it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Instant>,
    /// Until when it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Instant>,
}

impl Meta {
    /// A `meta` with the two members the standard requires.
    pub fn new(source: impl Into<String>, modified: Instant) -> Self {
        Self {
            source: source.into(),
            source_id: None,
            is_deleted: None,
            modified,
            created: None,
            creator: None,
            valid_from: None,
            valid_to: None,
        }
    }
}
