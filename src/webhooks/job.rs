//! A message to be sent, as a worker leases it.

/// A message to be sent, leased.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) id: i64,
    pub(super) organization: Option<i64>,
    pub(super) dataset: String,
    pub(super) url: String,
    pub(super) host: String,
    pub(super) created_by: Option<i64>,
    pub(super) secret: Option<String>,
    pub(super) former: Option<String>,
    pub(super) rotated_at: Option<i64>,
    pub(super) pending: i64,
    pub(super) delivered: i64,
    pub(super) changed_at: i64,
    pub(super) due: i64,
    pub(super) failures: i64,
    pub(super) failing_since: i64,
    /// The number of a test, when it is one.
    pub(super) ping: Option<i64>,
    pub(super) worker: String,
}

impl Job {
    /// Whether the former key signs too.
    pub(super) fn overlaps(&self, now: i64, overlap: i64) -> bool {
        (self.rotated_at).is_some_and(|at| now.saturating_sub(at) < overlap)
    }
}
