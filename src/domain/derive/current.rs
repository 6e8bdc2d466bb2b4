//! The present state of an animal from its events: `animals.current` (docs/design/derived.md,
//! *Present state*).
//!
//! Knows the facts of one animal and the day; nothing of where they are stored.
//! `healthStatus` is not derived here: it is the latest observed one.

use super::lactation::{CalvingEvent, CalvingRow};
use super::{day_of, instant_of};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServiceResult {
    /// Not known yet.
    #[default]
    Unknown,
    /// In calf.
    Pregnant,
    /// In calf with more than one.
    Multiple,
    /// Not in calf.
    Empty,
}

/// A row of `inseminations`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// Epoch milliseconds.
    pub date: i64,
    /// An embryo was transferred.
    pub embryo: bool,
    /// Latest result.
    pub result: ServiceResult,
    /// `foetusCount`, if counted; above one makes the pregnancy multiple.
    pub foetus_count: Option<i64>,
}

/// An accepted row of `events`, as far as the state depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// Epoch milliseconds.
    pub date: i64,
    /// What was seen.
    pub fact: Observed,
}

/// What a row of `events` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// `doNotBreed`; false lifts it (`value` 0).
    DoNotBreed(bool),
    /// `pregnancyCheck` without an insemination to carry it.
    PregnancyCheck(ServiceResult),
    /// `lactationStatus`.
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
    /// Services.
    pub services: &'a [Service],
    /// Accepted events.
    pub observations: &'a [Observation],
    /// When the animal left; its state stays that of this day, but it is in calf and expects a calf no more.
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
    /// Last calving.
    pub last_calving_date: Option<i64>,
    /// Last service.
    pub last_insemination_date: Option<i64>,
    /// Last dry-off.
    pub last_dry_off_date: Option<i64>,
    /// Only while in calf by a recorded service.
    pub expected_calving_date: Option<i64>,
    /// Absent for a heifer that is not about to calve.
    pub lactation_status: Option<LactationStatus>,
    /// Absent for males.
    pub reproduction_status: Option<ReproductionStatus>,
}

/// The day (00:00 UTC) on which calving is expected after a service.
#[must_use]
pub const fn expected_calving(service_date: i64, embryo: bool) -> i64 {
    let days = if embryo {
        EMBRYO_GESTATION_DAYS
    } else {
        GESTATION_DAYS
    };
    instant_of(day_of(service_date).saturating_add(days))
}

/// The state on `today`, or on the day of leaving. What left has no reproduction any more.
#[must_use]
pub fn current(facts: &Facts<'_>) -> Current {
    if !facts.female {
        return Current::default();
    }
    let now = facts
        .disposal
        .map_or(facts.today, |left| left.min(facts.today));
    let day = day_of(now);
    let last = |event: CalvingEvent| {
        facts
            .calvings
            .iter()
            .filter(|row| row.event == event && day_of(row.date) <= day)
            .max_by_key(|row| (row.date, row.number))
    };
    let calving = last(CalvingEvent::Calving);
    let abortion = last(CalvingEvent::Abortion).map(|row| row.date);
    let dry_off = last(CalvingEvent::DryOff).map(|row| row.date);
    let service = facts
        .services
        .iter()
        .filter(|row| day_of(row.date) <= day)
        .max_by_key(|row| row.date);
    let cycle = Cycle {
        calving: calving.map(|row| row.date),
        abortion,
        dry_off,
        service,
        day,
    };
    let (reproduction, carried) = cycle.reproduction(facts.observations);
    let left = facts.disposal.is_some_and(|left| left <= facts.today);
    let expected = carried.map(|service| expected_calving(service.date, service.embryo));
    let stage = cycle.lactation(facts.observations, expected);
    let in_milk = !matches!(
        stage,
        None | Some(LactationStatus::Dry | LactationStatus::Lead)
    );
    Current {
        parity: Some(calving.map_or(0, |row| row.number)),
        days_in_milk: cycle
            .calving
            .filter(|_| in_milk)
            .map(|date| day - day_of(date)),
        last_calving_date: cycle.calving,
        last_insemination_date: service.map(|row| row.date),
        last_dry_off_date: dry_off,
        expected_calving_date: expected.filter(|_| !left),
        lactation_status: stage,
        reproduction_status: Some(reproduction).filter(|_| !left),
    }
}

/// The latest fact of each kind up to `day`.
struct Cycle<'a> {
    calving: Option<i64>,
    abortion: Option<i64>,
    dry_off: Option<i64>,
    service: Option<&'a Service>,
    day: i64,
}

impl<'a> Cycle<'a> {
    /// The status, and the service that a pregnancy comes from.
    fn reproduction(
        &self,
        observations: &[Observation],
    ) -> (ReproductionStatus, Option<&'a Service>) {
        // The day since which the status below holds, and what depends on it.
        let ended = self.calving.max(self.abortion);
        let service = self
            .service
            .filter(|row| ended.is_none_or(|ended| day_of(row.date) > day_of(ended)));
        let (mut status, mut since) = match service {
            Some(row) => (after_service(row), Some(row.date)),
            None if self.calving.is_some() && self.calving >= self.abortion => {
                (ReproductionStatus::Birthed, self.calving)
            }
            None => (ReproductionStatus::Open, self.abortion),
        };
        let mut seen: Vec<&Observation> = observations
            .iter()
            .filter(|seen| day_of(seen.date) <= self.day)
            .collect();
        seen.sort_by_key(|seen| seen.date);
        let mut barred = false;
        for observation in seen {
            let newer = since.is_none_or(|since| day_of(observation.date) >= day_of(since));
            let said = match observation.fact {
                Observed::DoNotBreed(on) => {
                    barred = on && newer;
                    continue;
                }
                Observed::PregnancyCheck(ServiceResult::Pregnant) => ReproductionStatus::Pregnant,
                Observed::PregnancyCheck(ServiceResult::Multiple) => {
                    ReproductionStatus::PregnantMultipleFoetus
                }
                Observed::PregnancyCheck(ServiceResult::Empty) => ReproductionStatus::NotPregnant,
                Observed::Reproduction(said) => said,
                Observed::PregnancyCheck(ServiceResult::Unknown) | Observed::Lactation(_) => {
                    continue;
                }
            };
            if newer {
                status = said;
                since = Some(observation.date);
            }
        }
        let carried = service.filter(|_| status.in_calf());
        if barred && !status.in_calf() {
            status = ReproductionStatus::DoNotBreed;
        }
        (status, carried)
    }

    fn lactation(
        &self,
        observations: &[Observation],
        expected: Option<i64>,
    ) -> Option<LactationStatus> {
        let turned = self.calving.max(self.dry_off);
        let observed = observations
            .iter()
            .filter(|seen| day_of(seen.date) <= self.day)
            .filter(|seen| turned.is_none_or(|turned| day_of(seen.date) >= day_of(turned)))
            .filter_map(|seen| match seen.fact {
                Observed::Lactation(status) => Some((seen.date, status)),
                _ => None,
            })
            .max_by_key(|(date, _)| *date)
            .map(|(_, status)| status);
        let dry_now = match observed {
            Some(LactationStatus::Lead) => return Some(LactationStatus::Lead),
            Some(LactationStatus::Dry) => true,
            Some(_) => false,
            None => self.dry_off.is_some() && self.dry_off > self.calving,
        };
        let close_up = expected.is_some_and(|due| day_of(due) - self.day <= TRANSITION_DAYS);
        match self.calving {
            _ if dry_now && close_up => Some(LactationStatus::Lead),
            _ if dry_now => Some(LactationStatus::Dry),
            // A stage that was seen in a cow without a recorded calving.
            None if observed.is_some() => observed,
            None => close_up.then_some(LactationStatus::Lead),
            Some(calving) => {
                let days_in_milk = self.day - day_of(calving);
                Some(if days_in_milk <= TRANSITION_DAYS {
                    LactationStatus::Fresh
                } else if days_in_milk <= EARLY_DAYS {
                    LactationStatus::Early
                } else {
                    LactationStatus::Lactating
                })
            }
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
