//! What the tests of each lactation add up to. A test after all others of its lactation is added
//! to these sums, and the yields are the same to the last bit as those of all tests. Where calvings,
//! dry-offs or a disposal come after all tests, the sums hold on.

use std::fmt::Write as _;
use std::str::SplitAsciiWhitespace;

use super::interval::{Curve, TestDay};
use super::{Frame, Span, TestRow, usable_tests};
use crate::derive::day_of;

/// The form of the text; sums that another program wrote in another form are not read.
const FORM: &str = "2";

/// The sums of the lactations of an animal, in order of their calvings.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    pub(super) spans: Vec<SpanSums>,
    /// Date of the last test of all, used or not; [`LATER`] if there was one after the present day.
    latest: Option<i64>,
}

/// After every lactation.
const LATER: i64 = i64::MAX;

/// The sums of one lactation, and the days that it had then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SpanSums {
    calving: i64,
    end: Option<i64>,
    pub(super) tests: TestSums,
}

/// The sums of the tests of a lactation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct TestSums {
    /// Date of the last one.
    pub(super) last: Option<i64>,
    /// How many there are.
    pub(super) count: u32,
    pub(super) milk: Option<Curve>,
    pub(super) fat: Option<Curve>,
    pub(super) protein: Option<Curve>,
    /// Somatic cells, and the number of tests that have them.
    pub(super) cells: (f64, u32),
}

impl SpanSums {
    fn of(span: &Span, tests: TestSums) -> Self {
        Self {
            calving: span.calving,
            end: span.end_day(),
            tests,
        }
    }
}

impl TestSums {
    /// Whether these are the sums of a span that ended at that day at the latest, or later.
    fn hold(&self, span: &Span, end: Option<i64>) -> bool {
        let shorter = match (end, span.end_day()) {
            (_, None) => end.is_none(),
            (before, Some(now)) => before.is_none_or(|before| now <= before),
        };
        shorter && self.last.is_none_or(|last| span.has(day_of(last)))
    }

    fn add(&mut self, test: &TestRow, start: i64) {
        let dim = day_of(test.date) - start;
        let share = |percent: Option<f64>| Some(test.milk? * percent? / 100.0);
        self.last = Some(test.date);
        self.count = self.count.saturating_add(1);
        draw(&mut self.milk, dim, test.milk);
        draw(&mut self.fat, dim, share(test.fat));
        draw(&mut self.protein, dim, share(test.protein));
        if let Some(cells) = test.scc {
            self.cells.0 += cells;
            self.cells.1 = self.cells.1.saturating_add(1);
        }
    }

    /// Mean somatic cell count.
    pub(super) fn mean_cells(&self) -> Option<f64> {
        let (cells, count) = self.cells;
        (count > 0).then(|| (cells / f64::from(count)).round())
    }
}

/// The date of the last test; [`LATER`] if that is after the present day.
fn latest(frame: &Frame, tests: &[TestRow]) -> Option<i64> {
    let last = tests.iter().map(|test| test.date).max()?;
    let future = day_of(last) > day_of(frame.today);
    Some(if future { LATER } else { last })
}

fn draw(curve: &mut Option<Curve>, dim: i64, kg: Option<f64>) {
    let Some(kg) = kg.filter(|kg| kg.is_finite()) else {
        return;
    };
    let test = TestDay { dim, kg };
    match curve {
        Some(curve) => curve.go_on(test),
        None => *curve = Some(Curve::begin(test)),
    }
}

impl Sums {
    /// The sums of all tests of an animal.
    #[must_use]
    pub fn of(frame: &Frame, tests: &[TestRow]) -> Self {
        let latest = latest(frame, tests);
        let tests = usable_tests(tests);
        let sums = frame.spans.iter().map(|span| {
            let mut sums = TestSums::default();
            let within = tests.iter().filter(|test| span.has(day_of(test.date)));
            within.for_each(|test| sums.add(test, span.start()));
            SpanSums::of(span, sums)
        });
        let spans = sums.collect();
        Self { spans, latest }
    }

    /// The same with further tests, and with lactations that may have begun or ended after all
    /// others. None when only all tests can tell: a lactation that had tests, or may have had some,
    /// is another one now, or a test does not come after those of its lactation.
    #[must_use]
    pub fn with(self, frame: &Frame, tests: &[TestRow]) -> Option<Self> {
        let before = self.latest.map(day_of);
        if self.spans.len() > frame.spans.len()
            || before.is_some_and(|latest| latest > day_of(frame.today))
        {
            return None;
        }
        let mut known = self.spans.into_iter();
        let mut spans = Vec::with_capacity(frame.spans.len());
        for span in &frame.spans {
            let sums = match known.next() {
                Some(known) if known.calving == span.calving => {
                    known.tests.hold(span, known.end).then_some(known.tests)?
                }
                None if before.is_none_or(|latest| latest < span.start()) => TestSums::default(),
                _ => return None,
            };
            spans.push(SpanSums::of(span, sums));
        }
        for test in usable_tests(tests) {
            let day = day_of(test.date);
            if day > day_of(frame.today) {
                return None;
            }
            for (sums, span) in spans.iter_mut().zip(&frame.spans) {
                if span.has(day) {
                    if sums.tests.last.is_some_and(|last| day <= day_of(last)) {
                        return None;
                    }
                    sums.tests.add(&test, span.start());
                }
            }
        }
        let latest = self.latest.max(latest(frame, tests));
        Some(Self { spans, latest })
    }

    /// Whether every test is known to be before that day.
    #[must_use]
    pub fn all_before(&self, day: i64) -> bool {
        self.latest.is_none_or(|latest| day_of(latest) < day)
    }

    /// As text, every number to its last bit.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::from(FORM);
        put(&mut text, self.latest);
        for span in &self.spans {
            let tests = &span.tests;
            // Writing into a text cannot fail.
            let _ = write!(text, " {}", span.calving);
            put(&mut text, span.end);
            put(&mut text, tests.last);
            if tests.last.is_none() {
                continue;
            }
            let (cells, counted) = tests.cells;
            let _ = write!(text, " {} {cells} {counted}", tests.count);
            for curve in [&tests.milk, &tests.fat, &tests.protein] {
                put(&mut text, curve.map(|curve| curve.last.dim));
                if let Some(curve) = curve {
                    let kg = curve.last.kg;
                    let _ = write!(text, " {kg} {} {}", curve.whole, curve.standard);
                }
            }
        }
        text
    }

    /// Reads such a text; none if it is of another form.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        if words.next()? != FORM {
            return None;
        }
        let latest = day(&mut words)?;
        let mut spans = Vec::new();
        while let Some(calving) = words.next() {
            let calving = calving.parse().ok()?;
            let end = day(&mut words)?;
            let last = day(&mut words)?;
            let mut tests = TestSums {
                last,
                ..TestSums::default()
            };
            if last.is_some() {
                tests.count = number(&mut words)?;
                tests.cells = (number(&mut words)?, number(&mut words)?);
                for curve in [&mut tests.milk, &mut tests.fat, &mut tests.protein] {
                    *curve = match day(&mut words)? {
                        Some(dim) => Some(Curve {
                            last: TestDay {
                                dim,
                                kg: number(&mut words)?,
                            },
                            whole: number(&mut words)?,
                            standard: number(&mut words)?,
                        }),
                        None => None,
                    };
                }
            }
            spans.push(SpanSums {
                calving,
                end,
                tests,
            });
        }
        Some(Self { spans, latest })
    }
}

/// Stands for what is not there.
const NONE: &str = "-";

fn put(text: &mut String, number: Option<i64>) {
    let _ = match number {
        Some(number) => write!(text, " {number}"),
        None => write!(text, " {NONE}"),
    };
}

/// A number that may be missing; none if there is neither.
fn day(words: &mut SplitAsciiWhitespace<'_>) -> Option<Option<i64>> {
    match words.next()? {
        NONE => Some(None),
        number => Some(Some(number.parse().ok()?)),
    }
}

fn number<N: std::str::FromStr>(words: &mut SplitAsciiWhitespace<'_>) -> Option<N> {
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests;
