//! The test-interval method: the days that are credited to each test, and what it gives for them.
//!
//! A yield is the sum of the days of each test day times its kilograms. Between two tests each has half of the days,
//! which is the same as a line from one to the other. A test that comes after the others is added without them.

use super::{STANDARD_DAYS, TAIL_DAYS};

/// A test: days in milk and kilograms of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Test {
    /// Days since calving.
    pub(super) dim: i64,
    /// Milk of that day.
    pub(super) kg: f64,
}

/// An amount in the whole lactation, and in its standard part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Both {
    pub(super) whole: f64,
    pub(super) standard: f64,
}

impl Both {
    pub(super) const NONE: Self = Self { whole: 0.0, standard: 0.0 };

    pub(super) fn add(&mut self, other: Self, by: f64) {
        self.whole += other.whole * by;
        self.standard += other.standard * by;
    }
}

/// Days from `from` to `to`, which one test gives for.
fn days(from: i64, to: i64) -> Both {
    let within = to.min(STANDARD_DAYS) - from;
    Both { whole: (to - from) as f64, standard: within.max(0) as f64 }
}

/// Days of a first test: from calving, or the last ones before it when it comes late.
pub(super) fn before_first(dim: i64, longest_gap: i64) -> Both {
    let credited = if dim > longest_gap { TAIL_DAYS } else { dim };
    days(dim - credited, dim)
}

/// Days behind a last test, so many.
pub(super) fn behind_last(dim: i64, count: i64) -> Both {
    days(dim, dim + count)
}

/// Days of two tests between them. The line to a test behind the standard part is cut there.
pub(super) fn between(from: i64, to: i64, longest_gap: i64) -> [Both; 2] {
    if to - from > longest_gap {
        return [days(from, from + TAIL_DAYS), days(to - TAIL_DAYS, to)];
    }
    let Both { whole, standard } = days(from, to);
    let second = standard * standard / whole / 2.0;
    [standard - second, second].map(|standard| Both { whole: whole / 2.0, standard })
}

/// Kilograms of a content. Between two samples it goes on a line, and tests in between have what it says on their
/// day; before the first and behind the last sample it stays as it is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Content {
    /// Kilograms of tests up to the last sample, times 100.
    pub(super) settled: Both,
    /// The last sample: days in milk, and per cent.
    pub(super) sample: Option<(i64, f64)>,
    /// Milk of tests after it, which the next sample settles.
    pub(super) open: Both,
    /// That milk times the days in milk of its tests.
    pub(super) moment: Both,
    /// Per cent on the day of the last test, if that is settled.
    pub(super) at_last: Option<f64>,
}

impl Content {
    /// No sample, no milk.
    pub(super) const NONE: Self =
        Self { settled: Both::NONE, sample: None, open: Both::NONE, moment: Both::NONE, at_last: None };

    pub(super) fn credit(&mut self, last: Test, days: Both) {
        if let Some(percent) = self.at_last {
            self.settled.add(days, last.kg * percent);
        } else {
            self.open.add(days, last.kg);
            self.moment.add(days, last.kg * last.dim as f64);
        }
    }

    /// Takes a sample that is later than all tests and samples before it.
    pub(super) fn sample(&mut self, dim: i64, percent: f64, last: Option<Test>) {
        let (from, at, slope) = match self.sample {
            Some((from, at)) => (from, at, (percent - at) / (dim - from) as f64),
            None => (dim, percent, 0.0),
        };
        self.settled.add(self.open, at - slope * from as f64);
        self.settled.add(self.moment, slope);
        (self.open, self.moment) = (Both::NONE, Both::NONE);
        let on = |test: Test| at + slope * (test.dim - from) as f64;
        self.at_last = self.at_last.or(last.map(on));
        self.sample = Some((dim, percent));
    }

    /// Goes on to a later test, with its sample.
    pub(super) fn next(&mut self, test: Test, sample: Option<f64>, before: Option<Test>) {
        if let Some(percent) = sample {
            self.sample(test.dim, percent, before);
        }
        self.at_last = sample;
    }

    /// The kilograms; none without any sample.
    pub(super) fn kilograms(&self) -> Option<Both> {
        let (_, percent) = self.sample?;
        let mut sum = Both::NONE;
        sum.add(self.settled, 0.01);
        sum.add(self.open, percent / 100.0);
        Some(sum)
    }
}
