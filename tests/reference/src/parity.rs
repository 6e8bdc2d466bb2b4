//! Parity and numbers of lactations (*Parity and numbers of lactations*).

use crate::{Calving, Event, History, OfTest, Test};

/// Days of gestation from which on an abortion opens a lactation.
const OPENING_GESTATION: i64 = 210;

/// A row of calvings with its day and number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbered {
    pub(crate) day: i64,
    /// It begins a lactation.
    pub(crate) begins: bool,
    pub(crate) number: i64,
}

/// A day on which a lactation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) day: i64,
    pub(crate) number: i64,
}

impl History {
    /// Whether a row begins a lactation.
    fn begins(&self, at: usize, row: &Calving) -> bool {
        match row.event {
            Event::Calving => true,
            Event::DryOff => false,
            Event::Abortion => {
                row.opens.unwrap_or_else(|| self.gestation(at).is_some_and(|days| days >= OPENING_GESTATION))
            }
        }
    }

    /// Days on which lactations begin, with their numbers, in order.
    pub(crate) fn beginnings(&self) -> Vec<Beginning> {
        let rows = self.calvings.iter().enumerate();
        let rows: Vec<&Calving> = rows.filter(|(at, row)| self.begins(*at, row)).map(|(_, row)| row).collect();
        let mut days: Vec<i64> = rows.iter().map(|row| self.day(row.when)).collect();
        days.sort_unstable();
        days.dedup();
        // Of contradicting numbers of one day the highest.
        let stated = |day: i64| rows.iter().filter(|row| self.day(row.when) == day).filter_map(|row| row.number).max();
        let first = days.iter().position(|day| stated(*day).is_some());
        let first_number = first.and_then(|at| stated(*days.get(at)?));
        let mut all: Vec<Beginning> = Vec::new();
        for (at, day) in (0_i64..).zip(days) {
            let before = all.last().map(|before| before.number + 1);
            let back = first.and_then(|first| Some((first_number? - (i64::try_from(first).ok()? - at)).max(1)));
            let number = stated(day).unwrap_or_else(|| match first {
                Some(first) if at < i64::try_from(first).unwrap_or(0) => back.unwrap_or(1),
                _ => before.unwrap_or(1),
            });
            all.push(Beginning { day, number });
        }
        all
    }

    /// The last beginning up to a day.
    pub(crate) fn begun(&self, day: i64) -> Option<Beginning> {
        self.beginnings().into_iter().rfind(|beginning| beginning.day <= day)
    }

    /// All rows of calvings with their numbers, in the order of the history.
    pub(crate) fn events(&self) -> Vec<Numbered> {
        let numbered = |(at, row): (usize, &Calving)| {
            let day = self.day(row.when);
            let present = self.begun(day).map_or(1, |beginning| beginning.number);
            Numbered { day, begins: self.begins(at, row), number: row.number.unwrap_or(present) }
        };
        self.calvings.iter().enumerate().map(numbered).collect()
    }

    pub(crate) fn of_test(&self, test: &Test) -> OfTest {
        let day = self.day(test.when);
        let begun = self.begun(day);
        OfTest {
            number: test.number.or(begun.map(|beginning| beginning.number)),
            days_in_milk: begun.map(|beginning| day - beginning.day),
        }
    }
}
