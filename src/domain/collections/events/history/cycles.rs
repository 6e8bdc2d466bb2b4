//! Services, pregnancy checks, calvings and abortions of one animal as they follow from each other (docs/derived.md,
//! *Parity and numbers of lactations* to *Pregnancy and service*): checks make the results of services, services with
//! results the gestations, gestations say which abortions open lactations, and those are numbered.

use super::observations::{ObservedEvents, PregnancyCheck};
use super::rows::{
    Calvings, Inseminations, Meanings, bull_of, calving_of, event_after, event_of, stated_number, stored_services,
};
use super::services::StoredService;
use crate::derive::current::{LactationStatus, Observation, Observed, Service, ServiceResult};
use crate::derive::day_of;
use crate::derive::lactation::{CalvingRow, ServiceRow};
use crate::derive::parity::{Numbered, numbers};
use crate::derive::pregnancy::{Check, fruitful, service_of};
use model::record::{Record, Value};
use model::registry::{ID, Rules};
use std::collections::{BTreeMap, BTreeSet};

/// What the rows of an animal say together.
#[derive(Debug, Default)]
pub(super) struct Cycles {
    /// In the order of their content.
    pub(super) services: Vec<StoredService>,
    /// The fields of each service that follow from the check that decides.
    pub(super) results: Vec<[(usize, Value); 5]>,
    /// Calvings, abortions and dryings-off with a date, as numbered, in the order of their rows.
    pub(super) calvings: Vec<CalvingRow>,
    /// The place of the service that each of them came from.
    pub(super) sources: Vec<Option<usize>>,
    /// What was observed, with checks that are about no service.
    pub(super) observations: Vec<Observation>,
    /// The earliest day of a calving whose number, or whether it opens a lactation, is not as stored.
    pub(super) moved: Option<i64>,
}

impl Cycles {
    pub(super) fn of(
        calvings: &[Record],
        services: &[Record],
        observed: &ObservedEvents,
        dry_tests: Option<i64>,
        known: (&Meanings, &BTreeMap<i64, String>),
        rules: Rules,
    ) -> Self {
        let s = Calvings::get();
        let (meanings, bulls) = known;
        let dated: Vec<(&Record, CalvingRow)> = (calvings.iter())
            .filter_map(|row| {
                let date = row.get(s.date).time()?;
                let event = event_of(row);
                Some((row, CalvingRow { date, number: 0, event }))
            })
            .collect();
        let plain: Vec<CalvingRow> = dated.iter().map(|(_, calving)| *calving).collect();
        let mut cycles = Self {
            services: stored_services(services, meanings, bulls),
            observations: observed.observations.clone(),
            ..Self::default()
        };
        cycles
            .observations
            .extend(dry_tests.map(|date| Observation { date, fact: Observed::Lactation(LactationStatus::Dry) }));
        let stated: BTreeMap<i64, &Record> =
            (services.iter()).filter_map(|row| Some((row.get(ID).int()?, row))).collect();
        cycles.check(observed, &plain, &stated, meanings);
        let all: Vec<Service> = cycles.services.iter().map(|served| served.service).collect();
        let mut rows = Vec::with_capacity(dated.len());
        for (row, calving) in &dated {
            let source = fruitful(*calving, &all, &plain);
            let days = source.and_then(|at| Some(day_of(calving.date) - day_of(all.get(at)?.date)));
            cycles.sources.push(source);
            rows.push(Numbered {
                day: day_of(calving.date),
                event: event_after(row, days, rules),
                stated: stated_number(row),
            });
        }
        let numbered = dated.iter().zip(&rows).zip(numbers(&rows));
        for (((row, calving), entry), number) in numbered {
            let calving = CalvingRow { number, event: entry.event, ..*calving };
            if calving_of(row, rules) != Some(calving) {
                cycles.moved = Some(cycles.moved.map_or(calving.date, |at| at.min(calving.date)));
            }
            cycles.calvings.push(calving);
        }
        cycles
    }

    /// The results of services by checks: those of events, and the one that was stated with the service.
    fn check(
        &mut self,
        observed: &ObservedEvents,
        calvings: &[CalvingRow],
        rows: &BTreeMap<i64, &Record>,
        meanings: &Meanings,
    ) {
        let services: Vec<Service> = self.services.iter().map(|served| served.service).collect();
        let places: BTreeMap<i64, usize> =
            (self.services.iter().zip(0..)).map(|(served, at)| (served.id, at)).collect();
        let mut of: Vec<Vec<&PregnancyCheck>> = vec![Vec::new(); services.len()];
        for checked in &observed.checks {
            let check = Check {
                date: checked.date,
                result: checked.result,
                foetal_age: checked.foetal_age,
                names: checked.names.and_then(|id| places.get(&id).copied()),
            };
            let at = service_of(&check, &services, calvings);
            let fact = match at.and_then(|at| of.get_mut(at)) {
                None => Observed::PregnancyCheck(checked.result),
                Some(own) => {
                    own.push(checked);
                    if check.names.is_some() || checked.result != ServiceResult::Empty {
                        continue;
                    }
                    Observed::NotInCalf
                }
            };
            let date = checked.date;
            self.observations.push(Observation { date, fact });
        }
        for (served, checks) in self.services.iter_mut().zip(of) {
            let Some(row) = rows.get(&served.id) else {
                continue;
            };
            let own = StatedResult::of(row, meanings);
            // The latest that found something, else the latest; the one stated with the service before others of its day.
            let has_result = |check: &&&PregnancyCheck| check.result != ServiceResult::Unknown;
            let check = checks.iter().rfind(has_result).or(checks.last()).copied();
            let order = check.map(|check| (has_result(&&check), Some(day_of(check.date))));
            let wins = own.as_ref().is_some_and(|own| Some(own.order()) >= order);
            let own = own.filter(|_| wins);
            let check = check.filter(|_| !wins);
            served.service = Service {
                result: match (&own, check) {
                    (Some(own), _) => own.meaning,
                    (None, check) => check.map_or(ServiceResult::Unknown, |check| check.result),
                },
                foetus_count: match (&own, check) {
                    (Some(own), _) => own.values[3].int(),
                    (None, check) => check.and_then(|check| check.foetuses),
                },
                checked: match (&own, check) {
                    (Some(own), _) => own.values[1].time(),
                    (None, check) => check.map(|check| check.date),
                },
                ..served.service
            };
            self.results.push(result(own, check, meanings));
        }
    }

    /// The services that lactations show: of each one that which led to the calving that ended it, else that by which
    /// she is in calf, else the last in it. Calvings and services after the day `until` do not count.
    pub(super) fn service_rows(
        &self,
        in_calf_by: Option<usize>,
        until: i64,
        rows: &BTreeMap<i64, &Record>,
        bulls: &BTreeMap<i64, String>,
    ) -> Vec<ServiceRow> {
        let openers = self.calvings.iter().zip(&self.sources);
        let openers = openers.filter(|(calving, _)| calving.event.opens() && day_of(calving.date) <= until);
        // Of two calvings of one day one source is enough.
        let mut starts: BTreeMap<i64, Option<usize>> = BTreeMap::new();
        for (calving, source) in openers {
            let place = starts.entry(day_of(calving.date)).or_default();
            *place = (*place).max(*source);
        }
        let day = |at: usize| self.services.get(at).map(|served| day_of(served.service.date));
        let mut service_rows = Vec::new();
        let mut next: Option<(i64, Option<usize>)> = None;
        for (start, source) in starts.into_iter().rev() {
            let within = |at: &usize| {
                let day = day(*at);
                day >= Some(start) && day <= Some(until) && next.is_none_or(|(next, _)| day < Some(next))
            };
            let last = || (0..self.services.len()).filter(within).max();
            let chosen = match next {
                Some((_, source)) => source,
                None => in_calf_by,
            };
            let fruitful = chosen.filter(within);
            if let Some(at) = fruitful.or_else(last)
                && let Some(served) = self.services.get(at)
            {
                let days: BTreeSet<Option<i64>> = (0..=at).filter(within).map(day).collect();
                service_rows.push(ServiceRow {
                    date: served.service.date,
                    bull: rows.get(&served.id).and_then(|row| bull_of(row, bulls)),
                    fruitful: fruitful.is_some(),
                    services: i64::try_from(days.len()).unwrap_or(i64::MAX),
                });
            }
            next = Some((start, source));
        }
        service_rows
    }
}

/// A result that was stated with its service: result, date, method, number of foetuses.
struct StatedResult {
    values: [Value; 4],
    meaning: ServiceResult,
}

impl StatedResult {
    fn of(row: &Record, meanings: &Meanings) -> Option<Self> {
        let s = Inseminations::get();
        let slots = [s.stated_result, s.stated_date, s.stated_method, s.stated_foetuses];
        let values = slots.map(|slot| row.get(slot).clone());
        values.iter().any(|value| !value.is_null()).then(|| Self { meaning: meanings.result(&values[0]), values })
    }

    /// Whether it says what was found, and its day.
    fn order(&self) -> (bool, Option<i64>) {
        let has_result = self.meaning != ServiceResult::Unknown;
        (has_result, self.values[1].time().map(day_of))
    }
}

/// The fields of a service that follow from the check that decides.
fn result(own: Option<StatedResult>, check: Option<&PregnancyCheck>, meanings: &Meanings) -> [(usize, Value); 5] {
    let s = Inseminations::get();
    let [result, date, method, foetuses] = match (own, check) {
        (Some(own), _) => own.values,
        (None, Some(check)) => [
            Value::from(meanings.entry(check.result)),
            Value::Time(check.date),
            Value::from(check.method),
            Value::from(check.foetuses),
        ],
        (None, None) => [const { Value::Null }; 4],
    };
    [
        (s.result, result),
        (s.checked, date),
        (s.checked_by, method),
        (s.foetuses, foetuses),
        (s.check, Value::from(check.map(|check| check.id))),
    ]
}
