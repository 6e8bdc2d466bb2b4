//! What the logs store about a collection's rows, as words of its declaration (docs/logs.md,
//! *Logs*): which changes the edit log stores, which writes the operation log records and how it
//! names the rows. Knows neither how log rows are written nor who reads them.

use crate::record::Record;
use crate::registry::access::Verb;
use crate::registry::collection::Collection;
use crate::registry::field::{Class, Field};
use std::net::IpAddr;

/// A write that the operation log records, besides the moves of state machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedWrite {
    /// Which write.
    pub verb: Verb,
    /// For updates: one of these fields changes.
    pub paths: &'static [&'static str],
    pub action: &'static str,
}

/// How the operation log names a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// `subjectType`.
    pub kind: &'static str,
    /// The field that names it, a relation by the related row; none: as the row is called.
    pub named_by: Option<&'static str>,
    /// The organisation of the log entry: the first of these that is filled; `id` is the row
    /// itself.
    pub organizations: &'static [&'static str],
}

/// Everything that the logs need to know about a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Logging {
    /// The edit log stores its changed values; fields of class r count as this class.
    pub revised: Option<Class>,
    /// Writes that the operation log records.
    pub lines: Vec<LoggedWrite>,
    /// How the operation log names the rows.
    pub subject: Option<Subject>,
    /// Fields by which people call a row.
    pub names: &'static [&'static str],
    /// Reading a row of another organisation under a grant is a view.
    pub viewed: bool,
    /// It is a log itself: its rows are ignored when their animal is deleted.
    pub is_log: bool,
}

/// Fields by which rows are called unless their declaration says otherwise: the first that
/// a collection has.
const CALLED: [&str; 5] = ["identNumber", "fullName", "name", "title", "number"];

impl Collection {
    /// The edit log keeps every changed value. Fields that say no class of their own count
    /// as the given one (docs/logs.md, *animal-revisions: changed values*).
    pub fn revised(mut self, class: Class) -> Self {
        self.logging.revised = Some(class);
        self
    }
    /// The operation log records every such write.
    pub fn logged(mut self, verb: Verb, action: &'static str) -> Self {
        let paths = &[];
        self.logging.lines.push(LoggedWrite { verb, paths, action });
        self
    }
    /// The operation log records changes of one of these fields.
    pub fn logged_change(mut self, paths: &'static [&'static str], action: &'static str) -> Self {
        let verb = Verb::Update;
        self.logging.lines.push(LoggedWrite { verb, paths, action });
        self
    }
    /// How the operation log names the rows: `subjectType`, the field that names them, and
    /// whose log it is. Without this a row about an animal is named by that, and belongs to
    /// the first organisation among the subjects of its access rules.
    pub fn subject(
        mut self,
        kind: &'static str,
        named_by: Option<&'static str>,
        organizations: &'static [&'static str],
    ) -> Self {
        self.logging.subject = Some(Subject { kind, named_by, organizations });
        self
    }
    /// Fields by which people call a row.
    pub fn called(mut self, paths: &'static [&'static str]) -> Self {
        self.logging.names = paths;
        self
    }
    /// Reading a row of another organisation under a grant is logged as a view.
    pub fn viewed(mut self) -> Self {
        self.logging.viewed = true;
        self
    }
    /// It is a log itself.
    pub fn log(mut self) -> Self {
        self.logging.is_log = true;
        self
    }

    /// The fields by which a row is called.
    pub fn name_paths(&self) -> Vec<&'static str> {
        if !self.logging.names.is_empty() {
            return self.logging.names.to_vec();
        }
        let path = CALLED.iter().find(|path| self.slot(path).is_some());
        path.copied().into_iter().collect()
    }
    /// What a row is called; none when it says nothing of it.
    pub fn name_of(&self, row: &Record) -> Option<String> {
        let words: Vec<&str> = (self.name_paths().iter())
            .filter_map(|path| row.get(self.at(path)).text())
            .filter(|text| !text.trim().is_empty())
            .collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
    /// The class as which the edit log stores a field; none: it does not.
    pub fn revised_class(&self, field: &Field) -> Option<Class> {
        let rows = self.logging.revised?;
        match field.class {
            Class::Hidden => None,
            Class::Row | Class::SignedIn => Some(rows),
            Class::Private => Some(Class::Owner),
            class => Some(class),
        }
    }
    /// Every path whose changes the logs receive.
    pub(crate) fn logging_paths(&self) -> impl Iterator<Item = &'static str> {
        let log = &self.logging;
        let subject = log.subject.iter();
        let subject_paths =
            subject.clone().filter_map(|s| s.named_by).chain(subject.flat_map(|s| s.organizations.iter().copied()));
        (log.lines.iter().flat_map(|l| l.paths.iter().copied()))
            .chain(log.names.iter().copied())
            .chain(subject_paths)
            .collect::<Vec<_>>()
            .into_iter()
    }
}

impl Class {
    /// The classes that a logged value can have, with the letters that log rows hold.
    pub const LETTERS: [(Self, &'static str); 6] = [
        (Self::Row, "r"),
        (Self::Card, "c"),
        (Self::Production, "p"),
        (Self::Evaluation, "e"),
        (Self::Genotype, "g"),
        (Self::Owner, "o"),
    ];

    /// The letter that log rows hold; none for classes that no logged value has.
    pub fn letter(self) -> Option<&'static str> {
        let entry = Self::LETTERS.iter().find(|(class, _)| *class == self);
        entry.map(|(_, letter)| *letter)
    }
}

/// Where changed values come from (`source`; docs/logs.md, *animal-revisions: changed values*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Entered by a farm.
    Manual,
    /// Entered by the Association.
    Admin,
    /// Followed from something else.
    System,
    /// Read from a file.
    Upload,
    /// Taken from the exchange.
    Ade,
}

impl Source {
    /// The stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Admin => "admin",
            Self::System => "system",
            Self::Upload => "upload",
            Self::Ade => "ade",
        }
    }
}

/// A line of the operation log that does not follow from a write of rows: signing in, intake,
/// export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// The action (docs/logs.md, *operations: what was done*).
    pub action: &'static str,
    /// The user who did it, or tried to.
    pub actor: Option<i64>,
    /// The organisation of the log entry.
    pub organization: Option<i64>,
    /// What it is about: `subjectType`, collection, id.
    pub subject: Option<(&'static str, &'static str, i64)>,
    /// What happened, for people.
    pub summary: Option<String>,
    /// From where.
    pub ip: Option<IpAddr>,
}
