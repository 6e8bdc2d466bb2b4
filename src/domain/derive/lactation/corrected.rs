//! Milk of different contents made comparable.

/// Milk corrected to 4 % of fat, from kilograms of milk and fat (Gaines and Davidson 1923, *Relation between percentage
/// fat content and yield of milk*).
pub(super) fn fat(milk: f64, fat: f64) -> f64 {
    0.4 * milk + 15.0 * fat
}

/// Energy-corrected milk, from kilograms of milk, fat and protein: that of 4.0 % of fat and 3.3 % of protein keeps its
/// weight (Sjaunja, Baevre, Junkkarinen, Pedersen and Setala 1990, *A Nordic proposal for an energy corrected milk
/// formula*).
pub(super) fn energy(milk: f64, fat: f64, protein: f64) -> f64 {
    0.25 * milk + 12.2 * fat + 7.7 * protein
}
