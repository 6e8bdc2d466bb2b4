//! The collections of the herd book by the sections of the book: one file each, with its declaration, its typed view
//! and its behaviour. Sees the registry, records and pure calculations; knows neither SQL
//! nor any face.

mod access;
mod computed;
mod days;
mod dictionaries;
mod documents;
mod evaluation;
mod events;
mod herd;
mod hooks;
mod logs;
mod people;
mod platform;
mod recompute;
mod row_ids;
mod slots;
mod verification;

/// Runs of the evaluation of the Association (docs/evaluation.md).
pub mod evaluations {
    pub use super::evaluation::LINEAR;
    pub use super::evaluation::{
        BreedingValues, EVALUATION_JOB, EvaluationResults, EvaluationRun, RELEASE_JOB, begin_evaluation, clear_step,
        fail_evaluation, finish_evaluation, give_release_up, note_step, release_step, store_breeding_values,
    };
}

pub use evaluation::{AVERAGES_JOB, queue_averages, store_averages_of_farm, store_averages_of_many};
pub use evaluation::{INDEX_JOB, IndexRun, give_index_run_up, index_step};
pub use people::organizations::placeholder;
pub use platform::check_runs::{
    CheckResults, CheckRun, NIGHTLY, RUN_JOB, begin_checks, checked, finish_checks, give_checks_up, queue_checks,
    queued_at,
};
pub use recompute::recompute;
pub use slots::FieldSet;
pub use verification::assignments::{overdue, remind};
pub use verification::check_findings::{
    Counts, Keys, Scope, SourcedFinding, Tally, check_animals, forget_mended, store,
};
pub use verification::requests::decision_preview;
pub use verification::submissions::{
    CLOSED_PERSONS, Comparison, DIFFERENCES, Protocol, ProtocolFinding, ProtocolLine, ProtocolStep, Sample, protocol,
};
pub use verification::survey::{BookPart, Step, Survey};

/// What the crate that reads files knows of packages (docs/packages.md).
pub mod packages {
    pub use super::days::{placed, shown_times};
    pub use super::dictionaries::lookups::by_id;
    pub use super::row_ids::row_id;
    pub use super::verification::submissions::intake::{OPEN, PACKAGE_JOB, UNREAD, put_off_check, submitted};
    pub use super::verification::submissions::letters::{tell_failed, tell_read};
    pub use super::verification::submissions::mapping::Mapping;
    pub use super::verification::submissions::mended::count_mended;
    pub use super::verification::submissions::package::wait_for_check;
    pub use super::verification::submissions::period::note_outside;
    pub use super::verification::submissions::{PackageCheck, plausible};
    pub use checks::{LEAST_VALUES, is_never_zero, possible};
}

/// Certificates of animals (docs/certificates.md).
pub mod certificates {
    pub use super::documents::certificates::{
        Certificate, ConditionResult, Form, NUMBER, certificate, class, conditions, numbers, plain, view,
    };
}

/// Animals as candidates for mating (docs/mating.md).
pub mod mating {
    pub use super::evaluation::Goal;
    pub use super::herd::animals::{HAPLOTYPES, Mate};
}

pub use events::refresh_pass::{RefreshPass, refresh_step};
pub use logs::purging::purge;
pub use people::invitations::{Acceptance, accept};
pub use people::work_letters::{next_work_letters, write_work_letter};

use model::error::{Error, Issue, Result};
use model::registry::{Collection, Registry};
use std::sync::OnceLock;

/// A registry, or every fault in it.
type Built = std::result::Result<Registry, Vec<Issue>>;

/// What an installation decides about the rules (docs/design/registry.md, *Switches*). A switch
/// chooses between access declarations when the program starts; it never adds, drops or changes a
/// field, so tables, slots and documents are those of every installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    /// `gradings.write`: gradings are written by the owner of the animal, instead of by
    /// uploads and the service only.
    pub gradings_write: bool,
}

/// Declares everything and checks it.
///
/// # Errors
/// Every fault in the declarations, with collection and path.
pub fn build(switches: Switches) -> Built {
    Registry::build(declared_all(switches))
}

/// All declarations under these switches, in the order of their sections
/// (docs/design/collections.md, *Collections*), not yet checked against each other.
pub fn declared_all(switches: Switches) -> Vec<Collection> {
    let sections = [
        ("Herd", herd::declared()),
        ("Events", events::declared()),
        ("Evaluation", evaluation::declared(switches)),
        ("Verification", verification::declared()),
        ("Documents", documents::declared()),
        ("People", people::declared()),
        ("Access", access::declared()),
        ("Logs", logs::declared()),
        ("Dictionaries", dictionaries::dictionaries()),
        // All but the first two of this section are beyond the herd-book model (docs/design/collections.md,
        // *Platform*).
        ("Platform", platform::declared()),
        ("Exchange", vec![logs::removals::ade_tombstones()]),
    ];
    (sections.into_iter()).flat_map(|(name, all)| all.into_iter().map(|c| c.section(name))).collect()
}

/// The registry with all switches off, for callers that need the fields only.
///
/// # Errors
/// As [`registry_with`].
pub fn registry() -> Result<&'static Registry> {
    registry_with(Switches::default())
}

/// The registry of an installation, built once for each setting of the switches.
///
/// # Errors
/// `Error::Invalid` with what [`build`] found; not to be seen in a released program,
/// since a test builds the same.
pub fn registry_with(switches: Switches) -> Result<&'static Registry> {
    static CLOSED: OnceLock<Built> = OnceLock::new();
    static GRADINGS: OnceLock<Built> = OnceLock::new();
    let built = if switches.gradings_write { &GRADINGS } else { &CLOSED };
    (built.get_or_init(|| build(switches)).as_ref()).map_err(|issues| Error::Invalid(issues.clone()))
}

#[cfg(test)]
mod declared;
#[cfg(test)]
mod tests;
