//! Batches as resources, and taking one back (docs/design/intake.md, *Batches*).

pub(crate) mod batch;
pub(crate) mod retract;
