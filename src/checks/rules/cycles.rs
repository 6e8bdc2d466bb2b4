//! Circles of a pedigree.

use crate::finding::Visibility;
use crate::reporter::Reporter;
use crate::window::{Book, Passport};
use std::collections::BTreeMap;

/// Reports every animal that is among its own ancestors, but for those that are their own parents, which is another
/// check. Each animal and each parent is looked at once.
pub(crate) fn pedigree_cycle(book: &Book, reporter: &mut Reporter<'_>) {
    let mut rows = book.parents.clone();
    rows.sort_unstable();
    let position: BTreeMap<i64, usize> = (rows.iter().enumerate()).map(|(at, row)| (row.animal, at)).collect();
    let of = |id: Option<i64>| id.and_then(|id| position.get(&id).copied());
    let up = rows.iter().map(|row| [of(row.father), of(row.mother)]);
    let mut walk = Walk { up: up.collect(), ..Walk::default() };
    walk.visited = vec![None; rows.len()];
    walk.lowest = vec![0; rows.len()];
    walk.waiting = vec![false; rows.len()];
    for start in 0..rows.len() {
        walk.from(start);
    }
    let of = |at: &usize| rows.get(*at).map(|row| row.animal);
    for circle in &walk.circles {
        let animals: Vec<i64> = circle.iter().filter_map(of).collect();
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

/// Tarjan's search for strongly connected components, without recursion: a circle is a component of two or more.
#[derive(Default)]
struct Walk {
    /// The parents of each animal.
    up: Vec<[Option<usize>; 2]>,
    /// When an animal was come by.
    visited: Vec<Option<usize>>,
    /// The earliest animal that an animal leads to.
    lowest: Vec<usize>,
    /// Animals whose component is not known yet.
    stack: Vec<usize>,
    waiting: Vec<bool>,
    count: usize,
    circles: Vec<Vec<usize>>,
}

impl Walk {
    fn from(&mut self, start: usize) {
        if self.visited.get(start).copied().flatten().is_some() {
            return;
        }
        // The animals on the way up, each with how many of its parents were looked at.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        self.enter(start);
        while let Some((at, tried)) = path.last_mut() {
            let at = *at;
            let parent = self.up.get(at).and_then(|parents| parents.get(*tried)).copied();
            *tried += 1;
            match parent {
                None => {
                    path.pop();
                    self.leave(at, path.last().map(|(child, _)| *child));
                }
                Some(None) => {}
                Some(Some(parent)) => match self.visited.get(parent).copied().flatten() {
                    None => {
                        self.enter(parent);
                        path.push((parent, 0));
                    }
                    Some(when) if self.waiting.get(parent) == Some(&true) => self.lower(at, when),
                    Some(_) => {}
                },
            }
        }
    }

    fn enter(&mut self, at: usize) {
        set(&mut self.visited, at, Some(self.count));
        set(&mut self.lowest, at, self.count);
        set(&mut self.waiting, at, true);
        self.stack.push(at);
        self.count += 1;
    }

    /// All that an animal leads to was seen.
    fn leave(&mut self, at: usize, child: Option<usize>) {
        let lowest = self.lowest.get(at).copied().unwrap_or(0);
        if let Some(child) = child {
            self.lower(child, lowest);
        }
        if self.visited.get(at).copied().flatten() != Some(lowest) {
            return;
        }
        let from = self.stack.iter().rposition(|other| *other == at).unwrap_or(0);
        let component = self.stack.split_off(from);
        for member in &component {
            set(&mut self.waiting, *member, false);
        }
        if component.len() > 1 {
            self.circles.push(component);
        }
    }

    fn lower(&mut self, at: usize, to: usize) {
        if let Some(lowest) = self.lowest.get_mut(at) {
            *lowest = (*lowest).min(to);
        }
    }
}

fn set<T>(all: &mut [T], at: usize, value: T) {
    if let Some(slot) = all.get_mut(at) {
        *slot = value;
    }
}
