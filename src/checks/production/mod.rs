//! Checks of milk, weights and breeding values of them.

mod lactations;
mod test_days;
mod values;
mod weights;

use super::check::Check;
pub(crate) use test_days::OUTSIDE;

pub(crate) const CHECKS: &[&[Check]] = &[
    lactations::CHECKS,
    values::CHECKS,
    test_days::CHECKS,
    weights::CHECKS,
];
