//! The answer to a document: its state and messages, by the outcome of its row.

use crate::intake::delivery::{DocumentAnswer, State, pointed, refusal};
use crate::intake::issues::waiting;
use mapping::Mapping;
use model::error::{Error, Issue};
use model::registry::Collection;
use ops::Outcome;

/// Answers a document that was written, deleted or refused.
pub(super) fn answer(
    mapping: &Mapping,
    c: &'static Collection,
    outcome: Outcome,
    mut issues: Vec<Issue>,
    deleted: bool,
) -> DocumentAnswer {
    let mut forbidden = false;
    let row = match &outcome {
        Outcome::Done(change, _) => change.new.as_ref(),
        Outcome::Unchanged(_, row, _) => Some(row),
        Outcome::Refused(_) => None,
    };
    issues.extend(row.and_then(|row| mapping.waits(row)).map(waiting));
    let (state, record) = match outcome {
        Outcome::Done(change, more) => {
            issues.extend(pointed(mapping, c, more));
            let state = match (&change.old, &change.new, deleted) {
                (_, _, true) | (_, None, _) => State::Deleted,
                (None, ..) => State::Created,
                (Some(_), ..) => State::Updated,
            };
            (state, Some(change.id))
        }
        Outcome::Unchanged(id, _, more) => {
            issues.extend(pointed(mapping, c, more));
            let state = if deleted { State::Deleted } else { State::Unchanged };
            (state, Some(id))
        }
        Outcome::Refused(error) => {
            forbidden = matches!(error, Error::Forbidden(_));
            issues.extend(pointed(mapping, c, refusal(error)));
            (State::Rejected, None)
        }
    };
    DocumentAnswer { state, record, collection: c.slug, key: None, body: None, issues, forbidden }
}
