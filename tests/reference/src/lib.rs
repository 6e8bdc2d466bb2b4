//! The rules of `docs/derived.md` over all rows of one animal, in the plainest way: everything is computed from
//! scratch, day by day, and nothing is shared with the server. `tests/it/facts` holds the book against it.
//!
//! Days are counted since 1970-01-01. Rows are named by their place in the lists of a [`History`].

#![expect(clippy::indexing_slicing, reason = "a test fails by a panic")]

mod days;
#[cfg(test)]
mod examples;
mod lactation;
mod parity;
mod pregnancy;
mod present;

pub use days::When;
pub use lactation::{End, Lactation};
pub use present::Present;

/// Standard lactation curves of parity 1, 2 and all later ones: milk, fat and protein of a day, kg, by days in milk.
pub type Curves = [Vec<(i64, [f64; 3])>; 3];

/// All rows of one animal, in any order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// Clock of the place: minutes ahead of UTC.
    pub offset: i64,
    /// Males have no state.
    pub female: bool,
    /// Day of birth.
    pub birth: i64,
    /// Calvings, abortions, dryings-off.
    pub calvings: Vec<Calving>,
    pub services: Vec<Service>,
    /// Pregnancy checks that are rows of their own.
    pub checks: Vec<Check>,
    /// Milk tests.
    pub tests: Vec<Test>,
    /// Milkings.
    pub visits: Vec<Visit>,
    /// When the animal left.
    pub left: Option<When>,
    /// The curves of the installation; none: the test-interval method.
    pub curves: Option<Curves>,
    /// The present instant, milliseconds since 1970.
    pub now: i64,
}

/// What a row of calvings says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A calf was born.
    Calving,
    /// A pregnancy ended early.
    Abortion,
    /// Milking ended.
    DryOff,
}

/// A row of calvings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calving {
    /// Its day.
    pub when: When,
    /// Its kind.
    pub event: Event,
    /// The parity that somebody stated.
    pub number: Option<i64>,
    /// Of an abortion: whether somebody stated that it opens a lactation.
    pub opens: Option<bool>,
}

/// What a check found; of two checks of a day the greater counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing certain.
    Unknown,
    /// Not in calf.
    Empty,
    /// In calf.
    Pregnant,
    /// In calf with more than one.
    Multiple,
}

impl Outcome {
    /// In calf with one or more.
    #[must_use]
    pub const fn in_calf(self) -> bool {
        matches!(self, Self::Pregnant | Self::Multiple)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Its day.
    pub when: When,
    /// Number or name of the bull.
    pub bull: Option<String>,
    /// An embryo was transferred.
    pub embryo: bool,
    /// The result that was written with it, and the day of its check.
    pub result: Option<(Outcome, Option<When>)>,
    /// The number of the lactation that somebody stated.
    pub number: Option<i64>,
}

/// A pregnancy check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// Its day.
    pub when: When,
    /// What was found.
    pub outcome: Outcome,
    /// The service that it names, as a place in the list.
    pub service: Option<usize>,
    /// Age of the foetus, days.
    pub age: Option<i64>,
}

/// Who a milk test is of, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Official recording.
    Official,
    Laboratory,
    Owner,
    Other,
}

/// Why a test has no yield.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The cow was dry.
    Dry,
    /// Any other reason.
    Other,
}

/// A milk test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// Its day.
    pub when: When,
    /// Who it is of.
    pub source: Source,
    /// Milk of the day, kg.
    pub milk: Option<f64>,
    /// Fat, %.
    pub fat: Option<f64>,
    /// Protein, %.
    pub protein: Option<f64>,
    /// Somatic cells, 1000/ml.
    pub cells: Option<f64>,
    /// Why it has no yield.
    pub code: Option<Code>,
    /// The number of the lactation that somebody stated.
    pub number: Option<i64>,
}

/// A milking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// When it began, milliseconds since 1970.
    pub at: i64,
    /// Milk, kg.
    pub milk: f64,
    /// The day of the shift, if stated.
    pub shift: Option<i64>,
}

/// What follows for a row of calvings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfCalving {
    /// Parity.
    pub number: i64,
    /// The service that led to it.
    pub service: Option<usize>,
    /// Days since that service.
    pub gestation: Option<i64>,
}

/// What follows for a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfService {
    /// Number of the lactation, 0 before the first.
    pub number: i64,
    /// The latest result.
    pub result: Option<Outcome>,
    /// Day of the expected calving.
    pub expected: Option<i64>,
    /// Days since the calving before.
    pub open: Option<i64>,
}

/// What follows for a milk test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfTest {
    /// Number of the lactation.
    pub number: Option<i64>,
    /// Days since the calving before.
    pub days_in_milk: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DayOfMilk {
    pub day: i64,
    /// Milk, kg.
    pub milk: f64,
    pub milkings: usize,
}

/// Everything that follows, row by row in the order of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    pub calvings: Vec<OfCalving>,
    pub services: Vec<OfService>,
    /// The service of each check.
    pub checks: Vec<Option<usize>>,
    pub tests: Vec<OfTest>,
    /// Lactations by their first days.
    pub lactations: Vec<Lactation>,
    /// Days with milkings.
    pub days: Vec<DayOfMilk>,
    /// The present state.
    pub present: Present,
}

impl History {
    /// Everything that follows from the rows.
    #[must_use]
    pub fn derived(&self) -> Derived {
        let events = self.events();
        let number_of = |at: usize| events.get(at).map_or(0, |event| event.number);
        Derived {
            calvings: (0..self.calvings.len())
                .map(|at| OfCalving { number: number_of(at), service: self.origin(at), gestation: self.gestation(at) })
                .collect(),
            services: (0..self.services.len()).map(|at| self.of_service(at)).collect(),
            checks: (0..self.checks.len()).map(|at| self.service_of(at)).collect(),
            tests: self.tests.iter().map(|test| self.of_test(test)).collect(),
            lactations: self.lactations(),
            days: self.milk_by_day(),
            present: self.present(),
        }
    }
}
