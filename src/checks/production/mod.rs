//! Checks of milk, weights and breeding values of them.

/// Checks whose rows have a value within two thresholds: function, thresholds, path and value.
macro_rules! ranges {
    ($($check:ident: $low:ident, $high:ident, $path:literal, $value:expr;)+) => {
        $(fn $check(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
            each(animal, reporter, (Key::$low, Key::$high), $path, $value);
        })+
    };
}

mod lactations;
mod test_days;
mod values;
mod weights;

use super::check::Check;
pub(crate) use test_days::OUTSIDE;

pub(crate) const CHECKS: &[&[Check]] = &[lactations::CHECKS, values::CHECKS, test_days::CHECKS, weights::CHECKS];
