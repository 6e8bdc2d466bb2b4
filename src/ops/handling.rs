//! Ignored parts of a request, and whether its caller wants to be refused for them (RFC 7240,
//! `handling`). Unknown fields, parameters and keys of an order, and fields that the server sets,
//! are ignored, as the REST dialect has it; an answer names them all the same.

use super::{Item, NewFinding, Outcome, SurveyResult};
use crate::requests::dry_run::DryRun;
use model::error::{Issue, Severity};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use store::Store;

/// No such field; its value is ignored.
pub const UNKNOWN_FIELD: &str = "unknown-field";
/// The server sets the field; the sent value is ignored.
pub const READ_ONLY: &str = "read-only";
/// No such parameter; it is ignored.
pub const UNKNOWN_PARAMETER: &str = "unknown-parameter";

/// The address is stored until it is verified; the present one stays in use.
pub const TO_BE_PROVED: &str = "to-be-proved";

/// Places that one answer names.
const MOST_NAMES: usize = 50;

tokio::task_local! {
    static HANDLING: Arc<Handling>;
}

/// How the request under way is handled, and what of it was ignored so far.
#[derive(Debug, Default)]
pub struct Handling {
    strict: bool,
    dry: bool,
    whole: bool,
    dry_run: OnceLock<DryRun>,
    surveyed: Mutex<SurveyResult>,
    ignored: Mutex<Vec<Issue>>,
    passwords: AtomicUsize,
}

impl Handling {
    /// For a request; `strict` if its caller wants ignored members to be refused.
    pub fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// Of a request of which nothing may stay.
    #[must_use]
    pub fn dry(mut self, dry: bool) -> Self {
        self.dry = dry;
        self
    }

    /// Of a request that creates all of its documents or none.
    #[must_use]
    pub fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// The transaction of a dry run, which its first write begins; none of another request.
    pub(super) fn dry_run(&self, store: &Store) -> Option<&DryRun> {
        self.dry.then(|| self.dry_run.get_or_init(|| DryRun::begin(store)))
    }

    /// The transaction of a dry run that wrote something.
    pub(super) fn begun(&self) -> Option<DryRun> {
        self.dry_run.get().cloned()
    }

    /// Runs the handler of the request.
    pub async fn around<F: Future>(self: Arc<Self>, answering: F) -> F::Output {
        HANDLING.scope(self, answering).await
    }

    /// Undoes what the request wrote if it is a dry run; it is answered after that.
    pub async fn undo(&self) {
        if let Some(dry_run) = self.dry_run.get() {
            dry_run.end().await;
        }
    }

    /// Ignored places, each once.
    pub fn ignored(&self) -> Vec<Issue> {
        let ignored = self.ignored.lock();
        ignored.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records an ignored place.
    pub fn note<'i>(&self, issues: impl IntoIterator<Item = &'i Issue>) {
        let ignored = self.ignored.lock();
        let mut ignored = ignored.unwrap_or_else(PoisonError::into_inner);
        for issue in issues.into_iter().filter(|issue| is_ignored(issue)) {
            if ignored.len() < MOST_NAMES && !ignored.iter().any(|known| known == issue) {
                ignored.push(issue.clone());
            }
        }
    }

    /// What the checks found so far in what was written.
    pub fn surveyed(&self) -> SurveyResult {
        let surveyed = self.surveyed.lock();
        surveyed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds what the checks found.
    pub(super) fn note_surveyed(&self, more: SurveyResult) {
        let surveyed = self.surveyed.lock();
        let mut surveyed = surveyed.unwrap_or_else(PoisonError::into_inner);
        surveyed.later |= more.later;
        surveyed.findings.extend(more.findings);
    }

    /// Records an ignored place.
    pub(super) fn note_of(&self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            if let Outcome::Done(_, issues) | Outcome::Unchanged(_, _, issues) = outcome {
                self.note(issues);
            }
        }
    }
}

/// Everything that was ignored so far in the present request; nothing outside of a request.
pub fn ignored() -> Vec<Issue> {
    HANDLING.try_with(|handling| handling.ignored()).unwrap_or_default()
}

pub fn ignore(path: impl Into<String>, code: &'static str) -> Issue {
    let message = match code {
        READ_ONLY => "The server sets this field; what was sent was ignored.",
        UNKNOWN_PARAMETER => "There is no such parameter; it was ignored.",
        _ => "There is no such field; it was ignored.",
    };
    Issue::warning(path, code, message)
}

/// Whether an issue is about something that was ignored.
pub(crate) fn is_ignored(issue: &Issue) -> bool {
    [UNKNOWN_FIELD, READ_ONLY, UNKNOWN_PARAMETER, TO_BE_PROVED].contains(&&*issue.code)
        && issue.severity < Severity::Error
}

/// Makes what would be ignored a fault.
pub fn refuse(issues: &mut [Issue]) {
    for issue in issues.iter_mut().filter(|issue| is_ignored(issue)) {
        issue.severity = Severity::Error;
        let message = match &*issue.code {
            READ_ONLY => "The server sets this field.",
            UNKNOWN_PARAMETER => "There is no such parameter.",
            UNKNOWN_FIELD => "There is no such field.",
            _ => continue,
        };
        issue.message = message.into();
    }
}

/// Items, handled as the caller of the request under way asks for.
pub(super) fn handled(items: &mut [Item]) {
    let strict = HANDLING.try_with(|handling| handling.strict);
    if strict.unwrap_or(false) {
        items.iter_mut().for_each(|item| item.strict = true);
    }
}

/// Counts passwords that the request under way sets, and gives how many there are so far.
pub(super) fn passwords(more: usize) -> usize {
    let counted = HANDLING.try_with(|handling| {
        let before = handling.passwords.fetch_add(more, Ordering::Relaxed);
        before.saturating_add(more)
    });
    counted.unwrap_or(more)
}

/// The handling of the request under way, for writes on its behalf elsewhere.
pub(super) fn current() -> Option<Arc<Handling>> {
    HANDLING.try_with(Arc::clone).ok()
}

/// Whether the request under way is a dry run.
pub fn is_dry_run() -> bool {
    current().is_some_and(|handling| handling.dry)
}

/// Whether the request under way creates all of its documents or none.
pub fn is_whole() -> bool {
    current().is_some_and(|handling| handling.whole)
}

/// The message of a write; that of a dry run says that nothing was stored.
pub fn written(message: String) -> String {
    if is_dry_run() { "Only checked: nothing was stored.".to_owned() } else { message }
}

/// Adds what the checks found in the request under way.
pub(super) fn surveyed(more: SurveyResult) {
    if let Some(handling) = current() {
        handling.note_surveyed(more);
    }
}

/// What the checks found so far in what the request under way wrote; nothing outside of a request.
pub fn findings() -> Vec<NewFinding> {
    current().map_or_else(Vec::new, |handling| handling.surveyed().findings)
}

/// Records an ignored place.
pub(super) fn note(outcomes: &[Outcome]) {
    if let Some(handling) = current() {
        handling.note_of(outcomes);
    }
}
