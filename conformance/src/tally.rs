//! The results of checks, requirement by requirement.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::client::Exchange;
use crate::report::{Evidence, Finding, Outcome, ShownExchange};
use crate::requirements::Requirement;

/// The number of places that are shown for each broken requirement.
const SHOWN: usize = 5;

/// Errors under a status of success.
pub(crate) const DISGUISED: &str = "errors.success";

/// The reason of a finding that is broken only because another requirement is broken.
pub(crate) fn rests_on(id: &str) -> String {
    format!("rests on {id}, which is broken: mend that, and test again")
}

#[derive(Debug, Default)]
struct Entry {
    looked: usize,
    broken: usize,
    evidence: Vec<Evidence>,
    not_offered: Option<String>,
    skipped: Option<String>,
    error: Option<String>,
}

/// Tests a requirement once more: whether it holds, at which answer, what was expected, and what was found, as the
/// formats of a text: `require!(t, "core.https", !plain, None, "https"; found "{}", v.base)`.
macro_rules! require {
    ($tally:expr, $id:expr, $holds:expr, $exchange:expr,
        $expected:literal $(, $of:expr)*; found $found:literal $(, $part:expr)* $(,)?) => {
        $tally.check($id, $holds, $exchange, || {
            (format!($expected $(, $of)*), format!($found $(, $part)*))
        })
    };
}
pub(crate) use require;

/// Collects the results of checks.
pub(crate) struct Tally<'s> {
    entries: BTreeMap<&'static str, Entry>,
    show: &'s (dyn Fn(&Exchange, &str) -> ShownExchange + Sync),
    /// Whether errors under a status of success have a requirement of their own in this run.
    tells_disguised: bool,
    /// The requirements of the running check.
    ids: &'static [&'static str],
}

impl<'s> Tally<'s> {
    pub(crate) fn new(show: &'s (dyn Fn(&Exchange, &str) -> ShownExchange + Sync), tells_disguised: bool) -> Self {
        Self { entries: BTreeMap::new(), show, tells_disguised, ids: &[] }
    }

    /// A check begins.
    pub(crate) fn begin(&mut self, ids: &'static [&'static str]) {
        self.ids = ids;
    }

    fn entry(&mut self, id: &'static str) -> &mut Entry {
        self.entries.entry(id).or_default()
    }

    /// Counts one more test of a requirement.
    pub(crate) fn look(&mut self, id: &'static str) {
        self.entry(id).looked += 1;
    }

    /// Counts one more test of a requirement, which is broken there.
    pub(crate) fn fail(
        &mut self,
        id: &'static str,
        exchange: Option<&Exchange>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) {
        let show = self.show;
        let tells_disguised = self.tells_disguised;
        let entry = self.entry(id);
        if exchange.is_some_and(|e| e.unsent) {
            entry.error = exchange.and_then(|e| e.broken.clone());
            return;
        }
        // Reported once, and not again by every check that reads the answer.
        if id != DISGUISED && tells_disguised && exchange.is_some_and(Exchange::disguised) {
            entry.skipped = Some(rests_on(DISGUISED));
            return;
        }
        entry.looked += 1;
        entry.broken += 1;
        if entry.evidence.len() >= SHOWN {
            return;
        }
        let (expected, found) = (expected.into(), found.into());
        let url = exchange.map(|e| e.url.as_str());
        // The same evidence again adds nothing.
        let known = entry.evidence.iter().any(|one| {
            let at = one.exchange.as_ref().map(|e| e.url.as_str());
            one.expected == expected && one.found == found && at == url
        });
        if !known {
            let words = format!("{expected} {found}");
            entry.evidence.push(Evidence { expected, found, exchange: exchange.map(|e| show(e, &words)) });
        }
    }

    /// Counts one more test of a requirement; `words` are the expected and the found value.
    pub(crate) fn check(
        &mut self,
        id: &'static str,
        holds: bool,
        exchange: Option<&Exchange>,
        words: impl FnOnce() -> (String, String),
    ) {
        if holds {
            self.look(id);
        } else {
            let (expected, found) = words();
            self.fail(id, exchange, expected, found);
        }
    }

    /// Tests a requirement once more: whether a value is valid by a schema of the standard.
    pub(crate) fn valid(
        &mut self,
        id: &'static str,
        exchange: Option<&Exchange>,
        (schema, value): (&str, &Value),
        expected: impl FnOnce() -> String,
    ) {
        let faults = ade::validate(schema, value);
        self.check(id, faults.is_empty(), exchange, || {
            let first = faults.first().map(ToString::to_string);
            (expected(), first.unwrap_or_default())
        });
    }

    /// The server does not offer the subject of the requirement.
    pub(crate) fn not_offered(&mut self, id: &'static str, why: impl Into<String>) {
        self.entry(id).not_offered = Some(why.into());
    }

    /// The requirement is not tested.
    pub(crate) fn skip(&mut self, id: &'static str, why: impl Into<String>) {
        self.entry(id).skipped = Some(why.into());
    }

    /// The server does not offer the subject of the running check.
    pub(crate) fn none_offered(&mut self, why: &str) {
        for id in self.ids {
            self.not_offered(id, why);
        }
    }

    /// No requirement of the running check is tested.
    pub(crate) fn skip_all(&mut self, why: &str) {
        for id in self.ids {
            self.skip(id, why);
        }
    }

    /// The outcome could not be determined.
    pub(crate) fn error(&mut self, id: &'static str, why: impl Into<String>) {
        self.entry(id).error = Some(why.into());
    }

    pub(crate) fn finding(&mut self, requirement: &'static Requirement) -> Finding {
        let entry = self.entries.remove(requirement.id.as_str()).unwrap_or_default();
        let (outcome, reason) = if let Some(why) = &requirement.untested {
            (Outcome::Skipped, Some(why.clone()))
        } else if entry.broken > 0 && requirement.level.binds() {
            (Outcome::Fail, None)
        } else if entry.broken > 0 {
            (Outcome::Warning, None)
        } else if let Some(why) = entry.error {
            (Outcome::Error, Some(why))
        } else if entry.looked > 0 {
            (Outcome::Pass, None)
        } else if let Some(why) = entry.not_offered {
            (Outcome::NotOffered, Some(why))
        } else {
            let why = entry.skipped.unwrap_or_else(|| "nothing that it could be seen in was met".to_owned());
            (Outcome::Skipped, Some(why))
        };
        Finding {
            requirement: requirement.id.as_str(),
            level: requirement.level,
            class: requirement.class,
            outcome,
            reason,
            looked: entry.looked,
            broken: entry.broken,
            evidence: entry.evidence,
        }
    }
}
