//! Interpolation by standard lactation curves (ICAR Guidelines, Section 2, Procedure 2; Wilmink 1987): a cow gives what
//! the curve gives and her deviation from it, which goes on a line from one test day to the next, and elsewhere is that
//! of the test day beside it.
//!
//! So she gives what the test-interval method says and, whatever her tests are, what the curve has more than lines
//! between their days: its bend.

use super::interval::Both;
use super::{STANDARD_DAYS, TAIL_DAYS};
use model::registry::{Curve, ParityCurves};

/// Of milk, fat and protein.
pub(super) type Bends = [Both; 3];

/// None.
pub(super) const NONE: Bends = [Both::NONE; 3];

/// The bend of a curve on some days: what it has more than a line that meets it on two test days. With one test day
/// twice it is a level.
fn bend(curve: &Curve, [from, to]: [i64; 2], [one, other]: [i64; 2]) -> Both {
    let level = curve.at(one as f64);
    let slope = (curve.at(other as f64) - level) / (other - one).max(1) as f64;
    let until = |to: i64| {
        let (from, to) = (from as f64, to.max(from) as f64);
        let line = level + slope * ((from + to) / 2.0 - one as f64);
        curve.sum(to) - curve.sum(from) - (to - from) * line
    };
    Both { whole: until(to), standard: until(to.min(STANDARD_DAYS)) }
}

fn bends(curves: &ParityCurves, days: [i64; 2], tests: [i64; 2]) -> Bends {
    [&curves.milk, &curves.fat, &curves.protein].map(|curve| bend(curve, days, tests))
}

/// On the days that are credited before a first test.
pub(super) fn before_first(curves: &ParityCurves, dim: i64, longest_gap: i64) -> Bends {
    let from = if dim > longest_gap { dim - TAIL_DAYS } else { 0 };
    bends(curves, [from, dim], [dim, dim])
}

/// On so many days behind a last test.
pub(super) fn behind_last(curves: &ParityCurves, dim: i64, count: i64) -> Bends {
    bends(curves, [dim, dim + count], [dim, dim])
}

/// On the days that are credited between two tests.
pub(super) fn between(curves: &ParityCurves, from: i64, to: i64, longest_gap: i64) -> Bends {
    if to - from <= longest_gap {
        return bends(curves, [from, to], [from, to]);
    }
    let mut both = behind_last(curves, from, TAIL_DAYS);
    add(&mut both, &bends(curves, [to - TAIL_DAYS, to], [to, to]));
    both
}

pub(super) fn add(all: &mut Bends, other: &Bends) {
    for (sum, one) in all.iter_mut().zip(other) {
        sum.add(*one, 1.0);
    }
}
