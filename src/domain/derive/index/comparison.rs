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
    /// Animals with both values, of which there are products, sums and squares.
    n: i64,
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
    /// Animals with both values.
    pub n: i64,
    /// Animals with a value by the base in force, mean and standard deviation; none of too few values.
    pub before: (i64, Option<f64>, Option<f64>),
    /// By the other base.
    pub after: (i64, Option<f64>, Option<f64>),
    /// Correlation (Pearson) of the two values; none where one of them does not vary.
    pub correlation: Option<f64>,
    /// How many of the best [`TOP`] by the base in force are among the best by the other one.
    pub stay: usize,
    /// How many were compared so: [`TOP`], or all where there are fewer.
    pub top: usize,
}

impl Comparison {
    /// Adds an animal with its values by the base in force and by the other one.
    pub fn add(&mut self, animal: i64, before: Option<f64>, after: Option<f64>) {
        let one = |moments: &mut Moments, best: &mut Best, value: f64| {
            moments.add(value);
            keep(best, (steps(value), animal));
            steps(value)
        };
        let x = before.map(|value| one(&mut self.before, &mut self.best.0, value));
        let y = after.map(|value| one(&mut self.after, &mut self.best.1, value));
        let Some((x, y)) = x.zip(y) else {
            return;
        };
        self.n += 1;
        let more = |sum: i128, x: i128, y: i128| sum.saturating_add(x.saturating_mul(y));
        self.products = more(self.products, x, y);
        self.sums = (more(self.sums.0, x, 1), more(self.sums.1, y, 1));
        self.squares = (more(self.squares.0, x, x), more(self.squares.1, y, y));
    }

    /// The result.
    #[must_use]
    pub fn result(&self) -> ComparisonResult {
        let n = i128::from(self.n);
        let (x, y) = self.sums;
        let deviation = |sum, squares| spread(n, (sum, sum), squares).sqrt();
        let both = deviation(x, self.squares.0) * deviation(y, self.squares.1);
        let common = spread(n, self.sums, self.products);
        let animals = |best: &Best| best.iter().map(|Reverse((_, animal))| *animal).collect();
        let (first, second): (BTreeSet<i64>, BTreeSet<i64>) = (animals(&self.best.0), animals(&self.best.1));
        let three = |moments: &Moments| {
            let round = |value: f64| round(value, 100.0);
            (moments.n(), moments.mean().map(round), moments.sd().map(round))
        };
        ComparisonResult {
            n: self.n,
            before: three(&self.before),
            after: three(&self.after),
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
