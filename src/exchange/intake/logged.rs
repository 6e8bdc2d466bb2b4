//! What an intake leaves in the operation log: a line for each data set and location, not
//! one for each row.

use crate::intake::delivery::{Delivery, DocumentAnswer, State};
use model::fast::IndexMap;
use model::registry::{Operation, Principal};
use ops::WriteTransaction;

#[derive(Default)]
struct Counts {
    created: usize,
    updated: usize,
    deleted: usize,
    refused: usize,
}

/// Adds the lines of an intake. One that wrote nothing leaves none.
pub(crate) fn log(
    work: &mut WriteTransaction<'_>,
    caller: &Principal,
    deliveries: &[Delivery],
    answers: &[DocumentAnswer],
) {
    let mut all: IndexMap<(&str, i64), Counts> = IndexMap::default();
    for (delivery, answer) in deliveries.iter().zip(answers) {
        let counts = all.entry((delivery.dataset.as_str(), delivery.location)).or_default();
        match answer.state {
            State::Created => counts.created += 1,
            State::Updated => counts.updated += 1,
            State::Deleted if answer.record.is_some() => counts.deleted += 1,
            State::Rejected => counts.refused += 1,
            State::Deleted | State::Unchanged => {}
        }
    }
    for ((dataset, location), counts) in all {
        if counts.created + counts.updated + counts.deleted == 0 {
            continue;
        }
        let summary = format!(
            "{dataset}: {} created, {} updated, {} deleted, {} refused",
            counts.created, counts.updated, counts.deleted, counts.refused
        );
        work.log_operation(Operation {
            action: "ade-intake",
            actor: caller.user,
            organization: Some(location),
            subject: None,
            summary: Some(summary),
            ip: caller.ip,
        });
    }
}

/// Adds the line of documents that the caller took back by their animal.
pub(crate) fn log_deleted(
    work: &mut WriteTransaction<'_>,
    caller: &Principal,
    dataset: &str,
    location: i64,
    deleted: usize,
) {
    if deleted == 0 {
        return;
    }
    work.log_operation(Operation {
        action: "ade-intake",
        actor: caller.user,
        organization: Some(location),
        subject: None,
        summary: Some(format!("{dataset}: 0 created, 0 updated, {deleted} deleted, 0 refused")),
        ip: caller.ip,
    });
}
