//! Events of animals, in and out.

mod corrections;
mod ownership;
mod pregnancy_checks;
pub(crate) mod rows;
mod schemata;
mod units;
