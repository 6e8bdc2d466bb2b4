//! How the animals of one pedigree are related: inbreeding of all, kinship of any two, and the ancestors by whom two
//! are related.

use super::{Descent, Node, Part, PedigreeCache, add, depths, get, mendelian, put, relate};
use std::collections::{BTreeMap, BTreeSet};

/// Name and version of the method of [`Relationships`].
pub const METHOD: &str = "numerator relationships of the whole pedigree by the indirect method of Colleau (2002), 1";

/// Less than this of a path is a remainder of subtraction.
const RESIDUE: f64 = 1e-12;

/// A pedigree with the inbreeding of all its animals.
#[derive(Debug)]
pub struct Relationships {
    part: Part,
    inbreeding: Vec<f64>,
    /// Variance of the Mendelian sampling of each animal, in units of the additive variance.
    mendelian: Vec<f64>,
    /// Generations from each animal to its farthest ancestor.
    generations: Vec<u32>,
}

/// The relationships of one animal with all others.
#[derive(Debug)]
pub struct Relatives<'r> {
    all: &'r Relationships,
    animal: usize,
    /// Additive relationships (the row of the numerator relationship matrix), by position.
    additive: Vec<f64>,
}

/// An ancestor of both, or one of the two that is an ancestor of the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonAncestor {
    /// The animal.
    pub id: i64,
    /// Its part of the kinship of the two.
    pub contribution: f64,
    /// Generations from the nearer one of the two.
    pub generations: u32,
}

impl Relationships {
    /// Computes the inbreeding of all animals of a part of a pedigree whose inbreeding is not known yet.
    ///
    /// Method: one pass for each sire gives his relationships with all his mates, and with these the inbreeding of all
    /// his progeny (Sargolzaei, Iwaisaki and Colleau, A fast algorithm for computing inbreeding coefficients in large
    /// populations, Journal of Animal Breeding and Genetics 122 (2005) 325–331). None when nobody waits for it any more.
    #[must_use]
    pub fn new(part: Part, is_awaited: &dyn Fn() -> bool) -> Option<Self> {
        let count = part.nodes.len();
        let mut generations: Vec<u32> = Vec::with_capacity(count);
        let mut progeny: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, (node, known)) in part.nodes.iter().zip(&part.inbreeding).enumerate() {
            let above = node.parents().map(|parent| get(&generations, parent) + 1);
            generations.push(above.max().unwrap_or(0));
            if let (Some(sire), Some(dam), true) = (node.sire(), node.dam(), known.is_nan()) {
                progeny.entry(sire).or_default().push((at, dam));
            }
        }
        let mut inbreeding: Vec<f64> =
            part.inbreeding.iter().map(|known| if known.is_nan() { 0.0 } else { *known }).collect();
        let (mut variances, mut additive) = (Vec::with_capacity(count), Vec::new());
        for (at, node) in part.nodes.iter().enumerate() {
            variances.push(mendelian(*node, &inbreeding));
            let Some(young) = progeny.remove(&at) else {
                continue;
            };
            if !is_awaited() {
                return None;
            }
            let last = young.iter().map(|(_, dam)| *dam).max().unwrap_or(at);
            relate(&part.nodes, &variances, (at, last), &mut additive);
            for (calf, dam) in young {
                put(&mut inbreeding, calf, 0.5 * get(&additive, dam));
            }
        }
        Some(Self { part, inbreeding, mendelian: variances, generations })
    }

    /// Has the inbreeding remembered in the cache that the part is of.
    pub fn remember_in(&self, cache: &mut PedigreeCache) {
        cache.learn(&self.part, &self.inbreeding);
    }

    /// Animals of the pedigree.
    #[must_use]
    pub fn count(&self) -> usize {
        self.part.nodes.len()
    }

    fn node(&self, at: usize) -> Node {
        get(&self.part.nodes, at)
    }

    /// The relationships of an animal with all others; none when it is not in the pedigree.
    #[must_use]
    pub fn of(&self, id: i64) -> Option<Relatives<'_>> {
        let animal = self.at(id)?;
        let (mut additive, last) = (Vec::new(), self.part.nodes.len().saturating_sub(1));
        let nodes = &self.part.nodes;
        relate(nodes, &self.mendelian, (animal, last), &mut additive);
        Some(Relatives { all: self, animal, additive })
    }

    /// Inbreeding coefficient of an animal, 0 to 1.
    #[must_use]
    pub fn inbreeding(&self, id: i64) -> Option<f64> {
        self.at(id).map(|at| get(&self.inbreeding, at))
    }

    /// Generations from an animal to its farthest known ancestor.
    #[must_use]
    pub fn generations(&self, id: i64) -> Option<u32> {
        self.at(id).map(|at| get(&self.generations, at))
    }

    /// Equivalent complete generations of animals, in the order of the request.
    #[must_use]
    pub fn depths(&self, ids: &[i64]) -> Vec<Option<f64>> {
        let depths = depths(&self.part.nodes);
        ids.iter().map(|id| depths.get(self.at(*id)?).copied()).collect()
    }

    /// The descent of each animal that the part is about.
    pub(super) fn descents(&self) -> Vec<(i64, Descent)> {
        let depths = depths(&self.part.nodes);
        let descent = |at| Descent { inbreeding: get(&self.inbreeding, at), depth: get(&depths, at) };
        self.part.animals.iter().map(|(id, at)| (*id, descent(*at))).collect()
    }

    fn at(&self, id: i64) -> Option<usize> {
        self.part.animals.get(&id).copied()
    }

    /// The ancestors by whom two animals are related, the greatest contribution first, equal ones by id. Only animals within
    /// so many generations of one of the two count; of the whole pedigree the sum of the contributions is their kinship.
    ///
    /// A contribution is that of Wright's paths through the ancestor: the sum of (1/2)^(n1 + n2 + 1) (1 + F) over pairs
    /// of paths that share no other animal (Wright, Coefficients of inbreeding and relationship, The American Naturalist
    /// 56 (1922) 330–338). The paths are not counted one by one: a gene of each of the two goes up by chance, and the
    /// chance that both pass an ancestor, less the chance that they met below it, is that they first meet there.
    #[must_use]
    pub fn common_ancestors(&self, a: i64, b: i64, generations: u32) -> Vec<CommonAncestor> {
        let (Some(a), Some(b)) = (self.at(a), self.at(b)) else {
            return Vec::new();
        };
        let near = Near::of(self, [a, b], generations);
        let (Some(from_a), Some(from_b)) = (near.chances(a), near.chances(b)) else {
            return Vec::new();
        };
        let distances = near.distances([a, b]);
        let mut chances_below = vec![0.0; near.nodes.len()];
        let mut ancestors = Vec::new();
        for at in (0..near.nodes.len()).rev() {
            let first = get(&from_a, at) * get(&from_b, at) - get(&chances_below, at);
            if first < RESIDUE {
                continue;
            }
            let position = get(&near.positions, at);
            ancestors.push(CommonAncestor {
                id: get(&self.part.ids, position),
                contribution: first * 0.5 * (1.0 + get(&self.inbreeding, position)),
                generations: get(&distances, at),
            });
            for (above, chance) in near.upwards(at).iter().enumerate() {
                add(&mut chances_below, above, first * chance * chance);
            }
        }
        ancestors.sort_by(|one, other| {
            let greater = other.contribution.total_cmp(&one.contribution);
            greater.then(one.id.cmp(&other.id))
        });
        ancestors
    }
}

impl Relatives<'_> {
    /// Kinship with another animal: the expected inbreeding of their calf.
    #[must_use]
    pub fn kinship(&self, other: i64) -> Option<f64> {
        Some(0.5 * get(&self.additive, self.all.at(other)?))
    }

    /// Wright's coefficient of relationship with another animal: the correlation of their additive values.
    #[must_use]
    pub fn relationship(&self, other: i64) -> Option<f64> {
        let at = self.all.at(other)?;
        let own = |at| 1.0 + get(&self.all.inbreeding, at);
        Some(get(&self.additive, at) / (own(self.animal) * own(at)).sqrt())
    }
}

/// Two animals and the nearest of their ancestors, with places of their own.
struct Near {
    /// Positions in the whole pedigree, ascending.
    positions: Vec<usize>,
    nodes: Vec<Node>,
}

impl Near {
    fn of(all: &Relationships, two: [usize; 2], generations: u32) -> Self {
        let (mut level, mut members) = (Vec::from(two), BTreeSet::from(two));
        for _ in 0..generations {
            let parents = level.iter().flat_map(|at| all.node(*at).parents());
            level = parents.filter(|parent| members.insert(*parent)).collect();
            if level.is_empty() {
                break;
            }
        }
        let positions: Vec<usize> = members.into_iter().collect();
        let place = |at: Option<usize>| at.and_then(|at| positions.binary_search(&at).ok());
        let node = |at: &usize| {
            let node = all.node(*at);
            Node::of(place(node.sire()), place(node.dam()))
        };
        let nodes = positions.iter().map(node).collect();
        Self { positions, nodes }
    }

    /// The chance that a gene of an animal passes each of its ancestors on its way up.
    fn chances(&self, animal: usize) -> Option<Vec<f64>> {
        let place = self.positions.binary_search(&animal).ok()?;
        let mut chances = self.upwards(place);
        chances.resize(self.nodes.len(), 0.0);
        Some(chances)
    }

    /// From a place on, as far as that place itself.
    fn upwards(&self, place: usize) -> Vec<f64> {
        let mut chances = vec![0.0; place + 1];
        put(&mut chances, place, 1.0);
        for at in (0..=place).rev() {
            let chance = get(&chances, at);
            if chance > 0.0 {
                for parent in get(&self.nodes, at).parents() {
                    add(&mut chances, parent, 0.5 * chance);
                }
            }
        }
        chances
    }

    /// Generations from the nearer one of two.
    fn distances(&self, two: [usize; 2]) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.nodes.len()];
        for animal in two {
            if let Ok(place) = self.positions.binary_search(&animal) {
                put(&mut distances, place, 0);
            }
        }
        for at in (0..self.nodes.len()).rev() {
            let next = get(&distances, at).saturating_add(1);
            for parent in get(&self.nodes, at).parents() {
                let nearest = get(&distances, parent).min(next);
                put(&mut distances, parent, nearest);
            }
        }
        distances
    }
}
