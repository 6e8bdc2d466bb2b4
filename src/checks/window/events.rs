//! Rows about an animal.

use super::passport::State;
use crate::day::Day;
use std::cmp::{Ordering, Reverse};

/// `eventType` of a calving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CalvingKind {
    #[default]
    Calving,
    /// An abortion that opens a lactation.
    OpeningAbortion,
    /// Any other abortion.
    Abortion,
    DryOff,
}

/// `ease` of a calving, as far as checks tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ease {
    /// Without a veterinarian.
    Unaided,
    /// With a veterinarian, or by surgery.
    Veterinary,
}

/// A calf as a calving describes it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progeny {
    /// Weight at birth, kg.
    pub weight: Option<f64>,
}

/// A row of `calvings`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calving {
    pub id: i64,
    /// `number`, the parity.
    pub number: i64,
    /// `date`.
    pub day: Day,
    /// `eventType`.
    pub kind: CalvingKind,
    /// How many calves `result` says; none where it says nothing exact.
    pub declared: Option<i64>,
    /// `ease`.
    pub ease: Option<Ease>,
    /// `calfWeight`, kg.
    pub calf_weight: Option<f64>,
    /// `liveHeifers`, `liveBulls`, `stillborn`.
    pub counts: [Option<i64>; 3],
    /// `calves`: those that are animals of the book.
    pub calves: Vec<i64>,
    /// `progeny`.
    pub progeny: Vec<Progeny>,
    /// `insemination`, by its day.
    pub served: Option<Day>,
    /// `gestationDays`.
    pub gestation: Option<i64>,
    /// `embryoTransfer`.
    pub embryo: bool,
}

impl Calving {
    /// Whether it begins a lactation.
    pub(crate) fn opens(&self) -> bool {
        matches!(self.kind, CalvingKind::Calving | CalvingKind::OpeningAbortion)
    }
}

impl Calving {
    /// How many calves the counts say; none where the calves one by one leave one open.
    pub(crate) fn counted(&self) -> Option<i64> {
        let given = match self.progeny.is_empty() {
            true => self.counts.iter().any(Option::is_some),
            false => self.counts.iter().all(Option::is_some),
        };
        given.then(|| self.counts.iter().flatten().sum())
    }

    /// It says two or more calves.
    pub(crate) fn several(&self) -> bool {
        self.declared.is_some_and(|n| n > 1)
            || self.counted().is_some_and(|n| n > 1)
            || self.calves.len().max(self.progeny.len()) > 1
    }
}

/// A row of `inseminations`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Service {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// Last day of a run with a bull.
    pub end: Option<Day>,
    /// `bull`; of an embryo, its sire.
    pub bull: Option<i64>,
    /// `bullText`: the sire by name.
    pub bull_text: Option<String>,
    /// When the semen was collected.
    pub collected: Option<Day>,
    /// An embryo was transferred.
    pub embryo: bool,
    /// The check found a calf.
    pub pregnant: bool,
    /// `pregnancyCheckDate`.
    pub checked: Option<Day>,
    /// Expected inbreeding of the calf, %.
    pub expected_inbreeding: Option<f64>,
    /// Whether the technician still works; none where none is named.
    pub technician_active: Option<bool>,
}

/// A row of `milk-tests`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MilkTest {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// Milk of 24 hours, kg.
    pub milk: Option<f64>,
    /// Fat, %.
    pub fat: Option<f64>,
    /// Protein, %.
    pub protein: Option<f64>,
    /// Lactose, %.
    pub lactose: Option<f64>,
    /// Somatic cells, 1000/ml.
    pub cells: Option<f64>,
    /// Urea, mg/100 ml.
    pub urea: Option<f64>,
    /// A test code says why there is no milk.
    pub coded: bool,
    /// An official result.
    pub official: bool,
    /// `source`: its place in the list of sources.
    pub source: u8,
}

/// The last of the sources that stand in an order; laboratories and owners are before it.
const OTHER_SOURCE: u8 = 2;

impl MilkTest {
    /// Its place among the rows of its day: the best source, then the most contents (docs/derived.md, *Test days*).
    pub(super) fn rank(&self) -> (bool, bool, u8, Reverse<usize>) {
        let contents = [self.fat, self.protein, self.cells];
        let contents = contents.iter().flatten().count();
        (self.coded, !self.official, self.source.min(OTHER_SOURCE), Reverse(contents))
    }

    /// Which of two rows has the higher values; the same values are the same test.
    pub(super) fn by_value(&self, other: &Self) -> Ordering {
        let values = |test: &Self| [test.milk, test.fat, test.protein, test.cells].map(|value| value.unwrap_or(-1.0));
        let pairs = values(self).into_iter().zip(values(other));
        let by_value = pairs.map(|(one, other)| one.total_cmp(&other)).find(|order| order.is_ne());
        by_value.unwrap_or_else(|| other.id.cmp(&self.id))
    }
}

/// A row of `weighings`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weighing {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// Weight, kg.
    pub weight: f64,
    /// Taken at birth.
    pub at_birth: bool,
    /// `sign`: its place in the list of signs.
    pub sign: u8,
}

/// A row of `milking-visits`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Visit {
    pub id: i64,
    /// `startedAt`, in seconds since 1970.
    pub at: i64,
    /// Day of the shift, else the UTC day of the start.
    pub day: Day,
    /// Milk, kg.
    pub milk: f64,
    /// Duration of the milking, s.
    pub seconds: Option<i64>,
}

/// A row of `daily-milkings`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Daily {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// Milk, kg.
    pub milk: f64,
    /// The sum of the visits, computed.
    pub computed: bool,
}

/// What an illness tells about the animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Illness {
    /// Anybody may have it.
    #[default]
    Any,
    /// Of females after calving.
    Calving,
    /// Of the ovaries: of females that are old enough.
    Ovaries,
    /// Of the udder: of females.
    Udder,
    /// Of calves.
    Calf,
}

impl Illness {
    /// By the code of the row of `health-event-types`, in the book's own codes and in those of partners.
    #[must_use]
    pub fn of(code: &str) -> Self {
        let code = code.to_lowercase().replace('_', "-");
        let is = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if is(&["metritis", "placenta", "milk-fever"]) {
            Self::Calving
        } else if is(&["cyst"]) {
            Self::Ovaries
        } else if is(&["mastitis"]) {
            Self::Udder
        } else if is(&["calf-"]) {
            Self::Calf
        } else {
            Self::Any
        }
    }
}

/// A row of `health-events`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HealthEvent {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// `type`.
    pub kind: i64,
    /// What the type tells about the animal.
    pub illness: Illness,
    /// Milk must not be delivered until this day.
    pub milk_withdrawal: Option<Day>,
    /// Nor the animal slaughtered until this one.
    pub meat_withdrawal: Option<Day>,
}

/// A row of `events`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OtherEvent {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// `type`: its place in the list of types.
    pub kind: u8,
    /// A type of females only.
    pub female: bool,
}

/// `kind` of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MovementKind {
    /// Sold.
    #[default]
    Sale,
    /// Lent.
    Lease,
    /// From herd to herd of one organisation.
    Transfer,
    /// Came from outside.
    Import,
    /// To slaughter.
    Cull,
    /// Died.
    Death,
    /// Away for a while, which changes neither owner nor state.
    Absence,
}

/// What a reason for leaving tells about the animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leaving {
    /// Any animal may leave by it.
    #[default]
    Any,
    /// Of cows in milk: low yield, udder, slow milking, calving.
    Cow,
    /// Of animals that are old enough for breeding: infertility.
    Breeding,
    /// Of old animals.
    Old,
}

impl Leaving {
    /// By `adeReason` of the row of `disposal-reasons`.
    #[must_use]
    pub fn of(reason: &str) -> Self {
        match reason {
            "Production" | "Mastitis" | "MilkingAbility" | "Parturition" => Self::Cow,
            "Fertility" => Self::Breeding,
            "Age" => Self::Old,
            _ => Self::Any,
        }
    }
}

/// A row of `movements`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Movement {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// `kind`.
    pub kind: MovementKind,
    /// `from`.
    pub from: Option<i64>,
    /// `to`, where it is an organisation that takes part in the book.
    pub to: Option<i64>,
    /// It took effect.
    pub applied: bool,
    /// The seller has not confirmed it yet.
    pub pending: bool,
    pub recorded: Day,
    /// What the reason tells.
    pub reason: Leaving,
    /// Live weight, kg.
    pub weight: Option<f64>,
    /// A cull for meat: one that names no other use of the carcass.
    pub for_meat: bool,
}

impl Movement {
    /// The state after it.
    pub(crate) fn leaves(&self) -> State {
        match self.kind {
            MovementKind::Cull => State::Culled,
            MovementKind::Death => State::Dead,
            MovementKind::Sale | MovementKind::Lease if self.to.is_none() => State::Sold,
            _ => State::Alive,
        }
    }
}

/// A row of `animal-evaluations`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    pub id: i64,
    /// `evaluatedAt`.
    pub day: Day,
    /// It is the one that counts.
    pub current: bool,
    /// The source is named (`center`).
    pub named: bool,
    /// The source needs a name: another one than the Association.
    pub needs_name: bool,
    /// It is computed from the parents, without a base of its own.
    pub parent_average: bool,
    /// `baseVersion`.
    pub base: Option<String>,
    /// `ipcPercentile`.
    pub percentile: Option<f64>,
    /// Forecasts by trait.
    pub forecasts: Vec<(&'static str, f64)>,
}

impl Evaluation {
    /// The forecast of a trait.
    pub(crate) fn forecast(&self, name: &str) -> Option<f64> {
        let of = self.forecasts.iter().find(|(key, _)| *key == name);
        of.map(|(_, value)| *value)
    }
}

/// A row of `animal-exteriors`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exterior {
    pub id: i64,
    /// `assessedAt`.
    pub day: Day,
    /// `lactation`.
    pub lactation: Option<i64>,
    /// `finalScore`.
    pub final_score: Option<f64>,
    /// A young animal was scored.
    pub young: bool,
}

/// `grade` of a grading, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Class {
    EliteRecord,
    Elite,
    /// Class one.
    First,
    /// Class two.
    Second,
    /// Out of class.
    #[default]
    Out,
}

/// A row of `gradings`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grading {
    pub id: i64,
    /// `date`.
    pub day: Day,
    /// `grade`.
    pub class: Class,
    /// `score`.
    pub score: Option<f64>,
}
