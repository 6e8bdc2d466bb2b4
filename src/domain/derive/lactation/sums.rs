//! What the tests of each lactation add up to. A test after all others of its lactation is added
//! to these sums, and the yields are the same to the last bit as those of all tests. Where calvings,
//! dry-offs or a disposal come after all tests, the sums hold on.

use std::fmt::Write as _;
use std::str::SplitAsciiWhitespace;

use super::bend::{self, Bends};
use super::days::{TestDay, test_days};
use super::interval::{Both, Content, Test, before_first, behind_last, between};
use super::wood::WoodSums;
use super::{Frame, STANDARD_DAYS, Span, TestRow, round};
use crate::derive::day_of;
use model::registry::ParityCurves;

/// The form of the text; sums that another program wrote in another form are not read.
const FORM: &str = "7";

/// The sums of the lactations of an animal, in order of their calvings.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    pub(super) spans: Vec<SpanSums>,
    longest_gap: i64,
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
    /// The mark of its standard curves.
    curves: Option<u64>,
    pub(super) tests: TestSums,
}

/// The sums of the tests of a lactation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TestSums {
    /// The last one, with its date.
    pub(super) last: Option<(i64, Test)>,
    /// Days in milk and kilograms of the first of those with the most milk in the standard part.
    pub(super) peak: Option<(i64, f64)>,
    /// How many there are.
    pub(super) count: u32,
    /// All of them are official.
    pub(super) official: bool,
    /// Two of them, or calving and the first one, are too far apart.
    pub(super) gap: bool,
    /// The first one is too far from calving for a yield of 305 days.
    pub(super) late: bool,
    pub(super) milk: Both,
    pub(super) fat: Content,
    pub(super) protein: Content,
    /// Of the standard curves; none without them.
    bends: Bends,
    /// Somatic cells, their scores, and the number of tests that have them.
    cells: (f64, f64, u32),
    /// Date and cells of the last test that has them.
    pub(super) last_cells: Option<(i64, f64)>,
    /// Of the curve, while there is something behind the tests to project.
    pub(super) wood: WoodSums,
}

/// None.
const EMPTY: TestSums = TestSums {
    last: None,
    peak: None,
    count: 0,
    official: true,
    gap: false,
    late: false,
    milk: Both::NONE,
    fat: Content::NONE,
    protein: Content::NONE,
    bends: bend::NONE,
    cells: (0.0, 0.0, 0),
    last_cells: None,
    wood: WoodSums::NONE,
};

impl SpanSums {
    fn of(frame: &Frame, span: &Span, tests: TestSums) -> Self {
        let curves = frame.curves_of(span).map(|curves| curves.mark);
        Self { calving: span.calving, end: span.end_day(), curves, tests }
    }
}

impl TestSums {
    /// Whether these are the sums of a span that ended at that day at the latest, or later.
    fn hold(&self, span: &Span, end: Option<i64>) -> bool {
        let shorter = match (end, span.end_day()) {
            (_, None) => end.is_none(),
            (before, Some(now)) => before.is_none_or(|before| now <= before),
        };
        let samples = [self.fat.sample, self.protein.sample].into_iter().flatten();
        let last = self.last.map(|(date, _)| day_of(date));
        let mut days = samples.map(|(dim, _)| span.start() + dim).chain(last);
        shorter && days.all(|day| span.has(day))
    }

    fn add(&mut self, day: &TestDay, start: i64, longest_gap: i64, curves: Option<&ParityCurves>) {
        let dim = day.day - start;
        let before = self.last.map(|(_, test)| test);
        let Some((date, kg, official)) = day.milk else {
            for (content, sample) in [(&mut self.fat, day.fat), (&mut self.protein, day.protein)] {
                if let Some(percent) = sample {
                    content.sample(dim, percent, before);
                }
            }
            return;
        };
        let test = Test { dim, kg };
        let length = dim - before.map_or(0, |before| before.dim);
        self.gap |= length > longest_gap;
        self.late |= before.is_none() && length > longest_gap;
        if let Some(curves) = curves {
            let bends = match before {
                Some(before) => bend::between(curves, before.dim, dim, longest_gap),
                None => bend::before_first(curves, dim, longest_gap),
            };
            bend::add(&mut self.bends, &bends);
        }
        let days = match before {
            Some(before) => {
                let [first, second] = between(before.dim, dim, longest_gap);
                self.credit(before, first);
                second
            }
            None => before_first(dim, longest_gap),
        };
        self.fat.next(test, day.fat, before);
        self.protein.next(test, day.protein, before);
        self.credit(test, days);
        self.last = Some((date, test));
        if dim <= STANDARD_DAYS && self.peak.is_none_or(|(_, peak)| kg > peak) {
            self.peak = Some((dim, kg));
        }
        match dim < STANDARD_DAYS {
            true => self.wood.add(dim, kg),
            false => self.wood = WoodSums::NONE,
        }
        self.count = self.count.saturating_add(1);
        self.official &= official;
        if let Some(cells) = day.cells {
            self.cells.0 += cells;
            self.cells.1 += score(cells);
            self.cells.2 = self.cells.2.saturating_add(1);
            self.last_cells = Some((date, cells));
        }
    }

    fn credit(&mut self, last: Test, days: Both) {
        self.milk.add(days, last.kg);
        self.fat.credit(last, days);
        self.protein.credit(last, days);
    }

    /// With so many days behind the last test.
    pub(super) fn with_tail(mut self, days: i64, curves: Option<&ParityCurves>) -> Self {
        if let Some((_, last)) = self.last {
            self.credit(last, behind_last(last.dim, days));
            if let Some(curves) = curves {
                bend::add(&mut self.bends, &bend::behind_last(curves, last.dim, days));
            }
        }
        self
    }

    /// Kilograms of milk, fat and protein; of a content none without a sample. A curve takes no more than there is.
    pub(super) fn kilograms(&self) -> (Both, Option<Both>, Option<Both>) {
        let [milk, fat, protein] = self.bends;
        let bent = |mut kg: Both, bend: Both| {
            kg.add(bend, 1.0);
            Both { whole: kg.whole.max(0.0), standard: kg.standard.max(0.0) }
        };
        let content = |of: &Content, bend: Both| of.kilograms().map(|kg| bent(kg, bend));
        (bent(self.milk, milk), content(&self.fat, fat), content(&self.protein, protein))
    }

    /// Mean somatic cell count.
    pub(super) fn mean_cells(&self) -> Option<f64> {
        let (cells, _, count) = self.cells;
        (count > 0).then(|| (cells / f64::from(count)).round())
    }

    /// Mean score of somatic cells.
    pub(super) fn mean_score(&self) -> Option<f64> {
        let (_, scores, count) = self.cells;
        (count > 0).then(|| round(scores / f64::from(count), 2))
    }
}

/// Score of a count of somatic cells, 1000/ml (ICAR Guidelines, Section 7). A count of 0 is one below 1.
fn score(cells: f64) -> f64 {
    (cells.max(1.0) / 100.0).log2() + 3.0
}

/// The date of the last test; [`LATER`] if that is after the present day.
fn latest(frame: &Frame, tests: &[TestRow]) -> Option<i64> {
    let last = tests.iter().map(|test| test.date).max()?;
    let future = day_of(last) > day_of(frame.today);
    Some(if future { LATER } else { last })
}

impl Sums {
    /// The sums of all tests of an animal.
    #[must_use]
    pub fn of(frame: &Frame, tests: &[TestRow]) -> Self {
        let mut sums = Self {
            spans: (frame.spans.iter()).map(|span| SpanSums::of(frame, span, EMPTY)).collect(),
            longest_gap: frame.longest_gap,
            latest: latest(frame, tests),
        };
        sums.add(frame, tests);
        sums
    }

    /// Goes on to tests that are on later days than all before.
    fn add(&mut self, frame: &Frame, tests: &[TestRow]) {
        for day in test_days(tests) {
            for (sums, span) in self.spans.iter_mut().zip(&frame.spans) {
                if span.has(day.day) {
                    sums.tests.add(&day, span.start(), self.longest_gap, frame.curves_of(span));
                }
            }
        }
    }

    /// The sums with further tests, and with lactations that may have begun or ended after all
    /// others. None when only all tests can tell: a lactation that had tests, or may have had some,
    /// is another one now, a test is not on a later day than all before, or gaps or curves are others.
    #[must_use]
    pub fn with(mut self, frame: &Frame, tests: &[TestRow]) -> Option<Self> {
        let before = self.latest.map(day_of);
        let today = day_of(frame.today);
        if self.spans.len() > frame.spans.len()
            || self.longest_gap != frame.longest_gap
            || before.is_some_and(|latest| latest > today)
            || tests.iter().map(|test| day_of(test.date)).any(|day| Some(day) <= before || day > today)
        {
            return None;
        }
        let mut earlier = self.spans.into_iter();
        let mut spans = Vec::with_capacity(frame.spans.len());
        for span in &frame.spans {
            let mut sums = SpanSums::of(frame, span, EMPTY);
            match earlier.next() {
                Some(earlier) if (earlier.calving, earlier.curves) == (sums.calving, sums.curves) => {
                    sums.tests = earlier.tests.hold(span, earlier.end).then_some(earlier.tests)?;
                }
                None if before.is_none_or(|latest| latest < span.start()) => {}
                _ => return None,
            }
            spans.push(sums);
        }
        self.spans = spans;
        self.latest = self.latest.max(latest(frame, tests));
        self.add(frame, tests);
        Some(self)
    }

    /// Whether every test is known to be before that day.
    #[must_use]
    pub fn all_before(&self, day: i64) -> bool {
        self.latest.is_none_or(|latest| day_of(latest) < day)
    }

    /// As text, every number to its last bit.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{FORM} {}", self.longest_gap);
        put_or_same(&mut text, self.latest, last_date(&self.spans));
        for SpanSums { calving, end, curves, tests } in &self.spans {
            put(&mut text, Some(*calving));
            put(&mut text, *end);
            put(&mut text, *curves);
            if *tests == EMPTY {
                put(&mut text, None::<i64>);
                continue;
            }
            let (cells, scores, counted) = tests.cells;
            let [official, gap, late] = [tests.official, tests.gap, tests.late].map(u8::from);
            let _ = write!(text, " {} {official} {gap} {late}", tests.count);
            put_both(&mut text, tests.milk);
            for bend in tests.bends.iter().filter(|_| curves.is_some()) {
                put_both(&mut text, *bend);
            }
            let _ = write!(text, " {cells} {scores} {counted}");
            put(&mut text, tests.last.map(|(date, _)| date));
            if let Some((date, test)) = tests.last {
                let _ = write!(text, " {} {}", test.dim, test.kg);
                put_or_same(&mut text, tests.last_cells.map(|(date, _)| date), Some(date));
                put(&mut text, tests.last_cells.map(|(_, cells)| cells));
                put(&mut text, tests.peak.map(|(dim, _)| dim));
                put(&mut text, tests.peak.map(|(_, kg)| kg));
                put_wood(&mut text, tests.wood);
            }
            for content in [tests.fat, tests.protein] {
                put(&mut text, content.sample.map(|(dim, _)| dim));
                put(&mut text, content.sample.map(|(_, percent)| percent));
                put(&mut text, content.at_last);
                put_both(&mut text, content.settled);
                put_both(&mut text, content.open);
                put_both(&mut text, content.moment);
            }
        }
        text
    }

    /// Reads such a text; none if it is of another form.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let words = &mut text.split_ascii_whitespace();
        if words.next()? != FORM {
            return None;
        }
        let longest_gap = number(words)?;
        let latest = words.next()?;
        let mut spans = Vec::new();
        while let Some(calving) = words.next() {
            let (calving, end, curves) = (calving.parse().ok()?, maybe(words)?, maybe(words)?);
            let tests = match maybe(words)? {
                Some(count) => tests_of(count, curves.is_some(), words)?,
                None => EMPTY,
            };
            spans.push(SpanSums { calving, end, curves, tests });
        }
        let latest = number_or_same(latest, last_date(&spans))?;
        Some(Self { spans, longest_gap, latest })
    }
}

fn tests_of(count: u32, bent: bool, words: &mut SplitAsciiWhitespace<'_>) -> Option<TestSums> {
    let mut sums = TestSums {
        count,
        official: number::<u8>(words)? == 1,
        gap: number::<u8>(words)? == 1,
        late: number::<u8>(words)? == 1,
        milk: both(words)?,
        bends: match bent {
            true => [both(words)?, both(words)?, both(words)?],
            false => bend::NONE,
        },
        cells: (number(words)?, number(words)?, number(words)?),
        ..EMPTY
    };
    if let Some(date) = maybe(words)? {
        let (dim, kg) = (number(words)?, number(words)?);
        sums.last = Some((date, Test { dim, kg }));
        let (date, cells) = (number_or_same(words.next()?, Some(date))?, maybe(words)?);
        sums.last_cells = date.zip(cells);
        let (dim, kg) = (maybe(words)?, maybe(words)?);
        sums.peak = dim.zip(kg);
        sums.wood = wood(words)?;
    }
    for content in [&mut sums.fat, &mut sums.protein] {
        let (dim, percent) = (maybe(words)?, maybe(words)?);
        content.sample = dim.zip(percent);
        content.at_last = maybe(words)?;
        content.settled = both(words)?;
        content.open = both(words)?;
        content.moment = both(words)?;
    }
    Some(sums)
}

/// Stands for what is not there.
const NONE: &str = "-";
/// Stands for a number that is known: as long as a lactation is in its standard part, its sums are those of that part.
const SAME: &str = "=";

/// The date of the last test with milk.
fn last_date(spans: &[SpanSums]) -> Option<i64> {
    spans.iter().filter_map(|span| span.tests.last).map(|(date, _)| date).max()
}

/// A number that is mostly a known one.
fn put_or_same(text: &mut String, number: Option<i64>, known: Option<i64>) {
    match number {
        Some(_) if number == known => put(text, Some(SAME)),
        _ => put(text, number),
    }
}

/// Such a number, read; none if there is neither.
fn number_or_same(word: &str, known: Option<i64>) -> Option<Option<i64>> {
    match word {
        NONE => Some(None),
        SAME => known.map(Some),
        number => Some(Some(number.parse().ok()?)),
    }
}

fn put(text: &mut String, number: Option<impl std::fmt::Display>) {
    let _ = match number {
        Some(number) => write!(text, " {number}"),
        None => write!(text, " {NONE}"),
    };
}

fn put_both(text: &mut String, both: Both) {
    put(text, Some(both.whole));
    match both.whole.to_bits() == both.standard.to_bits() {
        true => put(text, Some(SAME)),
        false => put(text, Some(both.standard)),
    }
}

fn put_wood(text: &mut String, wood: WoodSums) {
    put(text, Some(wood.count).filter(|count| *count > 0));
    for sum in wood.sums.iter().filter(|_| wood.count > 0) {
        put(text, Some(*sum));
    }
}

fn wood(words: &mut SplitAsciiWhitespace<'_>) -> Option<WoodSums> {
    let Some(count) = maybe(words)? else {
        return Some(WoodSums::NONE);
    };
    let mut sums = [0.0; 8];
    for sum in &mut sums {
        *sum = number(words)?;
    }
    Some(WoodSums { count, sums })
}

/// A number that may be missing; none if there is neither.
fn maybe<N: std::str::FromStr>(words: &mut SplitAsciiWhitespace<'_>) -> Option<Option<N>> {
    match words.next()? {
        NONE => Some(None),
        number => Some(Some(number.parse().ok()?)),
    }
}

fn number<N: std::str::FromStr>(words: &mut SplitAsciiWhitespace<'_>) -> Option<N> {
    words.next()?.parse().ok()
}

fn both(words: &mut SplitAsciiWhitespace<'_>) -> Option<Both> {
    let whole = number(words)?;
    let standard = match words.next()? {
        SAME => whole,
        standard => standard.parse().ok()?,
    };
    Some(Both { whole, standard })
}

#[cfg(test)]
mod tests;
