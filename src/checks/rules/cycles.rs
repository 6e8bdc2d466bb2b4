//! Circles of a pedigree.

use crate::finding::Visibility;
use crate::reporter::Reporter;
use crate::window::{Book, Parents, Passport};
use std::collections::{BTreeMap, BTreeSet};

/// Reports every animal that is among its own ancestors, but for those that are their own parents, which is another
/// check.
pub(crate) fn pedigree_cycle(book: &Book, reporter: &mut Reporter<'_>) {
    for animals in circles(&book.parents) {
        // Nobody in it is further from itself than it has animals.
        let visibility = match animals.len() <= Visibility::GENERATIONS {
            true => Visibility::Identity,
            false => Visibility::Card,
        };
        for id in &animals {
            let place = Passport { id: *id, ..Passport::default() };
            reporter.resting_on_all(animals.iter().copied(), visibility).report(place.at("father"), []);
        }
    }
}

/// The strongly connected components of two or more animals, by two searches (Kosaraju and Sharir) without recursion. Each
/// animal and each parent is looked at twice.
fn circles(rows: &[Parents]) -> Vec<Vec<i64>> {
    let parents: BTreeMap<i64, [Option<i64>; 2]> =
        rows.iter().map(|row| (row.animal, [row.father, row.mother])).collect();
    let links = |(child, parents): (&i64, &[Option<i64>; 2])| parents.map(|parent| Some((parent?, *child)));
    let mut children: Vec<(i64, i64)> = parents.iter().flat_map(links).flatten().collect();
    children.sort_unstable();
    // Upwards: each animal behind those that it leads to.
    let (mut order, mut left) = (Vec::with_capacity(parents.len()), BTreeSet::new());
    for start in parents.keys() {
        let mut way = vec![(*start, false)];
        while let Some((id, done)) = way.pop() {
            match parents.get(&id) {
                _ if done => order.push(id),
                Some(parents) if left.insert(id) => {
                    way.push((id, true));
                    way.extend(parents.iter().flatten().map(|parent| (*parent, false)));
                }
                _ => {}
            }
        }
    }
    // Downwards from the last one: who is met leads back up to it.
    let mut circles = Vec::new();
    for start in order.into_iter().rev() {
        let (mut circle, mut open) = (Vec::new(), vec![start]);
        while let Some(id) = open.pop() {
            if left.remove(&id) {
                circle.push(id);
                let from = children.partition_point(|(parent, _)| *parent < id);
                let own = children.iter().skip(from).take_while(|(parent, _)| *parent == id);
                open.extend(own.map(|(_, child)| *child));
            }
        }
        if circle.len() > 1 {
            circle.sort_unstable();
            circles.push(circle);
        }
    }
    circles
}
