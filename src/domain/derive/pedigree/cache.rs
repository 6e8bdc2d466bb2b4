//! What was read of a pedigree, so that the next question about it reads and computes only what is new.

use super::{Node, Parents, founder, get, put};
use std::collections::BTreeMap;

/// Animals with all their ancestors, and the inbreeding that was computed.
#[derive(Debug, Default)]
pub struct PedigreeCache {
    places: BTreeMap<i64, usize>,
    entries: Vec<Entry>,
    /// Zeros, but within [`PedigreeCache::part`]: the position in the part, from 1.
    marks: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    id: i64,
    node: Node,
    inbreeding: Option<f64>,
}

/// Some animals with all their ancestors, parents first.
#[derive(Debug, Default)]
pub struct Part {
    pub(super) nodes: Vec<Node>,
    pub(super) ids: Vec<i64>,
    /// Of those whose inbreeding is known.
    pub(super) inbreeding: Vec<Option<f64>>,
    /// Positions of the animals that the part is about.
    pub(super) animals: BTreeMap<i64, usize>,
    /// Where each stands in the cache.
    places: Vec<usize>,
    /// A link that leads back to a descendant was left out.
    circular: bool,
}

/// Marks an animal whose ancestors are being visited.
const ON_THE_WAY: u32 = u32::MAX;

impl PedigreeCache {
    /// How many entries there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Whether an animal is there, and so all its ancestors.
    #[must_use]
    pub fn contains(&self, id: i64) -> bool {
        self.places.contains_key(&id)
    }

    /// Adds those that are not there. A parent that is neither there nor among the rows is a founder.
    pub fn add(&mut self, rows: &BTreeMap<i64, Parents>) {
        let first = self.entries.len();
        let mut links = Vec::with_capacity(rows.len());
        let parents = rows.values().flat_map(|row| [row.sire, row.dam]).flatten();
        let founders = parents.filter(|id| !rows.contains_key(id)).map(founder);
        for row in rows.values().copied().chain(founders) {
            let next = first + links.len();
            if *self.places.entry(row.id).or_insert(next) == next {
                links.push(row);
            }
        }
        let place = |id: Option<i64>| self.places.get(&id?).copied();
        let entries = links.into_iter().map(|row| Entry {
            id: row.id,
            node: Node { sire: place(row.sire), dam: place(row.dam) },
            inbreeding: None,
        });
        self.entries.extend(entries);
        self.marks.resize(self.entries.len(), 0);
    }

    /// Some animals with all their ancestors. Where lines of descent run in circles, a link that leads back to the
    /// animal, or to an ancestor on the way up to it, is left out; fathers come first, so that the same animals in the
    /// same order give the same pedigree.
    #[must_use]
    pub fn part(&mut self, animals: &[i64]) -> Part {
        let mut part = Part::default();
        for animal in animals {
            let Some(place) = self.places.get(animal).copied() else {
                continue;
            };
            if get(&self.marks, place) == 0 {
                self.climb(place, &mut part);
            }
            part.animals.extend(position(get(&self.marks, place)).map(|position| (*animal, position)));
        }
        for place in &part.places {
            put(&mut self.marks, *place, 0);
        }
        part
    }

    fn climb(&mut self, animal: usize, part: &mut Part) {
        let mut way = vec![(animal, 0)];
        put(&mut self.marks, animal, ON_THE_WAY);
        while let Some((place, side)) = way.last_mut() {
            let place = *place;
            let Some(entry) = self.entries.get(place) else {
                return;
            };
            let parent = match side {
                0 => entry.node.sire,
                1 => entry.node.dam,
                _ => {
                    let above = |parent: Option<usize>| position(get(&self.marks, parent?));
                    let node = Node { sire: above(entry.node.sire), dam: above(entry.node.dam) };
                    part.circular |= node.parents().count() < entry.node.parents().count();
                    part.nodes.push(node);
                    part.ids.push(entry.id);
                    part.inbreeding.push(entry.inbreeding);
                    part.places.push(place);
                    put(&mut self.marks, place, u32::try_from(part.nodes.len()).unwrap_or(ON_THE_WAY));
                    way.pop();
                    continue;
                }
            };
            *side += 1;
            if let Some(parent) = parent.filter(|parent| get(&self.marks, *parent) == 0) {
                put(&mut self.marks, parent, ON_THE_WAY);
                way.push((parent, 0));
            }
        }
    }

    /// Remembers the inbreeding of the animals of a part. Where lines run in circles it depends on who was asked about.
    pub(super) fn learn(&mut self, part: &Part, inbreeding: &[f64]) {
        for (place, inbreeding) in part.places.iter().zip(inbreeding).filter(|_| !part.circular) {
            if let Some(entry) = self.entries.get_mut(*place) {
                entry.inbreeding = Some(*inbreeding);
            }
        }
    }
}

/// The position that a mark says.
fn position(mark: u32) -> Option<usize> {
    let position = mark.checked_sub(1).filter(|_| mark != ON_THE_WAY)?;
    usize::try_from(position).ok()
}
