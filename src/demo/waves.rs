//! The order in which a synthetic book is written: rows that do not build on each other
//! go together, so that filling takes hundreds of sets instead of thousands.

use super::{Account, Options, SeedRow, generate_into};
use indexmap::{IndexMap, IndexSet};
use std::ops::{ControlFlow, RangeInclusive};

/// Rows of one set.
const LARGEST: usize = 4_000;
/// Rows among which sets are formed; a row takes a kilobyte or two.
const WINDOW: usize = 100_000;
/// Rows of the first window, with which writing begins; each further one has twice as many.
const FIRST: usize = 6_000;

/// Generates a book and hands out the sets of [`waves`], formed among so many rows at a time that
/// the memory does not grow with the book. The sink may stop.
pub fn generate_in_waves(options: &Options, sink: impl FnMut(Vec<SeedRow>) -> ControlFlow<()>) -> Vec<Account> {
    in_windows(options, FIRST..=WINDOW, sink)
}

fn in_windows(
    options: &Options,
    sizes: RangeInclusive<usize>,
    mut sink: impl FnMut(Vec<SeedRow>) -> ControlFlow<()>,
) -> Vec<Account> {
    let mut window = Vec::new();
    let mut stopped = false;
    let (mut size, most) = sizes.into_inner();
    let accounts = generate_into(options, |row| {
        window.push(row);
        if window.len() < size {
            return ControlFlow::Continue(());
        }
        let handed = waves(std::mem::take(&mut window)).into_iter().try_for_each(&mut sink);
        stopped = handed.is_break();
        size = (2 * size).min(most);
        handed
    });
    if !stopped {
        // A stop of the last window has nothing left to end.
        let _stopped = waves(window).into_iter().try_for_each(sink);
    }
    accounts
}

/// Groups rows into sets of one collection each. A row comes after every earlier row about
/// the same animal, unless that one is of the same collection and set.
pub fn waves(rows: Vec<SeedRow>) -> Vec<Vec<SeedRow>> {
    let mut sets: Vec<Vec<SeedRow>> = Vec::new();
    // The set in which an animal was last written about.
    let mut latest: IndexMap<i64, usize> = IndexMap::new();
    // Sets of a collection that still have room, in order.
    let mut open: IndexMap<&'static str, IndexSet<usize>> = IndexMap::new();
    for row in rows {
        let animal = row.data.get("animal").and_then(serde_json::Value::as_i64);
        let earliest = match animal {
            Some(id) => latest.get(&id).copied().unwrap_or(0),
            // Without an animal a row is a foundation: everything later may build on it.
            None => sets.len().saturating_sub(1),
        };
        let places = open.entry(row.collection).or_default();
        let place = places.iter().copied().find(|at| *at >= earliest);
        let at = place.unwrap_or(sets.len());
        if place.is_none() {
            sets.push(Vec::new());
            places.insert(at);
        }
        latest.extend(animal.map(|id| (id, at)));
        if let Some(set) = sets.get_mut(at) {
            set.push(row);
            if set.len() >= LARGEST {
                places.shift_remove(&at);
            }
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::{in_windows, waves};
    use crate::{Options, SeedRow, generate};
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;

    /// The rows about each animal, in order.
    fn by_animal<'r>(rows: impl Iterator<Item = &'r SeedRow>) -> BTreeMap<i64, Vec<(&'r str, i64)>> {
        let mut all: BTreeMap<i64, Vec<(&str, i64)>> = BTreeMap::new();
        for row in rows {
            if let Some(id) = row.data.get("animal").and_then(serde_json::Value::as_i64) {
                all.entry(id).or_default().push((row.collection, row.id));
            }
        }
        all
    }

    fn assert_complete(rows: &[SeedRow], sets: &[Vec<SeedRow>]) {
        let count = rows.len();
        assert_eq!(sets.iter().map(Vec::len).sum::<usize>(), count);
        assert!(sets.len() * 10 < count, "{} sets for {count} rows", sets.len());
        assert_eq!(by_animal(rows.iter()), by_animal(sets.iter().flatten()));
        for set in sets {
            assert!(set.iter().all(|r| Some(r.collection) == set.first().map(|f| f.collection)));
        }
    }

    #[test]
    fn rows_about_an_animal_keep_their_order() {
        let rows = generate(&Options::default()).rows;
        assert_complete(&rows, &waves(rows.clone()));
    }

    #[test]
    fn a_book_in_windows_has_the_same_rows() {
        let whole = generate(&Options::default());
        let mut sets = Vec::new();
        let accounts = in_windows(&Options::default(), 500..=1_000, |set| {
            sets.push(set);
            ControlFlow::Continue(())
        });
        assert_eq!(accounts, whole.accounts);
        assert_complete(&whole.rows, &sets);
        let mut taken = 0;
        in_windows(&Options::default(), 500..=1_000, |_| {
            taken += 1;
            ControlFlow::Break(())
        });
        assert_eq!(taken, 1, "a stop ends it");
    }
}
