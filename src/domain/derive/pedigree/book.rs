//! The pedigree of a whole book: links are read in the order of the ids, and the inbreeding of all parents is computed
//! once. Who asks about any pair then computes little more than the two.

use super::cache::Entry;
use super::{Parents, PedigreeCache, get, put};
use std::collections::BTreeMap;

/// A pedigree that is being read. At its height it takes some 60 bytes for each animal.
#[derive(Debug, Default)]
pub struct BookPedigree {
    cache: PedigreeCache,
    /// Those of whom a parent was not there when they were read.
    open: Vec<Parents>,
    /// Of each parent that has both parents: the generation of its sire, his place, its own. Ascending, so that all
    /// ancestors of a sire come before his progeny.
    calves: Vec<[u32; 3]>,
    /// The first of them that is not computed yet.
    next: usize,
}

impl BookPedigree {
    /// How many animals were read.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cache.count()
    }

    /// Whether an animal was read.
    #[must_use]
    pub fn contains(&self, id: i64) -> bool {
        self.cache.contains(id)
    }

    /// Takes the next animals, in the order of their ids.
    pub fn read(&mut self, rows: impl IntoIterator<Item = Parents>) {
        for row in rows {
            let node = self.cache.node(row);
            if node.parents().count() < [row.sire, row.dam].iter().flatten().count() {
                self.open.push(row);
            }
            self.cache.entries.push(Entry::new(row.id, node));
            self.cache.sorted = self.cache.entries.len();
        }
    }

    /// Parents that were named and not read: they were added while others were read.
    #[must_use]
    pub fn missing(&self) -> Vec<i64> {
        let parents = self.open.iter().flat_map(|row| [row.sire, row.dam]).flatten();
        let mut missing: Vec<i64> = parents.filter(|id| !self.contains(*id)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Everything was read but these, which are missing, with their ancestors.
    pub fn complete(&mut self, missing: &BTreeMap<i64, Parents>) {
        let cache = &mut self.cache;
        cache.entries.shrink_to_fit();
        cache.add(missing);
        for row in std::mem::take(&mut self.open) {
            let (place, node) = (cache.place(row.id), cache.node(row));
            if let Some(entry) = place.and_then(|place| cache.entries.get_mut(place)) {
                entry.node = node;
            }
        }
        let generations = generations(&cache.entries);
        let mut is_parent = vec![false; cache.entries.len()];
        for parent in cache.entries.iter().flat_map(|entry| entry.node.parents()) {
            put(&mut is_parent, parent, true);
        }
        for (place, entry) in (0..).zip(&mut cache.entries) {
            let at = place as usize;
            match (entry.node.sire(), entry.node.dam()) {
                // What runs in circles, or hangs on one, is computed for who asks.
                (Some(_), Some(_)) if get(&generations, at) == 0 || !get(&is_parent, at) => {}
                (Some(sire), Some(_)) => self.calves.push([get(&generations, sire), entry.node.sire - 1, place]),
                _ => entry.inbreeding = 0.0,
            }
        }
        self.calves.sort_unstable();
    }

    /// Computes inbreeding until so many animals were visited; whether some is left to compute.
    pub fn compute(&mut self, visits: usize) -> bool {
        let mut visited = 0;
        while visited < visits {
            let left = self.calves.get(self.next..).unwrap_or_default();
            let Some(progeny) = left.chunk_by(|one, next| one[1] == next[1]).next() else {
                return false;
            };
            let sire = progeny.first().map_or(0, |calf| calf[1] as usize);
            visited += self.cache.compute_progeny(sire, progeny.iter().map(|calf| calf[2] as usize));
            self.next += progeny.len();
        }
        true
    }

    /// The pedigree, whether or not all of its inbreeding is computed.
    #[must_use]
    pub fn into_cache(self) -> PedigreeCache {
        self.cache
    }
}

/// An animal whose line is being followed up, or runs in a circle.
const CIRCULAR: u32 = u32::MAX;

/// The generation of each animal: one more than the later one of its parents, from 1; 0 for those whose lines run in
/// circles, or hang on one. Each animal is followed up once, in whatever order they stand.
fn generations(entries: &[Entry]) -> Vec<u32> {
    let mut generations = vec![0; entries.len()];
    let mut way = Vec::new();
    for start in 0..entries.len() {
        if get(&generations, start) == 0 {
            put(&mut generations, start, CIRCULAR);
            way.push(start);
        }
        while let Some(at) = way.last().copied() {
            let node = get(entries, at).node;
            if let Some(open) = node.parents().find(|parent| get(&generations, *parent) == 0) {
                put(&mut generations, open, CIRCULAR);
                way.push(open);
                continue;
            }
            // One that is still on the way up to this animal descends from it.
            let last = node.parents().map(|parent| get(&generations, parent)).max().unwrap_or(0);
            put(&mut generations, at, last.saturating_add(1));
            way.pop();
        }
    }
    for generation in &mut generations {
        if *generation == CIRCULAR {
            *generation = 0;
        }
    }
    generations
}
