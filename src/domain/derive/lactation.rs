//! Lactations of one animal and their yields.
//!
//! Boundaries of lactations, and yields by the test-interval method of the ICAR guidelines, or their interpolation by
//! standard curves (docs/design/derived.md, *Lactations*). Knows nothing of storage: the rows of one animal come
//! in, its lactations go out. Reported rows (typed in, not computed) fill the numbers for which
//! nothing can be computed.

use super::{day_of, instant_of};
use model::registry::{ParityCurves, Rules, StandardCurves};

mod bend;
mod corrected;
mod days;
mod interval;
mod reported;
mod sums;
mod wood;

use interval::Both;
pub use reported::{Summary, summary, with_reported};
pub use sums::Sums;
use sums::TestSums;

/// Days of the standard lactation.
pub const STANDARD_DAYS: i64 = 305;
/// A lactation without a further test ends this many days after its last one.
pub const DAYS_AFTER_LAST_TEST: i64 = 60;
/// Days credited behind a last test without a dry-off, and on both sides of a gap.
pub const TAIL_DAYS: i64 = 14;
/// Longest time between two tests that is no gap, days, unless the installation has another one.
pub const LONGEST_GAP: i64 = 100;

/// What a row of `calvings` says; an empty `eventType` is a calving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalvingEvent {
    /// Starts a lactation.
    Calving,
    /// An abortion that starts a lactation, as a calving does.
    OpeningAbortion,
    /// Neither starts nor ends one.
    Abortion,
    /// Ends one.
    DryOff,
}

impl CalvingEvent {
    /// Whether it starts a lactation and has a parity of its own.
    #[must_use]
    pub const fn opens(self) -> bool {
        matches!(self, Self::Calving | Self::OpeningAbortion)
    }
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

/// Who stands for a row of `milk-tests`, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Recorder {
    /// Official milk recording.
    Official,
    Laboratory,
    /// The owner of the animal.
    Owner,
    /// Machines, files.
    #[default]
    Other,
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
    /// Who stands for it.
    pub source: Recorder,
}

/// A row of `inseminations`, as far as lactations show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRow {
    /// Epoch milliseconds.
    pub date: i64,
    /// Number or name of the bull as it is shown.
    pub bull: Option<String>,
    /// She is, or was, in calf by it.
    pub fruitful: bool,
    /// Days with a service in the lactation, up to this one.
    pub services: i64,
}

/// Everything about one animal that its lactations depend on, in any order.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// Calvings, abortions, dry-offs.
    pub calvings: &'a [CalvingRow],
    /// Test days.
    pub tests: &'a [TestRow],
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
    /// No further test for [`DAYS_AFTER_LAST_TEST`] days, and nothing else known that ended it.
    NoTests,
}

/// How yields are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YieldMethod {
    TestInterval,
    StandardCurves,
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
    /// The last of the services within the lactation that it is given.
    pub insemination_date: Option<i64>,
    pub service_bull: Option<String>,
    /// Days from the calving to that service, if she is or was in calf by it.
    pub days_open: Option<i64>,
    /// Days with a service that this took; none while it is not known to be fruitful.
    pub services: Option<i64>,
    /// Days from this calving to the next one.
    pub calving_interval: Option<i64>,
    /// `dd`: days in milk, from the calving to the end, or to the last day
    /// credited while the lactation is open.
    pub dd: Option<i64>,
    /// Days dry before this calving.
    pub dry_days_before: Option<i64>,
    /// How its yields are computed; none without a test and in reported rows.
    pub yield_method: Option<YieldMethod>,
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
    /// Energy-corrected milk of 305 days, kg.
    pub ecm305: Option<f64>,
    /// Milk of 305 days corrected to 4 % of fat, kg.
    pub fcm305: Option<f64>,
    /// The highest milk of a test day in the first 305 days, kg.
    pub peak_milk: Option<f64>,
    /// Days in milk of the first test day with it.
    pub peak_day: Option<i64>,
    /// Milk of 305 days in per cent of what the peak would give on each day that counts (coefficient of Veselovsky).
    pub persistency: Option<f64>,
    /// While it is in progress: milk of 305 days, of which the days behind those credited are projected, kg.
    pub projected305: Option<f64>,
    /// Days in milk that are credited in it.
    pub projected_from: Option<i64>,
    /// Mean somatic cell count of the tests, 1000/ml.
    pub scc: Option<f64>,
    /// Mean of their scores.
    pub scs: Option<f64>,
    /// All tests are official, and there is no gap; none without tests.
    pub official: Option<bool>,
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

/// What the test days of the present lactation say last.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PresentTests {
    /// Date of the last test.
    pub last: Option<i64>,
    /// Date and cells (1000/ml) of the last one that has them.
    pub cells: Option<(i64, f64)>,
}

/// When the lactations of an animal began and what can end them, apart from tests.
#[derive(Debug, Clone)]
pub struct Frame {
    spans: Vec<Span>,
    today: i64,
    longest_gap: i64,
    curves: Option<&'static StandardCurves>,
}

impl Frame {
    /// With what an installation decides.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        (self.longest_gap, self.curves) = (rules.longest_gap, rules.curves);
        self
    }

    /// The frame by calvings (in any order) and disposal; rows after the disposal, or the present day, are ignored.
    #[must_use]
    pub fn of(calvings: &[CalvingRow], disposal: Option<i64>, now: i64) -> Self {
        let today = day_of(now);
        let disposal = disposal.filter(|date| day_of(*date) <= today);
        let until = disposal.map_or(today, day_of);
        let mut rows: Vec<CalvingRow> = calvings.iter().copied().filter(|row| day_of(row.date) <= until).collect();
        rows.sort_by_key(|row| (row.date, row.number));
        let dry_offs: Vec<i64> =
            rows.iter().filter(|row| row.event == CalvingEvent::DryOff).map(|row| row.date).collect();
        rows.retain(|row| row.event.opens());
        rows.dedup_by_key(|row| day_of(row.date));
        let mut spans: Vec<Span> = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let next = rows.get(at + 1).map(|next| next.date);
            let before = spans.last();
            let dry_days_before = before.and_then(|before| {
                let dry_off = first_within(&dry_offs, before.calving, Some(row.date))?;
                Some(day_of(row.date) - day_of(dry_off))
            });
            let dry_off = first_within(&dry_offs, row.date, next);
            spans.push(Span {
                number: row.number,
                calving: row.date,
                next,
                followed: rows.get(at + 1).is_none_or(|next| next.number == row.number + 1),
                today,
                dry_off,
                dry_days_before,
                fixed_end: fixed_end(dry_off, next, disposal),
            });
        }
        Self { spans, today: now, longest_gap: LONGEST_GAP, curves: None }
    }

    /// The lactations, with the yields of tests that were summed over this very frame.
    #[must_use]
    pub fn lactations(&self, sums: &Sums, services: &[ServiceRow]) -> Vec<Lactation> {
        let numbered = self.numbered(sums);
        numbered
            .map(|(span, tests)| {
                let curves = self.curves_of(span);
                span.lactation((tests, curves), services, self.longest_gap)
            })
            .collect()
    }

    /// The standard curves of a lactation, where its yields are computed by them.
    fn curves_of(&self, span: &Span) -> Option<&'static ParityCurves> {
        Some(self.curves?.of(span.number))
    }

    /// The dates of the last tests of these lactations, without number 0, which is not shown.
    pub fn last_tests<'a>(&'a self, sums: &'a Sums) -> impl Iterator<Item = i64> + 'a {
        let numbered = self.numbered(sums).filter(|(span, _)| span.number != 0);
        numbered.filter_map(|(_, tests)| tests.last.map(|(date, _)| date))
    }

    /// The test days of the lactation that began last.
    #[must_use]
    pub fn present_tests(&self, sums: &Sums) -> PresentTests {
        let tests = self.spans.last().and(sums.spans.last()).map(|span| &span.tests);
        PresentTests {
            last: tests.and_then(|tests| tests.last).map(|(date, _)| date),
            cells: tests.and_then(|tests| tests.last_cells),
        }
    }

    /// The first span of each number.
    fn numbered<'a>(&'a self, sums: &'a Sums) -> impl Iterator<Item = (&'a Span, &'a TestSums)> {
        let before = |at: usize| self.spans.iter().take(at);
        let all = self.spans.iter().zip(&sums.spans).enumerate();
        all.filter(move |(at, (span, _))| before(*at).all(|other| other.number != span.number))
            .map(|(_, (span, sums))| (span, &sums.tests))
    }
}

/// The first of the sorted dates after `from` and before `to` (exclusive; by day).
fn first_within(dates: &[i64], from: i64, to: Option<i64>) -> Option<i64> {
    dates.iter().copied().find(|date| day_of(*date) >= day_of(from) && to.is_none_or(|to| day_of(*date) < day_of(to)))
}

/// The first of dry-off, next calving and disposal.
fn fixed_end(dry_off: Option<i64>, next: Option<i64>, disposal: Option<i64>) -> Option<(i64, EndReason)> {
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
    /// Nothing is missing between this calving and the next one: their numbers follow each other.
    followed: bool,
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

    fn lactation(
        &self,
        (tests, curves): (&TestSums, Option<&ParityCurves>),
        services: &[ServiceRow],
        longest_gap: i64,
    ) -> Lactation {
        let start = self.start();
        let last_test = tests.last.map(|(date, _)| date);
        let last = last_test.map(day_of);
        let end = self.end(last, longest_gap);
        let until = self.next.unwrap_or(i64::MAX);
        let service = services
            .iter()
            .filter(|row| day_of(row.date) >= start && row.date < until)
            .filter(|row| day_of(row.date) <= self.today)
            .max_by_key(|row| row.date);
        let fruitful = service.filter(|service| service.fruitful && self.followed);
        let tail = last.map(|last| self.tail(last, end, longest_gap));
        let credited = || Some(last? + tail?.days);
        let last_day = end.map(|(end, _)| day_of(end)).or_else(credited);
        let mut lactation = Lactation {
            number: self.number,
            calving_date: Some(self.calving),
            insemination_date: service.map(|service| service.date),
            service_bull: service.and_then(|service| service.bull.clone()),
            days_open: fruitful.map(|service| day_of(service.date) - start),
            services: fruitful.map(|service| service.services),
            calving_interval: (self.next.filter(|_| self.followed)).map(|next| day_of(next) - start),
            dd: last_day.map(|day| day - start),
            dry_days_before: self.dry_days_before,
            dry_off_date: self.dry_off,
            end_date: end.map(|(end, _)| end),
            end_reason: end.map(|(_, reason)| reason),
            last_test_date: last_test,
            ..Lactation::default()
        };
        if let Some(tail) = tail {
            fill_yields(&mut lactation, tests, tail, curves);
        }
        lactation
    }

    /// When it ended, by the day of its last test. A dry-off or disposal that is known counts also when it comes later
    /// than the silence, unless the gap is too long.
    fn end(&self, last: Option<i64>, longest_gap: i64) -> Option<(i64, EndReason)> {
        let silent = last
            .filter(|last| self.left(*last).is_none_or(|days| days > longest_gap))
            .map(|last| last + DAYS_AFTER_LAST_TEST)
            .filter(|day| *day <= self.today)
            .filter(|day| self.end_day().is_none_or(|end| *day < end));
        match silent {
            Some(day) => Some((instant_of(day), EndReason::NoTests)),
            None => self.fixed_end,
        }
    }

    /// Days from a last test to the dry-off or disposal that ended it.
    fn left(&self, last: i64) -> Option<i64> {
        let (end, _) = (self.fixed_end).filter(|(_, reason)| *reason != EndReason::Calving)?;
        Some(day_of(end) - last)
    }

    /// What is credited behind a last test.
    fn tail(&self, last: i64, end: Option<(i64, EndReason)>, longest_gap: i64) -> Tail {
        let left = self.left(last);
        let until = end.map_or(self.today, |(end, _)| day_of(end));
        match left {
            Some(days) if days <= longest_gap => Tail { days, gap: false },
            _ => Tail { days: TAIL_DAYS.min(until - last), gap: left.is_some() },
        }
    }
}

/// What is behind the last test of a lactation.
#[derive(Debug, Clone, Copy)]
struct Tail {
    /// Days that are credited.
    days: i64,
    /// Its end is known, and too far away.
    gap: bool,
}

fn fill_yields(lactation: &mut Lactation, tests: &TestSums, tail: Tail, curves: Option<&ParityCurves>) {
    let count = tests.count;
    let tests = tests.with_tail(tail.days, curves);
    let (milk, fat, protein) = tests.kilograms();
    lactation.yield_method = Some(curves.map_or(YieldMethod::TestInterval, |_| YieldMethod::StandardCurves));
    let tenths = |kg: f64| round(kg, 1);
    lactation.milk_yield = Some(tenths(milk.whole));
    lactation.fat_kg = fat.map(|kg| tenths(kg.whole));
    lactation.protein_kg = protein.map(|kg| tenths(kg.whole));
    lactation.scc = tests.mean_cells();
    lactation.scs = tests.mean_score();
    lactation.official = Some(tests.official && !tests.gap && !tail.gap);
    (lactation.peak_day, lactation.peak_milk) = tests.peak.unzip();
    if count < 2 || tests.late {
        return;
    }
    let percent = |kg: Option<Both>| {
        let share = kg?.standard / Some(milk.standard).filter(|milk| *milk > 0.0)?;
        Some(round(100.0 * share, 2))
    };
    lactation.milk305 = Some(tenths(milk.standard));
    lactation.fat305 = percent(fat);
    lactation.protein305 = percent(protein);
    lactation.fat305_kg = fat.map(|kg| tenths(kg.standard));
    lactation.protein305_kg = protein.map(|kg| tenths(kg.standard));
    let fat = fat.map(|kg| kg.standard);
    lactation.fcm305 = fat.map(|fat| tenths(corrected::fat(milk.standard, fat)));
    let both = fat.zip(protein.map(|kg| kg.standard));
    lactation.ecm305 = both.map(|(fat, protein)| tenths(corrected::energy(milk.standard, fat, protein)));
    // With a gap, days without a yield would look like a loss of it.
    let last = tests.last.filter(|_| !tests.gap && !tail.gap);
    let days = last.map(|(_, test)| (test.dim + tail.days).min(STANDARD_DAYS));
    let possible = tests.peak.zip(days).map(|((_, peak), days)| peak * days as f64);
    lactation.persistency = possible.filter(|kg| *kg > 0.0).map(|kg| tenths(100.0 * milk.standard / kg));
    let open = days.filter(|days| lactation.end_date.is_none() && *days < STANDARD_DAYS);
    if let (Some(from), Some((_, peak))) = (open, tests.peak) {
        // A curve that promises more than the best test day is none of this cow.
        let most = peak * (STANDARD_DAYS - from) as f64;
        let rest = tests.wood.milk_after(from).filter(|rest| *rest <= most);
        lactation.projected305 = rest.map(|rest| (milk.standard + rest).round());
        lactation.projected_from = rest.map(|_| from);
    }
}

#[cfg(test)]
mod tests;
