//! The order in which a synthetic book is written: rows that do not build on each other
//! go together, so that filling takes hundreds of sets instead of thousands.

use super::SeedRow;
use indexmap::{IndexMap, IndexSet};

/// Rows of one set.
const LARGEST: usize = 4_000;

/// Groups rows into sets of one collection each. A row comes after every earlier row about
/// the same animal, unless that one is of the same collection and set.
pub fn waves(rows: Vec<SeedRow>) -> Vec<Vec<SeedRow>> {
    let mut sets: Vec<Vec<SeedRow>> = Vec::new();
    // The set in which an animal was last written about.
    let mut latest: IndexMap<i64, usize> = IndexMap::new();
    // Sets of a collection that still have room, in order.
    let mut open: IndexMap<&'static str, IndexSet<usize>> = IndexMap::new();
    for row in rows {
        let animal = row.data.get("animal").and_then(serde_json::Value::as_i64);
        let earliest = match animal {
            Some(id) => latest.get(&id).copied().unwrap_or(0),
            // Without an animal a row is a foundation: everything later may build on it.
            None => sets.len().saturating_sub(1),
        };
        let places = open.entry(row.collection).or_default();
        let place = places.iter().copied().find(|at| *at >= earliest);
        let at = place.unwrap_or(sets.len());
        if place.is_none() {
            sets.push(Vec::new());
            places.insert(at);
        }
        latest.extend(animal.map(|id| (id, at)));
        if let Some(set) = sets.get_mut(at) {
            set.push(row);
            if set.len() >= LARGEST {
                places.shift_remove(&at);
            }
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::waves;
    use crate::{Options, generate};
    use std::collections::BTreeMap;

    #[test]
    fn rows_about_an_animal_keep_their_order() {
        let book = generate(&Options::default());
        let animal =
            |row: &crate::SeedRow| row.data.get("animal").and_then(serde_json::Value::as_i64);
        let mut before: BTreeMap<i64, Vec<(&str, i64)>> = BTreeMap::new();
        for row in &book.rows {
            if let Some(id) = animal(row) {
                before.entry(id).or_default().push((row.collection, row.id));
            }
        }
        let count = book.rows.len();
        let sets = waves(book.rows);
        assert_eq!(sets.iter().map(Vec::len).sum::<usize>(), count);
        assert!(
            sets.len() * 10 < count,
            "{} sets for {count} rows",
            sets.len()
        );
        let mut after: BTreeMap<i64, Vec<(&str, i64)>> = BTreeMap::new();
        for row in sets.iter().flatten() {
            if let Some(id) = animal(row) {
                after.entry(id).or_default().push((row.collection, row.id));
            }
        }
        assert_eq!(before, after);
        for set in &sets {
            assert!(
                set.iter()
                    .all(|r| Some(r.collection) == set.first().map(|f| f.collection))
            );
        }
    }
}
