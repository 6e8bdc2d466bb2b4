//! Axes of charts: from zero to a round number near the largest value; or with equal steps for equal factors.

/// The most parts of an axis.
const PARTS: f64 = 6.0;

/// An axis from zero to a round number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    top: f64,
    step: f64,
    /// Where it begins, if equal steps are equal factors.
    low: Option<f64>,
    from: f64,
    to: f64,
}

impl Axis {
    /// The axis of these values, drawn between two places.
    pub(crate) fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let (top, step) = scale(most);
        Self { top, step, low: None, from, to }
    }

    /// An axis between powers of ten, on which equal steps are equal factors. What is not above zero stands at its
    /// beginning.
    pub(crate) fn log(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = (values.filter(|value| value.is_finite() && *value > 0.0))
            .fold((f64::INFINITY, 1.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        let power = |value: f64, round: fn(f64) -> f64| 10.0_f64.powf(round(value.log10()));
        let low = power(least.min(most), f64::floor);
        let top = power(most, f64::ceil).max(low * 10.0);
        Self { top, step: low, low: Some(low), from, to }
    }

    /// Its last mark.
    pub(crate) fn top(&self) -> f64 {
        self.top
    }

    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.low {
            Some(low) => (value.max(low) / low).log10() / (self.top / low).log10(),
            None => value / self.top,
        };
        let share = share.clamp(0.0, 1.0);
        let place = self.from + (self.to - self.from) * share;
        (place * 10.0).round() / 10.0
    }

    /// What stands beside the axis.
    pub(crate) fn marks(&self) -> impl Iterator<Item = f64> + use<> {
        let (step, top, low) = (self.step, self.top, self.low);
        let mark = move |at: u8| match low {
            Some(low) => low * 10.0_f64.powi(i32::from(at)),
            None => (step * f64::from(at) * 100.0).round() / 100.0,
        };
        let marks = (0..=20_u8).map(mark);
        marks.take_while(move |mark| *mark <= top)
    }
}

/// The last mark and the distance of marks: the least of 1, 2, 5 times a power of ten with which few marks suffice.
fn scale(most: f64) -> (f64, f64) {
    let mut unit = 1.0;
    for _ in 0..30 {
        for times in [1.0, 2.0, 5.0] {
            let step = unit * times;
            if step * PARTS >= most {
                return ((most / step).ceil().max(1.0) * step, step);
            }
        }
        unit *= 10.0;
    }
    (most, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_near_the_largest_value() {
        let all = [0.0, 4.0, 5.0, 5.1, 11.0, 41.5, 60.0, 61.0, 305.0, 480.0, 1_001.0];
        let tops = all.map(|most| scale(most).0);
        assert_eq!(tops, [1.0, 4.0, 5.0, 6.0, 12.0, 50.0, 60.0, 80.0, 400.0, 500.0, 1_200.0]);
        let axis = Axis::new([60.0].into_iter(), 0.0, 600.0);
        let marks: Vec<f64> = axis.marks().collect();
        assert_eq!(marks, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!((axis.place(45.0), axis.place(90.0)), (450.0, 600.0));
    }

    #[test]
    fn equal_factors_are_equal_steps() {
        let axis = Axis::log([20.0, 150.0, 5_000.0].into_iter(), 0.0, 300.0);
        assert_eq!(axis.marks().collect::<Vec<_>>(), [10.0, 100.0, 1_000.0, 10_000.0]);
        let places = [0.0, 10.0, 100.0, 1_000.0, 10_000.0].map(|value| axis.place(value));
        assert_eq!(places, [0.0, 0.0, 100.0, 200.0, 300.0]);
        // One value, or none above zero, is an axis, too.
        for values in [&[100.0][..], &[0.0], &[]] {
            let axis = Axis::log(values.iter().copied(), 0.0, 300.0);
            assert!(axis.marks().count() > 1 && axis.place(50.0).is_finite(), "{values:?}");
        }
    }
}
