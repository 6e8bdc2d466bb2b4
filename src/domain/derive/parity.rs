//! Numbers of calvings by their days (docs/derived.md, *Parity and numbers of lactations*).

use super::lactation::CalvingEvent;
use std::collections::BTreeMap;

/// A row of `calvings`, as far as numbers follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// Day since 1970.
    pub day: i64,
    /// Kind of the row.
    pub event: CalvingEvent,
    /// The number that somebody stated.
    pub stated: Option<i64>,
}

/// The number of each row, in the order of the rows: a stated one stays. The calvings of a day have one number, the
/// highest stated one of the day, else the next after that of the day before; before the first stated number they
/// count back from it, at least 1. Other rows have that of the last calving up to their day.
#[must_use]
pub fn numbers(rows: &[Numbered]) -> Vec<i64> {
    let mut days: BTreeMap<i64, Option<i64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.event.opens()) {
        let stated = days.entry(row.day).or_default();
        *stated = (*stated).max(row.stated);
    }
    let first_stated = (0..).zip(days.values()).find_map(|(at, stated)| Some((*stated)? - at));
    // Below 1 where more calvings come before the first stated number than it counts.
    let mut next = first_stated.unwrap_or(1);
    for number in days.values_mut() {
        let own = number.unwrap_or(next);
        next = own + 1;
        *number = Some(own.max(1));
    }
    let of_day = |day: i64| days.range(..=day).next_back().and_then(|(_, number)| *number);
    let number = |row: &Numbered| row.stated.or_else(|| of_day(row.day)).unwrap_or(1);
    rows.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::{Numbered, numbers};
    use crate::derive::lactation::CalvingEvent::{self, Abortion, Calving, DryOff, OpeningAbortion};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    const fn row(day: i64, event: CalvingEvent, stated: Option<i64>) -> Numbered {
        Numbered { day, event, stated }
    }

    #[test]
    fn numbers_count_by_day_from_what_is_stated() {
        let calving = |day, stated| row(day, Calving, stated);
        for (rows, expected) in [
            (vec![calving(3, None), calving(2, None), calving(1, None)], vec![3, 2, 1]),
            // Back and forth from a stated number, and from the next one.
            (vec![calving(3, None), calving(2, Some(3)), calving(1, None)], vec![4, 3, 2]),
            (
                vec![calving(1, None), calving(2, Some(2)), calving(3, None), calving(4, Some(7)), calving(5, None)],
                vec![1, 2, 3, 7, 8],
            ),
            // There is no number below 1.
            (vec![calving(1, None), calving(2, None), calving(3, Some(2)), calving(4, None)], vec![1, 1, 2, 3]),
            // Two reports of one calving.
            (vec![calving(1, None), calving(2, None), calving(2, None), calving(3, None)], vec![1, 2, 2, 3]),
            (vec![calving(2, None), calving(2, Some(4)), calving(2, Some(3)), calving(3, None)], vec![4, 4, 3, 5]),
            // Dryings-off and abortions belong to the calving before them.
            (
                vec![
                    row(0, DryOff, None),
                    calving(1, None),
                    row(1, DryOff, None),
                    row(2, Abortion, None),
                    row(3, OpeningAbortion, None),
                    row(4, DryOff, None),
                    row(5, DryOff, Some(9)),
                    calving(6, None),
                ],
                vec![1, 1, 1, 1, 2, 2, 9, 3],
            ),
            (vec![], vec![]),
        ] {
            assert_eq!(numbers(&rows), expected, "{rows:?}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_the_rows_does_not_count(
            rows in proptest::collection::vec((0..9_i64, 0..4_usize, proptest::option::of(1..6_i64)), 0..8),
            turn in any::<proptest::sample::Index>(),
        ) {
            let kinds = [Calving, OpeningAbortion, Abortion, DryOff];
            let rows: Vec<Numbered> = rows.into_iter().map(|(day, kind, stated)| row(day, kinds[kind], stated)).collect();
            let turn = turn.index(rows.len().max(1));
            let mut turned: Vec<Numbered> = rows.iter().rev().copied().collect();
            let turn = turn.min(turned.len());
            turned.rotate_left(turn);
            let pairs = |rows: &[Numbered]| {
                let mut pairs: Vec<(String, i64)> = rows.iter().map(|r| format!("{r:?}")).zip(numbers(rows)).collect();
                pairs.sort();
                pairs
            };
            prop_assert_eq!(pairs(&rows), pairs(&turned));
        }
    }
}
