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

#[cfg(test)]
mod tests {
    use super::WoodSums;

    /// A curve of the synthetic book: first lactations.
    fn kg(day: f64) -> f64 {
        18.38 * day.powf(0.230) * (-0.0023 * day).exp()
    }

    fn sums(days: impl IntoIterator<Item = i64>, kg: impl Fn(f64) -> f64) -> WoodSums {
        let mut sums = WoodSums::NONE;
        for day in days {
            sums.add(day, kg(day as f64));
        }
        sums
    }

    #[test]
    fn tests_on_a_curve_give_that_curve() {
        let sums = sums((10..150).step_by(30), kg);
        let rest: f64 = (140..305).map(|day| kg(f64::from(day) + 0.5)).sum();
        let found = sums.milk_after(140).unwrap();
        assert!((found - rest).abs() < 1e-6, "{found} {rest}");
        assert!(sums.milk_after(305) == Some(0.0));
    }

    #[test]
    fn what_does_not_rise_and_fall_has_no_curve() {
        assert_eq!(sums((10..150).step_by(30), |_| 30.0).milk_after(140), None);
        assert_eq!(sums((10..150).step_by(30), |day| 50.0 * (-0.003 * day).exp()).milk_after(140), None);
        assert_eq!(sums((10..150).step_by(30), |day| 10.0 + day).milk_after(140), None);
        // Too few, and days without a logarithm.
        assert_eq!(sums((10..120).step_by(30), kg).milk_after(140), None);
        let mut few = sums((10..120).step_by(30), kg);
        few.add(0, 20.0);
        few.add(130, 0.0);
        assert_eq!(few.count, 4);
    }
}
