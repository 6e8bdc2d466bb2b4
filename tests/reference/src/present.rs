//! The present state (*Present state*).

use crate::{Code, Event, History};
use std::collections::BTreeSet;

const TRANSITION_DAYS: i64 = 21;
const EARLY_DAYS: i64 = 100;

/// The state of an animal on the present day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Present {
    /// Number of the last calving.
    pub parity: Option<i64>,
    /// Days since it, in milk.
    pub days_in_milk: Option<i64>,
    /// Days from birth to the calving of parity 1.
    pub age_at_first_calving: Option<i64>,
    /// Day of the last calving.
    pub calving: Option<i64>,
    /// Day of the last service.
    pub service: Option<i64>,
    /// Day of the last drying-off.
    pub dry_off: Option<i64>,
    /// Day of the expected calving.
    pub expected: Option<i64>,
    /// Stage of lactation.
    pub lactation: Option<&'static str>,
    /// State of reproduction.
    pub reproduction: Option<&'static str>,
    /// Days with a service since the last calving or abortion.
    pub services: Option<i64>,
    /// Last test day of the present lactation.
    pub last_test: Option<i64>,
    /// Last of them with cells, and these.
    pub cells: Option<(i64, f64)>,
    /// Group of age and calvings.
    pub age_group: Option<&'static str>,
}

impl History {
    /// The state on the present day.
    pub(crate) fn present(&self) -> Present {
        if !self.female {
            return Present::default();
        }
        let today = self.today();
        let left = self.left_on().is_some_and(|day| day <= today);
        let on = self.last_day();
        let begun = self.begun(on);
        let last = |event: Event| {
            let rows = self.calvings.iter().filter(|row| row.event == event);
            rows.map(|row| self.day(row.when)).filter(|day| *day <= on).max()
        };
        let service = self.services.iter().map(|row| self.day(row.when)).filter(|day| *day <= on).max();
        let calvings = self.calvings.iter().map(|row| row.when);
        let checks = self.checks.iter().map(|row| row.when);
        let dry = self.tests.iter().filter(|test| test.code == Some(Code::Dry));
        let known = calvings.chain(checks).chain(dry.map(|test| test.when));
        if service.is_none() && !known.into_iter().any(|when| self.day(when) <= on) {
            // Nothing is known of her.
            return Present { age_group: Some(self.age_group(on)), ..Present::default() };
        }
        let beginnings = self.beginnings();
        let mut first = beginnings.iter().filter(|one| one.number == 1 && one.day <= on);
        let first = first.next().map(|one| one.day);
        let carried = self.in_calf_by(on);
        let expected = carried.and_then(|at| self.expected(at)).filter(|_| !left);
        let lactation = self.stage(on, expected).filter(|_| !left);
        let tests: Vec<(i64, Option<f64>)> = match self.begun(on) {
            Some(beginning) => self.milked(beginning.day),
            None => Vec::new(),
        };
        let ended = self.calvings.iter().filter(|row| row.event != Event::DryOff).map(|row| self.day(row.when));
        let ended = ended.filter(|day| *day <= on).max();
        let served: BTreeSet<i64> = (self.services.iter().map(|row| self.day(row.when)))
            .filter(|day| *day <= on && ended.is_none_or(|ended| *day > ended))
            .collect();
        let in_milk = matches!(lactation, Some("fresh" | "early" | "lactating"));
        Present {
            parity: Some(begun.map_or(0, |beginning| beginning.number)),
            days_in_milk: begun.filter(|_| in_milk).map(|beginning| on - beginning.day),
            age_at_first_calving: first.map(|day| day - self.birth).filter(|age| (1..=1_500).contains(age)),
            calving: begun.map(|beginning| beginning.day),
            service,
            dry_off: last(Event::DryOff),
            expected,
            lactation,
            reproduction: Some(self.reproduction(on)).filter(|_| !left),
            services: i64::try_from(served.len()).ok(),
            last_test: tests.last().map(|(day, _)| *day),
            cells: tests.iter().rev().find_map(|(day, cells)| Some((*day, (*cells)?))),
            age_group: Some(self.age_group(on)),
        }
    }

    fn stage(&self, on: i64, expected: Option<i64>) -> Option<&'static str> {
        let begun = self.begun(on).map(|beginning| beginning.day);
        let dried = self.calvings.iter().filter(|row| row.event == Event::DryOff).map(|row| self.day(row.when));
        let dried = dried.filter(|day| *day <= on && begun.is_none_or(|begun| *day >= begun)).count() > 0;
        // On the day of a calving that says more.
        let coded = self.tests.iter().filter(|test| test.code == Some(Code::Dry)).map(|test| self.day(test.when));
        let coded = coded.filter(|day| *day <= on && begun.is_none_or(|begun| *day > begun)).count() > 0;
        let near = expected.is_some_and(|day| day - on <= TRANSITION_DAYS);
        match begun.map(|begun| on - begun) {
            _ if (dried || coded) && near => Some("lead"),
            _ if dried || coded => Some("dry"),
            None => near.then_some("lead"),
            Some(days) if days <= TRANSITION_DAYS => Some("fresh"),
            Some(days) if days <= EARLY_DAYS => Some("early"),
            Some(_) => Some("lactating"),
        }
    }

    /// The group of age, where nobody stated it.
    fn age_group(&self, on: i64) -> &'static str {
        let calvings = self.beginnings().into_iter().filter(|beginning| beginning.day <= on);
        // A second calving makes a cow of a second calving, whatever number was stated.
        let counted = (1..).zip(calvings).map(|(count, beginning)| beginning.number.max(count));
        match counted.max() {
            Some(..=1) => "firstCalf",
            Some(2) => "cow2",
            Some(_) => "cow3",
            None => "heifer",
        }
    }
}
