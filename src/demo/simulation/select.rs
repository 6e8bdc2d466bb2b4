//! Which simulated animals make the book, and their ids.
//!
//! The book holds every animal that was on a farm in the recorded years, the
//! bulls that sired or served them, and a share of the ancestors beyond.
#![expect(clippy::indexing_slicing, reason = "indexes come from the world that the vectors here are sized by")]

use super::calendar::{Day, START};
use super::herd::{Fact, World};
use super::streams::Stream;

/// Share of the dams that had left before the recorded years and stay in the
/// book as archived ancestors; of the others only the text of the pedigree
/// remains.
const SELECTED_DAMS: f64 = 0.25;

/// Where a row of `animals` comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// A bull of the pool or a forefather.
    Bull(usize),
    BullDam(usize),
    /// An animal born on a farm.
    Farm(usize),
}

/// A row of `animals`.
pub(crate) struct Entry {
    pub(crate) source: Source,
    /// Known by name only: archived, numbered `ANC-…`.
    pub(crate) ancestor: bool,
    birth: Day,
}

/// The rows of `animals` in the order of birth, so that parents come first, and
/// the ids of everything that has one.
pub(crate) struct Selection {
    pub(crate) entries: Vec<Entry>,
    animals: Vec<Option<i64>>,
    bulls: Vec<Option<i64>>,
    bull_dams: Vec<Option<i64>>,
    present: Vec<bool>,
    services_from: Vec<Day>,
}

impl Selection {
    pub(crate) fn new(world: &World) -> Self {
        let present = world.animals.iter().map(|animal| animal.is_there(START - 1));
        let present: Vec<bool> = present.collect();
        let services_from = services_from(world);
        let mut selected = present.clone();
        for (index, animal) in world.animals.iter().enumerate() {
            if let Some(dam) = animal.dam.filter(|dam| present[index] && !selected[*dam]) {
                selected[dam] = Stream::new(world.seed, "ancestor", dam as u64).chance(SELECTED_DAMS);
            }
        }
        let mut bulls = vec![false; world.sires.bulls.len()];
        for (animal, selected) in world.animals.iter().zip(&selected) {
            bulls[animal.sire] |= selected;
        }
        for event in &world.events {
            if let Fact::Service { bull, .. } = event.fact
                && present[event.animal]
                && event.day >= services_from[event.animal]
            {
                bulls[bull] = true;
            }
        }
        let mut selection = Self {
            entries: Vec::new(),
            animals: vec![None; selected.len()],
            bulls: vec![None; bulls.len()],
            bull_dams: vec![None; bulls.len()],
            present,
            services_from,
        };
        selection.collect(world, &selected, bulls);
        selection
    }

    fn collect(&mut self, world: &World, selected: &[bool], mut bulls: Vec<bool>) {
        let mut dams = vec![false; bulls.len()];
        // Younger bulls follow their sires in the vector.
        for index in (0..bulls.len()).rev() {
            let bull = &world.sires.bulls[index];
            if !bulls[index] || !bull.in_use() {
                continue;
            }
            if let Some(sire) = bull.sire {
                bulls[sire] = true;
            }
            if let Some(dam) = &bull.dam {
                dams[index] = true;
                bulls[dam.sire] = true;
            }
        }
        let mut enter = |source, ancestor, birth| {
            self.entries.push(Entry { source, ancestor, birth });
        };
        for (index, bull) in world.sires.bulls.iter().enumerate() {
            if bulls[index] {
                enter(Source::Bull(index), !bull.in_use(), bull.birth);
            }
            if let Some(dam) = bull.dam.as_ref().filter(|_| dams[index]) {
                enter(Source::BullDam(index), true, dam.birth);
            }
        }
        for (index, animal) in world.animals.iter().enumerate() {
            if selected[index] {
                enter(Source::Farm(index), !self.present[index], animal.birth);
            }
        }
        self.entries.sort_by_key(|entry| (entry.birth, entry.source));
        for (entry, id) in self.entries.iter().zip(1_i64..) {
            match entry.source {
                Source::Bull(index) => self.bulls[index] = Some(id),
                Source::BullDam(index) => self.bull_dams[index] = Some(id),
                Source::Farm(index) => self.animals[index] = Some(id),
            }
        }
    }

    /// Id of an animal born on a farm.
    pub(crate) fn animal(&self, index: usize) -> Option<i64> {
        self.animals[index]
    }

    /// Id of a bull.
    pub(crate) fn bull(&self, index: usize) -> Option<i64> {
        self.bulls[index]
    }

    /// Id of the dam of a bull.
    pub(crate) fn bull_dam(&self, index: usize) -> Option<i64> {
        self.bull_dams[index]
    }

    /// Id of an animal that was on a farm in the recorded years: its events are
    /// in the book.
    pub(crate) fn recorded(&self, index: usize) -> Option<i64> {
        self.animals[index].filter(|_| self.present[index])
    }

    /// From when on services of an animal are in the book: its last calving
    /// before the recorded years, else all.
    pub(crate) fn services_from(&self, index: usize) -> Day {
        self.services_from[index]
    }
}

fn services_from(world: &World) -> Vec<Day> {
    let mut from = vec![Day::MIN; world.animals.len()];
    for event in world.events.iter().take_while(|event| event.day < START) {
        if matches!(event.fact, Fact::Calving { .. }) {
            from[event.animal] = event.day;
        }
    }
    from
}
