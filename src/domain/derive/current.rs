//! The present state of an animal from its events: `animals.current` (docs/design/derived.md,
//! *Present state*).
//!
//! Knows the facts of one animal and the day; nothing of where they are stored.
//! `healthStatus` is not derived here: it is the latest observed one.

use super::lactation::{CalvingEvent, CalvingRow};
use super::{day_of, instant_of};
use std::collections::BTreeSet;

mod status;

pub use status::{LactationStatus, ReproductionStatus};

/// Days from service to calving (docs/design/derived.md, *Present state*).
pub const GESTATION_DAYS: i64 = 279;
/// Days from the transfer of an embryo to calving.
pub const EMBRYO_GESTATION_DAYS: i64 = 272;
/// Days after calving in which a cow is fresh, and before it in which she is in
/// the close-up group.
pub const TRANSITION_DAYS: i64 = 21;
/// Days in milk up to which lactation is early.
pub const EARLY_DAYS: i64 = 100;

/// `adeResult` of an insemination result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ServiceResult {
    /// Not known yet.
    #[default]
    Unknown,
    /// Not in calf.
    Empty,
    /// In calf.
    Pregnant,
    /// In calf with more than one.
    Multiple,
}

impl ServiceResult {
    /// In calf, with however many.
    #[must_use]
    pub const fn in_calf(self) -> bool {
        matches!(self, Self::Pregnant | Self::Multiple)
    }
}

/// A row of `inseminations`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// Epoch milliseconds.
    pub date: i64,
    /// An embryo was transferred.
    pub embryo: bool,
    /// Result of the check that decides.
    pub result: ServiceResult,
    /// `foetusCount`, if counted; above one makes the pregnancy multiple.
    pub foetus_count: Option<i64>,
    /// When that check was, epoch milliseconds.
    pub checked: Option<i64>,
}

impl Service {
    /// Since when its result is known; where nobody said, since the service itself.
    fn known_since(&self) -> i64 {
        self.checked.unwrap_or(self.date).max(self.date)
    }
}

/// An accepted row of `events`, as far as the state depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// Epoch milliseconds.
    pub date: i64,
    /// What was seen.
    pub fact: Observed,
}

/// What a row of `events`, or a milk test coded dry, says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Observed {
    /// `doNotBreed`; false lifts it (`value` 0).
    DoNotBreed(bool),
    /// `pregnancyCheck` that is about no service of the book.
    PregnancyCheck(ServiceResult),
    /// `pregnancyCheck` that found the cow empty and is the result of a service that it does not name: another
    /// pregnancy that was found before is over too.
    NotInCalf,
    /// `lactationStatus`, or a milk test coded dry.
    Lactation(LactationStatus),
    /// `reproStatus`.
    Reproduction(ReproductionStatus),
}

/// Everything about one animal that its state depends on, in any order.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Males have no such state.
    pub female: bool,
    /// Calvings, abortions, dry-offs.
    pub calvings: &'a [CalvingRow],
    pub services: &'a [Service],
    /// Accepted events.
    pub observations: &'a [Observation],
    /// When the animal left: it has no status any more, but its parity and the days of its last events.
    pub disposal: Option<i64>,
    /// The present instant; later rows are ignored.
    pub today: i64,
}

/// `animals.current`; dates in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Current {
    /// Number of the last calving; 0 for a heifer.
    pub parity: Option<i64>,
    /// Days since the last calving while in milk.
    pub days_in_milk: Option<i64>,
    /// Last calving, or abortion that opened a lactation.
    pub last_calving_date: Option<i64>,
    /// Last service.
    pub last_insemination_date: Option<i64>,
    pub last_dry_off_date: Option<i64>,
    /// Only while in calf by a recorded service.
    pub expected_calving_date: Option<i64>,
    /// Absent for a heifer that is not about to calve, and for what left.
    pub lactation_status: Option<LactationStatus>,
    /// Absent for males and for what left.
    pub reproduction_status: Option<ReproductionStatus>,
    /// Days with a service since the last calving or abortion.
    pub services: Option<i64>,
    /// Place of the service by which she is, or was on the day of leaving, in calf.
    pub in_calf_by: Option<usize>,
}

/// The day (00:00 UTC) on which calving is expected after a service.
#[must_use]
pub const fn expected_calving(service_date: i64, embryo: bool) -> i64 {
    let days = if embryo { EMBRYO_GESTATION_DAYS } else { GESTATION_DAYS };
    instant_of(day_of(service_date).saturating_add(days))
}

/// The state on `today`, or what stays of it when the animal left.
#[must_use]
pub fn current(facts: &Facts<'_>) -> Current {
    if !facts.female {
        return Current::default();
    }
    let now = facts.disposal.map_or(facts.today, |left| left.min(facts.today));
    let day = day_of(now);
    let last = |counts: fn(CalvingEvent) -> bool| {
        (facts.calvings.iter())
            .filter(|row| counts(row.event) && day_of(row.date) <= day)
            .max_by_key(|row| (day_of(row.date), row.number, row.date))
    };
    let calving = last(CalvingEvent::opens);
    let dry_off = last(|event| event == CalvingEvent::DryOff).map(|row| row.date);
    let cycle = Cycle {
        calving: calving.map(|row| row.date),
        abortion: last(|event| event == CalvingEvent::Abortion).map(|row| row.date),
        dry_off,
        services: facts.services,
        observations: facts.observed_until(day),
        day,
    };
    let served = (facts.services.iter()).filter(|row| day_of(row.date) <= day);
    let dated = cycle.calving.or(cycle.abortion).or(dry_off);
    if dated.is_none() && cycle.observations.is_empty() && served.clone().next().is_none() {
        // Nothing is known of her.
        return Current::default();
    }
    let last_service = served.map(|row| row.date).max();
    let (reproduction, in_calf_by) = cycle.reproduction();
    let expected =
        in_calf_by.and_then(|at| facts.services.get(at)).map(|service| expected_calving(service.date, service.embryo));
    let left = facts.disposal.is_some_and(|left| left <= facts.today);
    let stage = cycle.lactation(expected).filter(|_| !left);
    let in_milk = !matches!(stage, None | Some(LactationStatus::Dry | LactationStatus::Lead));
    let days: BTreeSet<i64> = cycle.open().map(|(_, row)| day_of(row.date)).collect();
    Current {
        parity: Some(calving.map_or(0, |row| row.number)),
        days_in_milk: cycle.calving.filter(|_| in_milk).map(|date| day - day_of(date)),
        last_calving_date: cycle.calving,
        last_insemination_date: last_service,
        last_dry_off_date: dry_off,
        expected_calving_date: expected.filter(|_| !left),
        lactation_status: stage,
        reproduction_status: Some(reproduction).filter(|_| !left),
        services: i64::try_from(days.len()).ok(),
        in_calf_by,
    }
}

impl Facts<'_> {
    /// What was observed up to a day, in order; ties by what was observed.
    fn observed_until(&self, day: i64) -> Vec<Observation> {
        let rows = self.observations.iter().copied();
        let mut rows: Vec<Observation> = rows.filter(|row| day_of(row.date) <= day).collect();
        rows.sort_by_key(|row| (row.date, row.fact));
        rows
    }
}

/// The latest fact of each kind up to `day`.
struct Cycle<'a> {
    calving: Option<i64>,
    abortion: Option<i64>,
    dry_off: Option<i64>,
    services: &'a [Service],
    observations: Vec<Observation>,
    day: i64,
}

impl Cycle<'_> {
    /// Services since the last calving or abortion, with their places.
    fn open(&self) -> impl Iterator<Item = (usize, &Service)> {
        let over = self.calving.max(self.abortion).map(day_of);
        (self.services.iter().enumerate()).filter(move |(_, row)| {
            let day = day_of(row.date);
            day <= self.day && Some(day) > over
        })
    }

    /// The status by calvings, abortions, services and checks, since when it holds, and the service by which she is in
    /// calf.
    fn checked(&self) -> (ReproductionStatus, Option<i64>, Option<usize>) {
        let is = |row: &Observation, result| row.fact == Observed::PregnancyCheck(result);
        let empty = |row: &&Observation| row.fact == Observed::NotInCalf || is(row, ServiceResult::Empty);
        let empty = self.observations.iter().rfind(empty).map(|row| row.date);
        let over = self.calving.max(self.abortion).map(day_of);
        // A later negative check ends what was found before, a later service does not.
        let stands = |date: i64| empty.is_none_or(|empty| day_of(empty) <= day_of(date));
        let carried = (self.open())
            .filter(|(_, row)| row.result.in_calf() && stands(row.known_since()))
            .map(|(at, row)| (day_of(row.known_since()), Some((day_of(row.date), at)), after_service(row)));
        let itself = (self.observations.iter())
            .filter(|row| Some(day_of(row.date)) > over && stands(row.date))
            .filter_map(|row| match row.fact {
                Observed::PregnancyCheck(ServiceResult::Pregnant) => Some((row, ReproductionStatus::Pregnant)),
                Observed::PregnancyCheck(ServiceResult::Multiple) => {
                    Some((row, ReproductionStatus::PregnantMultipleFoetus))
                }
                _ => None,
            })
            .map(|(row, status)| (day_of(row.date), None, status));
        if let Some((day, at, status)) = carried.chain(itself).max() {
            return (status, Some(instant_of(day)), at.map(|(_, at)| at));
        }
        let last = self.open().max_by_key(|(at, row)| (day_of(row.date), *at));
        let (status, since) = match last {
            // What was found in calf is not any more.
            Some((_, row)) if row.result.in_calf() => (ReproductionStatus::NotPregnant, empty),
            Some((_, row)) => (after_service(row), Some(row.known_since())),
            None if self.calving.is_some() && self.calving >= self.abortion => {
                (ReproductionStatus::Birthed, self.calving)
            }
            None => (ReproductionStatus::Open, self.abortion),
        };
        let itself = self.observations.iter().rfind(|row| is(row, ServiceResult::Empty));
        match itself.map(|row| row.date) {
            Some(date) if since.is_none_or(|since| day_of(date) > day_of(since)) => {
                (ReproductionStatus::NotPregnant, Some(date), None)
            }
            _ => (status, since, None),
        }
    }

    /// The status with what was observed since, and the service by which she is in calf.
    fn reproduction(&self) -> (ReproductionStatus, Option<usize>) {
        let (mut status, mut since, mut in_calf_by) = self.checked();
        let mut barred = false;
        for row in &self.observations {
            let newer = since.is_none_or(|since| day_of(row.date) >= day_of(since));
            match row.fact {
                Observed::DoNotBreed(on) => barred = on && newer,
                Observed::Reproduction(said) if newer => {
                    (status, since) = (said, Some(row.date));
                    // Who sees her in calf without a check means the last service.
                    let last = || self.open().max_by_key(|(at, row)| (day_of(row.date), *at));
                    in_calf_by = in_calf_by.or_else(|| last().map(|(at, _)| at));
                }
                _ => {}
            }
        }
        let in_calf_by = in_calf_by.filter(|_| status.in_calf());
        if barred && !status.in_calf() {
            status = ReproductionStatus::DoNotBreed;
        }
        (status, in_calf_by)
    }

    fn lactation(&self, expected: Option<i64>) -> Option<LactationStatus> {
        let [calving, dry_off] = [self.calving, self.dry_off].map(|at| at.map(day_of));
        // On its own day a calving or drying-off says more than what was observed.
        let turned = calving.max(dry_off);
        let mut since = self.observations.iter().rev().filter(|row| Some(day_of(row.date)) > turned);
        let observed = since.find_map(|row| match row.fact {
            Observed::Lactation(status) => Some(status),
            _ => None,
        });
        let dry_now = match observed {
            Some(LactationStatus::Lead) => return Some(LactationStatus::Lead),
            Some(LactationStatus::Dry) => true,
            Some(_) => false,
            None => dry_off.is_some() && dry_off >= calving,
        };
        let close_up = expected.is_some_and(|due| day_of(due) - self.day <= TRANSITION_DAYS);
        match calving {
            _ if dry_now && close_up => Some(LactationStatus::Lead),
            _ if dry_now => Some(LactationStatus::Dry),
            // A stage that was seen in a cow without a recorded calving.
            None if observed.is_some() => observed,
            None => close_up.then_some(LactationStatus::Lead),
            Some(calving) if self.day - calving <= TRANSITION_DAYS => Some(LactationStatus::Fresh),
            Some(calving) if self.day - calving <= EARLY_DAYS => Some(LactationStatus::Early),
            Some(_) => Some(LactationStatus::Lactating),
        }
    }
}

const fn after_service(service: &Service) -> ReproductionStatus {
    match (service.result, service.foetus_count) {
        (ServiceResult::Multiple, _) | (ServiceResult::Pregnant, Some(2..)) => {
            ReproductionStatus::PregnantMultipleFoetus
        }
        (ServiceResult::Pregnant, _) => ReproductionStatus::Pregnant,
        (ServiceResult::Empty, _) => ReproductionStatus::NotPregnant,
        (ServiceResult::Unknown, _) => ReproductionStatus::Inseminated,
    }
}

#[cfg(test)]
mod tests;
