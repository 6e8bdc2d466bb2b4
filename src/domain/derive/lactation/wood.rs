//! The curve of Wood (1967, *Algebraic model of the lactation curve in cattle*, Nature 216, 164): a day in milk t gives
//! a·t^b·e^(−ct) kg. As there, its logarithm is fitted to those of the tests by least squares.

use super::STANDARD_DAYS;

/// Tests of a fit, at least: of fewer, what it says of later days is off by more than a tenth.
const LEAST: u32 = 5;
/// Exponents that say less are those of no curve.
const FLAT: f64 = 1e-6;
/// Days in milk are counted in hundreds, so that sums are of one size.
const UNIT: f64 = 100.0;

/// What the tests of a lactation add up to: with x = ln t, t, and y = ln kg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WoodSums {
    pub(super) count: u32,
    /// Of x, t, y; xx, tt, xt; xy, ty.
    pub(super) sums: [f64; 8],
}

impl WoodSums {
    pub(super) const NONE: Self = Self { count: 0, sums: [0.0; 8] };

    /// Adds a test. A day without milk, and that of the calving, have no logarithm.
    pub(super) fn add(&mut self, dim: i64, kg: f64) {
        if dim < 1 || kg <= 0.0 {
            return;
        }
        let (x, t, y) = ((dim as f64).ln(), dim as f64 / UNIT, kg.ln());
        self.count = self.count.saturating_add(1);
        for (sum, value) in self.sums.iter_mut().zip([x, t, y, x * x, t * t, x * t, x * y, t * y]) {
            *sum += value;
        }
    }

    /// Milk of the standard part behind the first `from` days; none without a curve that rises and falls.
    pub(super) fn milk_after(&self, from: i64) -> Option<f64> {
        if self.count < LEAST {
            return None;
        }
        let n = f64::from(self.count);
        let [x, t, y, xx, tt, xt, xy, ty] = self.sums;
        let (xx, tt, xt) = (xx - x * x / n, tt - t * t / n, xt - x * t / n);
        let (xy, ty) = (xy - x * y / n, ty - t * y / n);
        let det = xx * tt - xt * xt;
        let (rise, fall) = ((xy * tt - ty * xt) / det, (xy * xt - ty * xx) / det);
        if !(rise > FLAT && fall > FLAT) {
            return None;
        }
        let level = (y - rise * x + fall * t) / n;
        // The middle of each day, as between two tests.
        let days = (from..STANDARD_DAYS).map(|day| day as f64 + 0.5);
        Some(days.map(|day| (level + rise * day.ln() - fall * day / UNIT).exp()).sum())
    }
}
