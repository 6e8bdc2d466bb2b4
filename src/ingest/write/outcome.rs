//! What became of a row that the pipeline of writes took or refused.

use super::references::foreign;
use super::{ImportBatch, RowIdSet, RowOutcome};
use model::error::{Error, Issue, Result, Severity};
use model::record::Record;
use model::registry::Verb;
use ops::Outcome;

/// A row that was changed, before and after.
pub(super) type Changed = Option<Box<(Record, Record)>>;

/// What became of a row, what it changed, and remarks on it.
pub(super) fn imported(
    batch: &ImportBatch,
    (verb, of_other_farm): (Verb, bool),
    outcome: Outcome,
    record_ids: &mut RowIdSet,
) -> Result<(RowOutcome, Changed, Vec<Issue>)> {
    let plain = |outcome| Ok((outcome, None, Vec::new()));
    match outcome {
        Outcome::Done(done, mut notes) => {
            record_ids.insert(done.id);
            // An export has what the server sets in every row.
            notes.retain(|note| note.code != "read-only");
            // What a package changed may be taken back.
            let is_package = batch.rules.package.is_some();
            let change = (done.old.zip(done.new)).filter(|_| is_package);
            let imported = match verb {
                Verb::Create => RowOutcome::Created(done.id),
                _ => RowOutcome::Updated(done.id),
            };
            Ok((imported, change.map(Box::new), notes))
        }
        Outcome::Unchanged(id, _, _) => {
            record_ids.insert(id);
            plain(RowOutcome::Unchanged(id))
        }
        Outcome::Refused(error) => plain(RowOutcome::Refused(refusals(batch, error, of_other_farm)?)),
    }
}

/// Why a row was refused; errors that are about no row end the import.
fn refusals(batch: &ImportBatch, error: Error, of_other_farm: bool) -> Result<Vec<Issue>> {
    match error {
        Error::Forbidden(_) if of_other_farm => {
            Ok(vec![foreign(batch.collection.naming.known_as.first().copied().unwrap_or_default())])
        }
        Error::Invalid(issues) => Ok(errors(issues)),
        Error::Forbidden(issues) if issues.is_empty() => {
            let message = match batch.rules.package {
                Some(_) => "The right to send packages is not enough to write this row.",
                None => "The Association may not write this row.",
            };
            Ok(vec![Issue::error("", "forbidden", message)])
        }
        Error::Forbidden(issues) => Ok(issues),
        Error::NotFound => Ok(vec![Issue::error("id", "resource-not-found", "Not Found")]),
        other => Err(other),
    }
}

pub(super) fn errors(mut issues: Vec<Issue>) -> Vec<Issue> {
    issues.retain(|issue| issue.severity == Severity::Error);
    issues
}
