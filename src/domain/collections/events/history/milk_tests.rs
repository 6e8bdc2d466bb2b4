//! Milk tests as lactations are computed of them: those of an animal, or what they add up to.

use super::cycles::Cycles;
use super::rows::MilkTests;
use crate::collections::days::{placed, placed_changes};
use crate::collections::dictionaries::lookups::{CHUNK, related};
use crate::collections::herd::animals::Slots;
use crate::derive::lactation::{Frame, Recorder, Sums, TestRow};
use model::error::Result;
use model::record::zone::is_day;
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Lookup};
use std::collections::{BTreeMap, BTreeSet};

/// What lactations are computed of. The index of the tests of an animal holds these, so that
/// the tests themselves need not be looked for.
pub(crate) const TESTED: [&str; 8] =
    ["date", "milkYield", "testCode", "fatPercent", "proteinPercent", "somaticCells", "official", "source"];

/// The values of the fields of [`TESTED`]; none without a date.
fn test_of([date, milk, code, fat, protein, cells, official, source]: [&Value; 8]) -> Option<TestRow> {
    // 0 is no measurement (docs/derived.md, *Test days*).
    let measured = |value: &Value| value.num().filter(|content| *content > 0.0);
    Some(TestRow {
        date: date.time()?,
        milk: milk.num(),
        fat: measured(fat),
        protein: measured(protein),
        scc: measured(cells),
        has_test_code: !matches!(code.text(), None | Some("none")),
        source: match source.text() {
            _ if official.truth() => Recorder::Official,
            Some("lab") => Recorder::Laboratory,
            Some("owner") => Recorder::Owner,
            _ => Recorder::Other,
        },
    })
}

/// The values of the fields of [`TESTED`] of a row of `milk-tests`.
fn tested_of(row: &Record) -> [&Value; 8] {
    let s = MilkTests::get();
    let [date, milk, code] = [s.date, s.milk, s.code];
    let [fat, protein, cells] = [s.fat, s.protein, s.cells];
    [date, milk, code, fat, protein, cells, s.official, s.source].map(|slot| row.get(slot))
}

/// Milk tests of animals, by animal.
pub(super) async fn tests_of(
    context: &mut dyn BookReader,
    animals: impl Iterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<TestRow>>> {
    let animals: Vec<i64> = animals.collect();
    if animals.is_empty() {
        return Ok(BTreeMap::new());
    }
    let tests = (context.series("milk-tests", "animal", &animals, &TESTED)).await?;
    let test = |row: &[Value]| match row {
        [a, b, c, d, e, f, g, h] => test_of([a, b, c, d, e, f, g, h]),
        _ => None,
    };
    let mut tests: BTreeMap<i64, Vec<TestRow>> =
        (tests.into_iter()).map(|(animal, tests)| (animal, tests.rows().filter_map(test).collect())).collect();
    // Tests at a time of the day are read with their places.
    let within = |(_, tests): &(&i64, &Vec<TestRow>)| tests.iter().any(|test| !is_day(test.date));
    let within: BTreeSet<i64> = tests.iter().filter(within).map(|(id, _)| *id).collect();
    let fields = [&["animal"], TESTED.as_slice()].concat();
    let ids = within.iter().copied();
    let rows = related(context, "milk-tests", "animal", ids, &fields).await?;
    within.iter().for_each(|id| drop(tests.remove(id)));
    for row in placed(context, "milk-tests", rows).await? {
        let animal = row.get(MilkTests::get().animal).int();
        if let Some((animal, test)) = animal.zip(test_of(tested_of(&row))) {
            tests.entry(animal).or_default().push(test);
        }
    }
    Ok(tests)
}

/// The new tests of a set of changes, by animal; nothing of an animal with another change than
/// new tests.
#[derive(Debug)]
pub(super) struct AddedTests {
    of: BTreeMap<i64, Vec<TestRow>>,
    /// The last of them that is coded dry, by animal.
    dry: BTreeMap<i64, i64>,
    /// Tests of other animals changed too.
    others: bool,
}

/// The last test coded dry of each animal.
pub(super) async fn dry_tests_of(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, i64>> {
    let s = MilkTests::get();
    let animals: Vec<i64> = animals.into_iter().collect();
    let mut last = BTreeMap::new();
    for chunk in animals.chunks(CHUNK) {
        let lookup = Lookup::by_ids("animal", chunk.iter().copied())
            .is_in("testCode", vec!["dry".into()])
            .fields(&["animal", "date"]);
        for row in context.find("milk-tests", lookup).await? {
            latest(&mut last, row.get(s.animal).int(), row.get(s.date).time());
        }
    }
    Ok(last)
}

fn latest(last: &mut BTreeMap<i64, i64>, animal: Option<i64>, date: Option<i64>) {
    if let (Some(animal), Some(date)) = (animal, date) {
        let last = last.entry(animal).or_insert(date);
        *last = date.max(*last);
    }
}

impl AddedTests {
    /// No test changed.
    pub(super) const NONE: Self = Self { of: BTreeMap::new(), dry: BTreeMap::new(), others: false };
    /// Any tests may have changed.
    pub(super) const UNKNOWN: Self = Self { of: BTreeMap::new(), dry: BTreeMap::new(), others: true };

    pub(super) async fn of(context: &mut dyn BookReader, changes: &[Change]) -> Result<Self> {
        let changes = &*placed_changes(context, "milk-tests", changes).await?;
        let slot = MilkTests::get().animal;
        let mut added: BTreeMap<i64, Vec<TestRow>> = BTreeMap::new();
        let mut dry: BTreeMap<i64, i64> = BTreeMap::new();
        let mut others: BTreeSet<i64> = BTreeSet::new();
        for change in changes {
            let [old, new] = [&change.old, &change.new].map(Option::as_ref);
            match (old, new) {
                (None, Some(new)) => {
                    if let Some(animal) = new.get(slot).int() {
                        let test = test_of(tested_of(new));
                        added.entry(animal).or_default().extend(test);
                    }
                    let s = MilkTests::get();
                    if new.get(s.code).text() == Some("dry") {
                        latest(&mut dry, new.get(slot).int(), new.get(s.date).time());
                    }
                }
                // Other fields of it count nowhere here.
                (Some(old), Some(new)) if old.get(slot) == new.get(slot) && tested_of(old) == tested_of(new) => {
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
        Ok(Self { of: added, dry, others: true })
    }

    /// Whether what is stored of the tests of an animal counts all of them but the new ones.
    pub(super) fn leaves_known(&self, id: i64) -> bool {
        !self.others || self.of.contains_key(&id)
    }

    /// The last test coded dry of an animal whose other tests did not change.
    pub(super) fn last_dry(&self, id: i64, animal: &Record) -> Option<i64> {
        let stored = animal.get(Slots::get().dry_test).time();
        stored.max(self.dry.get(&id).copied())
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
        let added = self.of.get(&id).map_or(&[][..], Vec::as_slice);
        stored_sums(animal)?.with(frame, added)
    }
}

/// What the tests of an animal add up to, as it is stored.
pub(super) fn stored_sums(animal: &Record) -> Option<Sums> {
    Sums::from_text(animal.get(Slots::get().sums).text()?)
}

/// The lactations of an animal, as far as calvings decide.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) cycles: Cycles,
    /// The last test coded dry.
    pub(super) dry_test: Option<i64>,
    /// When it left, on the clock of its place.
    pub(super) disposal: Option<i64>,
    /// The present time there.
    pub(super) today: i64,
    pub(super) frame: Frame,
    /// What its tests add up to; none: they must be read.
    pub(super) sums: Option<Sums>,
}

impl Course {
    /// Whether a new test became the last one of a lactation that is shown.
    pub(super) fn grew(&self, added: &AddedTests, id: i64) -> bool {
        let (Some(sums), Some(added)) = (&self.sums, added.of.get(&id)) else {
            return false;
        };
        let last = |date: i64| added.iter().any(|test| test.date == date);
        self.frame.last_tests(sums).any(last)
    }
}
