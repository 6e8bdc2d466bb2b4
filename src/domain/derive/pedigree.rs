//! Pedigree arithmetic: inbreeding, kinship, depth, cycles.
//!
//! Knows animals only as integer ids with two optional parents. The caller
//! supplies a closed set: every ancestor that shall count must be among the
//! rows. A parent that is named but has no row of its own is a founder, so two
//! animals that name it are still half sibs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

mod book;
mod cache;
mod relationships;

pub use book::BookPedigree;
pub use cache::{Part, PedigreeCache};
pub use relationships::{CommonAncestor, METHOD, Relationships, Relatives};

/// Default number of generations that kinship looks back.
pub const KINSHIP_GENERATIONS: u32 = 8;

/// The deepest look back that [`Pedigree::kinship`] accepts; more is clamped,
/// which bounds its recursion.
pub const KINSHIP_GENERATIONS_MAX: u32 = 32;

/// One animal with its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parents {
    /// The animal.
    pub id: i64,
    /// Its father, if known.
    pub sire: Option<i64>,
    /// Its mother, if known.
    pub dam: Option<i64>,
}

/// Why a set of rows is no pedigree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PedigreeError {
    /// The animal is among its own ancestors.
    #[error("animal {0} is its own ancestor")]
    Cycle(i64),
    /// The animal has two rows that name different parents.
    #[error("animal {0} has two rows with different parents")]
    Ambiguous(i64),
}

/// How an animal descends from what is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Descent {
    /// Inbreeding coefficient, 0 to 1.
    pub inbreeding: f64,
    /// Equivalent complete generations: the sum over known ancestors of (1/2)^generation.
    pub depth: f64,
}

/// The descent of animals among rows, which are all of their ancestors. A link that leads back to the animal, or to an
/// ancestor on the way up to it, does not count.
#[must_use]
pub fn descents(rows: &BTreeMap<i64, Parents>, ids: &[i64]) -> BTreeMap<i64, Descent> {
    let mut cache = PedigreeCache::default();
    cache.add(rows);
    let whole = cache.part(ids);
    // Where lines run in circles each animal has a pedigree of its own.
    let parts: Vec<Part> = match whole.circular {
        true => ids.iter().map(|id| cache.part(&[*id])).collect(),
        false => vec![whole],
    };
    let all = parts.into_iter().filter_map(|part| Relationships::new(part, &|| true));
    all.flat_map(|all| all.descents()).collect()
}

/// A checked pedigree: animals in an order in which parents precede children.
#[derive(Debug, Clone)]
pub struct Pedigree {
    position: BTreeMap<i64, usize>,
    animals: Vec<Node>,
}

/// The places of the parents of an animal, each one more than it is, 0 for an unknown parent: 8 bytes, of which a book
/// has millions, and memory is what sums wait for.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    sire: u32,
    dam: u32,
}

impl Node {
    fn of(sire: Option<usize>, dam: Option<usize>) -> Self {
        // No memory holds animals beyond these places.
        let place = |at: Option<usize>| u32::try_from(at.map_or(0, |at| at + 1)).unwrap_or(0);
        Self { sire: place(sire), dam: place(dam) }
    }

    fn sire(self) -> Option<usize> {
        (self.sire as usize).checked_sub(1)
    }

    fn dam(self) -> Option<usize> {
        (self.dam as usize).checked_sub(1)
    }

    fn parents(self) -> impl Iterator<Item = usize> {
        // Some seventeen times as fast as an array that is flattened.
        self.sire().into_iter().chain(self.dam())
    }
}

impl Pedigree {
    /// Orders the rows.
    ///
    /// # Errors
    /// [`PedigreeError::Cycle`] with an animal on (or below) the cycle,
    /// [`PedigreeError::Ambiguous`] for contradicting rows of one animal.
    pub fn new(rows: impl IntoIterator<Item = Parents>) -> Result<Self, PedigreeError> {
        let mut all: Vec<Parents> = rows.into_iter().collect();
        let parents = all.iter().flat_map(|row| [row.sire, row.dam]).flatten();
        let mut parents: Vec<i64> = parents.collect();
        parents.sort_unstable();
        parents.dedup();
        all.sort_unstable_by_key(|row| row.id);
        all.dedup();
        let repeated = all.iter().zip(all.iter().skip(1)).find(|(one, next)| one.id == next.id);
        if let Some((row, _)) = repeated {
            return Err(PedigreeError::Ambiguous(row.id));
        }
        let has_no_row = |id: &i64| all.binary_search_by_key(id, |row| row.id).is_err();
        let founders: Vec<Parents> = parents.into_iter().filter(has_no_row).map(founder).collect();
        all.extend(founders);
        all.sort_unstable_by_key(|row| row.id);
        let place = |id: Option<i64>| all.binary_search_by_key(&id?, |row| row.id).ok();
        let nodes: Vec<Node> = all.iter().map(|row| Node::of(place(row.sire), place(row.dam))).collect();
        let order = parents_first(&nodes).map_err(|place| {
            let id = all.get(place).map(|row| row.id);
            PedigreeError::Cycle(id.unwrap_or_default())
        })?;
        let mut positions = vec![0; order.len()];
        for (at, place) in order.iter().enumerate() {
            if let Some(position) = positions.get_mut(*place) {
                *position = at;
            }
        }
        let at = |place: Option<usize>| place.and_then(|place| positions.get(place).copied());
        let nodes = order.iter().filter_map(|place| nodes.get(*place));
        let animals = nodes.map(|node| Node::of(at(node.sire()), at(node.dam())));
        Ok(Self { animals: animals.collect(), position: all.iter().map(|row| row.id).zip(positions).collect() })
    }

    /// Kinship of two animals: the expected inbreeding of their offspring.
    /// Animals `generations` back (at most [`KINSHIP_GENERATIONS_MAX`]) from both
    /// count as founders. `None` when one of the two is not in the pedigree.
    #[must_use]
    pub fn kinship(&self, a: i64, b: i64, generations: u32) -> Option<f64> {
        let a = *self.position.get(&a)?;
        let b = *self.position.get(&b)?;
        let near = self.ancestors_within(a, b, generations.min(KINSHIP_GENERATIONS_MAX));
        Some(kinship(&near, &mut BTreeMap::new(), a, b))
    }

    /// The two animals and their ancestors; at the horizon parents are cut off.
    fn ancestors_within(&self, a: usize, b: usize, generations: u32) -> BTreeMap<usize, Node> {
        let mut near = BTreeMap::new();
        let mut level = BTreeSet::from([a, b]);
        for left in (0..=generations).rev() {
            let mut above = BTreeSet::new();
            for at in level {
                if near.contains_key(&at) {
                    continue;
                }
                let node = if left == 0 { Node::default() } else { self.animals.get(at).copied().unwrap_or_default() };
                above.extend(node.parents());
                near.insert(at, node);
            }
            level = above;
        }
        near
    }
}

/// Equivalent complete generations of all animals, parents first.
fn depths(nodes: &[Node]) -> Vec<f64> {
    let mut depths: Vec<f64> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let depth = node
            .parents()
            .map(|parent| 0.5 * (1.0 + depths.get(parent).copied().unwrap_or(0.0)))
            // The sum of nothing would be -0.
            .fold(0.0_f64, |sum, depth| sum + depth);
        depths.push(depth);
    }
    depths
}

/// An animal without known parents.
fn founder(id: i64) -> Parents {
    Parents { id, sire: None, dam: None }
}

/// Whether giving `child` these parents would put it among its own ancestors.
/// `ancestors` holds the rows of the proposed parents and everything above them;
/// rows that already contain a cycle are harmless.
#[must_use]
pub fn makes_cycle(
    ancestors: impl IntoIterator<Item = Parents>,
    child: i64,
    sire: Option<i64>,
    dam: Option<i64>,
) -> bool {
    let rows: BTreeMap<i64, [Option<i64>; 2]> =
        ancestors.into_iter().map(|row| (row.id, [row.sire, row.dam])).collect();
    let mut visited = BTreeSet::new();
    let mut open: Vec<i64> = [sire, dam].into_iter().flatten().collect();
    while let Some(id) = open.pop() {
        if id == child {
            return true;
        }
        if visited.insert(id) {
            open.extend(rows.get(&id).into_iter().flatten().flatten());
        }
    }
    false
}

/// Kahn's algorithm over places in the order of the ids; among animals that are ready the smallest id comes first, so
/// that the order does not depend on that of the rows. An error is the place of an animal on a cycle or below it.
fn parents_first(nodes: &[Node]) -> Result<Vec<usize>, usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waiting: Vec<usize> = vec![0; nodes.len()];
    let mut ready = BinaryHeap::new();
    for (place, node) in nodes.iter().enumerate() {
        // A parent that is both is waited for twice, and counted twice when it comes.
        for parent in node.parents() {
            if let (Some(own), Some(left)) = (children.get_mut(parent), waiting.get_mut(place)) {
                own.push(place);
                *left += 1;
            }
        }
        if node.parents().next().is_none() {
            ready.push(Reverse(place));
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(place)) = ready.pop() {
        order.push(place);
        for child in children.get(place).into_iter().flatten() {
            if let Some(left) = waiting.get_mut(*child) {
                *left -= 1;
                if *left == 0 {
                    ready.push(Reverse(*child));
                }
            }
        }
    }
    match waiting.iter().position(|left| *left > 0) {
        Some(place) => Err(place),
        None => Ok(order),
    }
}

/// Variance of the Mendelian sampling term of an animal, in units of the additive variance.
fn mendelian(node: Node, inbreeding: &[f64]) -> f64 {
    let f = |at: usize| inbreeding.get(at).copied().unwrap_or(0.0);
    match (node.sire(), node.dam()) {
        (None, None) => 1.0,
        (Some(parent), None) | (None, Some(parent)) => 0.75 - 0.25 * f(parent),
        (Some(sire), Some(dam)) => 0.5 - 0.25 * (f(sire) + f(dam)),
    }
}

/// The additive relationships of an animal with those up to a position.
///
/// Method: A = T D T', whose product with a vector takes one pass up the pedigree and one down (Colleau, An indirect
/// approach to the extensive calculation of relationship coefficients, Genetics Selection Evolution 34 (2002) 409–421).
/// Behind the animal its Mendelian sampling has no part, so that the rest is the mean of the parents.
fn relate(nodes: &[Node], mendelian: &[f64], (animal, last): (usize, usize), additive: &mut Vec<f64>) {
    additive.clear();
    additive.resize(last.max(animal) + 1, 0.0);
    put(additive, animal, 1.0);
    for at in (0..=animal).rev() {
        let weight = get(additive, at);
        if weight > 0.0 {
            for parent in get(nodes, at).parents() {
                add(additive, parent, 0.5 * weight);
            }
        }
    }
    for at in 0..additive.len() {
        let own = match at <= animal {
            true => get(additive, at) * get(mendelian, at),
            false => 0.0,
        };
        let above = get(nodes, at).parents();
        let above = above.fold(0.0, |sum, parent| sum + 0.5 * get(additive, parent));
        put(additive, at, own + above);
    }
}

fn kinship(near: &BTreeMap<usize, Node>, memo: &mut BTreeMap<(usize, usize), f64>, a: usize, b: usize) -> f64 {
    let key = (a.max(b), a.min(b));
    if let Some(value) = memo.get(&key) {
        return *value;
    }
    let (younger, older) = key;
    let node = near.get(&younger).copied().unwrap_or_default();
    let value = if younger == older {
        let own = match (node.sire(), node.dam()) {
            (Some(sire), Some(dam)) => kinship(near, memo, sire, dam),
            _ => 0.0,
        };
        0.5 * (1.0 + own)
    } else {
        node.parents().map(|parent| 0.5 * kinship(near, memo, parent, older)).fold(0.0_f64, |sum, part| sum + part)
    };
    memo.insert(key, value);
    value
}

/// The entry at a place; places come from the same pedigree.
fn get<T: Copy + Default>(all: &[T], at: usize) -> T {
    all.get(at).copied().unwrap_or_default()
}

fn put<T>(all: &mut [T], at: usize, value: T) {
    if let Some(entry) = all.get_mut(at) {
        *entry = value;
    }
}

fn add(all: &mut [f64], at: usize, value: f64) {
    if let Some(entry) = all.get_mut(at) {
        *entry += value;
    }
}

#[cfg(test)]
mod published;
#[cfg(test)]
mod tests;
