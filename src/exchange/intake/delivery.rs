//! The input and output of intake: documents with their senders, options, and the answer about each.

use mapping::Mapping;
use model::error::{Error, Issue, Severity};
use model::record::{member, text};
use model::registry::Collection;
use serde_json::Value as Json;
use std::borrow::Cow;

/// How far a sender's clock may be ahead unless configured, milliseconds.
const TOLERANCE: i64 = 300_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeOptions {
    /// One refusal refuses all, as [`Error::Invalid`] with pointers that begin with the document's
    /// index; otherwise documents are independent of each other.
    pub atomic: bool,
    /// Everything is done and answered, and nothing of it is stored.
    pub dry: bool,
    /// Members that the standard does not have are refused.
    pub strict: bool,
    /// How far a sender's clock may be ahead, milliseconds.
    pub tolerance: i64,
}

impl Default for IntakeOptions {
    fn default() -> Self {
        Self { atomic: false, dry: false, strict: false, tolerance: TOLERANCE }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IntakeContext<'p> {
    pub batch: Option<&'p str>,
    /// Whether the answer reports what the checks find.
    pub surveyed: bool,
    /// The full sync, and its lease in milliseconds.
    pub sync: Option<(&'p str, i64)>,
}

/// A document on its way in.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The data set, or collection of the location's address.
    pub dataset: String,
    /// The organisation whose location it was sent to.
    pub location: i64,
    pub doc: Json,
    /// The document as it was sent, whose numbers keep all their digits. Without it they are those of `doc`.
    pub sent: Option<String>,
}

impl Delivery {
    pub(crate) fn text(&self) -> Cow<'_, str> {
        if let Some(text) = &self.sent { Cow::Borrowed(text) } else { Cow::Owned(self.doc.to_string()) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Created,
    /// Another state of a row that was there.
    Updated,
    /// Equal content: nothing was written.
    Unchanged,
    /// The row is gone (or was not there).
    Deleted,
    /// Refused; the issues say why.
    Rejected,
}

#[derive(Debug, Clone)]
pub struct DocumentAnswer {
    pub state: State,
    pub record: Option<i64>,
    pub collection: &'static str,
    /// What the resource is called in its address, where this intake rendered it.
    pub key: Option<String>,
    /// The resource as stored; of a batch, only where it was not rendered.
    pub body: Option<String>,
    /// The messages for the sender; paths are JSON pointers into the document.
    pub issues: Vec<Issue>,
    /// Whether it was refused because the caller may not, not because of its content.
    pub forbidden: bool,
}

impl DocumentAnswer {
    pub(crate) fn of(mut self, collection: &'static str) -> Self {
        self.collection = collection;
        self
    }

    pub(crate) fn is_there(&self) -> bool {
        self.record.is_some() && self.state != State::Deleted
    }

    /// Whether the document is what its resource says now: neither refused, nor a deletion,
    /// nor older than what is there.
    pub(crate) fn holds(&self) -> bool {
        let older = |issue: &Issue| matches!(issue.code.as_ref(), STALE | LATER);
        !matches!(self.state, State::Rejected | State::Deleted) && !self.issues.iter().any(older)
    }

    pub fn rejected(issues: Vec<Issue>) -> Self {
        Self::new(State::Rejected, None, issues)
    }

    /// The outcome of a document, and its row.
    pub(crate) fn new(state: State, record: Option<i64>, issues: Vec<Issue>) -> Self {
        Self { state, record, collection: "", key: None, body: None, issues, forbidden: false }
    }

    pub(crate) fn refused(error: Error) -> Self {
        let forbidden = matches!(error, Error::Forbidden(_));
        Self { forbidden, ..Self::rejected(refusal(error)) }
    }
}

/// Of a document that is older than its resource.
pub(crate) const STALE: &str = "stale";
/// Of a document that is older than another one of the same row.
pub(crate) const LATER: &str = "later-one-kept";

/// Data set, location, `meta.source`, `meta.sourceId`.
pub(crate) type Key<'d> = (&'d str, i64, &'d str, &'d str);

/// What a document is known by; none without its pair.
pub(crate) fn key(delivery: &Delivery) -> Option<Key<'_>> {
    let meta = member(delivery.doc.as_object()?, "meta")?.as_object()?;
    let (source, id) = (text(meta, "source")?, text(meta, "sourceId")?);
    Some((delivery.dataset.as_str(), delivery.location, source, id))
}

pub(crate) fn refusal(error: Error) -> Vec<Issue> {
    match error {
        Error::Invalid(issues) => issues,
        Error::Forbidden(issues) if !issues.is_empty() => issues,
        Error::NotFound => vec![Issue::error("", "resource-not-found", "No such resource.")],
        _ => vec![Issue::error("", "write-forbidden", "You are not allowed to write this resource.")],
    }
}

/// Field paths of the model become pointers into the document.
pub(crate) fn pointed(mapping: &Mapping, c: &Collection, issues: Vec<Issue>) -> impl Iterator<Item = Issue> {
    (issues.into_iter()).map(|mut issue| {
        if let Some(instead) = lacking(mapping, c, &issue, 0) {
            return instead;
        }
        if !issue.path.starts_with('/') {
            issue.path = mapping.pointer_of(c, &issue.path).unwrap_or_default();
        }
        issue
    })
}

/// The message for a required field that stays empty because a dictionary has no entry for it: the
/// sender cannot correct that in the document.
pub(crate) fn lacking(mapping: &Mapping, c: &Collection, issue: &Issue, at: usize) -> Option<Issue> {
    let slot = c.slot(&issue.path).filter(|_| issue.code == "required")?;
    let (pointer, message) = mapping.unfound(slot, at)?;
    Some(Issue::error(pointer, "entry-missing", message))
}

pub(crate) fn refused(issues: &[Issue]) -> bool {
    issues.iter().any(|i| i.severity == Severity::Error)
}

/// The answers of a run; one that is missing is a refusal.
pub(crate) fn complete(answers: Vec<Option<DocumentAnswer>>) -> Vec<DocumentAnswer> {
    answers.into_iter().map(|answer| answer.unwrap_or_else(|| DocumentAnswer::rejected(Vec::new()))).collect()
}

pub(crate) fn put(answers: &mut [Option<DocumentAnswer>], at: usize, answer: DocumentAnswer) {
    if let Some(place) = answers.get_mut(at) {
        *place = Some(answer);
    }
}
