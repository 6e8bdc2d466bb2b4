//! Values computed from facts: inbreeding, lactations, the current state of an
//! animal, identification numbers.
//!
//! Everything here is a pure function over plain structs. It must not know the
//! database, the registry, HTTP or the clock: `today` is always a parameter.
//! Instants are epoch milliseconds in UTC; rules by day use the UTC day
//! (docs/design/registry.md, *Notation*).

pub mod averages;
pub mod current;
pub mod identify;
pub mod index;
pub mod lactation;
pub mod mating;
pub mod parity;
pub mod pedigree;
pub mod pregnancy;

/// Milliseconds in a day.
pub const DAY_MS: i64 = 86_400_000;

/// The UTC day of an instant: whole days since 1970-01-01, also for instants
/// before it.
#[must_use]
pub const fn day_of(instant_ms: i64) -> i64 {
    instant_ms.div_euclid(DAY_MS)
}

/// The instant (epoch milliseconds) at which a UTC day begins.
#[must_use]
pub const fn instant_of(day: i64) -> i64 {
    day.saturating_mul(DAY_MS)
}
