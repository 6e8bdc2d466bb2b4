//! Days of the place (*Days*), and the milk of each.

use crate::{DayOfMilk, History, Visit};

const DAY_MS: i64 = 86_400_000;

/// What was sent as the time of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    Day(i64),
    /// An instant, milliseconds since 1970.
    At(i64),
}

impl History {
    /// The day of an event.
    #[must_use]
    pub fn day(&self, when: When) -> i64 {
        self.time(when).div_euclid(DAY_MS)
    }

    /// The time on the clock of the place; a day begins it.
    pub(crate) fn time(&self, when: When) -> i64 {
        match when {
            When::Day(day) => day * DAY_MS,
            // Midnight in UTC is how a day is written.
            When::At(at) if at.rem_euclid(DAY_MS) == 0 => at,
            When::At(at) => at + self.offset * 60_000,
        }
    }

    /// The present day.
    pub(crate) fn today(&self) -> i64 {
        (self.now + self.offset * 60_000).div_euclid(DAY_MS)
    }

    /// The day on which the animal left.
    pub(crate) fn left_on(&self) -> Option<i64> {
        self.left.map(|when| self.day(when))
    }

    /// The last day that counts: the present one, or that on which the animal left.
    pub(crate) fn last_day(&self) -> i64 {
        self.left_on().map_or(self.today(), |left| left.min(self.today()))
    }

    /// The day of the milk of a milking.
    fn milked_on(&self, visit: &Visit) -> i64 {
        visit.shift.unwrap_or_else(|| self.day(When::At(visit.at)))
    }

    /// Sums of milkings by day.
    pub(crate) fn milk_by_day(&self) -> Vec<DayOfMilk> {
        // Of several reports of one milking, which begin at one moment, that with the most milk counts.
        let outdone = |visit: &Visit, at: usize| {
            let order = |visit: &Visit, at: usize| (visit.milk, self.milked_on(visit), at);
            let others = self.visits.iter().enumerate();
            others
                .filter(|(_, other)| other.at == visit.at)
                .any(|(place, other)| order(other, place) > order(visit, at))
        };
        let visits = self.visits.iter().enumerate();
        let counted: Vec<&Visit> = visits.filter(|(at, visit)| !outdone(visit, *at)).map(|(_, visit)| visit).collect();
        let mut days: Vec<i64> = counted.iter().map(|visit| self.milked_on(visit)).collect();
        days.sort_unstable();
        days.dedup();
        let sum = |day: i64| {
            let of_day = counted.iter().filter(|visit| self.milked_on(visit) == day);
            DayOfMilk { day, milk: of_day.clone().map(|visit| visit.milk).sum(), milkings: of_day.count() }
        };
        days.into_iter().map(sum).collect()
    }
}
