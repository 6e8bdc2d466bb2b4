//! Scales on which breeding values are published (docs/dialects.md, *Scales of breeding values*).

use super::normal;
use serde::Deserialize;
use std::fmt::Write as _;

/// What the values of a column are. Lengths and masses are in the unit of the field.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ValueScale {
    /// Breeding values.
    #[default]
    BreedingValue,
    /// Transmitting abilities (TA, PTA): half of the breeding value, which is what progeny gets.
    TransmittingAbility,
    /// Relative breeding values.
    Relative(RelativeScale),
    /// One of the others, and nothing says which, or against which base.
    Unknown,
}

/// `centre + points × (breeding value − mean) / sd`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelativeScale {
    /// What the mean of the base is published as, usually 100.
    pub centre: f64,
    /// What a standard deviation is published as, usually 10 or 12; negative where a lower breeding value is published
    /// as a higher one.
    pub points: f64,
    /// Mean of the base, in the unit of the field.
    pub mean: f64,
    /// Genetic standard deviation of the base, in the unit of the field.
    pub sd: f64,
}

/// Words of headings, normalised, for values that are no breeding values.
const WORDS: [&str; 6] = ["pta", "ta", "rbv", "rebv", "relative", "отн"];

impl ValueScale {
    /// Whether a heading names another scale than that of breeding values.
    pub fn is_in(heading: &str) -> bool {
        normal(heading).split(' ').any(|word| WORDS.contains(&word))
    }

    /// The breeding value of a published value; none where the scale is not known.
    pub fn breeding_value(self, published: f64) -> Option<f64> {
        match self {
            Self::BreedingValue => Some(published),
            Self::TransmittingAbility => Some(2.0 * published),
            Self::Relative(RelativeScale { centre, points, mean, sd }) => {
                Some(mean + (published - centre) / points * sd)
            }
            Self::Unknown => None,
        }
    }

    /// What a breeding value is published as; none where the scale is not known.
    pub fn published(self, breeding_value: f64) -> Option<f64> {
        match self {
            Self::BreedingValue => Some(breeding_value),
            Self::TransmittingAbility => Some(breeding_value / 2.0),
            Self::Relative(RelativeScale { centre, points, mean, sd }) => {
                Some(centre + points * (breeding_value - mean) / sd)
            }
            Self::Unknown => None,
        }
    }

    /// How values of a column are converted, with the factor to the unit of the field; none: they are not.
    pub fn formula(self, factor: f64, column: &str) -> Option<String> {
        match self {
            Self::BreedingValue | Self::Unknown => None,
            Self::TransmittingAbility => {
                let mut text = "2 × ".to_owned();
                if factor != 1.0 {
                    let _ = write!(text, "{factor} × ");
                }
                Some(text + column)
            }
            Self::Relative(RelativeScale { centre, points, mean, sd }) => {
                Some(format!("{mean} + ({column} − {centre}) / {points} × {sd}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RelativeScale, ValueScale};

    const MILK: ValueScale = ValueScale::Relative(RelativeScale { centre: 100.0, points: 12.0, mean: 50.0, sd: 600.0 });
    /// A lower score of cells is published as a higher value.
    const CELLS: ValueScale = ValueScale::Relative(RelativeScale { centre: 100.0, points: -10.0, mean: 0.0, sd: 0.5 });

    #[test]
    fn published_values_are_converted_by_their_scale() {
        for (scale, published, breeding_value) in [
            (ValueScale::BreedingValue, -3.5, -3.5),
            (ValueScale::TransmittingAbility, 400.0, 800.0),
            (ValueScale::TransmittingAbility, -0.5, -1.0),
            (MILK, 100.0, 50.0),
            (MILK, 112.0, 650.0),
            (MILK, 82.0, -850.0),
            (CELLS, 110.0, -0.5),
            (CELLS, 95.0, 0.25),
        ] {
            assert_eq!(scale.breeding_value(published), Some(breeding_value), "{scale:?}");
            assert_eq!(scale.published(breeding_value), Some(published), "{scale:?}");
        }
        assert_eq!(ValueScale::Unknown.breeding_value(100.0), None);
        assert_eq!(ValueScale::Unknown.published(100.0), None);
    }

    #[test]
    fn a_formula_says_from_what() {
        let pounds = ValueScale::TransmittingAbility.formula(0.453_592_37, "PTA Milk");
        assert_eq!(pounds.as_deref(), Some("2 × 0.45359237 × PTA Milk"));
        assert_eq!(ValueScale::TransmittingAbility.formula(1.0, "TA").as_deref(), Some("2 × TA"));
        assert_eq!(MILK.formula(1.0, "RZ").as_deref(), Some("50 + (RZ − 100) / 12 × 600"));
        assert_eq!(ValueScale::BreedingValue.formula(2.0, "EBV"), None);
    }

    #[test]
    fn headings_name_other_scales_by_a_word() {
        for heading in ["PTA milk, lb", "Milk (PTA)", "Отн. ПЦ по удою", "RBV milk"] {
            assert!(ValueScale::is_in(heading), "{heading}");
        }
        for heading in ["EBV milk", "ПЦ по удою", "Total milk", "Отношение", ""] {
            assert!(!ValueScale::is_in(heading), "{heading}");
        }
    }
}
