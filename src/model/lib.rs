//! The words that all other crates share: values and records, the declarations of collections, conditions, errors,
//! emails, the clock, the judge of addresses, and JSON in its canonical form. Knows neither SQL nor HTTP nor the exchange standard.

pub mod canonical;
pub mod clock;
pub mod error;
pub mod expected;
pub mod letter;
pub mod messages;
pub mod outward;
pub mod query;
pub mod record;
pub mod registry;
pub mod shown;
