//! Selection indexes (docs/indexes.md): profiles, bases, and the values of animals. A write computes the values of
//! its animals; whatever concerns the book is a run ([`runs`]).

mod bases;
mod built_in;
mod comparing;
mod estimates;
mod follow;
mod goals;
mod profiles;
mod ranking;
mod run;
mod runs;
mod values;

pub(super) use bases::index_bases;
pub(crate) use follow::{follow, follow_births};
pub use goals::Goal;
pub(super) use profiles::index_profiles;
pub(crate) use profiles::merge_profiles;
pub use run::{IndexRun, index_step};
pub(super) use runs::index_runs;
pub use runs::{INDEX_JOB, give_index_run_up};
pub(super) use values::index_values;
