//! From sent documents to rows: checks, look-ups, last states, order of execution, results (docs/design/intake.md).

mod answer;
pub(crate) mod corrections;
pub(crate) mod delivery;
pub(crate) mod elements;
pub(crate) mod groups;
pub(crate) mod issues;
pub(crate) mod last_states;
pub(crate) mod logged;
pub(crate) mod mandates;
pub(crate) mod matching;
pub(crate) mod pipeline;
mod statements;
pub(crate) mod stats;

use crate::projection::projector::Projector;
use crate::rules::Rules;
use model::fast::IndexSet;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Takes documents in, and has the projector render what they changed. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DocumentIntake {
    pub(crate) rules: Arc<Rules>,
    pub(crate) projector: Projector,
    /// The outcome of incoming documents.
    tally: Arc<stats::Tally>,
    /// Data sets with a mapping of which raw documents are still stored.
    pub(crate) leftovers: Arc<OnceCell<IndexSet<String>>>,
}

impl DocumentIntake {
    pub(crate) fn new(rules: Arc<Rules>, projector: Projector) -> Self {
        Self { rules, projector, tally: Arc::default(), leftovers: Arc::default() }
    }

    pub(crate) fn tally(&self) -> &stats::Tally {
        &self.tally
    }
}
