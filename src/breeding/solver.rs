//! Linear equations by conjugate gradients.

use crate::fault::Fault;
use crate::progress::{Progress, Watch};

/// How equations are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solver {
    /// Stops when the residual is this part of the right-hand side, both in the norm of the preconditioner.
    pub tolerance: f64,
    pub most_iterations: u32,
    /// The result does not depend on it.
    pub threads: usize,
}

impl Default for Solver {
    fn default() -> Self {
        Self { tolerance: 1e-8, most_iterations: 5_000, threads: 2 }
    }
}

/// How many times larger the residual of a solution may be when it is computed anew.
const DRIFT: f64 = 100.0;

pub(crate) struct Solution {
    pub(crate) values: Vec<f64>,
    pub(crate) iterations: u32,
    /// What is left of the right-hand side, as part of it, in the norm of the preconditioner; computed anew at the end.
    pub(crate) residual: f64,
}

/// Solves C x = b for a positive semidefinite C by conjugate gradients, preconditioned by the diagonal of C (Strandén
/// and Lidauer, Journal of Dairy Science 82 (1999) 2779). `multiply` computes C x. Equations that depend on each other
/// have many solutions, of which this is one; an equation with a diagonal of zero has the solution zero.
pub(crate) fn solve(
    mut multiply: impl FnMut(&[f64], &mut [f64]),
    diagonal: &[f64],
    right: &[f64],
    solver: Solver,
    watch: Watch<'_>,
) -> Result<Solution, Fault> {
    let inverse = |diagonal: &f64| if *diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
    let inverse: Vec<f64> = diagonal.iter().map(inverse).collect();
    let norm = |vector: &[f64]| -> f64 {
        let squares = vector.iter().zip(&inverse).map(|(value, inverse)| value * value * inverse);
        squares.sum()
    };
    let size = right.len();
    let mut values = vec![0.0; size];
    let mut residual = right.to_vec();
    let mut direction: Vec<f64> = residual.iter().zip(&inverse).map(|(value, inverse)| value * inverse).collect();
    let mut product = vec![0.0; size];
    let whole = norm(right);
    let bound = solver.tolerance * solver.tolerance * whole;
    let mut left = whole;
    let mut iterations = 0;
    while left > bound {
        if iterations == solver.most_iterations {
            return Err(Fault::NotSolved { iterations, residual: (left / whole).sqrt() });
        }
        iterations += 1;
        multiply(&direction, &mut product);
        let curvature: f64 = direction.iter().zip(&product).map(|(one, other)| one * other).sum();
        let step = left / curvature;
        let mut next = 0.0;
        for at in 0..size {
            values[at] += step * direction[at];
            residual[at] -= step * product[at];
            next += residual[at] * residual[at] * inverse[at];
        }
        let ratio = next / left;
        left = next;
        let progress = Progress::Iteration { number: iterations, residual: (left / whole).sqrt() };
        if watch(progress).is_break() {
            return Err(Fault::Stopped);
        }
        for at in 0..size {
            direction[at] = residual[at] * inverse[at] + ratio * direction[at];
        }
    }
    multiply(&values, &mut product);
    for (product, right) in product.iter_mut().zip(right) {
        *product -= right;
    }
    let residual = if whole > 0.0 { (norm(&product) / whole).sqrt() } else { 0.0 };
    // Sums drift from what they stand for; what is no number is no solution.
    if residual.is_nan() || residual > DRIFT * solver.tolerance {
        return Err(Fault::NotSolved { iterations, residual });
    }
    Ok(Solution { values, iterations, residual })
}
