//! What an intake leaves in the operation log: a line for each data set and location, not one for each row.

use crate::intake::delivery::{Delivery, DocumentAnswer, State};
use model::fast::IndexMap;
use model::registry::{Operation, Principal};
use model::said;
use ops::WriteTransaction;

#[derive(Default)]
struct Counts {
    created: usize,
    updated: usize,
    deleted: usize,
    refused: usize,
}

impl Counts {
    /// What became of the documents of a data set.
    fn of(&self, dataset: &str) -> String {
        let sentence = said!(
            "{new} created, {changed} updated, {gone} deleted, {held} refused",
            new = self.created,
            changed = self.updated,
            gone = self.deleted,
            held = self.refused,
        );
        format!("{dataset}: {}", sentence.english())
    }
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
        work.log_operation(Operation {
            action: "ade-intake",
            actor: caller.user,
            organization: Some(location),
            subject: None,
            summary: Some(counts.of(dataset)),
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
        summary: Some(Counts { deleted, ..Counts::default() }.of(dataset)),
        ip: caller.ip,
    });
}
