//! What was read of a pedigree, so that the next question about it reads and computes only what is new.

use super::{Node, Parents, founder, get, mendelian, relate};
use std::collections::BTreeMap;

/// Animals with all their ancestors, and the inbreeding that was computed: 32 bytes for each animal, some 30 more for one
/// that was added.
#[derive(Debug, Default)]
pub struct PedigreeCache {
    /// By place. The ids of the first `sorted` ascend, the others are found by `later`.
    pub(super) entries: Vec<Entry>,
    pub(super) sorted: usize,
    later: BTreeMap<i64, usize>,
}

/// An animal. All of it stands in one line of the processor's cache, since going up a pedigree is waiting for memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    id: i64,
    pub(super) node: Node,
    /// Not a number: not computed yet.
    pub(super) inbreeding: f64,
    /// Zero, but while a part is visited: the position in it, from 1.
    mark: u32,
}

impl Entry {
    pub(super) fn new(id: i64, node: Node) -> Self {
        Self { id, node, inbreeding: f64::NAN, mark: 0 }
    }
}

/// Some animals with all their ancestors, parents first.
#[derive(Debug, Default)]
pub struct Part {
    pub(super) nodes: Vec<Node>,
    pub(super) ids: Vec<i64>,
    /// Not a number: not computed yet.
    pub(super) inbreeding: Vec<f64>,
    /// Positions of the animals that the part is about.
    pub(super) animals: BTreeMap<i64, usize>,
    /// Where each stands in the cache.
    places: Vec<usize>,
    /// A link that leads back to a descendant was left out.
    pub(super) circular: bool,
}

/// Marks an animal whose ancestors are being visited.
const ON_THE_WAY: u32 = u32::MAX;

impl PedigreeCache {
    /// How many animals there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Whether an animal is there, and so all its ancestors.
    #[must_use]
    pub fn contains(&self, id: i64) -> bool {
        self.place(id).is_some()
    }

    pub(super) fn place(&self, id: i64) -> Option<usize> {
        let sorted = self.entries.get(..self.sorted).unwrap_or_default();
        let place = sorted.binary_search_by_key(&id, |entry| entry.id).ok();
        place.or_else(|| self.later.get(&id).copied())
    }

    /// The places of an animal's parents, as far as they are there.
    pub(super) fn node(&self, row: Parents) -> Node {
        let place = |id: Option<i64>| self.place(id?);
        Node::of(place(row.sire), place(row.dam))
    }

    /// Adds those that are not there. A parent that is neither there nor among the rows is a founder.
    pub fn add(&mut self, rows: &BTreeMap<i64, Parents>) {
        let parents = rows.values().flat_map(|row| [row.sire, row.dam]).flatten();
        let founders = parents.filter(|id| !rows.contains_key(id)).map(founder);
        let (first, mut new) = (self.entries.len(), Vec::with_capacity(rows.len()));
        for row in rows.values().copied().chain(founders) {
            if !self.contains(row.id) {
                self.later.insert(row.id, first + new.len());
                new.push(row);
            }
        }
        for row in new {
            self.entries.push(Entry::new(row.id, self.node(row)));
        }
    }

    /// Some animals with all their ancestors. Where lines of descent run in circles, a link that leads back to the
    /// animal, or to an ancestor on the way up to it, is left out; fathers come first, so that the same animals in the
    /// same order give the same pedigree.
    #[must_use]
    pub fn part(&mut self, animals: &[i64]) -> Part {
        let mut part = Part::default();
        for animal in animals {
            if let Some(place) = self.place(*animal) {
                self.climb(place, &mut part);
                part.animals.extend(self.position(place).map(|position| (*animal, position)));
            }
        }
        self.end(&part);
        part
    }

    /// Adds an animal and its ancestors to a part that is being visited.
    fn climb(&mut self, animal: usize, part: &mut Part) {
        if self.entry(animal).mark != 0 {
            return;
        }
        let mut way = vec![(animal, 0)];
        self.mark(animal, ON_THE_WAY);
        while let Some((place, side)) = way.last_mut() {
            let place = *place;
            let Entry { id, node, inbreeding, .. } = self.entry(place);
            let parent = match side {
                0 => node.sire(),
                1 => node.dam(),
                _ => {
                    let above = |parent: Option<usize>| self.position(parent?);
                    let linked = Node::of(above(node.sire()), above(node.dam()));
                    part.circular |= linked.parents().count() < node.parents().count();
                    part.nodes.push(linked);
                    part.ids.push(id);
                    part.inbreeding.push(inbreeding);
                    part.places.push(place);
                    self.mark(place, u32::try_from(part.nodes.len()).unwrap_or(ON_THE_WAY));
                    way.pop();
                    continue;
                }
            };
            *side += 1;
            if let Some(parent) = parent.filter(|parent| self.entry(*parent).mark == 0) {
                self.mark(parent, ON_THE_WAY);
                way.push((parent, 0));
            }
        }
    }

    fn entry(&self, place: usize) -> Entry {
        get(&self.entries, place)
    }

    fn mark(&mut self, place: usize, mark: u32) {
        if let Some(entry) = self.entries.get_mut(place) {
            entry.mark = mark;
        }
    }

    /// Where an animal stands in the part that is being visited.
    fn position(&self, place: usize) -> Option<usize> {
        let mark = self.entry(place).mark;
        let position = mark.checked_sub(1).filter(|_| mark != ON_THE_WAY)?;
        usize::try_from(position).ok()
    }

    /// A part was visited.
    fn end(&mut self, part: &Part) {
        for place in &part.places {
            self.mark(*place, 0);
        }
    }

    pub(super) fn set_inbreeding(&mut self, place: usize, inbreeding: f64) {
        if let Some(entry) = self.entries.get_mut(place) {
            entry.inbreeding = inbreeding;
        }
    }

    /// Remembers the inbreeding of the animals of a part. Where lines run in circles it depends on who was asked about.
    pub(super) fn learn(&mut self, part: &Part, inbreeding: &[f64]) {
        if part.circular {
            return;
        }
        for ((place, known), inbreeding) in part.places.iter().zip(&part.inbreeding).zip(inbreeding) {
            if known.is_nan() {
                self.set_inbreeding(*place, *inbreeding);
            }
        }
    }

    /// Computes the inbreeding of progeny of one sire, whose ancestors' is known, as
    /// [`Relationships::new`](super::Relationships::new) does; answers how many animals that took.
    pub(super) fn compute_progeny(&mut self, sire: usize, progeny: impl Iterator<Item = usize> + Clone) -> usize {
        let mut part = Part::default();
        // First, so that its ancestors stand before it, and all others behind.
        self.climb(sire, &mut part);
        let last = part.nodes.len().saturating_sub(1);
        let variances: Vec<f64> = part.nodes.iter().map(|node| mendelian(*node, &part.inbreeding)).collect();
        for calf in progeny.clone() {
            if let Some(dam) = self.entry(calf).node.dam() {
                self.climb(dam, &mut part);
            }
        }
        let mut additive = Vec::new();
        relate(&part.nodes, &variances, (last, part.nodes.len().saturating_sub(1)), &mut additive);
        for calf in progeny {
            let dam = self.entry(calf).node.dam().and_then(|dam| self.position(dam));
            if let Some(dam) = dam {
                self.set_inbreeding(calf, 0.5 * get(&additive, dam));
            }
        }
        self.end(&part);
        part.nodes.len()
    }
}
