//! A pedigree with its animals ordered parents first.

use crate::fault::Fault;
use crate::inbreeding;

/// A parent of an animal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parent {
    /// Of the base population, whose mean is zero.
    #[default]
    Unknown,
    /// By its place in the slice of animals.
    Animal(u32),
    /// Unknown, of this genetic group; groups are numbered from 0.
    Group(u32),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Animal {
    pub sire: Parent,
    pub dam: Parent,
    /// Year and country of birth choose the groups of unknown parents ([`crate::assign_groups`]).
    pub birth_year: Option<i16>,
    /// A number of the caller's.
    pub country: u16,
}

/// Animals ordered parents first, with their inbreeding. A *position* counts in this order, a *place* in the slice
/// of the caller.
#[derive(Debug)]
pub struct Pedigree {
    /// The place of each position.
    pub(crate) places: Vec<u32>,
    /// The position of each place.
    pub(crate) positions: Vec<u32>,
    /// Positions of sire and dam. Group `g` has `animals + g`; [`Self::unknown`] stands for a parent without group.
    pub(crate) parents: Vec<[u32; 2]>,
    /// The first position of each generation, and the number of animals. Parents are of lower generations.
    pub(crate) generations: Vec<u32>,
    pub(crate) groups: usize,
    /// Wright's coefficient of each position, 0..1.
    pub(crate) inbreeding: Vec<f64>,
    /// The progeny of each animal and group, one after the other, an animal with both parents of a group twice.
    pub(crate) progeny: Vec<u32>,
    /// Where the progeny of each begins in `progeny`; one more for the end.
    pub(crate) progeny_begin: Vec<u32>,
}

impl Pedigree {
    /// # Errors
    /// If a parent does not exist, is both sire and dam, or descends from its progeny.
    pub fn new(animals: &[Animal]) -> Result<Self, Fault> {
        let count = animals.len();
        let groups = animals.iter().flat_map(|animal| [animal.sire, animal.dam]);
        let groups = groups.filter_map(|parent| match parent {
            Parent::Group(group) => Some(group as usize + 1),
            Parent::Unknown | Parent::Animal(_) => None,
        });
        let groups = groups.max().unwrap_or(0);
        // Twice, since each animal is twice in the list of progeny.
        if (count + groups + 1).saturating_mul(2) > u32::MAX as usize {
            return Err(Fault::TooMany(count + groups));
        }
        let parents = places_of_parents(animals, groups)?;
        let (begin, progeny) = progeny_of(&parents, count + groups);
        let generation = generations(&parents, &begin, &progeny)?;
        let highest = generation.iter().max().map_or(0, |last| *last as usize + 1);
        let mut generations = vec![0_u32; highest + 1];
        for own in &generation {
            generations[*own as usize + 1] += 1;
        }
        sum_up(&mut generations);
        let mut next = generations.clone();
        let mut places = vec![0_u32; count];
        let mut positions = vec![0_u32; count];
        for (place, own) in generation.iter().enumerate() {
            let position = &mut next[*own as usize];
            places[*position as usize] = place as u32;
            positions[place] = *position;
            *position += 1;
        }
        let to_position = |parent: u32| positions.get(parent as usize).copied().unwrap_or(parent);
        let parents: Vec<_> = places.iter().map(|place| parents[*place as usize].map(to_position)).collect();
        let (progeny_begin, progeny) = progeny_of(&parents, count + groups);
        let inbreeding = inbreeding::coefficients(&parents, &generations);
        Ok(Self { places, positions, parents, generations, groups, inbreeding, progeny, progeny_begin })
    }

    /// The number of animals.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The number of genetic groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of generations: one more than the longest line of ancestors.
    #[must_use]
    pub fn generations(&self) -> usize {
        self.generations.len() - 1
    }

    /// Wright's coefficient of inbreeding of each animal, 0..1, in the order of the caller; 0 where a parent is
    /// unknown.
    #[must_use]
    pub fn inbreeding(&self) -> Vec<f64> {
        self.by_place(&self.inbreeding)
    }

    /// Values by position in the order of the caller.
    pub(crate) fn by_place<T: Copy>(&self, values: &[T]) -> Vec<T> {
        let positions = self.positions.iter();
        positions.map(|position| values[*position as usize]).collect()
    }

    /// Stands for a parent that is unknown and has no group.
    pub(crate) fn unknown(&self) -> u32 {
        (self.len() + self.groups) as u32
    }

    pub(crate) fn progeny_of(&self, parent: usize) -> &[u32] {
        let [from, to] = [parent, parent + 1].map(|at| self.progeny_begin[at] as usize);
        &self.progeny[from..to]
    }

    /// The variance of the animal at `position` about the mean of its parents, in additive genetic variances: what
    /// Mendelian sampling and unknown parents add (Henderson 1976; Quaas 1976).
    pub(crate) fn variance_within(&self, position: usize) -> f64 {
        inbreeding::variance_within(self.parents[position], &self.inbreeding)
    }
}

/// Sire and dam of each animal as places, groups after them, and last the unknown.
fn places_of_parents(animals: &[Animal], groups: usize) -> Result<Vec<[u32; 2]>, Fault> {
    let count = animals.len();
    let place = |animal: usize, parent: Parent| match parent {
        Parent::Unknown => Ok((count + groups) as u32),
        Parent::Group(group) => Ok(count as u32 + group),
        Parent::Animal(parent) if (parent as usize) < count => Ok(parent),
        Parent::Animal(parent) => Err(Fault::NoSuchParent { animal, parent, animals: count }),
    };
    let mut parents = Vec::with_capacity(count);
    for (at, animal) in animals.iter().enumerate() {
        let both = [place(at, animal.sire)?, place(at, animal.dam)?];
        if both[0] == both[1] && (both[0] as usize) < count {
            return Err(Fault::OneParentTwice(at));
        }
        parents.push(both);
    }
    Ok(parents)
}

/// Makes numbers of a list into the places where each begins.
pub(crate) fn sum_up(numbers: &mut [u32]) {
    let mut sum = 0;
    for number in numbers {
        sum += *number;
        *number = sum;
    }
}

/// Where the progeny of each of the first `known` begins, and the list of it.
fn progeny_of(parents: &[[u32; 2]], known: usize) -> (Vec<u32>, Vec<u32>) {
    let mut begin = vec![0_u32; known + 1];
    let each = || parents.iter().enumerate().flat_map(|(at, both)| both.map(|parent| (at, parent as usize)));
    for (_, parent) in each().filter(|(_, parent)| *parent < known) {
        begin[parent + 1] += 1;
    }
    sum_up(&mut begin);
    let mut next = begin.clone();
    let mut progeny = vec![0_u32; begin[known] as usize];
    for (at, parent) in each().filter(|(_, parent)| *parent < known) {
        progeny[next[parent] as usize] = at as u32;
        next[parent] += 1;
    }
    (begin, progeny)
}

/// The generation of each animal: 0 without known parents, else one after the later parent's.
fn generations(parents: &[[u32; 2]], begin: &[u32], progeny: &[u32]) -> Result<Vec<u32>, Fault> {
    let count = parents.len();
    let known = |parent: &u32| (*parent as usize) < count;
    let mut open: Vec<u8> =
        parents.iter().map(|both| both.iter().filter(|parent| known(parent)).count() as u8).collect();
    let mut generation = vec![0_u32; count];
    let mut ready: Vec<u32> = (0..count as u32).filter(|at| open[*at as usize] == 0).collect();
    let mut done = 0;
    while let Some(parent) = ready.pop() {
        done += 1;
        let parent = parent as usize;
        for child in &progeny[begin[parent] as usize..begin[parent + 1] as usize] {
            let at = *child as usize;
            generation[at] = generation[at].max(generation[parent] + 1);
            open[at] -= 1;
            if open[at] == 0 {
                ready.push(*child);
            }
        }
    }
    if done == count {
        return Ok(generation);
    }
    // From any animal that is left, parents that are left lead into the cycle.
    let left = |at: &usize| open.get(*at).is_some_and(|open| *open > 0);
    let mut at = (0..count).find(left).unwrap_or(0);
    for _ in 0..count {
        let next = parents[at].map(|parent| parent as usize);
        at = next.into_iter().find(left).unwrap_or(at);
    }
    Err(Fault::Cycle(at))
}
