//! The herds: a simulation by events in order of days.
//!
//! Works on indexes and day numbers only; rows are made later, by `render`.
//! Every animal, bull and farm is an index into a vector of the [`World`] that
//! made it, which is why the modules below index without asking.
#![expect(clippy::indexing_slicing, reason = "indexes are made by the push that created the element and never removed")]

mod births;
mod breeding;
mod leaving;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::calendar::{BURN_IN, Day, END};
use super::names::Names;
use super::sires::{Merit, Sires, inherit};
use super::streams::Stream;

/// Deviation of the herds' level of milk, kg in 305 days.
const HERD_LEVEL: (f64, f64) = (8_700.0, 800.0);
/// Deviation of a cow's own lasting level beside her breeding value, kg.
const OWN_LEVEL_SD: f64 = 600.0;
/// Days from one calving to the next, on average.
const INTERVAL: i32 = 404;

pub(crate) struct Farm {
    /// Places for cows.
    pub(crate) places: usize,
    /// Young stock has a herd of its own.
    pub(crate) two_herds: bool,
    /// Level of milk of the herd, kg in 305 days.
    pub(crate) level: f64,
    /// Animals numbered so far.
    pub(crate) animals: u32,
    stream: Stream,
    cows: usize,
    heifers: usize,
}

/// An animal that was born on a farm.
#[derive(Default)]
pub(crate) struct Animal {
    pub(crate) birth: Day,
    pub(crate) female: bool,
    pub(crate) freemartin: bool,
    /// Farm of birth, and its running number there.
    pub(crate) birth_farm: usize,
    pub(crate) serial: u32,
    /// Farm now.
    pub(crate) farm: usize,
    pub(crate) name: &'static str,
    /// Index of a bull.
    pub(crate) sire: usize,
    /// Index of an animal.
    pub(crate) dam: Option<usize>,
    pub(crate) blood: f64,
    pub(crate) red: bool,
    pub(crate) birth_weight: f64,
    pub(crate) merit: Merit,
    /// Lasting level of milk beside the breeding value, kg.
    pub(crate) own_level: f64,
    /// Day of leaving the book.
    pub(crate) left: Option<Day>,
    /// In the herd of the cows.
    pub(crate) with_cows: bool,
    parity: u8,
    last_calving: Day,
    attempts: u8,
    pregnant_by: Option<usize>,
    pregnant_since: Day,
    /// Counts calvings and abortions; plans of an earlier stage are void.
    stage: u16,
    counted_heifer: bool,
}

impl Animal {
    /// Whether she has calved by the end of the book.
    pub(crate) fn has_calved(&self) -> bool {
        self.parity > 0
    }

    /// The day of her last calving.
    pub(crate) fn last_calving(&self) -> Option<Day> {
        self.has_calved().then_some(self.last_calving)
    }

    /// Whether she has not left before the end of that day.
    pub(crate) fn is_there(&self, day: Day) -> bool {
        self.left.is_none_or(|left| day < left)
    }
}

/// A calf of a calving.
#[derive(Clone, Copy)]
pub(crate) struct Calf {
    pub(crate) female: bool,
    pub(crate) alive: bool,
    pub(crate) weight: f64,
    /// Index, if it was entered in the book.
    pub(crate) animal: Option<usize>,
}

/// Why an animal leaves; the codes are those of `disposal-reasons`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// To a buyer outside the book.
    Sold,
    /// To slaughter.
    Culled(&'static str),
    /// On the farm.
    Died(&'static str),
}

/// What happened.
#[derive(Clone)]
pub(crate) enum Fact {
    /// A service of this lactation (0 for heifers), by a bull.
    Service { lactation: u8, attempt: u8, bull: usize, sexed: bool, conceived: bool, check: Option<Day> },
    /// A calving with its parity, `calvings.ease` and calves.
    Calving { parity: u8, ease: &'static str, calves: Vec<Calf> },
    /// An abortion in this lactation.
    Abortion { parity: u8 },
    /// The end of milking in this lactation.
    DryOff { parity: u8 },
    /// A sale to another farm of the book.
    Sale { to: usize },
    /// From the young stock to the cows.
    Transfer,
    /// Out of the book.
    Left(Leaving),
}

/// A fact with its day, animal and the farm of that day.
#[derive(Clone)]
pub(crate) struct Event {
    pub(crate) day: Day,
    pub(crate) animal: usize,
    pub(crate) farm: usize,
    pub(crate) fact: Fact,
}

/// Everything that was simulated.
pub(crate) struct World {
    /// Seed of every random choice.
    pub(crate) seed: u64,
    pub(crate) farms: Vec<Farm>,
    pub(crate) sires: Sires,
    pub(crate) animals: Vec<Animal>,
    /// In order of days.
    pub(crate) events: Vec<Event>,
}

/// What is planned for an animal. The order only breaks ties.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Plan {
    Calve,
    Abort,
    DryOff,
    JoinCows,
    Select,
    Breed,
    /// Leave during the lactation at hand, for an illness or a low yield.
    LeaveInLactation,
    LeaveEmpty,
    LeaveYoung,
}

/// A plan with its day, running number, animal and the stage it holds for.
type Planned = (Day, u64, usize, u16, Plan);

/// The simulation at work.
struct Simulation<'a> {
    world: World,
    names: &'a Names,
    queue: BinaryHeap<Reverse<Planned>>,
    planned: u64,
}

impl World {
    /// Simulates farms with this number of places for cows until the end of the book.
    pub(crate) fn simulate(seed: u64, places: &[usize], sires: Sires, names: &Names) -> Self {
        let farms = places
            .iter()
            .enumerate()
            .map(|(index, &places)| {
                let mut stream = Stream::new(seed, "farm", index as u64);
                let level = stream.normal(HERD_LEVEL.0, HERD_LEVEL.1).clamp(6_800.0, 10_500.0);
                let two_herds = index == 0 || places >= 150;
                Farm { places, two_herds, level, animals: 0, stream, cows: 0, heifers: 0 }
            })
            .collect();
        let world = Self { seed, farms, sires, animals: Vec::new(), events: Vec::new() };
        let mut simulation = Simulation { world, names, queue: BinaryHeap::new(), planned: 0 };
        for farm in 0..places.len() {
            simulation.add_founders(farm);
        }
        while let Some(Reverse((day, _, animal, stage, plan))) = simulation.queue.pop() {
            simulation.act(day, animal, stage, plan);
        }
        simulation.world
    }
}

impl Simulation<'_> {
    fn plan(&mut self, day: Day, animal: usize, plan: Plan) {
        if day <= END {
            self.planned += 1;
            let stage = self.world.animals[animal].stage;
            self.queue.push(Reverse((day, self.planned, animal, stage, plan)));
        }
    }

    fn note(&mut self, day: Day, animal: usize, fact: Fact) {
        let farm = self.world.animals[animal].farm;
        self.world.events.push(Event { day, animal, farm, fact });
    }

    fn stream(&mut self, animal: usize) -> &mut Stream {
        let farm = self.world.animals[animal].farm;
        &mut self.world.farms[farm].stream
    }

    fn act(&mut self, day: Day, animal: usize, stage: u16, plan: Plan) {
        let subject = &self.world.animals[animal];
        if subject.left.is_some() || subject.stage != stage {
            return;
        }
        match plan {
            Plan::Calve => self.calve(day, animal),
            Plan::Abort => self.abort(day, animal),
            Plan::DryOff => {
                // The calvings of the founders are not in the book.
                let (parity, calved) = (subject.parity, subject.last_calving);
                if calved >= BURN_IN {
                    self.note(day, animal, Fact::DryOff { parity });
                }
            }
            Plan::JoinCows => self.join_cows(day, animal),
            Plan::Select => self.select(day, animal),
            Plan::Breed => self.breed(day, animal),
            Plan::LeaveInLactation => self.leave_in_lactation(day, animal),
            Plan::LeaveEmpty => self.leave(day, animal, Leaving::Culled("infertility")),
            Plan::LeaveYoung => self.leave_young(day, animal),
        }
    }

    /// The first animals of a farm, which have no known dam.
    fn add_founders(&mut self, farm: usize) {
        let places = self.world.farms[farm].places;
        for _ in 0..places {
            let stream = &mut self.world.farms[farm].stream;
            let parity = 1 + stream.weighted(&[36.0, 27.0, 18.0, 11.0, 5.0, 3.0]) as i32;
            let calving = BURN_IN - stream.between(1, INTERVAL - 100);
            let birth = calving - 730 - (parity - 1) * INTERVAL;
            let animal = self.founder(farm, birth);
            let cow = &mut self.world.animals[animal];
            cow.parity = parity as u8;
            cow.last_calving = calving;
            cow.with_cows = true;
            self.world.farms[farm].cows += 1;
            let wait = self.stream(animal).between(0, 20);
            self.plan((calving + 58).max(BURN_IN) + wait, animal, Plan::Breed);
        }
        for _ in 0..places * 4 / 5 {
            let stream = &mut self.world.farms[farm].stream;
            let birth = BURN_IN - stream.between(1, 640);
            let animal = self.founder(farm, birth);
            self.plan((birth + 350).max(BURN_IN), animal, Plan::Select);
        }
    }

    fn founder(&mut self, farm: usize, birth: Day) -> usize {
        let stream = &mut self.world.farms[farm].stream;
        let sire = self.world.sires.sire_of_founder(stream, birth);
        let blood = [75.0, 87.5, 93.75, 96.88][stream.below(4)];
        let name = self.names.any(stream, true);
        let merit = inherit(stream, Merit::default());
        let birth_weight = stream.normal(41.0, 4.0);
        self.enter(Animal { birth, female: true, farm, name, sire, blood, merit, birth_weight, ..Animal::default() })
    }

    /// Enters an animal in the book.
    fn enter(&mut self, newborn: Animal) -> usize {
        let farm = &mut self.world.farms[newborn.farm];
        farm.animals += 1;
        self.world.animals.push(Animal {
            birth_farm: newborn.farm,
            serial: farm.animals,
            red: farm.stream.chance(0.04),
            own_level: farm.stream.normal(0.0, OWN_LEVEL_SD),
            with_cows: !farm.two_herds,
            last_calving: newborn.birth,
            ..newborn
        });
        self.world.animals.len() - 1
    }
}
