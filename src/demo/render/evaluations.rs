//! Evaluation of the animals at the end of the book: breeding values of two runs, exterior
//! of cows after calving, gradings, a profile and bases for indexes. They follow the
//! simulated breeding values with an error that their reliability leaves.
#![expect(
    clippy::indexing_slicing,
    reason = "indexes come from the world that the vectors here are sized by"
)]

use std::ops::ControlFlow;

use serde_json::Value;

use crate::calendar::{Day, END, iso};
use crate::fields::{Fields, Sink};
use crate::herd::{Fact, World};
use crate::people::{ASSOCIATION, organization, technician};
use crate::select::{Selection, Source};
use crate::sires::Merit;
use crate::streams::{Stream, round};

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
    ("calfMortality", 1.62, -6),
    ("bodyComposite", 0.76, -8),
    ("udderComposite", 0.65, 6),
    ("legsComposite", 0.53, 4),
];
/// Traits of health and fertility that the simulation knows nothing of, with deviations.
const OTHERS: [(&str, f64); 5] = [
    ("fertility", 1.37),
    ("productiveLongevity", 1.7),
    ("udderHealth", 1.0),
    ("calfMortality", 1.62),
    ("calvingEase", 1.3),
];
/// Traits that only bulls are evaluated for.
const OF_BULLS: [(&str, f64); 5] = [
    ("conception", 1.5),
    ("easeSire", 1.2),
    ("easeMgs", 1.1),
    ("stillbirthSire", 0.8),
    ("stillbirthMgs", 0.9),
];
const LINEAR: [&str; 18] = [
    "height",
    "chestWidth",
    "bodyDepth",
    "bodyType",
    "rumpAngle",
    "rumpWidth",
    "rearLegsRear",
    "rearLegsSide",
    "hoofAngle",
    "frontLegs",
    "movement",
    "foreUdder",
    "frontTeatPlacement",
    "teatLength",
    "udderDepth",
    "rearUdder",
    "centralLigament",
    "rearTeatPlacement",
];
const COMPOSITES: [&str; 3] = ["bodyComposite", "udderComposite", "legsComposite"];
const POINTS: [&str; 6] = [
    "generalView",
    "bodyVolume",
    "dairyCharacter",
    "legQuality",
    "udderQuality",
    "rearBody",
];
/// Lowest points of each class.
const GRADES: [(f64, &str); 4] = [
    (80.0, "eliteRecord"),
    (70.0, "elite"),
    (60.0, "first"),
    (50.0, "second"),
];

/// Hands out the rows.
pub(crate) fn evaluations(
    seed: u64,
    world: &World,
    selection: &Selection,
    sink: Sink<'_>,
) -> ControlFlow<()> {
    sink(profile())?;
    for (id, (day, version)) in (1_i64..).zip(RUNS) {
        sink(base(id, day, version))?;
    }
    let mut id = 0;
    for (entry, animal) in selection.entries.iter().zip(1_i64..) {
        let Some(EvaluatedAnimal { merit, bull, birth }) =
            evaluated(seed, world, selection, entry.source, animal)
        else {
            continue;
        };
        if entry.ancestor {
            continue;
        }
        for (run, (day, version)) in RUNS.into_iter().enumerate() {
            if birth < day - 400 {
                id += 1;
                let mut stream = Stream::new(seed, "evaluation", animal as u64 * 2 + run as u64);
                let fields = evaluation(&mut stream, merit, bull)
                    .set("animal", animal)
                    .set("evaluatedAt", iso(day))
                    .set("baseVersion", version)
                    .set("isCurrent", run + 1 == RUNS.len());
                sink(fields.row("animal-evaluations", id))?;
            }
        }
    }
    exteriors(seed, world, selection, sink)?;
    gradings(seed, world, selection, sink)?;
    sink(set(world, selection))
}

/// The first animals of farm 1 that are there at the end, as a set of the exchange.
fn set(world: &World, selection: &Selection) -> crate::SeedRow {
    let there = |index: &usize| {
        let animal = &world.animals[*index];
        animal.farm == 0 && animal.left.is_none()
    };
    let mut members: Vec<i64> = (0..world.animals.len())
        .filter(there)
        .filter_map(|index| selection.recorded(index))
        .take(SET + 1)
        .collect();
    // The last one was a member for some weeks.
    let left = members.pop();
    let stay = |days: i32| {
        left.map(|animal| {
            let row = Fields::new()
                .set("id", "1")
                .set("animal", animal)
                .set("at", iso(END - days));
            vec![Value::from(row)]
        })
    };
    let system = Fields::new()
        .set("organization", organization(0))
        .maybe("joins", stay(60))
        .maybe("leaves", stay(30));
    Fields::new()
        .set("name", "Группа раздоя")
        .set("place", "herd")
        .set("query", "view=list")
        .set("scope", "organization")
        .set("adeSet", true)
        .set("adePurpose", "lactation")
        .set("members", members)
        .row_with("saved-searches", 1, system)
}

/// Animals of the set.
const SET: usize = 12;

/// An animal that has evaluations.
struct EvaluatedAnimal {
    /// Its breeding value.
    merit: Merit,
    bull: bool,
    birth: Day,
}

/// What evaluations need of an animal; none where it gets none.
fn evaluated(
    seed: u64,
    world: &World,
    selection: &Selection,
    source: Source,
    id: i64,
) -> Option<EvaluatedAnimal> {
    match source {
        Source::Bull(index) => {
            let bull = &world.sires.bulls[index];
            Some(EvaluatedAnimal {
                merit: bull.merit,
                bull: true,
                birth: bull.birth,
            })
        }
        Source::BullDam(_) => None,
        Source::Farm(index) => {
            let animal = &world.animals[index];
            let there = animal.left.is_none_or(|left| left > END);
            let chosen = Stream::new(seed, "evaluated", id as u64).chance(COWS.0);
            let cow = selection.recorded(index).is_some() && animal.female && there && chosen;
            cow.then_some(EvaluatedAnimal {
                merit: animal.merit,
                bull: false,
                birth: animal.birth,
            })
        }
    }
}

fn evaluation(stream: &mut Stream, merit: Merit, bull: bool) -> Fields {
    let expected = if bull { 85.0 } else { 55.0 };
    let r = round(stream.normal(expected, 6.0).clamp(20.0, 99.0), 0);
    let error = (1.0 - r / 100.0).sqrt();
    let guess = |stream: &mut Stream, value: f64, deviation: f64| {
        stream.normal(value * r / 100.0, deviation * error)
    };
    let milk = guess(stream, merit[0], 257.1);
    let (fat, protein) = (guess(stream, merit[1], 0.08), guess(stream, merit[2], 0.04));
    let (fat_kg, protein_kg) = (milk * 0.038 + fat * 90.0, milk * 0.032 + protein * 90.0);
    let index = fat_kg / 11.29 * 27.0 + protein_kg / 6.93 * 14.0 + milk / 257.1 * 3.0;
    let mut fields = Fields::new()
        .set("source", "center")
        .set("calculation", "ebv")
        .set("center", "Вычислительный центр демонстрационной книги")
        .set("ipc", round(index * 10.0, 1))
        .set("ipcR", r)
        .set("ipcPercentile", round(stream.unit() * 99.0, 1));
    for (key, value, decimals) in [
        ("milk", milk, 1),
        ("fatPercent", fat, 3),
        ("proteinPercent", protein, 3),
        ("fatKg", fat_kg, 2),
        ("proteinKg", protein_kg, 2),
        ("productionIndex", 100.0 + index / 5.0, 1),
    ] {
        fields = fields
            .set(&format!("{key}Forecast"), round(value, decimals))
            .set(&format!("{key}R"), r);
    }
    let bulls = OF_BULLS.iter().filter(|_| bull);
    for (key, deviation) in OTHERS.iter().chain(bulls) {
        let value = stream.normal(0.0, deviation * 0.7);
        fields = fields
            .set(&format!("{key}Forecast"), round(value, 2))
            .set(&format!("{key}R"), round(r * 0.7, 1));
    }
    let mut exterior = Fields::new();
    for key in LINEAR.iter().chain(&COMPOSITES) {
        let value = stream.normal(0.0, 0.8).clamp(-3.0, 3.0);
        exterior = exterior.set(key, round(value, 2));
    }
    fields.set("exterior", Value::from(exterior))
}

fn exteriors(seed: u64, world: &World, selection: &Selection, sink: Sink<'_>) -> ControlFlow<()> {
    let mut id = 0;
    for event in &world.events {
        let Fact::Calving { parity, .. } = event.fact else {
            continue;
        };
        let Some(animal) = selection.recorded(event.animal) else {
            continue;
        };
        let stream = &mut Stream::new(seed, "exterior", animal as u64 * 16 + u64::from(parity));
        let day = event.day + stream.between(30, 120);
        let there = world.animals[event.animal]
            .left
            .is_none_or(|left| left > day);
        let wanted = parity <= 2 && stream.chance(COWS.1);
        // The recorded years only: before them no animal was scored.
        if !(wanted && there && (END - 700..=END).contains(&day)) {
            continue;
        }
        id += 1;
        let mut fields = Fields::new()
            .set("animal", animal)
            .set("assessedAt", iso(day))
            .set("lactation", i64::from(parity))
            .set("assessor", technician(event.farm, animal))
            .set("assessorOrg", ASSOCIATION);
        for key in LINEAR {
            let score = stream.normal(5.3, 1.4).round().clamp(1.0, 9.0);
            fields = fields.set(key, score as i64);
        }
        for key in COMPOSITES {
            let value = stream.normal(0.1, 0.8).clamp(-3.0, 3.0);
            fields = fields.set(key, round(value, 2));
        }
        for key in POINTS {
            let points = stream.normal(80.5, 3.5).clamp(60.0, 95.0);
            fields = fields.set(key, round(points, 0));
        }
        sink(fields.row("animal-exteriors", id))?;
    }
    ControlFlow::Continue(())
}

fn gradings(seed: u64, world: &World, selection: &Selection, sink: Sink<'_>) -> ControlFlow<()> {
    let mut id = 0;
    for (index, subject) in world.animals.iter().enumerate() {
        let Some(animal) = selection.recorded(index) else {
            continue;
        };
        let stream = &mut Stream::new(seed, "grading", animal as u64);
        let day = END - stream.between(40, 120);
        let there = subject.left.is_none_or(|left| left > day);
        let cow = subject.female && subject.has_calved() && subject.birth < day - 700;
        if !(cow && there && stream.chance(COWS.2)) {
            continue;
        }
        id += 1;
        let score = round(stream.normal(68.0, 9.0).clamp(40.0, 98.0), 1);
        let grade = GRADES.iter().find(|(least, _)| score >= *least);
        let fields = Fields::new()
            .set("animal", animal)
            .set("date", iso(day))
            .set("grade", grade.map_or("outOfClass", |(_, grade)| grade))
            .set("score", score)
            .set("assessorOrg", ASSOCIATION);
        sink(fields.row("gradings", id))?;
    }
    ControlFlow::Continue(())
}

/// A profile of the Association, open to everybody.
fn profile() -> crate::SeedRow {
    let weights = INDEX.map(|(key, _, weight)| {
        let row = Fields::new()
            .set("trait", key)
            .set("weight", f64::from(weight));
        Value::from(row)
    });
    Fields::new()
        .set("name", "Индекс племенной ценности")
        .set("kind", "selection")
        .set("hint", "Баланс продуктивности, здоровья и экстерьера")
        .set("isDefault", true)
        .set("weights", weights.to_vec())
        .row("index-profiles", 1)
}

fn base(id: i64, day: Day, version: &str) -> crate::SeedRow {
    let traits = INDEX.map(|(key, deviation, _)| {
        let row = Fields::new()
            .set("trait", key)
            .set("mean", 0.0)
            .set("sd", deviation);
        Value::from(row)
    });
    let last = day == RUNS[RUNS.len() - 1].0;
    Fields::new()
        .set("version", version)
        .set("source", "borrowed")
        .set("isActive", last)
        .set("traits", traits.to_vec())
        .row("index-bases", id)
}
