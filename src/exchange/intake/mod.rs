//! From sent documents to rows: checks, look-ups, last states, order of execution, results (docs/design/intake.md).

pub(crate) mod attempts;
pub(crate) mod beside;
pub(crate) mod correction_requests;
pub(crate) mod corrections;
pub(crate) mod delivery;
pub(crate) mod elements;
pub(crate) mod execution_order;
pub(crate) mod groups;
pub(crate) mod issues;
pub(crate) mod last_states;
pub(crate) mod logged;
pub(crate) mod mandates;
pub(crate) mod meeting;
pub(crate) mod pipeline;
pub(crate) mod resolve;
pub(crate) mod resolve_rows;
pub(crate) mod several;
pub(crate) mod stats;
