//! What is demanded of a server, read once from `requirements.toml`.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// How binding a requirement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// A server that breaks it breaks partners: the run fails.
    Must,
    /// A warning.
    Should,
    /// Optional; where it is done it must be done so: a warning.
    May,
    /// A promise of `docs/feed-profile.md`; judged with that profile only, and then binding.
    Profile,
}

impl Level {
    /// All levels, the most binding first.
    pub const ALL: [Self; 4] = [Self::Must, Self::Should, Self::May, Self::Profile];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::May => "MAY",
            Self::Profile => "PROFILE",
        }
    }

    /// Whether breaking it fails the run.
    #[must_use]
    pub const fn binds(self) -> bool {
        matches!(self, Self::Must | Self::Profile)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a requirement is about. Runs can be narrowed to classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
pub enum Class {
    /// Paths, transport, documents by their schemas.
    Core,
    /// Collections and their pages.
    Read,
    /// Query parameters.
    Filter,
    /// Refusals.
    Errors,
    /// Who sees what.
    Security,
    /// Caches, compression, speed.
    Performance,
    /// Single documents sent to the server.
    Intake,
    /// Arrays of them.
    Batch,
    /// Data sets and their changes.
    Feed,
    /// Documents sent to data sets.
    Push,
    /// All members of documents, as they come back.
    RoundTrip,
}

impl Class {
    /// All classes, in the order of reports.
    pub const ALL: [Self; 11] = [
        Self::Core,
        Self::Read,
        Self::Filter,
        Self::Errors,
        Self::Security,
        Self::Performance,
        Self::Intake,
        Self::Batch,
        Self::Feed,
        Self::Push,
        Self::RoundTrip,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "Core",
            Self::Read => "Read",
            Self::Filter => "Filter",
            Self::Errors => "Errors",
            Self::Security => "Security",
            Self::Performance => "Performance",
            Self::Intake => "Intake",
            Self::Batch => "Batch",
            Self::Feed => "Feed",
            Self::Push => "Push",
            Self::RoundTrip => "RoundTrip",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One testable statement.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Stable name.
    pub id: String,
    /// Document and section.
    pub clause: String,
    /// How binding it is.
    pub level: Level,
    /// What it is about.
    pub class: Class,
    /// What holds.
    pub title: String,
    /// Why it matters to a partner.
    pub why: String,
    /// How it is tested.
    #[serde(default)]
    pub test: Option<String>,
    /// Why it is not.
    #[serde(default)]
    pub untested: Option<String>,
    /// What to do where it fails.
    #[serde(default)]
    pub mend: Option<String>,
    /// Requirements without which this one cannot be judged: where one of them is broken, this
    /// one is not counted as broken too.
    #[serde(default)]
    pub rests: Vec<String>,
}

/// A spot that the standard leaves open.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// What it is about.
    pub subject: String,
    pub open: String,
    /// What is accepted, or expressly not.
    pub accepted: Vec<String>,
    /// The requirements that read it so.
    pub requirements: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    requirement: Vec<Requirement>,
    reading: Vec<Reading>,
}

#[derive(Debug, Default)]
pub struct Requirements {
    file: File,
    faults: Vec<String>,
}

impl Requirements {
    /// Those of the embedded file.
    #[must_use]
    pub fn get() -> &'static Self {
        static ALL: LazyLock<Requirements> = LazyLock::new(|| Requirements::read(include_str!("../requirements.toml")));
        &ALL
    }

    fn read(text: &str) -> Self {
        let read = toml::from_str::<File>(text);
        let faults = read.as_ref().err().map(ToString::to_string);
        Self { faults: faults.into_iter().collect(), file: read.unwrap_or_default() }
    }

    /// What is wrong with the embedded file: nothing in a released crate.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// In the order of the file.
    #[must_use]
    pub fn all(&self) -> &[Requirement] {
        &self.file.requirement
    }

    /// Where the standard is open.
    #[must_use]
    pub fn readings(&self) -> &[Reading] {
        &self.file.reading
    }

    /// How many there are of each class and level, as a table of Markdown: those with a check,
    /// and in brackets those with a written reason why there is none.
    #[must_use]
    pub fn counts(&self) -> String {
        let cell = |class: Option<Class>, level: Option<Level>| {
            let of = |one: &&Requirement| class.is_none_or(|c| c == one.class) && level.is_none_or(|l| l == one.level);
            let all: Vec<&Requirement> = self.all().iter().filter(of).collect();
            let tested = all.iter().filter(|r| r.test.is_some()).count();
            match all.len() - tested {
                0 => tested.to_string(),
                untested => format!("{tested} (+{untested})"),
            }
        };
        let mut out = String::new();
        let mut line = |name: &str, cells: Vec<String>| {
            for part in ["| ", name, " | ", &cells.join(" | "), " |\n"] {
                out.push_str(part);
            }
        };
        let mut head: Vec<String> = Level::ALL.iter().map(ToString::to_string).collect();
        head.push("all".to_owned());
        line("Class", head);
        line("---", vec!["---:".to_owned(); Level::ALL.len() + 1]);
        for class in Class::ALL.map(Some).into_iter().chain([None]) {
            let mut cells: Vec<String> = Level::ALL.iter().map(|l| cell(class, Some(*l))).collect();
            cells.push(cell(class, None));
            line(class.map_or("**all**", Class::name), cells);
        }
        out
    }

    /// The one of that name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Requirement> {
        self.all().iter().find(|one| one.id == id)
    }
}
