//! What was read lately and still holds: totals of conditions, and places in long lists.
//! Each is kept under the number of the last commit and under the very statement that was
//! asked, with the caller's rights in it; so it is exact, in every process, and nobody
//! learns from it what he could not count himself.

use crate::store::Place;
use moka::sync::Cache;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of statements and totals that are kept.
const COUNTS: u64 = 8 << 20;
/// Lists of which places are kept.
const LISTS: u64 = 500;
/// Places that are kept of one list.
const PLACES: usize = 64;

type Key = (i64, Arc<str>);

/// The caches of one book.
#[derive(Debug, Clone)]
pub(in crate::ops) struct Recall {
    counts: Cache<Key, u64>,
    places: Cache<Key, Arc<Mutex<Places>>>,
}

/// Rows of one list by their number, from 0.
#[derive(Debug, Default)]
struct Places(BTreeMap<u64, Place>);

/// From where a page of a list is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    /// The row behind which reading starts; none: at an end of the list.
    pub(super) from: Option<Place>,
    /// From high numbers to low ones.
    pub(super) backwards: bool,
    /// Rows to be passed over.
    pub(super) skip: u64,
    /// Rows to be read.
    pub(super) take: u64,
}

impl Recall {
    pub(in crate::ops) fn new() -> Self {
        let size = |key: &Key, _: &u64| u32::try_from(key.1.len() + 64).unwrap_or(u32::MAX);
        Self {
            counts: Cache::builder().weigher(size).max_capacity(COUNTS).build(),
            places: Cache::new(LISTS),
        }
    }

    pub(super) fn count(&self, version: i64, print: Option<&Arc<str>>) -> Option<u64> {
        self.counts.get(&(version, Arc::clone(print?)))
    }

    pub(super) fn counted(&self, version: i64, print: Option<Arc<str>>, total: u64) {
        if let Some(print) = print {
            self.counts.insert((version, print), total);
        }
    }

    /// The shortest way to so many rows from number `first` on, in a list of which the end
    /// may be known.
    pub(super) fn way(
        &self,
        version: i64,
        print: Option<&Arc<str>>,
        first: u64,
        rows: u64,
        total: Option<u64>,
    ) -> Way {
        let forwards = Way {
            from: None,
            backwards: false,
            skip: first,
            take: rows,
        };
        let mut ways = vec![forwards];
        if let Some(total) = total {
            let end = first.saturating_add(rows).min(total);
            ways.push(backwards(None, first, end, total));
        }
        let key = print.map(|print| (version, Arc::clone(print)));
        if let Some(places) = key.and_then(|key| self.places.get(&key)) {
            let places = places.lock().unwrap_or_else(PoisonError::into_inner);
            let before = places.0.range(..first).next_back();
            ways.extend(before.map(|(number, place)| Way {
                from: Some(place.clone()),
                backwards: false,
                skip: first - number - 1,
                take: rows,
            }));
            let end = first.saturating_add(rows);
            let after = places.0.range(end..).next();
            ways.extend(
                after.map(|(number, place)| backwards(Some(place.clone()), first, end, *number)),
            );
        }
        let shortest = ways.into_iter().min_by_key(|way| way.skip);
        shortest.unwrap_or(Way {
            from: None,
            backwards: false,
            skip: first,
            take: rows,
        })
    }

    /// Remembers where the row of that number stands.
    pub(super) fn passed(&self, version: i64, print: Arc<str>, number: u64, place: Place) {
        let places = (self.places).get_with((version, print), Arc::default);
        let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.0.len() >= PLACES {
            // The furthest from here is the least likely to be near to what comes next.
            let ends = [places.0.first_key_value(), places.0.last_key_value()];
            let ends = ends.into_iter().flatten().map(|(at, _)| *at);
            if let Some(furthest) = ends.max_by_key(|at| at.abs_diff(number)) {
                places.0.remove(&furthest);
            }
        }
        places.0.insert(number, place);
    }
}

/// Rows `first..end`, from the row `from` (the end of the list) downwards.
fn backwards(from: Option<Place>, first: u64, end: u64, row: u64) -> Way {
    Way {
        from,
        backwards: true,
        skip: row.saturating_sub(end),
        take: end.saturating_sub(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(id: i64) -> Place {
        Place {
            keys: Vec::new(),
            id,
        }
    }

    #[test]
    fn the_shortest_way_is_taken() {
        let recall = Recall::new();
        let print: Arc<str> = "list".into();
        let way = |first, rows, total| {
            let way = recall.way(1, Some(&print), first, rows, total);
            let from = way.from.map(|place| place.id);
            (from, way.backwards, way.skip, way.take)
        };
        assert_eq!(way(600, 11, None), (None, false, 600, 11));
        assert_eq!(way(600, 11, Some(700)), (None, true, 89, 11));
        assert_eq!(way(690, 11, Some(695)), (None, true, 0, 5), "the last page");
        assert_eq!(way(900, 11, Some(700)), (None, true, 0, 0), "beyond");
        recall.passed(1, Arc::clone(&print), 609, place(9));
        assert_eq!(way(610, 11, None), (Some(9), false, 0, 11), "the next page");
        assert_eq!(way(630, 11, None), (Some(9), false, 20, 11));
        assert_eq!(way(590, 11, None), (Some(9), true, 8, 11), "the one before");
        assert_eq!(recall.way(2, Some(&print), 610, 11, None).skip, 610);
        assert_eq!(recall.way(1, None, 610, 11, None).skip, 610);
    }

    #[test]
    fn places_are_bounded() {
        let recall = Recall::new();
        let print: Arc<str> = "list".into();
        for number in 0..200 {
            recall.passed(1, Arc::clone(&print), number, place(0));
        }
        let places = recall.places.get(&(1, print)).unwrap();
        let places = places.lock().unwrap();
        assert_eq!(places.0.len(), PLACES);
        assert!(places.0.contains_key(&199) && !places.0.contains_key(&0));
    }
}
