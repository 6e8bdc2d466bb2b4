//! The results of a run.

pub mod html;
pub mod json;
pub mod junit;
pub mod sarif;
pub mod terminal;

use serde::Serialize;

use crate::options::{Bounds, Profile};
use crate::requirements::{Class, Level, Requirement, Requirements};

/// The outcome of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Binding, and broken.
    Fail,
    /// Not binding, and broken.
    Warning,
    /// It could not be determined.
    Error,
    /// Met, wherever it was tested.
    Pass,
    /// The server does not offer the subject of the requirement.
    NotOffered,
    /// Not tested; the reason says why.
    Skipped,
}

impl Outcome {
    /// All of them, the worst first.
    pub const ALL: [Self; 6] = [Self::Fail, Self::Warning, Self::Error, Self::Pass, Self::NotOffered, Self::Skipped];

    /// For people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Pass => "pass",
            Self::NotOffered => "not offered",
            Self::Skipped => "skipped",
        }
    }
}

/// A request and its answer, without secrets, cut to a readable length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownExchange {
    /// Number within the run.
    pub number: u64,
    pub method: String,
    /// Address.
    pub url: String,
    pub request_headers: Vec<(String, String)>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub request_body: String,
    /// Of the answer; 0 if there was none.
    pub status: u16,
    /// Of the answer.
    pub headers: Vec<(String, String)>,
    /// Of the answer.
    pub body: String,
    /// Whether the body is longer than shown.
    pub shortened: bool,
    /// Characters of the body before the shown part, which is the one that the finding is about.
    pub left_out_before: usize,
    /// Why the answer broke off, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// One place where a requirement is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The expected value.
    pub expected: String,
    /// The value that was found.
    pub found: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<ShownExchange>,
}

/// The result of one requirement.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Its id.
    pub requirement: &'static str,
    pub level: Level,
    pub class: Class,
    pub outcome: Outcome,
    /// Why it was not tested, or could not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In how many places it was tested.
    pub looked: usize,
    /// In how many of them it is broken.
    pub broken: usize,
    /// The first few of them.
    pub evidence: Vec<Evidence>,
}

impl Finding {
    /// The text of the requirement.
    #[must_use]
    pub fn words(&self) -> Option<&'static Requirement> {
        Requirements::get().find(self.requirement)
    }
}

/// Everything that a run found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The address under which the standard's paths live.
    pub target: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
    /// Requests that were sent.
    pub requests: u64,
    /// The profile that the server was judged by.
    pub profile: Profile,
    /// The classes that were run.
    pub classes: Vec<Class>,
    /// Whether documents were sent.
    pub writes: bool,
    /// `scheme/id` of the location that was tested.
    pub location: Option<String>,
    /// How much was read at most.
    pub bounds: Bounds,
    /// What was left out, in words.
    pub left_out: Vec<String>,
    /// Collections that are offered, with the number of documents that were read.
    pub offered: Vec<(String, usize)>,
    /// Collections and parts that are not.
    pub not_offered: Vec<String>,
    /// Data sets that were read, with the number of elements.
    pub datasets: Vec<(String, usize)>,
    /// Documents of this run that came back with differences, in words.
    pub changed: Vec<String>,
    /// Members and valid documents that the server refused when they were probed, in words.
    pub refused: Vec<String>,
    /// Documents that could not be retracted.
    pub left_behind: Vec<String>,
    /// Why nothing could be tested, if so.
    pub cannot: Option<String>,
    /// One for each requirement of the classes and profile, in the order of the file.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How many requirements have this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.of(outcome).count()
    }

    pub fn of(&self, outcome: Outcome) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.outcome == outcome)
    }

    /// The findings of each class that has some.
    pub(crate) fn by_class(&self) -> impl Iterator<Item = (Class, Vec<&Finding>)> {
        let of = |class: Class| self.findings.iter().filter(move |f| f.class == class);
        let all = Class::ALL.map(|class| (class, of(class).collect::<Vec<_>>()));
        all.into_iter().filter(|(_, found)| !found.is_empty())
    }

    /// The ids of the findings with this outcome.
    #[must_use]
    pub fn ids(&self, outcome: Outcome) -> Vec<&'static str> {
        self.of(outcome).map(|f| f.requirement).collect()
    }

    /// 0 if no binding requirement is broken, 1 if one is, 2 if that could not be determined.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        let binding_error = self.of(Outcome::Error).any(|f| f.level.binds());
        match (self.cannot.is_some(), self.count(Outcome::Fail)) {
            (true, _) => 2,
            (false, 0) if binding_error || self.count(Outcome::Pass) == 0 => 2,
            (false, 0) => 0,
            _ => 1,
        }
    }
}
