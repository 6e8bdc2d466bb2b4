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

#[cfg(test)]
mod tests {
    use super::{energy, fat};

    #[test]
    fn milk_of_the_standard_contents_stays_as_it_is() {
        assert!((fat(8000.0, 320.0) - 8000.0).abs() < 1e-9);
        // 0.25 + 12.2 * 0.04 + 7.7 * 0.033 = 0.9921: the published factors are rounded.
        assert!((energy(8000.0, 320.0, 264.0) - 7936.8).abs() < 1e-9);
    }

    #[test]
    fn fat_and_protein_weigh_more_than_milk() {
        assert!((fat(9000.0, 351.0) - 8865.0).abs() < 1e-9);
        assert!((energy(9000.0, 351.0, 297.0) - 8819.1).abs() < 1e-9);
    }
}
