//! Milk tests as lactations are computed of them: those of an animal, or what they add up to.

use super::rows::MilkTests;
use crate::collections::herd::animals::Slots;
use crate::derive::lactation::{CalvingRow, Frame, Sums, TestRow};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Change};
use std::collections::{BTreeMap, BTreeSet};

/// What lactations are computed of. The index of the tests of an animal holds these, so that
/// the tests themselves need not be looked for.
pub(crate) const TESTED: [&str; 6] = [
    "date",
    "milkYield",
    "testCode",
    "fatPercent",
    "proteinPercent",
    "somaticCells",
];

/// The values of the fields of [`TESTED`]; none without a date.
fn test_of([date, milk, code, fat, protein, cells]: [&Value; 6]) -> Option<TestRow> {
    Some(TestRow {
        date: date.time()?,
        milk: milk.num(),
        fat: fat.num(),
        protein: protein.num(),
        scc: cells.num(),
        has_test_code: !matches!(code.text(), None | Some("none")),
    })
}

/// The values of the fields of [`TESTED`] of a row of `milk-tests`.
fn tested_of(row: &Record) -> [&Value; 6] {
    let s = MilkTests::get();
    [s.date, s.milk, s.code, s.fat, s.protein, s.cells].map(|slot| row.get(slot))
}

/// Milk tests of animals, by animal, in order of their ids.
pub(super) async fn tests_of(
    context: &mut dyn BookReader,
    animals: impl Iterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<TestRow>>> {
    let animals: Vec<i64> = animals.collect();
    if animals.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = (context.series("milk-tests", "animal", &animals, &TESTED)).await?;
    let test = |row: &[Value]| match row {
        [a, b, c, d, e, f] => test_of([a, b, c, d, e, f]),
        _ => None,
    };
    Ok((found.into_iter())
        .map(|(animal, tests)| (animal, tests.rows().filter_map(test).collect()))
        .collect())
}

/// The new tests of a set of changes, by animal; nothing of an animal with another change than
/// new tests.
#[derive(Debug)]
pub(super) struct Added {
    of: BTreeMap<i64, Vec<(i64, TestRow)>>,
    /// Tests of other animals changed too.
    others: bool,
}

impl Added {
    /// No test changed.
    pub(super) const NONE: Self = Self {
        of: BTreeMap::new(),
        others: false,
    };
    /// Any tests may have changed.
    pub(super) const UNKNOWN: Self = Self {
        of: BTreeMap::new(),
        others: true,
    };

    pub(super) fn of(changes: &[Change]) -> Self {
        let slot = MilkTests::get().animal;
        let mut added: BTreeMap<i64, Vec<(i64, TestRow)>> = BTreeMap::new();
        let mut others: BTreeSet<i64> = BTreeSet::new();
        for change in changes {
            let [old, new] = [&change.old, &change.new].map(Option::as_ref);
            match (old, new) {
                (None, Some(new)) => {
                    if let Some(animal) = new.get(slot).int() {
                        let test = test_of(tested_of(new)).map(|test| (change.id, test));
                        added.entry(animal).or_default().extend(test);
                    }
                }
                // Other fields of it count nowhere here.
                (Some(old), Some(new))
                    if old.get(slot) == new.get(slot) && tested_of(old) == tested_of(new) =>
                {
                    if let Some(animal) = new.get(slot).int() {
                        added.entry(animal).or_default();
                    }
                }
                (old, new) => {
                    let animals = [old, new].into_iter().flatten();
                    others.extend(animals.filter_map(|row| row.get(slot).int()));
                }
            }
        }
        added.retain(|animal, _| !others.contains(animal));
        Self {
            of: added,
            others: true,
        }
    }

    /// Whether what is stored of the tests of an animal counts all of them but the new ones.
    pub(super) fn leaves_known(&self, id: i64) -> bool {
        !self.others || self.of.contains_key(&id)
    }

    /// Whether no animal has further tests.
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What the tests of an animal add up to with the new ones; none when they must be read.
    pub(super) fn to(&self, id: i64, animal: &Record, frame: &Frame) -> Option<Sums> {
        if !self.leaves_known(id) {
            return None;
        }
        let mut added = self.of.get(&id).cloned().unwrap_or_default();
        // Of several tests of a day the first row counts.
        added.sort_by_key(|(id, _)| *id);
        let tests: Vec<TestRow> = added.into_iter().map(|(_, test)| test).collect();
        known(animal)?.with(frame, &tests)
    }
}

/// What the tests of an animal add up to, as it is stored.
pub(super) fn known(animal: &Record) -> Option<Sums> {
    Sums::from_text(animal.get(Slots::get().sums).text()?)
}

/// The lactations of an animal, as far as calvings decide.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) calvings: Vec<CalvingRow>,
    pub(super) frame: Frame,
    /// What its tests add up to; none: they must be read.
    pub(super) sums: Option<Sums>,
}

impl Course {
    /// Whether a new test became the last one of a lactation that is shown.
    pub(super) fn grew(&self, added: &Added, id: i64) -> bool {
        let (Some(sums), Some(added)) = (&self.sums, added.of.get(&id)) else {
            return false;
        };
        let last = |date: i64| added.iter().any(|(_, test)| test.date == date);
        self.frame.last_tests(sums).any(last)
    }
}
