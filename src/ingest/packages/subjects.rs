//! What the rows of a package are about together: its animals with the number of their rows, the first and the last
//! day, and values that nobody knows. Rows are read part by part, and memory holds a few bytes for each animal.

use crate::packages::rows::SLUG;
use crate::values::unknown_values::UnknownValues;
use domain::collections::FieldSet;
use domain::slots;
use model::error::Result;
use model::record::Value;
use model::registry::{BookReader, Lookup, Registry, Test};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are read at once.
const STEP: i64 = 5_000;
/// Animals that are looked at together.
const ANIMALS: usize = 250;
/// Rows of a package whose animals are looked at together, unless one animal has more.
const ROWS: usize = 2_000;

slots!(
    /// Slots of `submission-rows` that say what a row is about.
    Slots of "submission-rows" { position, animal, date, collection, faults }
);

/// What rows are about.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    after: i64,
    animals: BTreeMap<i64, usize>,
    /// The first and the last day, milliseconds.
    pub(crate) span: Option<(i64, i64)>,
    /// Values that no entry of a dictionary and no choice has.
    pub(crate) unknown: UnknownValues,
}

impl Subjects {
    /// Reads some more rows; false at the end.
    pub(crate) async fn step(
        &mut self,
        reader: &mut dyn BookReader,
        registry: &Registry,
        package: i64,
    ) -> Result<bool> {
        let s = Slots::get();
        let lookup = Lookup::by_ids("submission", [package])
            .test("position", Test::From(Value::Int(self.after + 1)))
            .fields(Slots::PATHS)
            .order(&["position"])
            .limit(STEP);
        let rows = reader.find(SLUG, lookup).await?;
        let Some(last) = rows.last().and_then(|row| row.get(s.position).int()) else { return Ok(false) };
        self.after = last;
        for row in rows {
            let collection = row.get(s.collection).text().unwrap_or_default();
            (self.unknown).note(registry, collection, row.get(s.faults).rows());
            if let Some(animal) = row.get(s.animal).int() {
                let rows = self.animals.entry(animal).or_default();
                *rows = rows.saturating_add(1);
            }
            if let Some(day) = row.get(s.date).time() {
                let (first, last) = self.span.unwrap_or((day, day));
                self.span = Some((day.min(first), day.max(last)));
            }
        }
        Ok(true)
    }

    /// The first animals.
    pub(crate) fn first(&self, most: usize) -> Vec<i64> {
        self.animals.keys().take(most).copied().collect()
    }

    /// All animals, in parts of which each has as many rows at most as are read at once.
    pub(crate) fn parts(&self) -> Vec<BTreeSet<i64>> {
        let mut parts = Vec::new();
        let (mut part, mut sum) = (BTreeSet::new(), 0_usize);
        for (animal, rows) in &self.animals {
            let more = sum.saturating_add(*rows);
            if !part.is_empty() && (more > ROWS || part.len() == ANIMALS) {
                parts.push(std::mem::take(&mut part));
                sum = 0;
            }
            part.insert(*animal);
            sum = sum.saturating_add(*rows);
        }
        if !part.is_empty() {
            parts.push(part);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::{ANIMALS, ROWS, Subjects};

    fn parts(rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let subjects = Subjects { animals: (1..).zip(rows).collect(), ..Subjects::default() };
        let parts = subjects.parts();
        let all: Vec<i64> = parts.iter().flatten().copied().collect();
        assert_eq!(all, subjects.first(usize::MAX), "each animal once, in order");
        parts.iter().map(std::collections::BTreeSet::len).collect()
    }

    #[test]
    fn a_part_is_bounded_by_animals_and_by_rows() {
        assert_eq!(parts([]), [0; 0]);
        assert_eq!(parts(vec![1; ANIMALS + 1]), [ANIMALS, 1]);
        assert_eq!(parts(vec![ROWS / 2; 5]), [2, 2, 1]);
        assert_eq!(parts([1, ROWS * 3, 1, 1]), [1, 1, 2]);
    }
}
