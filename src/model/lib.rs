//! The words that all other crates share: values and records, the declarations of collections, conditions, errors,
//! emails, the clock, the judge of addresses, JSON in its canonical form, and work on all processors. Knows neither SQL nor HTTP nor the exchange standard.

pub mod canonical;
pub mod clock;
pub mod display;
pub mod error;
pub mod expected;
pub mod face;
pub mod fast;
pub mod letter;
pub mod messages;
pub mod outward;
pub mod parallel;
pub mod query;
pub mod record;
pub mod registry;
