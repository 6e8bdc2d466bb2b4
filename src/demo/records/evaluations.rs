//! Evaluation of the animals at the end of the book: breeding values of two runs, exterior
//! of cows after calving, gradings, a profile and bases for indexes. They follow the
//! simulated breeding values with an error that their reliability leaves.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use std::cmp::Reverse;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::people::{ASSOCIATION, organization, technician};
use super::rows::{Sink, row, row_with};
use crate::simulation::calendar::{Day, END, iso};
use crate::simulation::herd::{Fact, World};
use crate::simulation::select::{Entry, Selection, Source};
use crate::simulation::sires::Merit;
use crate::simulation::streams::{Stream, round};

/// Days of the two runs of the evaluation; the later one is current.
const RUNS: [(Day, &str); 2] = [(END - 209, "DEMO-2024"), (END - 90, "DEMO-2025")];
/// Shares of the cows that are evaluated, scored and graded.
const COWS: (f64, f64, f64) = (0.6, 0.5, 0.4);
/// Traits of the index with their genetic standard deviation and weight.
const INDEX: [(&str, f64, i32); 11] = [
    ("milk", 257.1, 3),
    ("fatKg", 11.29, 27),
    ("proteinKg", 6.93, 14),
    ("productiveLongevity", 1.7, 16),
    ("udderHealth", 1.0, 6),
    ("fertility", 1.37, 6),
    ("calvingEase", 1.3, 4),
    ("calfMortality", 1.62, 6),
    ("bodyComposite", 0.76, -8),
    ("udderComposite", 0.65, 6),
    ("legsComposite", 0.53, 4),
];
/// Traits of health and fertility that the simulation knows nothing of, with deviations; from
/// [`OF_BULLS`] on those that only bulls are evaluated for.
const OTHERS: [(&str, f64); 10] = [
    ("fertility", 1.37),
    ("productiveLongevity", 1.7),
    ("udderHealth", 1.0),
    ("calfMortality", 1.62),
    ("calvingEase", 1.3),
    ("conception", 1.5),
    ("easeSire", 1.2),
    ("easeMgs", 1.1),
    ("stillbirthSire", 0.8),
    ("stillbirthMgs", 0.9),
];
const OF_BULLS: usize = 5;
/// Linear traits, in the order in which a classifier looks at them.
const LINEAR: &str = "height chestWidth bodyDepth bodyType rumpAngle rumpWidth rearLegsRear \
    rearLegsSide hoofAngle frontLegs movement foreUdder frontTeatPlacement teatLength udderDepth \
    rearUdder centralLigament rearTeatPlacement";
const COMPOSITES: &str = "bodyComposite udderComposite legsComposite";
const POINTS: &str = "generalView bodyVolume dairyCharacter legQuality udderQuality rearBody";
/// Lowest points of each class.
const GRADES: [(f64, &str); 4] = [(80.0, "eliteRecord"), (70.0, "elite"), (60.0, "first"), (50.0, "second")];
/// Animals of the set.
const SET: usize = 12;

/// Hands out the rows.
pub(crate) fn evaluations(world: &World, selection: &Selection, sink: Sink<'_>) -> ControlFlow<()> {
    sink(profile())?;
    for (id, (day, version)) in (1_i64..).zip(RUNS) {
        sink(base(id, day, version))?;
    }
    let mut ids = 1_i64..;
    for (entry, animal) in selection.entries.iter().zip(1_i64..) {
        let Some((merit, birth)) = evaluated(world, entry, animal) else {
            continue;
        };
        let bull = matches!(entry.source, Source::Bull(_));
        for (run, (day, version)) in RUNS.into_iter().enumerate() {
            if birth < day - 400 {
                let key = animal as u64 * 2 + run as u64;
                let stream = &mut Stream::new(world.seed, "evaluation", key);
                let mut fields = evaluation(stream, merit, bull);
                fields.insert("animal".to_owned(), animal.into());
                fields.insert("evaluatedAt".to_owned(), iso(day).into());
                fields.insert("baseVersion".to_owned(), version.into());
                fields.insert("isCurrent".to_owned(), (run + 1 == RUNS.len()).into());
                let id = ids.next().unwrap_or_default();
                sink(row("animal-evaluations", id, fields.into()))?;
            }
        }
    }
    exteriors(world, selection, sink)?;
    gradings(world, selection, sink)?;
    sink(set(world, selection))
}

/// The cows of farm 1 that calved last, as a set of the exchange.
fn set(world: &World, selection: &Selection) -> crate::SeedRow {
    let there = world.animals.iter().enumerate().filter(|(_, animal)| animal.farm == 0 && animal.left.is_none());
    let mut calved: Vec<(Day, usize)> =
        there.filter_map(|(index, animal)| Some((animal.last_calving()?, index))).collect();
    calved.sort_by_key(|(day, index)| (Reverse(*day), *index));
    let mut members: Vec<i64> =
        calved.into_iter().filter_map(|(_, index)| selection.recorded(index)).take(SET + 1).collect();
    // The last one was a member for some weeks.
    let left = members.pop();
    let stay = |days: i32| left.map(|animal| json!([{"id": "1", "animal": animal, "at": iso(END - days)}]));
    let data = json!({
        "name": "Группа раздоя",
        "place": "herd",
        "query": "",
        "scope": "organization",
        "adeSet": true,
        "adePurpose": "lactation",
        "members": members,
    });
    let system = json!({"organization": organization(0), "joins": stay(60), "leaves": stay(30)});
    row_with("saved-searches", 1, data, system)
}

/// Breeding value and birth of an animal; none where it gets no evaluation.
fn evaluated(world: &World, entry: &Entry, id: i64) -> Option<(Merit, Day)> {
    match entry.source {
        _ if entry.ancestor => None,
        Source::BullDam(_) => None,
        Source::Bull(index) => {
            let bull = &world.sires.bulls[index];
            Some((bull.merit, bull.birth))
        }
        Source::Farm(index) => {
            let animal = &world.animals[index];
            let chosen = Stream::new(world.seed, "evaluated", id as u64).chance(COWS.0);
            let cow = animal.female && animal.is_there(END) && chosen;
            cow.then_some((animal.merit, animal.birth))
        }
    }
}

fn evaluation(stream: &mut Stream, merit: Merit, bull: bool) -> Map<String, Value> {
    let expected = if bull { 85.0 } else { 55.0 };
    let r = round(stream.normal(expected, 6.0).clamp(20.0, 99.0), 0);
    let error = (1.0 - r / 100.0).sqrt();
    let guess = |stream: &mut Stream, value: f64, deviation: f64| stream.normal(value * r / 100.0, deviation * error);
    let milk = guess(stream, merit[0], 257.1);
    let (fat, protein) = (guess(stream, merit[1], 0.08), guess(stream, merit[2], 0.04));
    let (fat_kg, protein_kg) = (milk * 0.038 + fat * 90.0, milk * 0.032 + protein * 90.0);
    let index = fat_kg / 11.29 * 27.0 + protein_kg / 6.93 * 14.0 + milk / 257.1 * 3.0;
    let mut fields = Map::new();
    let mut set = |name: String, value: Value| fields.insert(name, value);
    for (name, value) in [
        ("source", json!("center")),
        ("calculation", json!("ebv")),
        ("center", json!("Вычислительный центр демонстрационной книги")),
        ("ipc", json!(round(index * 10.0, 1))),
        ("ipcR", json!(r)),
        ("ipcPercentile", json!(round(stream.unit() * 99.0, 1))),
    ] {
        set(name.to_owned(), value);
    }
    for (key, value, decimals) in [
        ("milk", milk, 1),
        ("fatPercent", fat, 3),
        ("proteinPercent", protein, 3),
        ("fatKg", fat_kg, 2),
        ("proteinKg", protein_kg, 2),
        ("productionIndex", 100.0 + index / 5.0, 1),
    ] {
        set(format!("{key}Forecast"), round(value, decimals).into());
        set(format!("{key}R"), r.into());
    }
    let count = if bull { OTHERS.len() } else { OF_BULLS };
    for (key, deviation) in OTHERS.into_iter().take(count) {
        let value = stream.normal(0.0, deviation * 0.7);
        set(format!("{key}Forecast"), round(value, 2).into());
        set(format!("{key}R"), round(r * 0.7, 1).into());
    }
    let traits = LINEAR.split_whitespace().chain(COMPOSITES.split_whitespace());
    let exterior = traits.map(|key| {
        let value = stream.normal(0.0, 0.8).clamp(-3.0, 3.0);
        (key.to_owned(), Value::from(round(value, 2)))
    });
    let exterior: Map<String, Value> = exterior.collect();
    set("exterior".to_owned(), exterior.into());
    fields
}

fn exteriors(world: &World, selection: &Selection, sink: Sink<'_>) -> ControlFlow<()> {
    let mut ids = 1_i64..;
    for event in &world.events {
        let Fact::Calving { parity, .. } = event.fact else {
            continue;
        };
        let Some(animal) = selection.recorded(event.animal) else {
            continue;
        };
        let key = animal as u64 * 16 + u64::from(parity);
        let stream = &mut Stream::new(world.seed, "exterior", key);
        let day = event.day + stream.between(30, 120);
        let there = world.animals[event.animal].is_there(day);
        let wanted = parity <= 2 && stream.chance(COWS.1);
        // The recorded years only: before them no animal was scored.
        if !(wanted && there && (END - 700..=END).contains(&day)) {
            continue;
        }
        let mut fields = Map::from_iter([
            ("animal".to_owned(), json!(animal)),
            ("assessedAt".to_owned(), json!(iso(day))),
            ("lactation".to_owned(), json!(parity)),
            ("assessor".to_owned(), json!(technician(event.farm, animal))),
            ("assessorOrg".to_owned(), json!(ASSOCIATION)),
        ]);
        for key in LINEAR.split_whitespace() {
            let score = stream.normal(5.3, 1.4).round().clamp(1.0, 9.0);
            fields.insert(key.to_owned(), (score as i64).into());
        }
        for key in COMPOSITES.split_whitespace() {
            let value = stream.normal(0.1, 0.8).clamp(-3.0, 3.0);
            fields.insert(key.to_owned(), Value::from(round(value, 2)));
        }
        for key in POINTS.split_whitespace() {
            let points = stream.normal(80.5, 3.5).clamp(60.0, 95.0);
            fields.insert(key.to_owned(), round(points, 0).into());
        }
        let id = ids.next().unwrap_or_default();
        sink(row("animal-exteriors", id, fields.into()))?;
    }
    ControlFlow::Continue(())
}

fn gradings(world: &World, selection: &Selection, sink: Sink<'_>) -> ControlFlow<()> {
    let mut ids = 1_i64..;
    for (index, subject) in world.animals.iter().enumerate() {
        let Some(animal) = selection.recorded(index) else {
            continue;
        };
        let stream = &mut Stream::new(world.seed, "grading", animal as u64);
        let day = END - stream.between(40, 120);
        let cow = subject.female && subject.has_calved() && subject.birth < day - 700;
        if !(cow && subject.is_there(day) && stream.chance(COWS.2)) {
            continue;
        }
        let score = round(stream.normal(68.0, 9.0).clamp(40.0, 98.0), 1);
        let grade = GRADES.iter().find(|(least, _)| score >= *least);
        let data = json!({
            "animal": animal,
            "date": iso(day),
            "grade": grade.map_or("outOfClass", |(_, grade)| grade),
            "score": score,
            "assessorOrg": ASSOCIATION,
        });
        sink(row("gradings", ids.next().unwrap_or_default(), data))?;
    }
    ControlFlow::Continue(())
}

/// A profile of the Association, open to everybody.
fn profile() -> crate::SeedRow {
    let weights = INDEX.map(|(key, _, weight)| json!({"trait": key, "weight": f64::from(weight)}));
    let data = json!({
        "name": "Индекс племенной ценности",
        "kind": "selection",
        "hint": "Баланс продуктивности, здоровья и экстерьера",
        "isDefault": true,
        "weights": weights,
    });
    row("index-profiles", 1, data)
}

fn base(id: i64, day: Day, version: &str) -> crate::SeedRow {
    let traits = INDEX.map(|(key, deviation, _)| json!({"trait": key, "mean": 0.0, "sd": deviation}));
    let last = day == RUNS[RUNS.len() - 1].0;
    let data = json!({
        "version": version,
        "source": "borrowed",
        "isActive": last,
        "traits": traits,
    });
    row("index-bases", id, data)
}
