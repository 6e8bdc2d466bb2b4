//! Breeding values computed from the rows of a book, beside the true ones that its yields were made from
//! (docs/evaluation.md).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;
use std::ops::ControlFlow;

use breeding::{Animal, Effect, GroupRule, Parameters, Parent, Pedigree, Records, Solver, assign_groups, evaluate};
use domain::derive::lactation::Lactation;
use domain::derive::{day_of, instant_of};

use super::lactations::{Rows, instant};
use super::{number, text};
use crate::simulation::herd::World;
use crate::simulation::select::{Selection, Source};
use crate::simulation::sires::Merit;
use crate::{Options, SeedRow, simulation};

impl Rows {
    fn pedigree(&self) -> Pedigree {
        let parent = |row: &SeedRow, field| number(row, field).map_or(Parent::Unknown, |id| Parent::Animal(place(id)));
        let mut countries = vec![""];
        let mut animals = Vec::new();
        for row in self.animals.values() {
            let country = row.data.get("altIds").and_then(|ids| ids["originCountry"].as_str()).unwrap_or_default();
            let known = countries.iter().position(|other| *other == country);
            let country = known.unwrap_or_else(|| {
                countries.push(country);
                countries.len() - 1
            });
            animals.push(Animal {
                sire: parent(row, "father"),
                dam: parent(row, "mother"),
                birth_year: text(row, "birthDate")[..4].parse().ok(),
                country: u16::try_from(country).unwrap(),
            });
        }
        assign_groups(&mut animals, GroupRule { years: NonZeroU16::new(5).unwrap(), least: 50 });
        Pedigree::new(&animals).unwrap()
    }

    /// Records of a trait: compared within herd, year and quarter of the calving, and parity and age in two months.
    fn records(&self, lactations: &[(i64, Lactation)], value: fn(&Lactation) -> Option<f64>) -> Records {
        let (mut animals, mut values, mut seasons, mut ages) = (vec![], vec![], vec![], vec![]);
        for (id, row) in lactations {
            let (Some(value), Some(calved)) = (value(row), row.calving_date) else {
                continue;
            };
            let calved = day_of(calved);
            let quarter = model::record::time::to_iso(instant_of(calved))[..7]
                .split_once('-')
                .map(|(year, month)| (year.parse::<i64>().unwrap(), (month.parse::<i64>().unwrap() - 1) / 3));
            let born = day_of(instant(text(&self.animals[id], "birthDate")));
            let parity = row.number.min(5);
            animals.push(place(*id));
            values.push(value);
            seasons.push((self.herds[&(*id, row.number)], quarter));
            ages.push((parity, ((calved - born) / 61).clamp(10 + 6 * (parity - 1), 18 + 9 * (parity - 1))));
        }
        let effects = vec![Effect::of("herd, year and quarter", &seasons), Effect::of("parity and age", &ages)];
        Records { animals, effects, values }
    }
}

/// Ids count from 1.
fn place(id: i64) -> u32 {
    u32::try_from(id - 1).unwrap()
}

/// The values by which yields were made; dams of bulls have none.
fn true_values(world: &World, selection: &Selection) -> Vec<Option<Merit>> {
    let value = |source| match source {
        Source::Farm(index) => world.animals.get(index).map(|animal| animal.merit),
        Source::Bull(index) => world.sires.bulls.get(index).map(|bull| bull.merit),
        Source::BullDam(_) => None,
    };
    selection.entries.iter().map(|entry| value(entry.source)).collect()
}

/// An animal: year of birth, true value, computed value, reliability in %.
type Compared = (i64, f64, f64, f64);

/// The correlation of true and computed values within years of birth, the square root of the mean reliability, which it
/// should be, and how much the true value rises with the computed one.
fn agreement(animals: &[Compared]) -> [f64; 3] {
    let mut sums: BTreeMap<i64, (f64, f64, f64)> = BTreeMap::new();
    for (year, own, computed, _) in animals {
        let sum = sums.entry(*year).or_default();
        *sum = (sum.0 + own, sum.1 + computed, sum.2 + 1.0);
    }
    let (mut own_squares, mut squares, mut products) = (0.0, 0.0, 0.0);
    for (year, own, computed, _) in animals {
        let (sum_of_own, sum, count) = sums[year];
        let (own, computed) = (own - sum_of_own / count, computed - sum / count);
        own_squares += own * own;
        squares += computed * computed;
        products += own * computed;
    }
    let reliability = animals.iter().map(|animal| animal.3 / 100.0).sum::<f64>() / animals.len() as f64;
    [products / (own_squares * squares).sqrt(), reliability.sqrt(), products / squares]
}

#[test]
fn computed_breeding_values_agree_with_the_true_ones() {
    let (world, selection) = simulation::plan::fitting_world(&Options { animals: 5_000, seed: 1, later: 0 });
    let (rows, own) = (Rows::of(&world, &selection), true_values(&world, &selection));
    let (pedigree, lactations) = (rows.pedigree(), rows.lactations());
    println!("{} animals, {} lactations", rows.animals.len(), lactations.len());
    let share = |heritability, repeatability| Parameters { heritability, repeatability };
    type Record = fn(&Lactation) -> Option<f64>;
    let (milk, cells): (Record, Record) = (|row| row.milk305, |row| row.scs);
    let traits = [(0, "milk", milk, share(0.30, 0.55)), (3, "cells", cells, share(0.12, 0.30))];
    for (at, name, value, parameters) in traits {
        let records = rows.records(&lactations, value);
        let base: BTreeSet<u32> = records.animals.iter().copied().collect();
        let base: Vec<u32> = base.into_iter().collect();
        let watch = &mut |_| ControlFlow::Continue(());
        let result = evaluate(&pedigree, &records, parameters, Some(&base), Solver::default(), watch).unwrap();
        let mut daughters: BTreeMap<i64, usize> = BTreeMap::new();
        for sire in base.iter().filter_map(|place| number(&rows.animals[&(i64::from(*place) + 1)], "father")) {
            *daughters.entry(sire).or_default() += 1;
        }
        let (mut cows, mut young, mut bulls) = (Vec::new(), Vec::new(), Vec::new());
        for (id, row) in &rows.animals {
            let place = place(*id);
            let (Some(own), Some(computed)) = (own[place as usize], result.values[place as usize]) else {
                continue;
            };
            let year = text(row, "birthDate")[..4].parse().unwrap();
            let compared: Compared = (year, own[at], computed, result.reliabilities[place as usize]);
            match (base.binary_search(&place).is_ok(), daughters.get(id).copied().unwrap_or_default()) {
                (true, _) => cows.push(compared),
                (false, 20..) => bulls.push(compared),
                (false, 0) => young.push(compared),
                (false, _) => {}
            }
        }
        for (kind, animals) in [("cows", &cows), ("bulls", &bulls), ("young", &young)] {
            println!("{name}, {} {kind}: {:.3?}", animals.len(), agreement(animals));
        }
        // What chance leaves of a correlation is 0.015 for the cows, 0.05 for the bulls.
        let [correlation, accuracy, regression] = agreement(&cows);
        assert!((correlation - accuracy).abs() < 0.06, "{name}: {correlation} {accuracy}");
        assert!((0.8..1.4).contains(&regression), "{name}: {regression}");
        let [correlation, accuracy, _] = agreement(&bulls);
        assert!((correlation - accuracy).abs() < 0.15, "{name}: {correlation} {accuracy}");
        // Their parents vary less than the model takes them to (docs/performance.md).
        let [correlation, accuracy, _] = agreement(&young);
        assert!((0.25..accuracy).contains(&correlation), "{name}: {correlation} {accuracy}");
    }
}
