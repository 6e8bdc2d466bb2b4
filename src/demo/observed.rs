//! Observations of people and collars about cows and heifers: heats, the state of the womb after calving, the move to
//! the close-up group, and animals that must not be bred any more.
//!
//! Drawn from streams of its own, so that nothing else of the book depends on it. Notes cover the last months of the
//! book only.
#![expect(
    clippy::indexing_slicing,
    reason = "indexes come from the world that the vectors here are sized by"
)]

use super::calendar::{Day, END};
use super::herd::{Fact, Leaving, World};
use super::select::Selection;
use super::streams::{Stream, round};

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

/// What was seen.
#[derive(Clone, Copy)]
pub(super) enum ObservationKind {
    /// A heat: how it was detected, and how sure a device was, in percent.
    Heat {
        method: &'static str,
        probability: Option<f64>,
    },
    /// A bar on breeding, with a code of `disposal-reasons`.
    Bar(&'static str),
    /// A reproduction status.
    Reproduction(&'static str),
    /// A lactation status.
    Lactation(&'static str),
}

/// Something that was seen.
#[derive(Clone, Copy)]
pub(super) struct Observation {
    pub(super) day: Day,
    pub(super) animal: usize,
    pub(super) kind: ObservationKind,
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

/// Everything that was seen, by the events that it belongs to.
pub(super) fn observed(seed: u64, world: &World, selection: &Selection) -> Vec<Observation> {
    let mut observations = Vec::new();
    let mut cycles = vec![Cycle::default(); world.animals.len()];
    for (index, event) in world.events.iter().enumerate() {
        let (day, animal) = (event.day, event.animal);
        let stream = &mut Stream::new(seed, "observed", index as u64);
        let cycle = &mut cycles[animal];
        let kind = match &event.fact {
            Fact::Service { conceived, .. } => {
                cycle.served = Some(day);
                cycle.in_calf = *conceived;
                heat(stream, day, event.farm)
            }
            Fact::Calving { .. } => {
                *cycle = Cycle {
                    calved: Some(day),
                    ..Cycle::default()
                };
                let examined = day + stream.between(28, 40);
                let noted = examined > END - STATES && stream.chance(EXAMINED);
                noted.then_some((examined, ObservationKind::Reproduction("open")))
            }
            Fact::Abortion { .. } => {
                cycle.in_calf = false;
                None
            }
            Fact::DryOff { .. } => {
                let moved = day + stream.between(34, 42);
                let noted = moved > END - STATES && stream.chance(MOVE_NOTED);
                noted.then_some((moved, ObservationKind::Lactation("lead")))
            }
            Fact::Left(Leaving::Culled(reason)) => bar(stream, *cycle, day, reason),
            Fact::Left(_) | Fact::Sale { .. } | Fact::Transfer => None,
        };
        observations.extend(kind.map(|(day, kind)| Observation { day, animal, kind }));
    }
    observations.extend(given_up(seed, world, &cycles));
    let there = |observation: &Observation| {
        let left = world.animals[observation.animal].left;
        observation.day <= END && left.is_none_or(|left| observation.day < left)
    };
    observations.retain(|observation| {
        there(observation) && selection.recorded(observation.animal).is_some()
    });
    observations
}

/// A heat in the evening before the service or in its morning. Every second farm has collars.
fn heat(stream: &mut Stream, service: Day, farm: usize) -> Option<(Day, ObservationKind)> {
    let day = service - stream.between(0, 1);
    let collar = farm.is_multiple_of(2) && stream.chance(0.8);
    let sure = round(stream.normal(85.0, 8.0).clamp(55.0, 99.0), 0);
    let kind = ObservationKind::Heat {
        method: if collar { "collar" } else { "visual" },
        probability: collar.then_some(sure),
    };
    (day > END - HEATS && stream.chance(HEAT_NOTED)).then_some((day, kind))
}

/// A cow that is to leave empty is barred some weeks before.
fn bar(
    stream: &mut Stream,
    cycle: Cycle,
    left: Day,
    reason: &'static str,
) -> Option<(Day, ObservationKind)> {
    let from = cycle.open_from().filter(|_| !cycle.in_calf)?;
    let day = from.max(left - stream.between(20, 70));
    (day < left && day > END - BARS).then_some((day, ObservationKind::Bar(reason)))
}

/// Cows that are still there and were not in calf when their time was over.
fn given_up(seed: u64, world: &World, cycles: &[Cycle]) -> Vec<Observation> {
    let mut observations = Vec::new();
    for (animal, cycle) in cycles.iter().enumerate() {
        let Some(calved) = cycle.calved else {
            continue;
        };
        if world.animals[animal].left.is_some() || cycle.in_calf {
            continue;
        }
        let stream = &mut Stream::new(seed, "given-up", animal as u64);
        let over = calved + LAST_SERVICE + stream.between(1, 15);
        let day = cycle.open_from().map_or(over, |from| from.max(over));
        let kind = ObservationKind::Bar("infertility");
        observations.extend((day > END - BARS).then_some(Observation { day, animal, kind }));
    }
    observations
}
