//! What pages show of a collection (docs/pages.md): the columns of its table, and which rows wait for somebody. Must not
//! know how pages are made.

use crate::registry::{Collection, Field, Kind};

/// Who has to do something about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doer {
    /// The Association.
    Association,
    /// The organisation that this relation of the row names.
    Party(&'static str),
}

/// Rows that wait for somebody: those in one of these states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Who has to do something.
    pub doer: Doer,
    /// The field of the state.
    pub path: &'static str,
    /// The states in which the row waits.
    pub states: &'static [&'static str],
}

/// A chart of a number of events: month by month for a herd, and over another number for one animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chart {
    /// The number that is drawn.
    pub value: &'static str,
    /// How it is drawn for one animal; none: only for herds.
    pub curves: Option<Curves>,
    /// The herd's events that count: those with this value of a field.
    pub only: Option<(&'static str, &'static str)>,
}

/// Curves of the events of one animal: a line for each value of `by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curves {
    /// The number on the axis below.
    pub at: &'static str,
    /// The whole number whose values have lines of their own.
    pub by: &'static str,
}

/// What pages show.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Columns of the table; none: pages choose them.
    pub columns: Vec<&'static str>,
    /// Rows that wait for somebody.
    pub waiting: Vec<Waiting>,
    /// Charts on the pages of animals and of herds.
    pub charts: Vec<Chart>,
}

impl Collection {
    /// The columns of its table on pages.
    pub fn columns(mut self, paths: &[&'static str]) -> Self {
        self.look.columns = paths.to_vec();
        self
    }
    /// Rows in these states wait for somebody.
    pub fn waits(
        mut self,
        doer: Doer,
        path: &'static str,
        states: &'static [&'static str],
    ) -> Self {
        self.look.waiting.push(Waiting { doer, path, states });
        self
    }
}

impl Collection {
    /// A chart on the page of the animal that the events are about, and of its herd.
    pub fn chart(mut self, value: &'static str, at: &'static str, by: &'static str) -> Self {
        let curves = Some(Curves { at, by });
        self.look.charts.push(Chart {
            value,
            curves,
            only: None,
        });
        self
    }
    /// Charts of a herd only: how many events there were in each month, and the means of these numbers. Each event
    /// has the first one. Where `only` names a field and its value, the events that have it count.
    pub fn monthly(
        mut self,
        values: &[&'static str],
        only: Option<(&'static str, &'static str)>,
    ) -> Self {
        let chart = |value: &&'static str| Chart {
            value,
            curves: None,
            only,
        };
        self.look.charts.extend(values.iter().map(chart));
        self
    }
}

/// Every fault in what a declaration says of pages.
pub(crate) fn check(c: &Collection, fault: &mut dyn FnMut(&str, &'static str, String)) {
    for path in &c.look.columns {
        if c.slot(path).is_none() {
            fault(path, "no-such-field", "is a column of pages".to_owned());
        }
    }
    for chart in &c.look.charts {
        if let Some((path, word)) = chart.only {
            let known = match c.field(path).map(|f| &f.kind) {
                Some(Kind::Select(words)) => words.iter().any(|known| known == word),
                _ => false,
            };
            if !known {
                fault(path, "no-such-field", format!("{word} is no value of it"));
            }
        }
        let curves = chart
            .curves
            .iter()
            .flat_map(|curves| [curves.at, curves.by]);
        for path in std::iter::once(chart.value).chain(curves) {
            let number = matches!(
                c.field(path).map(|f| &f.kind),
                Some(Kind::Int | Kind::Number)
            );
            if !number {
                fault(path, "no-such-field", "is no number of a chart".to_owned());
            }
        }
    }
    for waiting in &c.look.waiting {
        let known = match c.field(waiting.path).map(|f| &f.kind) {
            Some(Kind::Select(words)) => {
                (waiting.states.iter()).all(|state| words.iter().any(|word| word == state))
            }
            _ => false,
        };
        if !known {
            let message = format!("{} are no values of it", waiting.states.join(", "));
            fault(waiting.path, "no-such-field", message);
        }
        if let Doer::Party(path) = waiting.doer
            && c.field(path).and_then(Field::target).is_none()
        {
            fault(
                path,
                "no-such-relation",
                "names nobody who does it".to_owned(),
            );
        }
    }
}
