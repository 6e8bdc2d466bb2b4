//! Test days: milk, fat, protein, cells.
//!
//! Curves and deviations are constants (docs/design/derived.md, *Synthetic book*). The values of a
//! cow depend on her own stream only.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use serde_json::json;

use super::people::LABORATORY;
use super::rows::Diary;
use crate::simulation::calendar::{Day, END, START, day_of_year, iso};
use crate::simulation::herd::{Animal, Fact, World};
use crate::simulation::select::Selection;
use crate::simulation::streams::{Stream, round};

/// Wood's curve a·t^b·e^(−ct) by parity, for a herd at [`CURVE_LEVEL`].
const WOOD: [(f64, f64, f64); 3] = [(18.38, 0.230, 0.0023), (24.72, 0.221, 0.0035), (24.58, 0.249, 0.0039)];
/// Milk of 305 days that the curves stand for, kg.
const CURVE_LEVEL: f64 = 12_500.0;
/// Mean somatic cell score by parity, and its deviations between and within cows.
const CELL_SCORE: [f64; 3] = [2.3, 2.7, 3.2];
const CELL_SD: (f64, f64) = (0.9, 1.2);
/// Share of lactations with a mastitis, by parity.
const MASTITIS: [f64; 3] = [0.10, 0.14, 0.18];
const MASTITIS_DAYS: i32 = 30;
/// Day-to-day deviation: correlation of successive tests, and size.
const DAY_ERROR: (f64, f64) = (0.6, 0.08);
const MISSED: f64 = 0.03;
/// Share of the missed tests that are reported with the code for a sick cow.
const REPORTED_SICK: f64 = 0.2;
const FIRST_DIM: i32 = 5;

/// A lactation, from calving to the last day in milk.
pub(crate) struct Lactation {
    pub(crate) animal: usize,
    pub(crate) farm: usize,
    pub(crate) parity: u8,
    pub(crate) start: Day,
    pub(crate) end: Day,
}

/// An inflamed udder, which raises the cells of the weeks after.
#[derive(Clone, Copy)]
pub(crate) struct Mastitis {
    pub(crate) day: Day,
    pub(crate) animal: usize,
}

/// All tests of the recorded years, and the illnesses that show in them.
pub(crate) fn tests(world: &World, selection: &Selection, diary: &mut Diary<'_>) -> Vec<Mastitis> {
    let days: Vec<Vec<Day>> =
        (0..world.farms.len()).map(|farm| test_days(&mut Stream::new(world.seed, "tests", farm as u64))).collect();
    let mut ill = Vec::new();
    for lactation in lactations(world) {
        let Some(id) = selection.recorded(lactation.animal) else {
            continue;
        };
        if lactation.end >= START {
            let sick = lactation_tests(world, &lactation, id, &days[lactation.farm], diary);
            let animal = lactation.animal;
            ill.extend(sick.map(|day| Mastitis { day, animal }));
        }
    }
    ill
}

/// Milk of a day to be expected, kg.
pub(crate) fn expected(world: &World, lactation: &Lactation, day: Day) -> f64 {
    let dim = f64::from(day - lactation.start);
    wood(order(lactation), dim) * level(world, lactation) * season(day)
}

/// Level of the cow on her farm, as a share of that of the curves.
fn level(world: &World, lactation: &Lactation) -> f64 {
    let cow = &world.animals[lactation.animal];
    let herd = world.farms[lactation.farm].level;
    (herd + cow.merit[0] + cow.own_level).max(5_000.0) / CURVE_LEVEL
}

fn order(lactation: &Lactation) -> usize {
    usize::from(lactation.parity.clamp(1, 3)) - 1
}

fn test_days(stream: &mut Stream) -> Vec<Day> {
    let mut days = Vec::new();
    let mut day = START + stream.between(0, 29);
    while day <= END {
        days.push(day);
        day += stream.days(30.0, 3.0, 25, 35);
    }
    days
}

/// All lactations that were simulated.
pub(crate) fn lactations(world: &World) -> Vec<Lactation> {
    let mut lactations: Vec<Lactation> = Vec::new();
    let mut open: Vec<Option<usize>> = vec![None; world.animals.len()];
    for event in &world.events {
        match event.fact {
            Fact::Calving { parity, .. } => {
                if let Some(before) = open[event.animal].replace(lactations.len()) {
                    lactations[before].end = event.day - 1;
                }
                let (animal, farm, start) = (event.animal, event.farm, event.day);
                lactations.push(Lactation { animal, farm, parity, start, end: END });
            }
            Fact::DryOff { .. } | Fact::Left(_) => {
                if let Some(before) = open[event.animal].take() {
                    lactations[before].end = event.day - 1;
                }
            }
            Fact::Service { .. } | Fact::Abortion { .. } | Fact::Sale { .. } | Fact::Transfer => {}
        }
    }
    lactations
}

/// The tests of a lactation; the day of its mastitis, if it has one.
fn lactation_tests(world: &World, lactation: &Lactation, id: i64, days: &[Day], diary: &mut Diary<'_>) -> Option<Day> {
    let key = lactation.animal as u64 * 32 + u64::from(lactation.parity);
    let stream = &mut Stream::new(world.seed, "milk", key);
    let (cow, level) = (&world.animals[lactation.animal], level(world, lactation));
    let (order, parity) = (order(lactation), lactation.parity);
    let cells = CELL_SCORE[order] + cow.merit[3] + stream.normal(0.0, CELL_SD.0);
    let ill = stream.chance(MASTITIS[order]).then(|| lactation.start + stream.between(5, 300));
    let mut error = 0.0;
    let from = days.partition_point(|day| *day < lactation.start + FIRST_DIM);
    for &day in days[from..].iter().take_while(|day| **day <= lactation.end) {
        let fresh = stream.normal(0.0, DAY_ERROR.1);
        // The square root of 1 − 0.6².
        error = DAY_ERROR.0 * error + 0.8 * fresh;
        let missed = stream.chance(MISSED);
        if missed && !stream.chance(REPORTED_SICK) {
            continue;
        }
        let dim = f64::from(day - lactation.start);
        let sore = ill.is_some_and(|ill| (0..MASTITIS_DAYS).contains(&(day - ill)));
        let milk = wood(order, dim) * level * season(day) * (1.0 + error);
        let score = stream.normal(cells, CELL_SD.1) + if sore { 3.0 } else { 0.0 };
        let result = (!missed).then(|| TestResult::new(stream, cow, dim, milk, score));
        diary.add(day, "milk-tests", move |test| {
            json!({
                "animal": id,
                "date": iso(day),
                "lactationNumber": parity,
                "source": "lab",
                "official": true,
                "recordingPerYear": 12,
                "testCode": result.is_none().then_some("sick"),
                "milkYield": result.map(|r| r.milk),
                "fatPercent": result.map(|r| r.fat),
                "proteinPercent": result.map(|r| r.protein),
                "lactosePercent": result.map(|r| r.lactose),
                "somaticCells": result.map(|r| r.cells),
                "urea": result.map(|r| r.urea),
                "yields": result.map(|r| json!({
                    "morning": r.morning,
                    "evening": round(r.milk - r.morning, 1),
                })),
                "samplingMoment": result.map(|_| "Composite"),
                "laboratory": result.map(|_| LABORATORY),
                "sampleNumber": result.map(|_| format!("P{test:08}")),
            })
        });
    }
    ill.filter(|day| *day <= lactation.end)
}

/// What the laboratory found.
#[derive(Clone, Copy)]
struct TestResult {
    milk: f64,
    /// The part of it that was milked in the morning.
    morning: f64,
    fat: f64,
    protein: f64,
    lactose: f64,
    cells: i64,
    urea: f64,
}

impl TestResult {
    fn new(stream: &mut Stream, cow: &Animal, dim: f64, milk: f64, score: f64) -> Self {
        let milk = round(milk.clamp(4.0, 75.0), 1);
        let late = (dim - 100.0).max(0.0);
        let dip = |centre: f64, width: f64| (-((dim - centre) / width).powi(2)).exp();
        let fat = 3.95 + 0.9 * (-dim / 14.0).exp() - 0.35 * dip(60.0, 45.0) + 0.0009 * late;
        let protein = 3.22 + 0.55 * (-dim / 10.0).exp() - 0.22 * dip(50.0, 40.0) + 0.0012 * late;
        let share = stream.normal(0.53, 0.02).clamp(0.46, 0.60);
        let fat = stream.normal(fat + cow.merit[1], 0.30).clamp(2.2, 6.6);
        let protein = stream.normal(protein + cow.merit[2], 0.12).clamp(2.4, 4.9);
        Self {
            milk,
            morning: round(milk * share, 1),
            fat: round(fat, 2),
            protein: round(protein, 2),
            lactose: round(stream.normal(4.85, 0.15), 2),
            cells: ((100.0 * (score - 3.0).exp2()).round() as i64).clamp(5, 9_000),
            urea: round(stream.normal(25.0, 5.0).clamp(5.0, 50.0), 1),
        }
    }
}

fn wood(order: usize, dim: f64) -> f64 {
    let (a, b, c) = WOOD[order];
    a * dim.powf(b) * (-c * dim).exp()
}

/// Two percent up in spring, two down in autumn, straight in between.
fn season(day: Day) -> f64 {
    let from_may = (day_of_year(day) - 120).rem_euclid(365);
    let half_years = f64::from(from_may.min(365 - from_may)) / 182.5;
    1.02 - 0.04 * half_years
}

#[cfg(test)]
mod tests {
    use super::{WOOD, season, wood};

    #[test]
    fn the_curves_give_the_yields_of_their_source() {
        for (order, expected) in [(0, 11_769.0), (1, 12_712.0), (2, 13_610.0)] {
            let total: f64 = (1..=305).map(|dim| wood(order, f64::from(dim))).sum();
            assert!((total - expected).abs() < 60.0, "{order}: {total}");
        }
        assert_eq!(WOOD.len(), 3);
    }

    #[test]
    fn spring_is_two_percent_up() {
        assert!((season(120) - 1.02).abs() < 1e-9);
        assert!((season(120 + 182) - 0.98).abs() < 1e-3);
    }
}
