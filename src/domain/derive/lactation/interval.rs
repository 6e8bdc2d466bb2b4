//! The test-interval method: a curve through the test days, summed.

/// One test: days in milk and kilograms of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TestDay {
    /// Days since calving.
    pub(super) dim: i64,
    /// Kilograms (milk, fat or protein) of that day.
    pub(super) kg: f64,
}

/// Kilograms from calving to day `length`: flat before the first test and after
/// the last one, linear in between; cut by interpolation when a test lies
/// beyond. `tests` are in order of days. `None` without a test.
pub(super) fn total(tests: &[TestDay], length: i64) -> Option<f64> {
    let length = length.max(0);
    let first = tests.first()?;
    let mut sum = days(first.dim.min(length)) * first.kg;
    for (from, to) in tests.iter().zip(tests.iter().skip(1)) {
        let until = to.dim.min(length);
        if until <= from.dim || to.dim <= from.dim {
            continue;
        }
        let share = days(until - from.dim) / days(to.dim - from.dim);
        let at_end = from.kg + share * (to.kg - from.kg);
        sum += days(until - from.dim) * (from.kg + at_end) / 2.0;
    }
    let last = tests.last()?;
    Some(sum + days((length - last.dim).max(0)) * last.kg)
}

fn days(count: i64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{TestDay, total};

    #[test]
    fn edges_of_the_curve() {
        let tests = [TestDay { dim: 10, kg: 20.0 }, TestDay { dim: 20, kg: 30.0 }];
        assert_eq!(total(&[], 305), None);
        assert_eq!(total(&tests, 5), Some(100.0));
        assert_eq!(total(&tests, 10), Some(200.0));
        // Half way: the mean of 20 and 25 over five days.
        assert_eq!(total(&tests, 15), Some(200.0 + 112.5));
        assert_eq!(total(&tests, 20), Some(450.0));
        assert_eq!(total(&tests, 22), Some(510.0));
        assert_eq!(total(&tests, -3), Some(0.0));
    }
}
