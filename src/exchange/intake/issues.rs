//! Warnings and errors for stale, foreign or unknown documents.

use crate::intake::delivery::{DocumentAnswer, LATER, STALE, State};
use mapping::Intake;
use model::error::Issue;
use model::messages::Sentence;

pub(crate) fn outdated(id: i64, mut intake: Intake) -> DocumentAnswer {
    intake.issues.push(Issue::warning("/eventDateTime", LATER, "A later state is stored; this one changes nothing."));
    DocumentAnswer::new(State::Unchanged, Some(id), intake.issues)
}

/// A document whose time lies ahead of the clock.
pub(crate) fn ahead() -> Issue {
    let message = "This time is in the future; it counts as the present.";
    Issue::warning("/meta/modified", "modified-in-future", message)
}

/// The pair names a resource of another data set as well.
pub(crate) fn of_another_set(other: &str) -> Issue {
    let message = format!("This pair names a resource of {other} as well; both are stored.");
    Issue::warning("/meta/sourceId", "pair-of-another-set", message)
}

/// An older state than the sender's last one.
pub(crate) fn stale(record: Option<i64>, mut issues: Vec<Issue>) -> DocumentAnswer {
    let message = "A later state of this resource was sent before; this one changes nothing.";
    issues.push(Issue::warning("/meta/modified", STALE, message));
    DocumentAnswer::new(State::Unchanged, record, issues)
}

/// Our own name for a resource that a sender has named.
pub(crate) fn foreign(mut issues: Vec<Issue>) -> DocumentAnswer {
    let message = "This resource was sent under another source, and changes under it only.";
    issues.push(Issue::error("/meta/source", "sent-by-another", message));
    DocumentAnswer::rejected(issues)
}

/// Another name for what a sender of the location has named.
pub(crate) fn taken(message: impl Into<Sentence>) -> Issue {
    Issue::error("/meta/sourceId", "sent-by-another", message)
}

/// A name that somebody else gave to a resource of the location.
pub(crate) fn from_another_sender() -> DocumentAnswer {
    let message = "Another sender has a resource of this name here.";
    DocumentAnswer::rejected(vec![Issue::error("/meta/sourceId", "sent-by-another", message)])
}

pub(crate) fn unknown_row(mut issues: Vec<Issue>) -> DocumentAnswer {
    issues.push(Issue::error("/meta/sourceId", "resource-not-found", "This location has no such resource."));
    DocumentAnswer::rejected(issues)
}

/// A row that takes effect later, with the message to its sender.
pub(crate) fn waiting(says: &str) -> Issue {
    Issue::warning("", "waits", says.to_owned())
}

/// A row that will never take effect, with the message to its sender.
pub(crate) fn ended(why: &str) -> Issue {
    Issue::error("/meta/sourceId", "ended", why.to_owned())
}
