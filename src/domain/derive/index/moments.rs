//! Means and deviations of breeding values, and the base that follows from them. Sums are those of whole numbers, so
//! that the order of the animals does not matter, not even for the last bit.

use super::{MANY, TraitBase, round};

/// Steps of a unit in which values are added up.
const STEPS: f64 = 1e4;

/// Number, sum and sum of squares of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moments {
    n: i64,
    sum: i128,
    squares: i128,
}

/// A value in steps.
#[expect(clippy::cast_possible_truncation, reason = "values beyond the range become its ends")]
pub(super) fn steps(value: f64) -> i128 {
    (value * STEPS).round() as i128
}

/// Whole numbers as what they are divided by.
#[expect(clippy::cast_precision_loss, reason = "the quotient of two such numbers is round in the end")]
pub(super) const fn float(n: i128) -> f64 {
    n as f64
}

/// `n·Σxy − Σx·Σy`.
pub(super) fn spread(n: i128, (x, y): (i128, i128), products: i128) -> f64 {
    float(n.saturating_mul(products).saturating_sub(x.saturating_mul(y)))
}

impl Moments {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        let value = steps(value);
        self.n += 1;
        self.sum = self.sum.saturating_add(value);
        self.squares = self.squares.saturating_add(value.saturating_mul(value));
    }

    /// Number of values.
    #[must_use]
    pub const fn n(&self) -> i64 {
        self.n
    }

    /// The mean; none of no value.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| float(self.sum) / float(self.n.into()) / STEPS)
    }

    /// The standard deviation of a sample; none of fewer than two values.
    #[must_use]
    pub fn sd(&self) -> Option<f64> {
        let n = i128::from(self.n);
        let squares = spread(n, (self.sum, self.sum), self.squares);
        (n > 1).then(|| (squares / float(n * (n - 1))).sqrt() / STEPS)
    }
}

/// Mean and deviation of a trait from the values of the book.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnBase {
    /// Mean, and the genetic standard deviation.
    pub base: TraitBase,
    /// Standard deviation of the breeding values.
    pub observed: f64,
    /// Mean reliability, %.
    pub reliability: f64,
    /// Breeding values.
    pub n: i64,
}

/// The base of a trait: mean and standard deviation of the breeding values, and the genetic standard deviation
/// `σ = SD/√(mean reliability)`, since the variance of breeding values is that of the true ones times their
/// reliability (Mrode, *Linear Models for the Prediction of Animal Breeding Values*, 3rd ed., 2014, section 3.3). None
/// of fewer than [`MANY`] values, of values that are all equal, and where no reliability is known: the trait then stays
/// as it was borrowed.
#[must_use]
pub fn own_base(values: &Moments, reliabilities: &Moments) -> Option<OwnBase> {
    let observed = values.sd().filter(|sd| *sd > 0.0 && values.n() >= MANY)?;
    let reliability = reliabilities.mean().filter(|mean| *mean > 0.0)?;
    Some(OwnBase {
        base: TraitBase { mean: round(values.mean()?, 1e4), sd: round(observed / (reliability / 100.0).sqrt(), 1e4) },
        observed: round(observed, 1e4),
        reliability: round(reliability, 10.0),
        n: values.n(),
    })
}
