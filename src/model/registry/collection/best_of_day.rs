//! Collections of which the rows of an animal on one day are one event: each value of the day is that of the best row
//! which has it.

use crate::registry::Collection;

/// Which rows of a day count, and which of them is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestOfDay {
    /// A choice, and its word in the rows that count; rows without a word count too.
    pub counts: (&'static str, &'static str),
    /// Days since an earlier event of the animal, by the clock of the place: the same in all rows of a day.
    pub since: &'static str,
    /// The flag of the best rows.
    pub first: &'static str,
    /// The choice that says where a row comes from, and its words, the best first; all others come after them.
    pub sources: (&'static str, &'static [&'static str]),
    /// Of rows from one source the one that has more of these is better, then the later one.
    pub contents: &'static [&'static str],
}

impl BestOfDay {
    /// The fields that it names.
    pub fn paths(&self) -> impl Iterator<Item = &'static str> {
        let own = [self.counts.0, self.since, self.first, self.sources.0];
        own.into_iter().chain(self.contents.iter().copied())
    }
}

impl Collection {
    /// The rows of an animal on one day are one event.
    pub fn best_of_day(mut self, best: BestOfDay) -> Self {
        self.best_of_day = Some(best);
        self
    }
}
