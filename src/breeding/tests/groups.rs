//! How unknown parents are grouped.

use crate::{Animal, Group, GroupRule, Parent, assign_groups};
use std::num::NonZeroU16;

fn rule(least: usize) -> GroupRule {
    GroupRule { years: NonZeroU16::new(5).unwrap(), least }
}

/// Animals of a country born in a year, with both parents unknown.
fn born(country: u16, year: Option<i16>, count: usize) -> impl Iterator<Item = Animal> {
    let animal = Animal { birth_year: year, country, ..Animal::default() };
    std::iter::repeat_n(animal, count)
}

#[test]
fn classes_follow_each_other_and_small_ones_join() {
    let mut animals: Vec<Animal> = born(7, Some(2001), 4)
        .chain(born(7, None, 1))
        .chain(born(7, Some(2006), 2))
        .chain(born(7, Some(2013), 5))
        .chain(born(7, Some(2021), 4))
        // Too small alone: 643 and 112 are one group together.
        .chain(born(643, Some(2004), 3))
        .chain(born(112, Some(2019), 4))
        .collect();
    let known = Animal { sire: Parent::Animal(0), dam: Parent::Animal(1), ..animals[0] };
    animals.push(known);
    let half = Animal { sire: Parent::Animal(0), ..animals[0] };
    animals.push(half);
    let groups = assign_groups(&mut animals, rule(10));
    let group = |country, first, last, parents| Group { country, years: Some((first, last)), parents };
    // 2021 has too few and joins the class before.
    let expected = [group(Some(7), 2001, 2001, 11), group(Some(7), 2006, 2021, 22), group(None, 2004, 2019, 14)];
    assert_eq!(groups, expected);
    assert_eq!(animals[0].sire, Parent::Group(0));
    assert_eq!(animals[4].dam, Parent::Group(0), "without a year of birth");
    assert_eq!(animals[15].dam, Parent::Group(1));
    assert_eq!(animals[22].dam, Parent::Group(2));
    assert_eq!((animals[23].sire, animals[23].dam), (Parent::Animal(0), Parent::Animal(1)));
    assert_eq!((animals[24].sire, animals[24].dam), (Parent::Animal(0), Parent::Group(0)));
}

#[test]
fn a_small_book_has_one_group_and_a_whole_one_none() {
    let mut animals: Vec<Animal> = born(7, Some(2001), 2).chain(born(8, None, 1)).collect();
    let groups = assign_groups(&mut animals, rule(10));
    assert_eq!(groups, [Group { country: None, years: Some((2001, 2001)), parents: 6 }]);
    assert_eq!(assign_groups(&mut animals, rule(10)), []);
}
