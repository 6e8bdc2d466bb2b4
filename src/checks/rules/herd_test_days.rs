//! What the milk tests of a herd say together.

use crate::day::Day;
use crate::finding::Value;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Herd, MilkTest, State};
use std::collections::BTreeMap;

const YEAR: i64 = 365;
/// Days of one test of a herd, from its first day on.
const TEST_DAYS: i64 = 3;
/// Days of the standard lactation: later a cow may be dry without a record of it.
const LACTATION_DAYS: i64 = 305;
/// Part of the cows in milk from which a test is one of the herd.
const HERD_TEST: f64 = 0.1;
/// Rows from which a share is one.
const ROWS: usize = 10;
/// Tests of a second source from which sources are mixed.
const SOURCE_ROWS: usize = 3;

fn recent<'a>(herd: &'a Herd<'_>, today: Day) -> impl Iterator<Item = &'a MilkTest> {
    let tests = herd.members().flat_map(|animal| &animal.tests);
    tests.filter(move |test| test.day <= today && today.since(test.day) <= YEAR)
}

pub(crate) fn milk_test_source_mixed(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let mut rows: BTreeMap<u8, usize> = BTreeMap::new();
    for test in recent(herd, reporter.today()) {
        *rows.entry(test.source).or_default() += 1;
    }
    let count = rows.values().filter(|rows| **rows >= SOURCE_ROWS).count();
    if count > 1 {
        reporter.report(herd.at("id"), [("count", count.into())]);
    }
}

pub(crate) fn no_milk_tests_year(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let cow = |animal: &&Animal| animal.passport.state == State::Alive && animal.births().next().is_some();
    let cows = herd.members().filter(cow).count();
    if cows > 0 && recent(herd, reporter.today()).next().is_none() {
        reporter.report(herd.at("id"), [("count", cows.into())]);
    }
}

pub(crate) fn values_rounded(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::HerdRoundedShare);
    let tests = || herd.members().flat_map(|animal| &animal.tests).filter(|test| !test.coded);
    let fields: [(&str, f64, Vec<f64>); 3] = [
        ("milkYield", 1.0, tests().filter_map(|test| test.milk).collect()),
        ("fatPercent", 2.0, tests().filter_map(|test| test.fat).collect()),
        ("proteinPercent", 2.0, tests().filter_map(|test| test.protein).collect()),
    ];
    for (field, parts, values) in fields {
        if exact(values.len()) < reporter.limit(Key::HerdMin) {
            continue;
        }
        let rounded = |value: &&f64| (**value * parts).fract() == 0.0;
        let share = percent(values.iter().filter(rounded).count(), values.len());
        if share > limit {
            let values = [("share", share.into()), ("field", field.into())];
            reporter.report(herd.at("id"), values);
        }
    }
}

/// One test of the herd: days that lie together.
#[derive(Default)]
struct HerdTestDay {
    day: Day,
    rows: usize,
    with_milk: usize,
    /// Sum of their milk, grams: whole numbers, so that the order of cows does not matter.
    grams: i64,
    copied: usize,
}

/// The tests of the herd, by day.
fn herd_test_days(herd: &Herd<'_>) -> Vec<HerdTestDay> {
    let mut days: BTreeMap<Day, HerdTestDay> = BTreeMap::new();
    for animal in herd.members() {
        let mut before: Option<&MilkTest> = None;
        for rows in animal.tests.chunk_by(|a, b| a.day == b.day) {
            // Rows of several sources are one test.
            let milked = rows.iter().find(|test| !test.coded && test.milk.is_some());
            let Some(test) = milked.or(rows.first()) else {
                continue;
            };
            let of_day = days.entry(test.day).or_default();
            of_day.rows += 1;
            if let Some(milk) = test.milk.filter(|_| !test.coded) {
                of_day.with_milk += 1;
                of_day.grams = of_day.grams.saturating_add((milk * 1_000.0).round() as i64);
                of_day.copied += usize::from(before.is_some_and(|before| copied(before, test)));
                before = Some(test);
            }
        }
    }
    let mut tests: Vec<HerdTestDay> = Vec::new();
    for (day, of_day) in days {
        match tests.last_mut().filter(|test| day.since(test.day) <= TEST_DAYS) {
            Some(test) => {
                test.rows += of_day.rows;
                test.with_milk += of_day.with_milk;
                test.grams = test.grams.saturating_add(of_day.grams);
                test.copied += of_day.copied;
            }
            None => tests.push(HerdTestDay { day, ..of_day }),
        }
    }
    tests
}

/// Milk, and all that is known of fat, protein and cells, of which something is.
fn copied(before: &MilkTest, test: &MilkTest) -> bool {
    let content = |test: &MilkTest| [test.fat, test.protein, test.cells];
    test.day > before.day
        && test.milk == before.milk
        && content(test) == content(before)
        && content(test).iter().any(Option::is_some)
}

pub(crate) fn tests_copied(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::CopiedShare);
    for test in herd_test_days(herd).iter().filter(|test| test.with_milk >= ROWS) {
        let share = percent(test.copied, test.with_milk);
        if share > limit {
            let values = [("share", share.into()), ("day", test.day.into())];
            reporter.report(herd.at("id"), values);
        }
    }
}

pub(crate) fn herd_test_coverage(herd: &Herd<'_>, reporter: &mut Reporter<'_>) {
    let (least, shift) = (reporter.limit(Key::CoverageMin), reporter.limit(Key::MeanShift));
    let longest = reporter.days(Key::TestGapMax) * 2;
    // How many cows come into milk or go out of it, by day.
    let mut changes: BTreeMap<Day, i64> = BTreeMap::new();
    let from_day = reporter.days(Key::DimMin);
    for animal in herd.members() {
        for (from, to) in in_milk(animal, from_day) {
            *changes.entry(from).or_default() += 1;
            *changes.entry(to).or_default() -= 1;
        }
    }
    let mut changes = changes.into_iter().peekable();
    let mut cows = 0_i64;
    let mut before: Option<(Day, f64)> = None;
    for test in herd_test_days(herd) {
        while let Some((_, change)) = changes.next_if(|(day, _)| *day <= test.day) {
            cows += change;
        }
        let cows = usize::try_from(cows).unwrap_or(0);
        if test.with_milk < ROWS || exact(test.rows) < exact(cows) * HERD_TEST {
            continue;
        }
        let share = percent(test.rows, cows.max(1)).min(100.0);
        let mean = test.grams as f64 / 1_000.0 / exact(test.with_milk);
        let former = before.filter(|(day, _)| test.day.since(*day) <= longest).map(|(_, mean)| mean);
        let shifted = former.is_some_and(|former| (mean - former).abs() > former * shift / 100.0);
        before = Some((test.day, mean));
        let recent = test.day <= reporter.today() && reporter.today().since(test.day) <= YEAR;
        if recent && (share < least || shifted) {
            let former = former.map_or_else(|| Value::from("–"), Value::from);
            let values = [("day", test.day.into()), ("share", share.into()), ("mean", mean.into()), ("before", former)];
            reporter.report(herd.at("id"), values);
        }
    }
}

/// From when to before when an animal is in milk.
fn in_milk(animal: &Animal, from_day: i64) -> impl Iterator<Item = (Day, Day)> {
    let left = animal.passport.disposal.filter(|_| animal.passport.state != State::Alive);
    let next = animal.births().skip(1).map(|calving| Some(calving.day)).chain([None]);
    animal.births().zip(next).filter_map(move |(calving, next)| {
        let last = calving.day.plus(LACTATION_DAYS);
        let dry = animal.dried_off(calving.day, last);
        let ends = [Some(last), next, dry, left];
        let end = ends.into_iter().flatten().min().unwrap_or(last);
        let from = calving.day.plus(from_day);
        (from < end).then_some((from, end))
    })
}

fn percent(part: usize, all: usize) -> f64 {
    exact(part) * 100.0 / exact(all.max(1))
}

#[expect(clippy::cast_precision_loss, reason = "herds are small")]
pub(crate) fn exact(n: usize) -> f64 {
    n as f64
}
