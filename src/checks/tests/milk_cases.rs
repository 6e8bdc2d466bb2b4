//! Lactations, tests, single milkings and weights.

use super::world::{COW, FATHER, TODAY, World};
use crate::Day;
use crate::window::*;

const ANIMALS: &str = "animals";
const TESTS: &str = "milk-tests";

fn lactation(w: &mut World, change: impl Fn(&mut Lactation)) {
    change(&mut w.cow().passport.lactations[0]);
}

cases! { LACTATION_CASES:
    "milk-implausible" (ANIMALS, COW, "lactations.milk305") =>
        |w| lactation(w, |l| l.milk305 = Some(25_001.0)),
        |w| lactation(w, |l| l.milk305 = Some(25_000.0));
    "milk-implausible" (ANIMALS, COW, "lactations.milk305") =>
        |w| lactation(w, |l| { (l.milk305, l.milk, l.reported) = (None, Some(499.0), true) }),
        |w| lactation(w, |l| { (l.milk305, l.milk, l.reported) = (None, Some(499.0), false) });
    "fat-implausible" (ANIMALS, COW, "lactations.fat305") =>
        |w| lactation(w, |l| l.fat = Some(6.51)), |w| lactation(w, |l| l.fat = Some(6.5));
    "protein-implausible" (ANIMALS, COW, "lactations.protein305") =>
        |w| lactation(w, |l| l.protein = Some(1.99)), |w| lactation(w, |l| l.protein = Some(2.0));
    "bull-own-production" (ANIMALS, FATHER, "summary") =>
        |w| w.animal(FATHER).passport.own_yield = true, |w| w.cow().passport.own_yield = true;
    "fat-kg-mismatch" (ANIMALS, COW, "lactations.fatKg") =>
        |w| lactation(w, |l| l.fat_kg = Some(357.0)), |w| lactation(w, |l| l.fat_kg = Some(355.0));
    "age-group-vs-sex" (ANIMALS, COW, "ageGroup") =>
        |w| w.cow().passport.age_group = Some(AgeGroup::Bull),
        |w| w.cow().passport.age_group = Some(AgeGroup::Calf);
    "production-before-calving" (TESTS, 30, "date") =>
        |w| w.cow().tests[0].day = Day::of(2023, 9, 3),
        |w| w.cow().tests[0].day = Day::of(2023, 9, 4);
    "production-before-calving" (TESTS, 30, "date") =>
        |w| w.cow().tests[0].day = Day::of(2023, 9, 3),
        |w| (w.cow().tests[0].day, w.cow().tests[0].coded) = (Day::of(2023, 9, 3), true);
    "production-before-calving" (TESTS, 30, "date") =>
        |w| w.cow().calvings.clear(), |w| { w.cow().calvings.remove(0); };
}

fn third(w: &mut World, change: impl Fn(&mut MilkTest)) {
    change(&mut w.cow().tests[2]);
}

/// Treated on a day, with a withdrawal until the day after the first test.
fn treated(w: &mut World, day: Day) {
    let event = &mut w.cow().health[0];
    (event.day, event.milk_withdrawal) = (day, Some(Day::of(2024, 10, 4)));
}

cases! { TEST_CASES:
    "milk-test-outside-lactation" (TESTS, 30, "date") =>
        |w| w.cow().tests[0].day = Day::of(2024, 9, 24),
        |w| w.cow().tests[0].day = Day::of(2024, 9, 25);
    "milk-test-outside-lactation" (TESTS, 30, "date") =>
        |w| w.cow().tests[0].day = Day::of(2024, 7, 23),
        |w| w.cow().tests[0].day = Day::of(2024, 7, 22);
    "milk-test-outside-lactation" (TESTS, 30, "date") =>
        |w| { w.cow().calvings.truncate(1); w.cow().tests[0].day = Day::of(2023, 9, 4).plus(731) },
        |w| { w.cow().calvings.truncate(1); w.cow().tests[0].day = Day::of(2023, 9, 4).plus(730) };
    "test-milk-range" (TESTS, 32, "milkYield") =>
        |w| third(w, |t| t.milk = Some(2.9)), |w| third(w, |t| t.milk = Some(3.0));
    "test-milk-range" (TESTS, 32, "milkYield") =>
        |w| third(w, |t| t.milk = Some(100.0)), |w| third(w, |t| t.milk = Some(99.9));
    "test-fat-range" (TESTS, 32, "fatPercent") =>
        |w| third(w, |t| t.fat = Some(9.1)), |w| third(w, |t| t.fat = Some(9.0));
    "test-protein-range" (TESTS, 32, "proteinPercent") =>
        |w| third(w, |t| t.protein = Some(0.9)), |w| third(w, |t| t.protein = Some(1.0));
    "fat-protein-ratio" (TESTS, 32, "fatPercent") =>
        |w| third(w, |t| t.fat = Some(2.2)), |w| third(w, |t| t.fat = Some(2.3));
    "lactose-range" (TESTS, 32, "lactosePercent") =>
        |w| third(w, |t| t.lactose = Some(6.1)), |w| third(w, |t| t.lactose = Some(6.0));
    "cells-range" (TESTS, 32, "somaticCells") =>
        |w| third(w, |t| t.cells = Some(1_001.0)),
        |w| third(w, |t| t.cells = Some(1_000.0)),
        worse |w| third(w, |t| t.cells = Some(10_000.0));
    "urea-range" (TESTS, 32, "urea") =>
        |w| third(w, |t| t.urea = Some(2.9)), |w| third(w, |t| t.urea = None);
    // The neighbours predict 34.9 kg.
    "test-deviation" (TESTS, 32, "milkYield") =>
        |w| third(w, |t| t.milk = Some(20.9)), |w| third(w, |t| t.milk = Some(21.0));
    "test-deviation" (TESTS, 32, "milkYield") =>
        |w| third(w, |t| t.milk = Some(52.4)), |w| third(w, |t| t.milk = Some(52.3));
    // The neighbour of a wrong test at an end is not meant.
    "test-deviation" (TESTS, 38, "milkYield") =>
        |w| w.cow().tests[8].milk = Some(66.3), |w| w.cow().tests[8].milk = Some(66.2);
    "test-deviation" (TESTS, 30, "milkYield") =>
        |w| w.cow().tests[0].milk = Some(85.5), |w| w.cow().tests[0].milk = Some(85.4);
    "test-gap" (TESTS, 31, "date") =>
        |w| { w.cow().tests[0].day = w.cow().tests[1].day.plus(-21); },
        |w| { w.cow().tests[0].day = w.cow().tests[1].day.plus(-37); };
    "official-test-in-withdrawal" (TESTS, 30, "official") =>
        |w| treated(w, Day::of(2024, 10, 3)), |w| treated(w, Day::of(2024, 10, 4));
    "official-test-in-withdrawal" (TESTS, 30, "official") =>
        |w| w.cow().health[0].milk_withdrawal = Some(Day::of(2024, 10, 3)),
        |w| w.cow().health[0].milk_withdrawal = Some(Day::of(2024, 10, 2));
    "visit-implausible" ("milking-visits", 50, "milkYield") =>
        |w| w.cow().visits[0].milk = 40.1, |w| w.cow().visits[0].milk = 40.0;
    "visit-implausible" ("milking-visits", 51, "startedAt") =>
        |w| { w.cow().visits[1].at = w.cow().visits[0].at + 3_599; },
        |w| { w.cow().visits[1].at = w.cow().visits[0].at + 3_600; };
    "visit-implausible" ("milking-visits", 50, "duration") =>
        |w| w.cow().visits[0].seconds = Some(2_401), |w| w.cow().visits[0].seconds = Some(2_400);
    "daily-vs-visits" ("daily-milkings", 55, "milkYield") =>
        |w| w.cow().dailies[0].milk = 29.9, |w| w.cow().dailies[0].milk = 29.8;
    "weight-implausible" ("weighings", 42, "weight") =>
        |w| w.cow().weighings[2].weight = 349.0, |w| w.cow().weighings[2].weight = 350.0;
    "weight-implausible" ("movements", 71, "weight") => |w| left_with(w, 1_201.0), |w| left_with(w, 1_200.0);
    "gain-implausible" ("weighings", 41, "weight") =>
        |w| w.cow().weighings[1].weight = 1_038.1, |w| w.cow().weighings[1].weight = 1_038.0;
}

fn left_with(w: &mut World, weight: f64) {
    let bought = w.cow().movements[0].clone();
    w.cow().movements.push(Movement { id: 71, day: TODAY, weight: Some(weight), ..bought });
}
