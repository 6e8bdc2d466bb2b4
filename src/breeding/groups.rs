//! Genetic groups of unknown parents (Westell, Quaas and Van Vleck, Journal of Dairy Science 71 (1988) 1310).

use crate::pedigree::{Animal, Parent};
use std::collections::BTreeMap;
use std::num::NonZeroU16;

/// How unknown parents are grouped.
#[derive(Clone, Copy, Debug)]
pub struct GroupRule {
    /// How many years of birth of the progeny make a class.
    pub years: NonZeroU16,
    /// A group with fewer unknown parents joins another one.
    pub least: usize,
}

/// A genetic group: unknown parents of animals born in a country in some years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// `None`: of countries that have too few unknown parents for a group of their own.
    pub country: Option<u16>,
    /// The first and the last year of birth of the progeny; `None` where none has one. Progeny without a year of birth
    /// is in the first group of its country.
    pub years: Option<(i16, i16)>,
    /// How many unknown parents it has.
    pub parents: usize,
}

/// The class of an animal by its year of birth; animals without one stand before all others.
type YearClass = Option<i16>;

/// Gives each unknown parent the genetic group of its progeny's country and years of birth. Classes of a country follow
/// each other in time; each has at least `least` parents, and what is left at the end joins the last one. Countries
/// that are too small for one class are grouped together in the same way; if all of them have fewer than `least`
/// parents, they are one group.
pub fn assign_groups(animals: &mut [Animal], rule: GroupRule) -> Vec<Group> {
    let class = |animal: &Animal| {
        let years = rule.years.get() as i32;
        animal.birth_year.map(|year| (i32::from(year).div_euclid(years)) as i16)
    };
    let mut countries: BTreeMap<u16, BTreeMap<YearClass, usize>> = BTreeMap::new();
    for animal in animals.iter() {
        let unknown = [animal.sire, animal.dam].iter().filter(|parent| **parent == Parent::Unknown).count();
        if unknown > 0 {
            *countries.entry(animal.country).or_default().entry(class(animal)).or_default() += unknown;
        }
    }
    let mut count = 0;
    let mut group_of = BTreeMap::new();
    let mut small: BTreeMap<YearClass, usize> = BTreeMap::new();
    for (country, classes) in &countries {
        if classes.values().sum::<usize>() < rule.least {
            for (class, parents) in classes {
                *small.entry(*class).or_default() += parents;
            }
            continue;
        }
        for (class, group) in successive(classes, rule.least, &mut count) {
            group_of.insert((Some(*country), class), group);
        }
    }
    for (class, group) in successive(&small, rule.least, &mut count) {
        group_of.insert((None, class), group);
    }
    let mut groups = vec![Group { country: None, years: None, parents: 0 }; count as usize];
    for animal in animals {
        let own = (Some(animal.country), class(animal));
        let Some((group, country)) = group_of
            .get(&own)
            .map(|group| (*group, own.0))
            .or_else(|| group_of.get(&(None, own.1)).map(|group| (*group, None)))
        else {
            continue;
        };
        for parent in [&mut animal.sire, &mut animal.dam] {
            if *parent == Parent::Unknown {
                *parent = Parent::Group(group);
                let row = &mut groups[group as usize];
                row.country = country;
                row.parents += 1;
                if let Some(year) = animal.birth_year {
                    let (first, last) = row.years.unwrap_or((year, year));
                    row.years = Some((first.min(year), last.max(year)));
                }
            }
        }
    }
    groups
}

/// The group of each class, of at least `least` parents each; the last may take more, a single one has what there is.
fn successive(classes: &BTreeMap<YearClass, usize>, least: usize, count: &mut u32) -> Vec<(YearClass, u32)> {
    let mut left: usize = classes.values().sum();
    let mut open = 0;
    let mut group_of = Vec::new();
    for (class, parents) in classes {
        group_of.push((*class, *count));
        open += parents;
        left -= parents;
        if open >= least && left >= least {
            *count += 1;
            open = 0;
        }
    }
    *count += u32::from(!classes.is_empty());
    group_of
}
