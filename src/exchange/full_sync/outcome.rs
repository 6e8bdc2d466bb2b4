//! What the end of a full sync did, and how far it is.

use serde::{Deserialize, Serialize};

/// Resources that the answer lists of each outcome.
const FIRST: usize = 20;

/// A resource in the outcome of a full sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AffectedResource {
    pub dataset: String,
    /// The organisation whose location it is.
    pub location: i64,
    /// `meta.source`.
    pub source: String,
    /// `meta.sourceId`.
    pub source_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// Resources with the same outcome: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Affected {
    pub count: usize,
    pub first: Vec<AffectedResource>,
}

impl Affected {
    pub(super) fn add(&mut self, resource: AffectedResource) {
        self.count += 1;
        if self.first.len() < FIRST {
            self.first.push(resource);
        }
    }
}

/// What the end of a full sync did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncOutcome {
    pub deleted: Affected,
    /// Not named, but changed since by another caller: they stay.
    #[serde(rename = "kept")]
    pub changed_by_others: Affected,
    /// Not named, but the book does not let them go.
    pub refused: Affected,
}

/// How far an end is. Stored with each piece, in place of the outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Progress {
    pub outcome: SyncOutcome,
    /// The user with whose rights resources are deleted.
    pub user: Option<i64>,
    /// Resources that were not named.
    pub unnamed: usize,
    /// 0 while it is looked which resources stay; then which pass over them this is.
    pub pass: usize,
    /// The place (location and source) that is looked at, and the last resource of it that was.
    pub place: usize,
    pub after: Option<(String, String)>,
    /// How many were deleted before this pass.
    pub before: usize,
    /// The place in commit order up to which changes by others are known.
    pub seen: i64,
}

impl Progress {
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}
