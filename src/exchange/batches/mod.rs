//! Batches as resources, and taking one back (docs/design/intake.md, *Batches*).

pub(crate) mod batch;
pub(crate) mod element;
pub(crate) mod job;
pub(crate) mod retract;

use crate::intake::DocumentIntake;
use crate::rules::Rules;
use std::sync::Arc;

/// Stores batches with their results, and gives their parts to the intake. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Batches {
    pub(crate) rules: Arc<Rules>,
    pub(crate) intake: DocumentIntake,
}

impl Batches {
    pub(crate) fn new(rules: Arc<Rules>, intake: DocumentIntake) -> Self {
        Self { rules, intake }
    }
}
