//! Weighings: at birth, while growing, at the first service, in milk.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use serde_json::json;

use super::rows::Diary;
use crate::simulation::calendar::{Day, END, START, iso};
use crate::simulation::herd::{Animal, Fact, World};
use crate::simulation::select::Selection;
use crate::simulation::streams::{Stream, round};

/// Ages of the growing animals at which they are weighed, in days.
const AGES: [i32; 2] = [180, 365];
/// Mature weight, kg.
const MATURE: (f64, f64) = (680.0, 60.0);
/// Rate of Gompertz growth that gives 400 kg at fifteen months.
const GROWTH: f64 = 0.003_673;
/// Share of the animals that are weighed at all after birth.
const WEIGHED: f64 = 0.8;

/// All weighings of the recorded years.
pub(crate) fn weighings(world: &World, selection: &Selection, diary: &mut Diary<'_>) {
    // Day, `weighings.sign`, lactation.
    let mut occasions: Vec<Vec<(Day, &'static str, Option<u8>)>> = world
        .animals
        .iter()
        .map(|animal| {
            let ages = AGES.iter().map(|age| (animal.birth + age, "age", None));
            std::iter::once((animal.birth, "birth", None)).chain(ages).collect()
        })
        .collect();
    for event in &world.events {
        let occasion = match event.fact {
            Fact::Service { lactation: 0, attempt: 1, .. } => (event.day, "firstInsemination", None),
            Fact::Calving { parity, .. } => (event.day + 75, "averageLactation", Some(parity)),
            _ => continue,
        };
        occasions[event.animal].push(occasion);
    }
    for (index, occasions) in occasions.into_iter().enumerate() {
        let Some(animal) = selection.recorded(index) else {
            continue;
        };
        let subject = &world.animals[index];
        let stream = &mut Stream::new(world.seed, "weights", index as u64);
        let mature = stream.normal(MATURE.0, MATURE.1);
        let weighed = stream.chance(WEIGHED);
        for (day, sign, lactation) in occasions {
            let at_birth = sign == "birth";
            let recorded = (START..=END).contains(&day) && subject.is_there(day);
            if !(recorded && (at_birth || weighed)) {
                continue;
            }
            let weight = weight_on(stream, subject, mature, day, at_birth);
            let condition = lactation.map(|_| round(stream.normal(3.1, 0.3).clamp(2.0, 4.5) * 4.0, 0) / 4.0);
            diary.add(day, "weighings", move |_| {
                json!({
                    "animal": animal,
                    "date": iso(day),
                    "weight": weight,
                    "sign": sign,
                    "lactationNumber": lactation,
                    "method": "loadCell",
                    "bcs": condition,
                })
            });
        }
    }
}

fn weight_on(stream: &mut Stream, animal: &Animal, mature: f64, day: Day, at_birth: bool) -> f64 {
    if at_birth {
        return animal.birth_weight;
    }
    let age = f64::from(day - animal.birth);
    let start = (mature / animal.birth_weight.max(20.0)).ln();
    let expected = mature * (-start * (-GROWTH * age).exp()).exp();
    round(stream.normal(expected, expected * 0.03), 0)
}
