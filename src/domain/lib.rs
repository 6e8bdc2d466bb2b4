//! What a Holstein herd book contains: one declaration per collection with its behaviour, and the values that are
//! computed from others. Knows neither SQL nor HTTP nor the exchange standard.

pub mod collections;
pub mod derive;
