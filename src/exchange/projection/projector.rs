//! `Projector`, which renders documents: the layer between the rules and the intake.

use crate::rules::Rules;
use std::sync::Arc;
use tokio::sync::Notify;

/// Dependents that one transaction renders.
pub(crate) const AT_ONCE: usize = 300;

/// Keeps the stored documents as the rows are: renders what a transaction touched, writes
/// tombstones, serves raw documents where their animals live. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Projector {
    pub(crate) rules: Arc<Rules>,
    /// Notified of dependents that wait.
    queue: Arc<Notify>,
    /// Dependents of one change that are rendered in its transaction; more of them wait
    /// in the queue, which is worked off in chunks of as many.
    pub(crate) at_once: usize,
    /// Rows of one transaction that makes documents of a load; none: as many as there are, if they are not very many.
    pub(crate) pieces: Option<usize>,
}

impl Projector {
    pub(crate) fn new(rules: Arc<Rules>, at_once: usize) -> Self {
        Self { rules, queue: Arc::default(), at_once, pieces: None }
    }

    /// Makes the documents of a load in transactions of so many rows, however few there are.
    #[must_use]
    pub fn in_pieces_of(mut self, rows: usize) -> Self {
        self.pieces = Some(rows);
        self
    }

    /// Returns when dependents were queued; a worker then calls [`Projector::work_off`].
    pub async fn queued(&self) {
        self.queue.notified().await;
    }

    pub(crate) fn wake(&self) {
        self.queue.notify_one();
    }
}
