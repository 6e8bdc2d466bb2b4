//! A test that comes after the others is added to what they add up to; everything else is computed
//! of all tests. Both come to the same.

use super::{Farm, HEAD, TODAY, day, farm, fields};
use crate::collections::registry;
use model::record::Value;
use model::registry::Command;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;

/// What a transaction does to the tests of a cow.
#[derive(Debug, Clone)]
enum Step {
    /// Tests after all others: days between them, milk in tenths.
    Later(Vec<(i64, u32)>),
    /// A further test on the day of the last one.
    Beside(u32),
    /// A test so many days ago.
    Ago(i64, u32),
    Correct(Index, u32),
    /// A field that lactations are not computed of.
    Remark(Index),
    Delete(Index),
    /// A correction and a later test at once.
    Both(Index, u32),
    Calving(i64),
    DryOff(i64),
    /// A row of that collection and kind so many days after the last test.
    Next(&'static str, &'static str, i64),
}

fn step() -> impl Strategy<Value = Step> {
    let milk = || 50_u32..500;
    prop_oneof![
        8 => vec((0..40_i64, milk()), 1..4).prop_map(Step::Later),
        2 => milk().prop_map(Step::Beside),
        2 => (0..800_i64, milk()).prop_map(|(ago, milk)| Step::Ago(ago, milk)),
        1 => (any::<Index>(), milk()).prop_map(|(at, milk)| Step::Correct(at, milk)),
        1 => any::<Index>().prop_map(Step::Remark),
        1 => any::<Index>().prop_map(Step::Delete),
        1 => (any::<Index>(), milk()).prop_map(|(at, milk)| Step::Both(at, milk)),
        1 => (0..800_i64).prop_map(Step::Calving),
        1 => (0..800_i64).prop_map(Step::DryOff),
        1 => Just(Step::Later(vec![])),
        2 => (-2..40_i64).prop_map(|gap| Step::Next("calvings", "calving", gap)),
        2 => (-2..40_i64).prop_map(|gap| Step::Next("calvings", "dryOff", gap)),
        2 => (-2..40_i64).prop_map(|gap| Step::Next("inseminations", "calving", gap)),
    ]
}

/// Two cows to which the same happens.
struct Twins {
    farm: Farm,
    cows: [i64; 2],
    tests: Vec<[i64; 2]>,
    last: i64,
}

impl Twins {
    fn new() -> Self {
        let mut farm = farm();
        // Who may say whose a test is.
        farm.book.association(HEAD);
        let cows = [farm.cows[0], farm.cows[1]];
        let mut twins = Self { farm, cows, tests: vec![], last: TODAY - 700 };
        twins.event("calvings", "calving", TODAY - 760);
        twins
    }

    fn event(&mut self, slug: &str, kind: &str, at: i64) {
        let event = |cow: i64| match kind {
            "calving" => Command::Create(fields! { "animal": cow, "date": day(at) }),
            _ => Command::Create(fields! { "animal": cow, "date": day(at), "eventType": kind }),
        };
        for cow in self.cows {
            // What the rules refuse happens to neither.
            let _ = self.farm.book.write(slug, vec![event(cow)]);
        }
    }

    fn tested(&mut self, tests: &[(i64, u32)]) {
        let of = |cow: i64| {
            let test = move |&(at, milk): &(i64, u32)| {
                // Some have no milk, some no contents; any source.
                let some = |of: u32, value: f64| match milk % of {
                    0 => Value::Null,
                    _ => Value::Num(value),
                };
                Command::Create(fields! {
                    "animal": cow,
                    "date": day(at),
                    "milkYield": some(7, f64::from(milk) / 10.0),
                    "fatPercent": some(3, 3.0 + f64::from(milk % 17) / 10.0),
                    "proteinPercent": some(4, 3.0 + f64::from(milk % 7) / 10.0),
                    "somaticCells": f64::from(milk % 90),
                    "official": milk % 5 == 0,
                    "source": ["lab", "owner", "import", "api"][(milk % 4) as usize],
                })
            };
            tests.iter().map(test).collect::<Vec<_>>()
        };
        let commands = self.cows.iter().flat_map(|cow| of(*cow)).collect();
        if let Ok(ids) = self.farm.book.write("milk-tests", commands) {
            let (one, other) = ids.split_at(tests.len());
            let pairs = one.iter().zip(other).map(|(one, other)| [*one, *other]);
            self.tests.extend(pairs);
        }
    }

    fn change(&mut self, at: Index, path: &str, value: impl Into<Value>) {
        if self.tests.is_empty() {
            return;
        }
        let value = value.into();
        for id in self.tests[at.index(self.tests.len())] {
            let fields = vec![(path.to_owned(), value.clone())];
            self.farm.book.update("milk-tests", id, fields).unwrap();
        }
    }

    fn both(&mut self, at: Index, milk: u32) {
        if self.tests.is_empty() {
            return;
        }
        let milk = f64::from(milk) / 10.0;
        let corrected = self.tests[at.index(self.tests.len())];
        self.last = (self.last + 1).min(TODAY);
        let mut commands: Vec<Command> =
            (corrected.iter()).map(|id| Command::Update(*id, fields! { "milkYield": milk })).collect();
        let date = day(self.last);
        commands.extend(
            self.cows.map(|cow| Command::Create(fields! { "animal": cow, "date": date.clone(), "milkYield": milk })),
        );
        let ids = self.farm.book.write("milk-tests", commands).unwrap();
        self.tests.push([ids[2], ids[3]]);
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Later(tests) => {
                let mut at = self.last;
                let later = |(gap, milk): (i64, u32)| {
                    at = (at + gap).min(TODAY);
                    (at, milk)
                };
                let tests: Vec<_> = tests.into_iter().map(later).collect();
                self.last = tests.last().map_or(self.last, |(at, _)| *at);
                self.tested(&tests);
            }
            Step::Beside(milk) => self.tested(&[(self.last, milk)]),
            Step::Ago(ago, milk) => self.tested(&[(TODAY - ago, milk)]),
            Step::Correct(at, milk) => self.change(at, "milkYield", f64::from(milk) / 10.0),
            Step::Remark(at) => self.change(at, "lactosePercent", 4.8),
            Step::Delete(at) => {
                if !self.tests.is_empty() {
                    let at = at.index(self.tests.len());
                    for id in self.tests.remove(at) {
                        self.farm.book.delete("milk-tests", id).unwrap();
                    }
                }
            }
            Step::Both(at, milk) => self.both(at, milk),
            Step::Calving(ago) => self.event("calvings", "calving", TODAY - ago),
            Step::DryOff(ago) => self.event("calvings", "dryOff", TODAY - ago),
            Step::Next(slug, kind, gap) => self.event(slug, kind, (self.last + gap).min(TODAY)),
        }
    }
}

const SHOWN: [&str; 10] = [
    "lactations",
    "testSums",
    "summary.milkYield",
    "summary.fatPercent",
    "summary.proteinPercent",
    "summary.fatKg",
    "summary.proteinKg",
    "summary.fatProteinSum",
    "current.daysInMilk",
    "current.lactationStatus",
];

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn a_cow_whose_tests_are_added_up_shows_what_one_shows_whose_tests_are_read(
        steps in vec(step(), 1..20),
    ) {
        let mut twins = Twins::new();
        for step in steps {
            twins.farm.book.empty("animals", twins.cows[1], "testSums");
            twins.take(step.clone());
            // A step without an effect does not compute anything.
            if twins.farm.of(twins.cows[1], "testSums") == Value::Null {
                continue;
            }
            for path in SHOWN {
                let [one, other] = twins.cows.map(|cow| twins.farm.of(cow, path));
                prop_assert_eq!(one, other, "{} after {:?}", path, step);
            }
            for tests in &twins.tests {
                let book = &twins.farm.book;
                let [one, other] = tests.map(|id| book.get("milk-tests", id, "daysInMilk"));
                prop_assert_eq!(one, other, "daysInMilk after {:?}", step);
            }
        }
    }
}

/// Values in which the rows of two books differ, but for drawn ones, and for the day since which an
/// age group holds: an earlier calving that comes later does not move it.
fn differences(one: &Twins, other: &Twins) -> Vec<(String, Value, Value)> {
    let mut all = Vec::new();
    for slug in ["animals", "calvings", "inseminations", "milk-tests"] {
        let c = registry().unwrap().get(slug).unwrap();
        let [rows, others] = [one, other].map(|twins| twins.farm.book.rows(slug));
        assert!(rows.keys().eq(others.keys()), "{slug}");
        for ((id, row), other) in rows.iter().zip(others.values()) {
            for (slot, field) in c.fields.iter().enumerate() {
                let path = field.path.as_str();
                if row.get(slot) != other.get(slot) && !["uuid", "ageGroupDate"].contains(&path) {
                    let [value, other] = [row, other].map(|row| row.get(slot).clone());
                    all.push((format!("{slug}/{id} {path}"), value, other));
                }
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn what_is_computed_later_is_what_is_computed_each_time(
        steps in vec((step(), any::<bool>()), 1..20),
        loads in any::<bool>(),
    ) {
        let (mut at_once, mut later) = (Twins::new(), Twins::new());
        later.farm.book.postpone(loads);
        for (step, catches_up) in steps {
            at_once.take(step.clone());
            later.take(step);
            if catches_up {
                later.farm.book.recompute_pending();
                prop_assert_eq!(differences(&at_once, &later), vec![]);
                later.farm.book.postpone(loads);
            }
        }
        later.farm.book.recompute_pending();
        prop_assert_eq!(differences(&at_once, &later), vec![]);
    }
}

#[test]
fn later_tests_are_taken_without_reading_the_earlier_ones() {
    let mut twins = Twins::new();
    twins.tested(&[(TODAY - 600, 300), (TODAY - 570, 290)]);
    twins.farm.book.look_ups.clear();
    twins.tested(&[(TODAY - 540, 280), (TODAY - 510, 270)]);
    let read = |twins: &Twins| twins.farm.book.look_ups.contains(&"milk-tests".to_owned());
    assert!(!read(&twins), "{:?}", twins.farm.book.look_ups);
    let lactations = twins.farm.of(twins.cows[0], "lactations");
    assert_eq!(lactations.rows()[0]["lastTestDay"], "2023-05-13T00:00:00.000Z");

    // What comes after all tests has none read; a drying-off before the last one has.
    twins.event("inseminations", "calving", TODAY - 505);
    twins.event("calvings", "dryOff", TODAY - 400);
    twins.event("calvings", "calving", TODAY - 340);
    assert!(!read(&twins), "{:?}", twins.farm.book.look_ups);
    let lactations = twins.farm.of(twins.cows[0], "lactations");
    assert_eq!(lactations.rows().len(), 2);
    twins.event("calvings", "dryOff", TODAY - 530);
    assert!(read(&twins));
    twins.farm.book.look_ups.clear();

    // One before them has all read, and so has a correction.
    twins.tested(&[(TODAY - 560, 280)]);
    assert!(read(&twins));
    twins.farm.book.look_ups.clear();
    let test = twins.tests[0];
    for id in test {
        let milk = fields! { "milkYield": 10.0 };
        twins.farm.book.update("milk-tests", id, milk).unwrap();
    }
    assert!(read(&twins));
}
