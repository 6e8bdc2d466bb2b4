//! Findings on their way into rows.

use super::Slots;
use super::scope::{Key, Scope, SourcedFinding};
use super::visibility::Readers;
use checks::{Finding, Language, Severity};
use model::record::{Record, Value};
use std::collections::BTreeMap;

/// Sentences of one row: what a check says several times of one field stands in one row.
const SENTENCES: usize = 5;

/// A finding as a row says it.
#[derive(Debug)]
pub(super) struct FindingRow {
    pub(super) severity: Severity,
    pub(super) animal: Option<i64>,
    pub(super) herd: Option<i64>,
    pub(super) package: Option<i64>,
    pub(super) source: Option<i64>,
    organization: Option<i64>,
    english: Vec<String>,
    russian: Vec<String>,
}

pub(super) fn key_of(finding: &Finding) -> Key {
    let place = finding.place;
    (finding.code.to_owned(), place.collection.to_owned(), place.row, place.path.to_owned())
}

pub(super) fn key_of_row(row: &Record) -> Option<Key> {
    let s = Slots::get();
    let text = |slot| row.get(slot).text().map(str::to_owned);
    Some((text(s.code)?, text(s.collection)?, row.get(s.record).int()?, text(s.path)?))
}

/// One row for each check and field. What is said of one field several times is as grave as the gravest of it, and
/// concerns the owner only if all of it does.
pub(super) fn rows(scope: &Scope, findings: &[SourcedFinding], readers: &Readers) -> BTreeMap<Key, FindingRow> {
    let mut rows: BTreeMap<Key, FindingRow> = BTreeMap::new();
    for SourcedFinding { source, finding } in findings.iter().filter(|sourced| readers.knows(&sourced.finding)) {
        let reader = readers.reader(finding);
        let (english, russian) = (finding.text(Language::English), finding.text(Language::Russian));
        let row = rows.entry(key_of(finding)).or_insert_with(|| FindingRow {
            severity: finding.severity,
            animal: finding.place.animal,
            herd: match scope {
                Scope::Herd(herd) => Some(*herd),
                _ => None,
            },
            package: match scope {
                Scope::Package(package) => Some(*package),
                _ => None,
            },
            source: *source,
            organization: reader,
            english: Vec::new(),
            russian: Vec::new(),
        });
        row.severity = row.severity.max(finding.severity);
        row.organization = row.organization.filter(|_| reader.is_some());
        if row.english.len() < SENTENCES && !row.english.contains(&english) {
            row.english.push(english);
            row.russian.push(russian);
        }
    }
    rows
}

impl FindingRow {
    /// What a run says of a row, by slot.
    pub(super) fn values(&self) -> [(usize, Value); 8] {
        let s = Slots::get();
        [
            (s.severity, word(self.severity).into()),
            (s.animal, self.animal.into()),
            (s.herd, self.herd.into()),
            (s.package, self.package.into()),
            (s.source, self.source.into()),
            (s.organization, self.organization.into()),
            (s.english, Value::from(self.english.join(" "))),
            (s.russian, Value::from(self.russian.join(" "))),
        ]
    }

    /// A new row.
    pub(super) fn row(&self, width: usize, (code, collection, record, path): &Key, now: i64) -> Record {
        let s = Slots::get();
        let mut row = Record::empty(width);
        row.set(s.code, code.as_str());
        row.set(s.collection, collection.as_str());
        row.set(s.record, *record);
        row.set(s.path, path.as_str());
        row.set(s.state, "open");
        row.set(s.first, Value::Time(now));
        row.set(s.last, Value::Time(now));
        for (slot, value) in self.values() {
            row.set(slot, value);
        }
        row
    }
}

pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Fix => "fix",
        Severity::Note => "note",
    }
}
