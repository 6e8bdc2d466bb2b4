//! What the tests of each lactation add up to. A test after all others of its lactation is added
//! to these sums, and the yields are the same to the last bit as those of all tests.

use std::fmt::Write as _;
use std::str::SplitAsciiWhitespace;

use super::interval::{Curve, TestDay};
use super::{Frame, Span, TestRow, usable_tests};
use crate::derive::day_of;

/// The form of the text; sums that another program wrote in another form are not read.
const FORM: &str = "1";

/// The sums of the lactations of an animal, in order of their calvings.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums(pub(super) Vec<SpanSums>);

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

impl TestSums {
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
        let tests = usable_tests(tests);
        let sums = frame.spans.iter().map(|span| {
            let mut sums = TestSums::default();
            let within = tests.iter().filter(|test| span.has(day_of(test.date)));
            within.for_each(|test| sums.add(test, span.start()));
            SpanSums {
                calving: span.calving,
                end: span.end_day(),
                tests: sums,
            }
        });
        Self(sums.collect())
    }

    /// The same with further tests. None when only all tests can tell: the lactations are others
    /// now, or a test does not come after those of its lactation.
    #[must_use]
    pub fn with(mut self, frame: &Frame, tests: &[TestRow]) -> Option<Self> {
        let same = |(sums, span): (&SpanSums, &Span)| {
            sums.calving == span.calving && sums.end == span.end_day()
        };
        if self.0.len() != frame.spans.len() || !self.0.iter().zip(&frame.spans).all(same) {
            return None;
        }
        for test in usable_tests(tests) {
            let day = day_of(test.date);
            if day > day_of(frame.today) {
                return None;
            }
            for (sums, span) in self.0.iter_mut().zip(&frame.spans) {
                if span.has(day) {
                    if sums.tests.last.is_some_and(|last| day <= day_of(last)) {
                        return None;
                    }
                    sums.tests.add(&test, span.start());
                }
            }
        }
        Some(self)
    }

    /// As text, every number to its last bit.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::from(FORM);
        for span in &self.0 {
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
        Some(Self(spans))
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
