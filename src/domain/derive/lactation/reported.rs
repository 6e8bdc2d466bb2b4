//! Reported rows beside computed ones, and the best lactation.

use std::collections::BTreeMap;

use super::{Lactation, Origin, round};

/// `animals.summary`: yields of 305 days.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Milk, kg.
    pub milk_yield: Option<f64>,
    /// Fat, %.
    pub fat_percent: Option<f64>,
    /// Protein, %.
    pub protein_percent: Option<f64>,
    /// Fat, kg.
    pub fat_kg: Option<f64>,
    /// Protein, kg.
    pub protein_kg: Option<f64>,
    /// Fat and protein, kg.
    pub fat_protein_sum: Option<f64>,
}

/// What `animals.lactations` shows: computed rows, and a reported row wherever nothing (no yield)
/// is computed for its number. Sorted by number. Reported rows of number 0 are used only for
/// [`summary`].
#[must_use]
pub fn with_reported(computed: Vec<Lactation>, reported: Vec<Lactation>) -> Vec<Lactation> {
    let mut by_number: BTreeMap<i64, Lactation> = BTreeMap::new();
    for row in computed {
        by_number.insert(row.number, row);
    }
    for mut row in reported {
        let computed =
            (by_number.get(&row.number)).is_some_and(|own| own.origin == Origin::Computed && own.milk_yield.is_some());
        if !computed {
            row.origin = Origin::Reported;
            by_number.insert(row.number, row);
        }
    }
    by_number.into_values().collect()
}

/// Yields of the lactation with the highest `milk305`; lactation 0 (written to
/// `summary` directly) only when no other has one. `None` when none has.
#[must_use]
pub fn summary(lactations: &[Lactation]) -> Option<Summary> {
    let best = lactations
        .iter()
        .filter(|row| row.number != 0 && row.milk305.is_some())
        .max_by(|a, b| {
            let by_milk = a.milk305.unwrap_or(0.0).total_cmp(&b.milk305.unwrap_or(0.0));
            by_milk.then(b.number.cmp(&a.number))
        })
        .or_else(|| lactations.iter().find(|row| row.number == 0))?;
    let milk = best.milk305.or(best.milk_yield)?;
    let kilograms = |kg305: Option<f64>, percent: Option<f64>, kg: Option<f64>| {
        kg305.or_else(|| percent.map(|percent| round(milk * percent / 100.0, 1))).or(kg)
    };
    let fat_kg = kilograms(best.fat305_kg, best.fat305, best.fat_kg);
    let protein_kg = kilograms(best.protein305_kg, best.protein305, best.protein_kg);
    let percent = |stated: Option<f64>, kg: Option<f64>| {
        stated.or_else(|| kg.filter(|_| milk > 0.0).map(|kg| round(100.0 * kg / milk, 2)))
    };
    Some(Summary {
        milk_yield: Some(milk),
        fat_percent: percent(best.fat305, fat_kg),
        protein_percent: percent(best.protein305, protein_kg),
        fat_kg,
        protein_kg,
        fat_protein_sum: fat_kg.zip(protein_kg).map(|(fat, protein)| round(fat + protein, 1)),
    })
}
