//! Batches as resources, and taking one back (docs/design/intake.md, *Batches*).

pub(crate) mod batch;
pub(crate) mod element;
pub(crate) mod job;
pub(crate) mod retract;

use crate::intake::DocumentIntake;

/// Stores batches with their results, and gives their parts to the intake. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Batches {
    pub(crate) intake: DocumentIntake,
}
