//! The test-interval method: a curve through the test days, summed.

use super::STANDARD_DAYS;

/// One test: days in milk and kilograms of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TestDay {
    /// Days since calving.
    pub(super) dim: i64,
    /// Kilograms (milk, fat or protein) of that day.
    pub(super) kg: f64,
}

/// The curve through the tests so far, and the kilograms under it: flat before the first test and
/// after the last one, linear in between. A test that comes after the others is added without
/// them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    /// Kilograms from calving to the last test.
    pub(super) whole: f64,
    /// The same, within the standard lactation: cut by interpolation when a test lies beyond.
    pub(super) standard: f64,
    /// The last test.
    pub(super) last: TestDay,
}

impl Curve {
    /// The curve of one test.
    pub(super) fn begin(test: TestDay) -> Self {
        Self {
            whole: days(test.dim) * test.kg,
            standard: days(test.dim.min(STANDARD_DAYS)) * test.kg,
            last: test,
        }
    }

    /// Goes on to a later test.
    pub(super) fn go_on(&mut self, to: TestDay) {
        let from = std::mem::replace(&mut self.last, to);
        if to.dim <= from.dim {
            return;
        }
        self.whole += between(from, to, to.dim);
        let until = to.dim.min(STANDARD_DAYS);
        if until > from.dim {
            self.standard += between(from, to, until);
        }
    }

    /// Kilograms from calving to day `length`, which is not before the last test.
    pub(super) fn to_end(self, length: i64) -> f64 {
        self.whole + self.behind(length)
    }

    /// The same within the standard lactation.
    pub(super) fn to_standard(self, length: i64) -> f64 {
        self.standard + self.behind(length.min(STANDARD_DAYS))
    }

    /// From the last test to that day.
    fn behind(self, length: i64) -> f64 {
        days((length - self.last.dim).max(0)) * self.last.kg
    }
}

/// Kilograms between two tests up to the day `until`.
fn between(from: TestDay, to: TestDay, until: i64) -> f64 {
    let share = days(until - from.dim) / days(to.dim - from.dim);
    let at_end = from.kg + share * (to.kg - from.kg);
    days(until - from.dim) * (from.kg + at_end) / 2.0
}

fn days(count: i64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Curve, TestDay};

    fn curve(tests: &[(i64, f64)]) -> Curve {
        let mut tests = tests.iter().map(|&(dim, kg)| TestDay { dim, kg });
        let mut curve = Curve::begin(tests.next().unwrap());
        tests.for_each(|test| curve.go_on(test));
        curve
    }

    #[test]
    fn edges_of_the_curve() {
        assert_eq!(curve(&[(10, 20.0)]).to_end(10), 200.0);
        let two = curve(&[(10, 20.0), (20, 30.0)]);
        assert_eq!((two.to_end(20), two.to_standard(20)), (450.0, 450.0));
        assert_eq!((two.to_end(22), two.to_standard(22)), (510.0, 510.0));
    }

    #[test]
    fn the_standard_lactation_is_cut_between_two_tests() {
        let flat = 300.0 * 20.0;
        // Half way: the mean of 20 and 25 over five days.
        let across = curve(&[(300, 20.0), (310, 30.0), (320, 40.0)]);
        assert_eq!(across.to_standard(330), flat + 112.5);
        assert_eq!(across.to_end(330), flat + 250.0 + 350.0 + 400.0);
        // A first test beyond it counts up to its end.
        assert_eq!(curve(&[(310, 30.0)]).to_standard(310), 305.0 * 30.0);
    }
}
