//! Observations of people and collars about cows and heifers: heats, the state of the womb after calving, the move to
//! the close-up group, and animals that must not be bred any more.
//!
//! Drawn from streams of its own, so that nothing else of the book depends on it. Notes cover the last months of the
//! book only.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use serde_json::{Value, json};

use super::rows::Diary;
use super::tables::Tables;
use crate::simulation::calendar::{Day, END, iso};
use crate::simulation::herd::{Fact, Leaving, World};
use crate::simulation::select::Selection;
use crate::simulation::streams::{Stream, round};

/// Days before the end of the book since when heats are noted.
const HEATS: i32 = 120;
/// Since when bars on breeding are noted.
const BARS: i32 = 365;
/// Since when cows are examined after calving and moved to the close-up group with a note.
const STATES: i32 = 180;
/// Share of the services before which the heat was noted.
const HEAT_NOTED: f64 = 0.6;
/// Share of the calvings that are followed by an examination.
const EXAMINED: f64 = 0.6;
/// Share of the dry cows whose move is noted.
const MOVE_NOTED: f64 = 0.8;
/// Days after calving after which a cow is no longer served.
const LAST_SERVICE: i32 = 300;

/// Fields of `events`.
#[derive(Default)]
struct Observation {
    kind: &'static str,
    title: &'static str,
    result: Option<&'static str>,
    value: Option<f64>,
    comment: Option<&'static str>,
}

/// What is known of a cow while events pass by.
#[derive(Clone, Copy, Default)]
struct Cycle {
    calved: Option<Day>,
    served: Option<Day>,
    in_calf: bool,
}

impl Cycle {
    /// The first day on which a bar may follow what was done to breed her.
    fn open_from(self) -> Option<Day> {
        let calved = self.calved.map(|day| day + 30);
        let served = self.served.map(|day| day + 1);
        calved.max(served)
    }
}

/// Everything that was observed, by the events that it belongs to.
pub(crate) fn observe(world: &World, selection: &Selection, tables: &Tables, diary: &mut Diary<'_>) {
    let mut observations = Vec::new();
    let mut cycles = vec![Cycle::default(); world.animals.len()];
    for (index, event) in world.events.iter().enumerate() {
        let (day, animal) = (event.day, event.animal);
        let stream = &mut Stream::new(world.seed, "observed", index as u64);
        let cycle = &mut cycles[animal];
        let observation = match &event.fact {
            Fact::Service { conceived, .. } => {
                cycle.served = Some(day);
                cycle.in_calf = *conceived;
                heat(stream, day, event.farm)
            }
            Fact::Calving { .. } => {
                *cycle = Cycle { calved: Some(day), ..Cycle::default() };
                let examined = day + stream.between(28, 40);
                let noted = examined > END - STATES && stream.chance(EXAMINED);
                let title = "Гинекологический осмотр";
                noted.then_some((examined, status("reproStatus", title, "open")))
            }
            Fact::Abortion { .. } => {
                cycle.in_calf = false;
                None
            }
            Fact::DryOff { .. } => {
                let moved = day + stream.between(34, 42);
                let noted = moved > END - STATES && stream.chance(MOVE_NOTED);
                let title = "Перевод в предотёльную группу";
                noted.then_some((moved, status("lactationStatus", title, "lead")))
            }
            Fact::Left(Leaving::Culled(reason)) => {
                leaves_empty(stream, *cycle, day).map(|day| (day, bar(tables, reason)))
            }
            Fact::Left(_) | Fact::Sale { .. } | Fact::Transfer => None,
        };
        observations.extend(observation.map(|observation| (animal, observation)));
    }
    let given_up = given_up(world, &cycles);
    observations.extend(given_up.map(|(cow, day)| (cow, (day, bar(tables, "infertility")))));
    for (index, (day, observation)) in observations {
        let there = day <= END && world.animals[index].is_there(day);
        if let Some(animal) = selection.recorded(index).filter(|_| there) {
            diary.add(day, "events", move |_| observation.data(animal, day));
        }
    }
}

impl Observation {
    fn data(&self, animal: i64, day: Day) -> Value {
        let visual =
            (self.result == Some("visual")).then(|| json!({"heatSigns": ["StandsUnder"], "heatIntensity": "Normal"}));
        let payload = (self.kind == "heat").then(|| json!({"certainty": "InHeat", "visualDetection": visual}));
        json!({
            "animal": animal,
            "date": iso(day),
            "type": self.kind,
            "title": self.title,
            "result": self.result,
            "value": self.value,
            "comment": self.comment,
            "payload": payload,
        })
    }
}

fn status(kind: &'static str, title: &'static str, result: &'static str) -> Observation {
    Observation { kind, title, result: Some(result), ..Observation::default() }
}

/// A heat in the evening before the service or in its morning. Every second farm has collars, which
/// say how sure they are, percent.
fn heat(stream: &mut Stream, service: Day, farm: usize) -> Option<(Day, Observation)> {
    let day = service - stream.between(0, 1);
    let collar = farm.is_multiple_of(2) && stream.chance(0.8);
    let sure = round(stream.normal(85.0, 8.0).clamp(55.0, 99.0), 0);
    let heat = Observation {
        value: collar.then_some(sure),
        ..status("heat", "Охота", if collar { "collar" } else { "visual" })
    };
    (day > END - HEATS && stream.chance(HEAT_NOTED)).then_some((day, heat))
}

/// A bar on breeding.
fn bar(tables: &Tables, reason: &'static str) -> Observation {
    let why = tables.id("disposal-reasons", reason);
    Observation {
        kind: "doNotBreed",
        title: "Запрет на осеменение",
        result: None,
        value: Some(1.0),
        comment: why.and_then(|id| tables.name("disposal-reasons", id)),
    }
}

/// When a cow that is to leave empty is barred: some weeks before.
fn leaves_empty(stream: &mut Stream, cycle: Cycle, left: Day) -> Option<Day> {
    let from = cycle.open_from().filter(|_| !cycle.in_calf)?;
    let day = from.max(left - stream.between(20, 70));
    (day < left && day > END - BARS).then_some(day)
}

/// Cows that are still there and were not in calf when their time was over, and the day of that.
fn given_up(world: &World, cycles: &[Cycle]) -> impl Iterator<Item = (usize, Day)> {
    let open =
        (cycles.iter().enumerate()).filter(move |(cow, cycle)| world.animals[*cow].left.is_none() && !cycle.in_calf);
    open.filter_map(move |(cow, cycle)| {
        let stream = &mut Stream::new(world.seed, "given-up", cow as u64);
        let over = cycle.calved? + LAST_SERVICE + stream.between(1, 15);
        let day = cycle.open_from().map_or(over, |from| from.max(over));
        (day > END - BARS).then_some((cow, day))
    })
}
