//! Lactations of one animal and their yields.
//!
//! Boundaries of lactations, and yields by the test-interval method of the ICAR guidelines
//! (docs/design/derived.md, *Lactations*). Knows nothing of storage: the rows of one animal come
//! in, its lactations go out. Reported rows (typed in, not computed) fill the numbers for which
//! nothing can be computed.

use super::{day_of, instant_of};

mod interval;
mod reported;
mod sums;

use interval::Curve;
pub use reported::{Summary, summary, with_reported};
pub use sums::Sums;
use sums::TestSums;

/// Days of the standard lactation.
pub const STANDARD_DAYS: i64 = 305;
/// A lactation without a further test ends this many days after its last one.
pub const DAYS_AFTER_LAST_TEST: i64 = 60;
/// An open lactation is credited with this many days after its last test.
pub const OPEN_TAIL_DAYS: i64 = 14;

/// What a row of `calvings` says; an empty `eventType` is a calving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalvingEvent {
    /// Starts a lactation.
    Calving,
    /// Neither starts nor ends one.
    Abortion,
    /// Ends one.
    DryOff,
}

/// A row of `calvings`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalvingRow {
    /// Epoch milliseconds.
    pub date: i64,
    /// Parity.
    pub number: i64,
    /// Kind of the row.
    pub event: CalvingEvent,
}

/// A row of `milk-tests`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TestRow {
    /// Epoch milliseconds.
    pub date: i64,
    /// Milk of 24 hours, kg.
    pub milk: Option<f64>,
    /// Fat, %.
    pub fat: Option<f64>,
    /// Protein, %.
    pub protein: Option<f64>,
    /// Somatic cells, 1000/ml.
    pub scc: Option<f64>,
    /// The row carries a test code (dry, sick, sampling impossible): not used.
    pub has_test_code: bool,
}

/// A row of `inseminations`, as far as lactations show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRow {
    /// Epoch milliseconds.
    pub date: i64,
    /// Number or name of the bull as it is shown.
    pub bull: Option<String>,
}

/// Everything about one animal that its lactations depend on, in any order.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// Calvings, abortions, dry-offs.
    pub calvings: &'a [CalvingRow],
    /// Test days.
    pub tests: &'a [TestRow],
    /// Services.
    pub services: &'a [ServiceRow],
    /// When the animal left (sold out of the book, culled, dead).
    pub disposal: Option<i64>,
    /// The present instant; later rows are ignored.
    pub today: i64,
}

/// Why a lactation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// A dry-off row.
    DryOff,
    /// The next calving.
    Calving,
    /// The animal left.
    Disposal,
    /// No further test for [`DAYS_AFTER_LAST_TEST`] days.
    NoTests,
}

/// Where a row of `animals.lactations` comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// From calvings and tests.
    #[default]
    Computed,
    /// Typed in or imported.
    Reported,
}

/// One row of `animals.lactations` and what the exchange shows beside it. Kilograms have one
/// decimal, percentages two.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lactation {
    /// Parity; 0 is the reported summary.
    pub number: i64,
    /// First day, as given by the calving row.
    pub calving_date: Option<i64>,
    /// Last service within the lactation: the one that led to the next calving.
    pub insemination_date: Option<i64>,
    /// Bull of that service.
    pub service_bull: Option<String>,
    /// `dd`: days in milk, from the calving to the end, or to the last day
    /// credited while the lactation is open.
    pub dd: Option<i64>,
    /// Days dry before this calving.
    pub dry_days_before: Option<i64>,
    /// Milk of the whole lactation so far, kg.
    pub milk_yield: Option<f64>,
    /// Milk of the first 305 days, kg; needs two tests.
    pub milk305: Option<f64>,
    /// Fat of the whole lactation, kg.
    pub fat_kg: Option<f64>,
    /// Protein of the whole lactation, kg.
    pub protein_kg: Option<f64>,
    /// Fat in the milk of 305 days, %.
    pub fat305: Option<f64>,
    /// Protein in the milk of 305 days, %.
    pub protein305: Option<f64>,
    /// Fat of 305 days, kg.
    pub fat305_kg: Option<f64>,
    /// Protein of 305 days, kg.
    pub protein305_kg: Option<f64>,
    /// Mean somatic cell count of the tests, 1000/ml.
    pub scc: Option<f64>,
    /// Dry-off that ended it.
    pub dry_off_date: Option<i64>,
    /// Last day; absent while open.
    pub end_date: Option<i64>,
    /// Why it ended; absent while open and in reported rows.
    pub end_reason: Option<EndReason>,
    /// Last test used.
    pub last_test_date: Option<i64>,
    /// Computed or reported.
    pub origin: Origin,
}

/// Lactations in order of their calvings. Of several calvings with one number
/// or on one day the first counts; the others still end what runs before them.
#[must_use]
pub fn lactations(history: &History<'_>) -> Vec<Lactation> {
    let frame = Frame::of(history.calvings, history.disposal, history.today);
    frame.lactations(&Sums::of(&frame, history.tests), history.services)
}

/// When the lactations of an animal began and what can end them, apart from tests.
#[derive(Debug, Clone)]
pub struct Frame {
    spans: Vec<Span>,
    today: i64,
}

impl Frame {
    /// The frame by calvings (in any order) and disposal; later rows than `today` are ignored.
    #[must_use]
    pub fn of(calvings: &[CalvingRow], disposal: Option<i64>, now: i64) -> Self {
        let today = day_of(now);
        let mut rows: Vec<CalvingRow> = calvings
            .iter()
            .copied()
            .filter(|row| day_of(row.date) <= today)
            .collect();
        rows.sort_by_key(|row| (row.date, row.number));
        let dry_offs: Vec<i64> = rows
            .iter()
            .filter(|row| row.event == CalvingEvent::DryOff)
            .map(|row| row.date)
            .collect();
        rows.retain(|row| row.event == CalvingEvent::Calving);
        rows.dedup_by_key(|row| day_of(row.date));
        let disposal = disposal.filter(|date| day_of(*date) <= today);
        let mut spans: Vec<Span> = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let next = rows.get(at + 1).map(|next| next.date);
            let before = spans.last();
            let dry_days_before = before.and_then(|before| {
                let dry_off = first_within(&dry_offs, before.calving, Some(row.date))?;
                Some(day_of(row.date) - day_of(dry_off))
            });
            let dry_off = first_within(&dry_offs, row.date, next);
            let disposal = disposal.filter(|date| day_of(*date) >= day_of(row.date));
            spans.push(Span {
                number: row.number,
                calving: row.date,
                next,
                today,
                dry_off,
                dry_days_before,
                fixed_end: fixed_end(dry_off, next, disposal),
            });
        }
        Self { spans, today: now }
    }

    /// The lactations, with the yields of tests that were summed over this very frame.
    #[must_use]
    pub fn lactations(&self, sums: &Sums, services: &[ServiceRow]) -> Vec<Lactation> {
        let shown = self.numbered(sums);
        shown
            .map(|(span, tests)| span.lactation(tests, services))
            .collect()
    }

    /// The dates of the last tests of these lactations, without number 0, which is not shown.
    pub fn last_tests<'a>(&'a self, sums: &'a Sums) -> impl Iterator<Item = i64> + 'a {
        let shown = self.numbered(sums).filter(|(span, _)| span.number != 0);
        shown.filter_map(|(_, tests)| tests.last)
    }

    /// The first span of each number.
    fn numbered<'a>(&'a self, sums: &'a Sums) -> impl Iterator<Item = (&'a Span, &'a TestSums)> {
        let before = |at: usize| self.spans.iter().take(at);
        let all = self.spans.iter().zip(&sums.spans).enumerate();
        all.filter(move |(at, (span, _))| before(*at).all(|other| other.number != span.number))
            .map(|(_, (span, sums))| (span, &sums.tests))
    }
}

/// Tests with milk and without a code, one per day, in order of date.
fn usable_tests(rows: &[TestRow]) -> Vec<TestRow> {
    let mut tests: Vec<TestRow> = rows
        .iter()
        .copied()
        .filter(|row| !row.has_test_code && row.milk.is_some_and(f64::is_finite))
        .collect();
    if !tests.is_sorted_by_key(|row| row.date) {
        tests.sort_by_key(|row| row.date);
    }
    tests.dedup_by_key(|row| day_of(row.date));
    tests
}

/// The first of the sorted dates after `from` and before `to` (exclusive; by day).
fn first_within(dates: &[i64], from: i64, to: Option<i64>) -> Option<i64> {
    dates.iter().copied().find(|date| {
        day_of(*date) >= day_of(from) && to.is_none_or(|to| day_of(*date) < day_of(to))
    })
}

/// The first of dry-off, next calving and disposal.
fn fixed_end(
    dry_off: Option<i64>,
    next: Option<i64>,
    disposal: Option<i64>,
) -> Option<(i64, EndReason)> {
    [
        dry_off.map(|date| (date, EndReason::DryOff)),
        next.map(|date| (date, EndReason::Calving)),
        disposal.map(|date| (date, EndReason::Disposal)),
    ]
    .into_iter()
    .flatten()
    .min_by_key(|(date, _)| day_of(*date))
}

fn round(value: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (value * unit).round() / unit
}

/// The time from one calving to the next.
#[derive(Debug, Clone, Copy)]
struct Span {
    number: i64,
    calving: i64,
    next: Option<i64>,
    /// The present day.
    today: i64,
    dry_off: Option<i64>,
    dry_days_before: Option<i64>,
    fixed_end: Option<(i64, EndReason)>,
}

impl Span {
    /// The first day.
    fn start(&self) -> i64 {
        day_of(self.calving)
    }

    /// The day on which it ends at the latest.
    fn end_day(&self) -> Option<i64> {
        self.fixed_end.map(|(end, _)| day_of(end))
    }

    /// Whether a test of that day belongs to it.
    fn has(&self, day: i64) -> bool {
        let last = self.end_day().map_or(self.today, |end| end.min(self.today));
        let next = self.next.map(day_of);
        day >= self.start() && day <= last && next.is_none_or(|next| day < next)
    }

    fn lactation(&self, tests: &TestSums, services: &[ServiceRow]) -> Lactation {
        let start = self.start();
        let end = self.end(tests.last);
        let last_day = end.map_or_else(
            || {
                let credited = tests
                    .last
                    .map_or(start, |last| day_of(last) + OPEN_TAIL_DAYS);
                credited.min(self.today)
            },
            |(end, _)| day_of(end),
        );
        let until = self.next.unwrap_or(i64::MAX);
        let service = services
            .iter()
            .filter(|row| day_of(row.date) >= start && row.date < until)
            .filter(|row| day_of(row.date) <= self.today)
            .max_by_key(|row| row.date);
        let mut lactation = Lactation {
            number: self.number,
            calving_date: Some(self.calving),
            insemination_date: service.map(|service| service.date),
            service_bull: service.and_then(|service| service.bull.clone()),
            dd: (end.is_some() || tests.last.is_some()).then_some(last_day - start),
            dry_days_before: self.dry_days_before,
            dry_off_date: self.dry_off,
            end_date: end.map(|(end, _)| end),
            end_reason: end.map(|(_, reason)| reason),
            last_test_date: tests.last,
            ..Lactation::default()
        };
        fill_yields(&mut lactation, tests, last_day - start);
        lactation
    }

    fn end(&self, last_test: Option<i64>) -> Option<(i64, EndReason)> {
        let silent = last_test
            .map(|last| day_of(last) + DAYS_AFTER_LAST_TEST)
            .filter(|day| *day <= self.today)
            .filter(|day| self.end_day().is_none_or(|end| *day < end));
        match silent {
            Some(day) => Some((instant_of(day), EndReason::NoTests)),
            None => self.fixed_end,
        }
    }
}

fn fill_yields(lactation: &mut Lactation, tests: &TestSums, length: i64) {
    let to_end = |curve: &Option<Curve>| curve.map(|curve| curve.to_end(length));
    lactation.milk_yield = to_end(&tests.milk).map(|kg| round(kg, 1));
    lactation.fat_kg = to_end(&tests.fat).map(|kg| round(kg, 1));
    lactation.protein_kg = to_end(&tests.protein).map(|kg| round(kg, 1));
    lactation.scc = tests.mean_cells();
    if tests.count < 2 {
        return;
    }
    let to_305 = |curve: &Option<Curve>| curve.map(|curve| curve.to_standard(length));
    let milk305 = to_305(&tests.milk);
    let percent = |kg: Option<f64>| {
        let milk = milk305.filter(|milk| *milk > 0.0)?;
        Some(round(100.0 * kg? / milk, 2))
    };
    let (fat305, protein305) = (to_305(&tests.fat), to_305(&tests.protein));
    lactation.milk305 = milk305.map(|kg| round(kg, 1));
    lactation.fat305 = percent(fat305);
    lactation.protein305 = percent(protein305);
    lactation.fat305_kg = fat305.map(|kg| round(kg, 1));
    lactation.protein305_kg = protein305.map(|kg| round(kg, 1));
}

#[cfg(test)]
mod tests;
