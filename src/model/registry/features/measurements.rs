//! Fields of measurements of the program's own works.

/// What was measured.
pub const LABEL: &str = "label";
pub const AT: &str = "measuredAt";
/// The cases of a measurement, of which each may have [`RATE`].
pub const CASES: &str = "rows";
/// Member of a case: how many rows, animals or documents a second.
pub const RATE: &str = "perSecond";
/// The works over a whole book, of which each leaves a measurement.
pub const WORKS: [&str; 5] = ["load", "reproject", "recompute", "checks", "evaluation"];
