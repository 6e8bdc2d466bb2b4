//! Lactations of a book as the server computes them, and how near their projections come to what they gave.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use domain::derive::lactation::{
    CalvingEvent, CalvingRow, History, Lactation, STANDARD_DAYS, TAIL_DAYS, TestRow, lactations,
};
use domain::derive::{day_of, instant_of};
use serde_json::Value;

use super::{number, text};
use crate::simulation::calendar::END;
use crate::simulation::herd::World;
use crate::simulation::select::Selection;
use crate::{Options, SeedRow, records, simulation};

/// Rows of a book from which lactations follow, by the id of the animal.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) animals: BTreeMap<i64, SeedRow>,
    owners: BTreeMap<i64, i64>,
    calvings: BTreeMap<i64, Vec<CalvingRow>>,
    /// Owner at each calving.
    pub(super) herds: BTreeMap<(i64, i64), i64>,
    tests: BTreeMap<i64, Vec<TestRow>>,
}

impl Rows {
    pub(super) fn of(world: &World, selection: &Selection) -> Self {
        let tables = records::tables::Tables::load();
        let mut rows = Self::default();
        let mut sink = |row: SeedRow| {
            rows.add(row);
            ControlFlow::Continue(())
        };
        let _ = records::animals::animals(world, selection, &tables, &mut sink);
        let _ = records::events::events(world, selection, &tables, &mut sink);
        rows
    }

    fn add(&mut self, row: SeedRow) {
        let animal = number(&row, "animal").unwrap_or(row.id);
        let real = |field: &str| row.data.get(field).and_then(Value::as_f64);
        match row.collection {
            "animals" => {
                self.owners.insert(row.id, number(&row, "owner").unwrap());
                self.animals.insert(row.id, row);
            }
            "movements" => {
                if let Some(to) = number(&row, "to") {
                    self.owners.insert(animal, to);
                }
            }
            "calvings" => {
                let parity = number(&row, "number").unwrap();
                let event = match text(&row, "eventType") {
                    "calving" => CalvingEvent::Calving,
                    "dryOff" => CalvingEvent::DryOff,
                    "abortion" => CalvingEvent::Abortion,
                    other => panic!("{other}"),
                };
                if event.opens() {
                    self.herds.insert((animal, parity), self.owners[&animal]);
                }
                let calving = CalvingRow { date: instant(text(&row, "date")), number: parity, event };
                self.calvings.entry(animal).or_default().push(calving);
            }
            "milk-tests" => self.tests.entry(animal).or_default().push(TestRow {
                date: instant(text(&row, "date")),
                milk: real("milkYield"),
                scc: real("somaticCells"),
                has_test_code: row.data.contains_key("testCode"),
                ..TestRow::default()
            }),
            _ => {}
        }
    }

    /// Lactations that are complete.
    pub(super) fn lactations(&self) -> Vec<(i64, Lactation)> {
        let whole = |row: &Lactation| {
            let days = row.last_test_date.zip(row.calving_date).map(|(last, first)| day_of(last) - day_of(first));
            let ended = days.is_some_and(|days| days + TAIL_DAYS >= STANDARD_DAYS) || row.dry_off_date.is_some();
            ended && row.persistency.is_some()
        };
        let mut all = Vec::new();
        for (animal, tests) in &self.tests {
            let calvings = self.calvings.get(animal).map_or(&[][..], Vec::as_slice);
            let today = instant_of(i64::from(END));
            let of_animal = lactations(&History { calvings, tests, services: &[], disposal: None, today });
            all.extend(of_animal.into_iter().filter(whole).map(|row| (*animal, row)));
        }
        all
    }
}

pub(super) fn instant(day: &str) -> i64 {
    model::record::time::parse(day).unwrap()
}

#[test]
fn projections_come_near_to_what_lactations_gave() {
    let (world, selection) = simulation::plan::fitting_world(&Options { animals: 5_000, seed: 1, later: 0 });
    let rows = Rows::of(&world, &selection);
    let complete = rows.lactations();
    for (tests, most) in [(5, 0.09), (6, 0.07), (8, 0.05)] {
        // In each, deviations by parity: 1, 2, 3 and later.
        let (mut deviations, mut without) = ([const { Vec::new() }; 3], 0);
        for (animal, gave) in &complete {
            let (calved, milk) = (gave.calving_date.unwrap(), gave.milk305.unwrap());
            let first = rows.tests[animal].iter().filter(|test| test.date >= calved && !test.has_test_code);
            let first: Vec<TestRow> = first.take(tests).copied().collect();
            let calvings = [CalvingRow { date: calved, number: gave.number, event: CalvingEvent::Calving }];
            let today = first.last().unwrap().date + instant_of(TAIL_DAYS);
            let until = History { calvings: &calvings, tests: &first, services: &[], disposal: None, today };
            match lactations(&until)[0].projected305 {
                Some(projected) => deviations[gave.number.clamp(1, 3) as usize - 1].push(projected / milk - 1.0),
                None => without += 1,
            }
        }
        for (parity, deviations) in (1..).zip(&deviations) {
            let count = deviations.len() as f64;
            let mean = deviations.iter().sum::<f64>() / count;
            let square = (deviations.iter().map(|one| one * one).sum::<f64>() / count).sqrt();
            println!("{tests} tests, parity {parity}: {count} lactations, mean {mean:.3}, square {square:.3}");
            assert!(square < most && mean.abs() < 0.05, "{tests} {parity}: {mean} {square}");
        }
        println!("{tests} tests: {without} of {} without a projection", complete.len());
    }
}
