//! Fields of records that mate.

/// Which sex a record is of.
pub const SEX: &str = "sex";
pub const MALE: &str = "male";
pub const FEMALE: &str = "female";
/// Whether semen of a male is in stock.
pub const STOCK: &str = "semen.stock.available";
