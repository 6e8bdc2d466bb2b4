//! Herds and packages.

use super::world::{COW, HERD, OTHERS, TODAY, World};
use crate::Day;
use crate::window::*;

const HERDS: &str = "herds";

cases! { CASES:
    "units-mixed" (HERDS, HERD, "id") => |w| grams(w, 3), |w| grams(w, 2);
    "milk-test-source-mixed" (HERDS, HERD, "id") =>
        |w| sources(w, 3, TODAY), |w| sources(w, 2, TODAY);
    "milk-test-source-mixed" (HERDS, HERD, "id") =>
        |w| sources(w, 3, TODAY.plus(-365)), |w| sources(w, 3, TODAY.plus(-366));
    "index-base-mixed" (HERDS, HERD, "id") =>
        |w| w.animal(OTHERS).evaluations[0].base = Some("OTHER".to_owned()),
        |w| {
            w.animal(OTHERS).evaluations[0].base = Some("OTHER".to_owned());
            w.animal(OTHERS).evaluations[0].current = false
        };
    "event-year-gap" (HERDS, HERD, "id") => |w| earlier(w, 2020), |w| earlier(w, 2021);
    "birth-date-clustered" (HERDS, HERD, "id") => |w| births(w, 2, 1), |w| births(w, 1, 1);
    "birth-date-clustered" (HERDS, HERD, "id") => |w| births(w, 7, 5), |w| births(w, 3, 5);
    "values-rounded" (HERDS, HERD, "id") =>
        |w| w.others(|animal| {
            animal.tests.iter_mut().for_each(|test| test.milk = test.milk.map(f64::round))
        }),
        |w| w.others(|animal| {
            animal.tests.iter_mut().take(2).for_each(|test| test.milk = test.milk.map(f64::round))
        });
    "values-rounded" (HERDS, HERD, "id") =>
        |w| w.others(|animal| { animal.tests.iter_mut().for_each(|test| test.fat = Some(3.5)) }),
        |w| w.others(|animal| { animal.tests.iter_mut().for_each(|test| test.fat = Some(3.6)) });
    "outlier-vs-herd" ("animals", COW, "lactations.milk305") =>
        |w| milk(w, 24_700.0), |w| milk(w, 24_500.0);
    "outlier-vs-herd" ("animals", COW, "lactations.milk305") =>
        |w| milk(w, 2_700.0), |w| milk(w, 2_800.0);
    "outlier-vs-herd" ("animals", COW, "lactations.milk305") =>
        |w| (milk(w, 2_700.0), days(w, 240)).1, |w| (milk(w, 2_700.0), days(w, 239)).1;
    "no-milk-tests-year" (HERDS, HERD, "id") => |w| untested(w, 366), |w| untested(w, 365);
    "ident-core-shared" ("animals", OTHERS, "identNumber") =>
        |w| w.animal(OTHERS).passport.number = "RU00960000000001".to_owned(),
        |w| w.animal(OTHERS).passport.number = "RU0000001".to_owned();
    "herd-test-coverage" (HERDS, HERD, "id") => |w| absent(w, 8), |w| absent(w, 1);
    "herd-test-coverage" (HERDS, HERD, "id") => |w| shifted(w, 0.79), |w| shifted(w, 0.9);
    "herd-test-coverage" (HERDS, HERD, "id") => |w| late(w, 4), |w| late(w, 3);
    "tests-copied" (HERDS, HERD, "id") => |w| copied(w, 8), |w| copied(w, 3);
    "row-outside-period" ("milk-tests", 4, "date") =>
        |w| w.package.rows[4].day = Some(Day::of(2025, 6, 1)),
        |w| w.package.rows[4].day = Some(Day::of(2025, 5, 31));
    "row-outside-period" ("milk-tests", 0, "date") =>
        |w| w.package.rows[0].day = Some(Day::of(2025, 4, 30)),
        |w| (w.package.rows[0].day, w.package.from) = (Some(Day::of(2025, 4, 30)), None);
    "row-foreign-animal" ("milk-tests", 4, "animal") =>
        |w| w.package.rows[4].foreign = true, |w| w.package.rows[4].animal = None;
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.cells[..3].fill(83_000.0),
        |w| w.package.columns.cells[..2].fill(83_000.0);
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.cells.fill(0.083), |w| w.package.columns.cells.clear();
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.weight = vec![600_000.0; 3],
        |w| w.package.columns.weight = vec![600_000.0; 2];
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.fat.fill(0.041), |w| w.package.columns.fat[..2].fill(0.041);
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.protein = vec![0.032; 3],
        |w| w.package.columns.protein = vec![3.2; 3];
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.urea = vec![0.25; 3], |w| w.package.columns.urea = vec![25.0; 3];
    "unit-suspect" ("data-submissions", 5, "sourceFile") =>
        |w| w.package.columns.weight = vec![0.612; 3], |w| w.package.columns.weight = vec![36.0; 3];
}

/// So many weights in grams.
fn grams(w: &mut World, count: i64) {
    for n in 0..count {
        w.animal(OTHERS + n).weighings[0].weight *= 1_000.0;
    }
}

fn sources(w: &mut World, count: usize, day: Day) {
    let tests = &mut w.cow().tests;
    for test in tests.iter_mut().take(count) {
        (test.source, test.day) = (2, day);
    }
}

/// A calving before all others, which are from 2023 on, and a service of 2022.
fn earlier(w: &mut World, year: i64) {
    let calving = Calving { id: 1, number: 1, day: Day::of(year, 5, 5), ..Calving::default() };
    w.animal(OTHERS).calvings.push(calving);
}

fn births(w: &mut World, count: i64, month: i64) {
    for n in 0..count {
        w.animal(OTHERS + n).passport.birth = Some(Day::of(2021, month, 1));
    }
}

/// The median of the herd is some 8 200 kg.
fn milk(w: &mut World, milk: f64) {
    w.cow().passport.lactations[0].milk305 = Some(milk);
}

fn days(w: &mut World, days: i64) {
    w.cow().passport.lactations[0].days = Some(days);
}

/// Nothing but one test so many days ago.
fn untested(w: &mut World, days: i64) {
    w.others(|animal| animal.tests.clear());
    let tests = &mut w.cow().tests;
    tests.truncate(1);
    tests[0].day = TODAY.plus(-days);
}

/// Cows that are missing in the tests of spring.
fn absent(w: &mut World, count: i64) {
    for n in 0..count {
        w.animal(OTHERS + 23 - n).tests.retain(|test| test.day < Day::of(2025, 3, 1));
    }
}

/// The last test of the herd with other milk.
fn shifted(w: &mut World, factor: f64) {
    let last = |animal: &Animal| animal.tests.iter().map(|test| test.day).max();
    let day = w.animals.iter().filter(|animal| animal.passport.id >= OTHERS).filter_map(last).max().unwrap();
    w.others(|animal| {
        for test in animal.tests.iter_mut().filter(|test| test.day == day) {
            test.milk = test.milk.map(|milk| milk * factor);
        }
    });
}

/// Six cows that are tested so many days after the others of one spring.
fn late(w: &mut World, days: i64) {
    let day = Day::of(2023, 9, 5).plus(18 * 30);
    let mut left = 6;
    w.animals.iter_mut().for_each(|animal| {
        let test = animal.tests.iter_mut().find(|test| test.day == day);
        if let Some(test) = test.filter(|_| left > 0) {
            left -= 1;
            test.day = day.plus(days);
        }
    });
}

/// So many cows whose second test of a spring repeats the first one.
fn copied(w: &mut World, count: i64) {
    let days = [Day::of(2023, 9, 5).plus(17 * 30), Day::of(2023, 9, 5).plus(18 * 30)];
    let mut left = count;
    for animal in w.animals.iter_mut().filter(|animal| animal.passport.id >= OTHERS) {
        let at = |day| animal.tests.iter().position(|test| test.day == day);
        let (Some(from), Some(to)) = (at(days[0]), at(days[1])) else {
            continue;
        };
        if left > 0 {
            left -= 1;
            let (id, day) = (animal.tests[to].id, animal.tests[to].day);
            animal.tests[to] = MilkTest { id, day, ..animal.tests[from].clone() };
        }
    }
}
