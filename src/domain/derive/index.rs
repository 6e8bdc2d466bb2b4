//! Selection indexes: the value of an animal by the weights of a profile, how sure it is, where it stands in its cohort,
//! and the means and deviations of a base.
//!
//! The index is the classical one of Hazel (1943, *Genetics* 28: 476–490), a weighted sum of breeding values, of which
//! each is first made a deviation from the base; ICAR Guidelines, Section 9, describe bases and their change. Base and
//! weights that are built in are those of the printed model (docs/indexes.md).

mod comparison;
mod moments;

pub use comparison::{Comparison, ComparisonResult, TOP};
pub use moments::{Moments, OwnBase, own_base};

/// Number of traits that an index may be made of.
pub const COUNT: usize = 11;
/// Animals of a birth year from which on the year is a cohort of its own, and breeding values from which on a trait has
/// a base of its own.
pub const MANY: i64 = 30;
/// Animals of the smallest cohort of which anything is published.
pub const FEWEST: i64 = 5;

/// A trait of indexes, and the borrowed base: its mean is 0 throughout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndexTrait {
    /// Its name.
    pub key: &'static str,
    /// Standard deviation of the base `CDCB-2025-metric`, in the unit of the breeding value: that of transmitting
    /// abilities, half of that of breeding values (docs/indexes.md, *Bases*).
    pub sd: f64,
    /// −1 where less is better: the only place that turns a trait.
    pub direction: f64,
}

const fn of(key: &'static str, sd: f64) -> IndexTrait {
    IndexTrait { key, sd, direction: 1.0 }
}

/// Version of the borrowed base.
pub const BORROWED_VERSION: &str = "CDCB-2025-metric";

/// The traits, in the order in which they are added up.
pub const TRAITS: [IndexTrait; COUNT] = [
    of("milk", 257.1),
    of("fatKg", 11.29),
    of("proteinKg", 6.93),
    of("productiveLongevity", 1.7),
    of("udderHealth", 1.0),
    of("fertility", 1.37),
    of("calvingEase", 1.3),
    IndexTrait { key: "calfMortality", sd: 1.62, direction: -1.0 },
    of("bodyComposite", 0.76),
    of("udderComposite", 0.65),
    of("legsComposite", 0.53),
];

/// What the weights of a profile are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Shares of the genetic standard deviations.
    Selection,
    /// Money per unit of the trait.
    Economic,
}

/// Weights by trait, 0 where a trait does not count.
pub type Weights = [f64; COUNT];

/// Mean and genetic standard deviation of a trait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraitBase {
    /// Mean.
    pub mean: f64,
    /// Genetic standard deviation; 0: unknown, and the trait does not count.
    pub sd: f64,
}

/// A base, by trait.
pub type Base = [TraitBase; COUNT];

/// The base that holds where none of the book is active.
#[must_use]
pub fn borrowed_base() -> Base {
    TRAITS.map(|one| TraitBase { mean: 0.0, sd: one.sd })
}

/// A breeding value with its reliability, %.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// The breeding value.
    pub value: Option<f64>,
    /// Reliability; none: unknown.
    pub reliability: Option<f64>,
}

/// The estimates of an animal, by trait.
pub type Estimates = [Estimate; COUNT];

/// The value of an animal by a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Index {
    /// On the scale of the profile, two decimals: points of selection profiles, money of economic ones.
    pub value: f64,
    /// Reliability, %, one decimal; none where that of no trait is known.
    pub reliability: Option<f64>,
    /// Number of traits with a value.
    pub used: i64,
}

/// Computes an index; none where no trait that counts has a value.
///
/// Selection: `Σ wᵢ·(EBVᵢ − μᵢ)/σᵢ·dᵢ · 1000/100` with `Σ|w| = 100`; economic: `Σ wᵢ·(EBVᵢ − μᵢ)·dᵢ`. A trait without a
/// value is left out. The reliability is the mean over the traits of which it is known, by weights `|w|·σ`.
#[must_use]
pub fn index(kind: Kind, weights: &Weights, base: &Base, estimates: &Estimates) -> Option<Index> {
    let whole: f64 = weights.iter().map(|weight| weight.abs()).sum();
    let scale = match kind {
        Kind::Selection => 100.0 / whole,
        Kind::Economic => 1.0,
    };
    let (mut sum, mut used) = (0.0, 0);
    let (mut reliable, mut shares) = (0.0, 0.0);
    let all = weights.iter().zip(base).zip(estimates).zip(&TRAITS);
    for (((weight, base), estimate), one) in all {
        let Some(value) = estimate.value.filter(|_| *weight != 0.0 && base.sd > 0.0) else {
            continue;
        };
        let deviation = (value - base.mean) * one.direction;
        sum += weight
            * scale
            * match kind {
                Kind::Selection => deviation / base.sd * 10.0,
                Kind::Economic => deviation,
            };
        used += 1;
        if let Some(reliability) = estimate.reliability {
            let share = weight.abs() * base.sd;
            reliable += share * reliability;
            shares += share;
        }
    }
    (used > 0).then(|| Index {
        value: round(sum, 100.0),
        reliability: (shares > 0.0).then(|| round(reliable / shares, 10.0)),
        used,
    })
}

/// To a number of steps in a unit; never −0.
pub(super) fn round(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps + 0.0
}

/// How many of a cohort have a lower value, the same, and any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Animals with a lower value.
    pub below: i64,
    /// Animals with this value, with the animal itself.
    pub equal: i64,
    /// Animals of the cohort.
    pub all: i64,
}

impl Standing {
    /// Whether anything is published of the cohort.
    #[must_use]
    pub fn is_public(self) -> bool {
        self.all >= FEWEST
    }

    /// Share of the cohort below the animal and half of those that are equal, %, 0 to 99.
    #[must_use]
    pub fn percentile(self) -> i64 {
        (self.below * 2 + self.equal).saturating_mul(50).checked_div(self.all).unwrap_or_default().clamp(0, 99)
    }

    /// The place in the cohort, from 1 for the highest value; equal values share one.
    #[must_use]
    pub fn rank(self) -> i64 {
        self.all - self.below - self.equal + 1
    }
}

/// A value to be ranked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedValue {
    /// Its row.
    pub id: i64,
    /// The value.
    pub value: f64,
    /// Year of birth of the animal.
    pub year: Option<i64>,
}

/// A value with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedValue {
    /// The value.
    pub value: RankedValue,
    /// Its place.
    pub standing: Standing,
    /// Whether that is among the animals born in the same year, else among all.
    pub same_year: bool,
}

/// Where each value stands: among the animals born in the same year where that has [`MANY`] of them, else among all.
#[must_use]
pub fn standings(mut values: Vec<RankedValue>) -> Vec<PlacedValue> {
    values.sort_by(|a, b| a.value.total_cmp(&b.value));
    let mut places = stand(&values, false);
    // The sort is stable: within a year values stay in order.
    places.sort_by_key(|one| one.value.year);
    values.sort_by_key(|one| one.year);
    let mut from = 0;
    for year in values.chunk_by(|a, b| a.year == b.year) {
        let to = from + year.len();
        let dated = year.first().is_some_and(|one| one.year.is_some());
        if dated && count(year.len()) >= MANY {
            places.splice(from..to, stand(year, true));
        }
        from = to;
    }
    places
}

/// Values in ascending order, each with its place.
fn stand(values: &[RankedValue], same_year: bool) -> Vec<PlacedValue> {
    let all = count(values.len());
    let mut places = Vec::with_capacity(values.len());
    for equal in values.chunk_by(|a, b| a.value == b.value) {
        let standing = Standing { below: count(places.len()), equal: count(equal.len()), all };
        let place = |one: &RankedValue| PlacedValue { value: *one, standing, same_year };
        places.extend(equal.iter().map(place));
    }
    places
}

pub(super) fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
