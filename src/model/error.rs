//! The one error below HTTP. It knows no status codes and no wire forms: each face
//! writes it in its own dialect (`api::error`). [`Issue`] is the only currency of
//! validation, so that REST `errors`, ADE `messages` and `herdbook check` say the same.

mod types;

pub use types::{ErrorType, ErrorTypes, error_codes, error_reference, error_type, error_types};

use crate::messages::Sentence;
use std::borrow::Cow;
use std::fmt;

/// How grave an [`Issue`] is; the words are those of the ADE batch result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For information only.
    Information,
    /// Stored, but something was changed, ignored or doubtful.
    Warning,
    /// Refused.
    Error,
}

/// One fault or remark about one place in what the caller sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Where: a field path (`altIds.earTag`, `progeny.0.sex`) inside, a JSON pointer on the ADE face.
    pub path: String,
    /// What, for machines: stable, kebab-case (`required`, `not-unique`, `event-before-birth`).
    pub code: Cow<'static, str>,
    /// What, for people.
    pub message: Sentence,
    /// How grave.
    pub severity: Severity,
    /// Whether it has a reason of its own, so that it is listed with earlier faults of the same
    /// place. Others count as consequences of the first one there.
    pub additional: bool,
    /// The record of the book that stands against it: its collection and its id.
    pub record: Option<(&'static str, i64)>,
}

impl Issue {
    /// A refusal.
    pub fn error(path: impl Into<String>, code: impl Into<Cow<'static, str>>, message: impl Into<Sentence>) -> Self {
        Self {
            path: path.into(),
            code: code.into(),
            message: message.into(),
            severity: Severity::Error,
            additional: false,
            record: None,
        }
    }

    /// One of several refusals of the same place, each of which has a reason of its own.
    pub fn additional(
        path: impl Into<String>,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<Sentence>,
    ) -> Self {
        Self { additional: true, ..Self::error(path, code, message) }
    }

    /// Something stored with a remark.
    pub fn warning(path: impl Into<String>, code: impl Into<Cow<'static, str>>, message: impl Into<Sentence>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, code, message) }
    }

    /// With the record that stands against it.
    pub fn about(self, collection: &'static str, id: i64) -> Self {
        Self { record: Some((collection, id)), ..self }
    }
}

/// Why an operation did not happen.
#[derive(Debug)]
pub enum Error {
    /// No such record, or none that the caller may see.
    NotFound,
    /// The caller has to sign in.
    Unauthenticated,
    /// The caller may not; with issues when it is about single fields.
    Forbidden(Vec<Issue>),
    /// The content is bad; every fault is listed.
    Invalid(Vec<Issue>),
    /// The query names paths that cannot be queried (by anyone, or by this caller).
    Query(Vec<String>),
    /// The query would read too much of the book, by these paths.
    Dear(Vec<String>),
    /// A list of very many rows, by paths that no index leads along.
    Unindexed {
        /// These paths.
        paths: Vec<String>,
        /// Fields that lead to few rows, or by which a list is in order.
        fields: Vec<String>,
    },
    /// A request that cannot be understood at all, with a text for the caller.
    Malformed(Sentence),
    /// Nothing is wrong with it, but it is written only with others, of which one was refused.
    Undone,
    /// A file larger than its type may be.
    TooLarge,
    /// A question took the database longer than it may.
    Late,
    /// Too many others ask the database.
    Overloaded,
    /// No room for a file: the disk is nearly full.
    Full,
    /// The store is not to be reached for now.
    Unavailable(String),
    /// A fault of the service; the text is for the log only.
    Internal(String),
}

impl Error {
    /// A refusal without naming fields.
    pub fn forbidden() -> Self {
        Self::Forbidden(Vec::new())
    }

    /// A fault of the service, from any value that explains it.
    pub fn internal(why: impl fmt::Display) -> Self {
        Self::Internal(why.to_string())
    }

    /// One bad field.
    pub fn invalid(path: impl Into<String>, code: impl Into<Cow<'static, str>>, message: impl Into<Sentence>) -> Self {
        Self::Invalid(vec![Issue::error(path, code, message)])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("not found"),
            Self::Unauthenticated => f.write_str("not signed in"),
            Self::Forbidden(issues) => write!(f, "forbidden{}", listed(issues)),
            Self::Invalid(issues) => write!(f, "invalid{}", listed(issues)),
            Self::Query(paths) => write!(f, "cannot be queried: {}", paths.join(", ")),
            Self::Dear(paths) => write!(f, "too expensive: {}", paths.join(", ")),
            Self::Unindexed { paths, .. } => write!(f, "without an index: {}", paths.join(", ")),
            Self::Malformed(why) => write!(f, "malformed: {why}"),
            Self::Undone => f.write_str("another one of the request was refused"),
            Self::TooLarge => f.write_str("too large a file"),
            Self::Late => f.write_str("it took too long"),
            Self::Overloaded => f.write_str("overloaded"),
            Self::Full => f.write_str("no room for a file"),
            Self::Unavailable(why) => write!(f, "unavailable: {why}"),
            Self::Internal(why) => write!(f, "internal: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// What every operation below HTTP answers.
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn listed(issues: &[Issue]) -> String {
    issues.iter().map(|i| format!("; {}: {} ({})", i.path, i.message, i.code)).collect()
}
