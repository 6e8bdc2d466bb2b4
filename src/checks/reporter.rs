//! Where the function of a check puts what it finds.

use super::day::Day;
use super::finding::{Finding, Place, Sentence, Severity, Value, Visibility};
use super::limits::{Key, Thresholds};

/// The largest group of which each finding names all.
const LARGE: usize = 64;
/// An animal that no book has, so that nobody sees it.
const NOBODY: i64 = 0;

/// How grave a check's findings are unless the Association grades them otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// Must be corrected.
    Fix,
    /// Reported as a note.
    Note,
    /// Reported as a note, and must be corrected beyond a second limit.
    Both,
}

/// The findings of one check, and what its function may ask.
#[derive(Debug)]
pub struct Reporter<'a> {
    pub(crate) code: &'static str,
    pub(crate) sentence: Sentence,
    pub(crate) grade: Grade,
    /// What the Association set instead.
    pub(crate) graded: Option<Severity>,
    pub(crate) limits: &'a Thresholds,
    pub(crate) today: Day,
    /// What the next finding tells of other animals.
    pub(crate) others: Vec<(i64, Visibility)>,
    pub(crate) findings: &'a mut Vec<Finding>,
}

impl Reporter<'_> {
    /// The day of the run.
    pub(crate) fn today(&self) -> Day {
        self.today
    }

    /// The value of a threshold.
    pub(crate) fn limit(&self, key: Key) -> f64 {
        self.limits.get(key)
    }

    /// The value of a threshold in whole days: a part of a day does not count.
    pub(crate) fn days(&self, key: Key) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "thresholds are small")]
        let days = self.limits.get(key).floor() as i64;
        days
    }

    /// The next finding rests on these animals too ([`Finding::others`]).
    pub(crate) fn resting_on(&mut self, others: impl IntoIterator<Item = (i64, Visibility)>) -> &mut Self {
        self.others.extend(others);
        self
    }

    /// The next finding rests on all of these; of more than a person looks at none is named, so
    /// that findings of a large group do not each name all of it.
    pub(crate) fn resting_on_all(
        &mut self,
        others: impl ExactSizeIterator<Item = i64>,
        visibility: Visibility,
    ) -> &mut Self {
        if others.len() > LARGE {
            return self.resting_on([(NOBODY, Visibility::Card)]);
        }
        self.resting_on(others.map(|id| (id, visibility)))
    }

    /// Reports a finding; of a check with two limits, the milder one.
    pub(crate) fn report<const N: usize>(&mut self, at: Place, values: [(&'static str, Value); N]) {
        let severity = match self.grade {
            Grade::Fix => Severity::Fix,
            Grade::Note | Grade::Both => Severity::Note,
        };
        self.push(severity, at, values.into());
    }

    /// Reports a finding of a check with two limits; `beyond`: the second one is passed too.
    pub(crate) fn grave<const N: usize>(&mut self, beyond: bool, at: Place, values: [(&'static str, Value); N]) {
        let severity = if beyond { Severity::Fix } else { Severity::Note };
        self.push(severity, at, values.into());
    }

    fn push(&mut self, severity: Severity, at: Place, values: Vec<(&'static str, Value)>) {
        let mut others = std::mem::take(&mut self.others);
        others.retain(|(id, _)| Some(*id) != at.animal);
        others.sort_unstable();
        others.dedup();
        self.findings.push(Finding {
            code: self.code,
            place: at,
            severity: self.graded.unwrap_or(severity),
            sentence: self.sentence,
            values,
            others,
        });
    }
}
