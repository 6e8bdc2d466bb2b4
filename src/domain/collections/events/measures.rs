//! Upper limits of measures and counts of an animal, generously: numbers of several declarations.
//! Unlikely but possible values are for checks to report.

/// Calvings of a cow; lactations alike.
pub(crate) const MOST_CALVINGS: f64 = 99.0;
/// Calves of one calving.
pub(crate) const MOST_CALVES: f64 = 20.0;
/// Days that an animal lives.
pub(crate) const LIFE_DAYS: f64 = 20_000.0;
/// Seconds of a day.
pub(crate) const DAY_SECONDS: f64 = 86_400.0;
/// A weight that a scale shows, kg: nothing weighs nothing.
pub(crate) const LEAST_WEIGHT: f64 = 0.1;
/// Milk of a day, kg.
pub(crate) const MOST_DAY_MILK: f64 = 150.0;
/// Milk of a lactation, kg.
pub(crate) const MOST_MILK: f64 = 100_000.0;
/// Fat or protein of milk, %.
pub(crate) const MOST_CONTENT: f64 = 25.0;
/// Somatic cells, 1000/ml.
pub(crate) const MOST_CELLS: f64 = 100_000.0;
/// How far from 0 a place in an order lies.
pub(crate) const FARTHEST_PLACE: f64 = 1_000_000.0;
/// Bytes of JSON that a caller writes into one field.
pub(crate) const JSON_BYTES: u32 = 64 << 10;
