//! Lactations of one animal and their yields.
//!
//! Boundaries of lactations, and yields by the test-interval method of the ICAR guidelines
//! (docs/design/derived.md, *Lactations*). Knows nothing of storage: the rows of one animal come
//! in, its lactations go out. Reported rows (typed in, not computed) fill the numbers for which
//! nothing can be computed.

use std::collections::BTreeMap;

use super::{day_of, instant_of};

mod interval;
mod reported;

use interval::TestDay;
pub use reported::{Summary, summary, with_reported};

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
    let today = day_of(history.today);
    let mut rows: Vec<CalvingRow> = history
        .calvings
        .iter()
        .copied()
        .filter(|row| day_of(row.date) <= today)
        .collect();
    rows.sort_by_key(|row| (row.date, row.number));
    let mut calvings: Vec<CalvingRow> = rows
        .iter()
        .copied()
        .filter(|row| row.event == CalvingEvent::Calving)
        .collect();
    calvings.dedup_by_key(|row| day_of(row.date));
    let dry_offs: Vec<i64> = rows
        .iter()
        .filter(|row| row.event == CalvingEvent::DryOff)
        .map(|row| row.date)
        .collect();
    let tests = usable_tests(history.tests);

    let mut found: BTreeMap<i64, Lactation> = BTreeMap::new();
    let mut order = Vec::new();
    for (at, calving) in calvings.iter().enumerate() {
        let next = calvings.get(at + 1).map(|next| next.date);
        let span = Span {
            calving: calving.date,
            next,
            today,
        };
        let mut lactation = span.lactation(history, &dry_offs, &tests);
        lactation.number = calving.number;
        let before = at.checked_sub(1).and_then(|at| calvings.get(at));
        lactation.dry_days_before = before.and_then(|before| {
            let dry_off = first_within(&dry_offs, before.date, Some(calving.date))?;
            Some(day_of(calving.date) - day_of(dry_off))
        });
        if let std::collections::btree_map::Entry::Vacant(slot) = found.entry(calving.number) {
            order.push(calving.number);
            slot.insert(lactation);
        }
    }
    order
        .iter()
        .filter_map(|number| found.remove(number))
        .collect()
}

/// Tests with milk and without a code, one per day, in order of date.
fn usable_tests(rows: &[TestRow]) -> Vec<TestRow> {
    let mut tests: Vec<TestRow> = rows
        .iter()
        .copied()
        .filter(|row| !row.has_test_code && row.milk.is_some_and(f64::is_finite))
        .collect();
    tests.sort_by_key(|row| row.date);
    tests.dedup_by_key(|row| day_of(row.date));
    tests
}

/// The first of the sorted dates after `from` and before `to` (exclusive; by day).
fn first_within(dates: &[i64], from: i64, to: Option<i64>) -> Option<i64> {
    dates.iter().copied().find(|date| {
        day_of(*date) >= day_of(from) && to.is_none_or(|to| day_of(*date) < day_of(to))
    })
}

fn round(value: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (value * unit).round() / unit
}

/// The time from one calving to the next.
#[derive(Clone, Copy)]
struct Span {
    calving: i64,
    next: Option<i64>,
    today: i64,
}

impl Span {
    fn lactation(self, history: &History<'_>, dry_offs: &[i64], tests: &[TestRow]) -> Lactation {
        let start = day_of(self.calving);
        let dry_off = first_within(dry_offs, self.calving, self.next);
        let fixed_end = self.fixed_end(history, dry_off);
        let in_milk: Vec<TestRow> = tests
            .iter()
            .copied()
            .filter(|test| {
                let day = day_of(test.date);
                let last = fixed_end
                    .map_or(self.today, |(end, _)| day_of(end))
                    .min(self.today);
                day >= start && day <= last && self.next.is_none_or(|next| day < day_of(next))
            })
            .collect();
        let last_test = in_milk.last().map(|test| test.date);
        let end = self.end(fixed_end, last_test);
        let last_day = end.map_or_else(
            || {
                let credited = last_test.map_or(start, |last| day_of(last) + OPEN_TAIL_DAYS);
                credited.min(self.today)
            },
            |(end, _)| day_of(end),
        );
        let until = self.next.unwrap_or(i64::MAX);
        let service = history
            .services
            .iter()
            .filter(|row| day_of(row.date) >= start && row.date < until)
            .filter(|row| day_of(row.date) <= self.today)
            .max_by_key(|row| row.date);
        let mut lactation = Lactation {
            calving_date: Some(self.calving),
            insemination_date: service.map(|service| service.date),
            service_bull: service.and_then(|service| service.bull.clone()),
            dd: (end.is_some() || last_test.is_some()).then_some(last_day - start),
            dry_off_date: dry_off,
            end_date: end.map(|(end, _)| end),
            end_reason: end.map(|(_, reason)| reason),
            last_test_date: last_test,
            ..Lactation::default()
        };
        fill_yields(&mut lactation, &in_milk, start, last_day - start);
        lactation
    }

    /// The first of dry-off, next calving and disposal.
    fn fixed_end(self, history: &History<'_>, dry_off: Option<i64>) -> Option<(i64, EndReason)> {
        let disposal = history
            .disposal
            .filter(|date| day_of(*date) <= self.today && day_of(*date) >= day_of(self.calving));
        [
            dry_off.map(|date| (date, EndReason::DryOff)),
            self.next.map(|date| (date, EndReason::Calving)),
            disposal.map(|date| (date, EndReason::Disposal)),
        ]
        .into_iter()
        .flatten()
        .min_by_key(|(date, _)| day_of(*date))
    }

    fn end(
        self,
        fixed: Option<(i64, EndReason)>,
        last_test: Option<i64>,
    ) -> Option<(i64, EndReason)> {
        let silent = last_test
            .map(|last| day_of(last) + DAYS_AFTER_LAST_TEST)
            .filter(|day| *day <= self.today)
            .filter(|day| fixed.is_none_or(|(end, _)| *day < day_of(end)));
        match silent {
            Some(day) => Some((instant_of(day), EndReason::NoTests)),
            None => fixed,
        }
    }
}

fn fill_yields(lactation: &mut Lactation, tests: &[TestRow], start: i64, length: i64) {
    let series = |daily: fn(&TestRow) -> Option<f64>| -> Vec<TestDay> {
        tests
            .iter()
            .filter_map(|test| {
                let kg = daily(test).filter(|kg| kg.is_finite())?;
                Some(TestDay {
                    dim: day_of(test.date) - start,
                    kg,
                })
            })
            .collect()
    };
    let milk = series(|test| test.milk);
    let fat = series(|test| Some(test.milk? * test.fat? / 100.0));
    let protein = series(|test| Some(test.milk? * test.protein? / 100.0));
    let to_end = |series: &[TestDay]| interval::total(series, length);
    lactation.milk_yield = to_end(&milk).map(|kg| round(kg, 1));
    lactation.fat_kg = to_end(&fat).map(|kg| round(kg, 1));
    lactation.protein_kg = to_end(&protein).map(|kg| round(kg, 1));
    if milk.len() >= 2 {
        let to_305 = |series: &[TestDay]| interval::total(series, length.min(STANDARD_DAYS));
        let milk305 = to_305(&milk);
        let percent = |kg: Option<f64>| {
            let milk = milk305.filter(|milk| *milk > 0.0)?;
            Some(round(100.0 * kg? / milk, 2))
        };
        let (fat305, protein305) = (to_305(&fat), to_305(&protein));
        lactation.milk305 = milk305.map(|kg| round(kg, 1));
        lactation.fat305 = percent(fat305);
        lactation.protein305 = percent(protein305);
        lactation.fat305_kg = fat305.map(|kg| round(kg, 1));
        lactation.protein305_kg = protein305.map(|kg| round(kg, 1));
    }
    let cells: Vec<f64> = tests.iter().filter_map(|test| test.scc).collect();
    if !cells.is_empty() {
        lactation.scc = Some((cells.iter().sum::<f64>() / cells.len() as f64).round());
    }
}

#[cfg(test)]
mod tests;
