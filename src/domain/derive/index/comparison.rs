//! What another base does to the values of a profile: means and deviations before and after, their correlation, and how
//! many of the best animals stay among the best.

use super::moments::{spread, steps};
use super::{Moments, round};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// How many of the best animals are compared.
pub const TOP: usize = 100;

/// A value with its animal, by which equal values are in order.
type Best = BinaryHeap<Reverse<(i128, i64)>>;

/// Values of a profile by two bases.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    before: Moments,
    after: Moments,
    products: i128,
    sums: (i128, i128),
    squares: (i128, i128),
    best: (Best, Best),
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparisonResult {
    /// Animals with a value.
    pub n: i64,
    /// Mean and standard deviation by the base in force; none of too few values.
    pub before: (Option<f64>, Option<f64>),
    /// The same by the other base.
    pub after: (Option<f64>, Option<f64>),
    /// Correlation (Pearson) of the two values; none where one of them does not vary.
    pub correlation: Option<f64>,
    /// How many of the best [`TOP`] by the base in force are among the best by the other one.
    pub stay: usize,
    /// How many were compared so: [`TOP`], or all where there are fewer.
    pub top: usize,
}

impl Comparison {
    /// Adds an animal with its values by the base in force and by the other one.
    pub fn add(&mut self, animal: i64, before: f64, after: f64) {
        self.before.add(before);
        self.after.add(after);
        let (x, y) = (steps(before), steps(after));
        let more = |sum: i128, x: i128, y: i128| sum.saturating_add(x.saturating_mul(y));
        self.products = more(self.products, x, y);
        self.sums = (more(self.sums.0, x, 1), more(self.sums.1, y, 1));
        self.squares = (more(self.squares.0, x, x), more(self.squares.1, y, y));
        keep(&mut self.best.0, (x, animal));
        keep(&mut self.best.1, (y, animal));
    }

    /// The result.
    #[must_use]
    pub fn result(&self) -> ComparisonResult {
        let n = i128::from(self.before.n());
        let (x, y) = self.sums;
        let deviation = |sum, squares| spread(n, (sum, sum), squares).sqrt();
        let both = deviation(x, self.squares.0) * deviation(y, self.squares.1);
        let common = spread(n, self.sums, self.products);
        let animals = |best: &Best| best.iter().map(|Reverse((_, animal))| *animal).collect();
        let (first, second): (BTreeSet<i64>, BTreeSet<i64>) = (animals(&self.best.0), animals(&self.best.1));
        let two = |moments: &Moments| {
            let round = |value: f64| round(value, 100.0);
            (moments.mean().map(round), moments.sd().map(round))
        };
        ComparisonResult {
            n: self.before.n(),
            before: two(&self.before),
            after: two(&self.after),
            correlation: (both > 0.0).then(|| round(common / both, 1e4)),
            stay: first.intersection(&second).count(),
            top: first.len(),
        }
    }
}

/// Remembers one among the best.
fn keep(best: &mut Best, one: (i128, i64)) {
    best.push(Reverse(one));
    if best.len() > TOP {
        best.pop();
    }
}
