//! Which service a pregnancy check is about, and which one led to a calving or an abortion (docs/derived.md,
//! *Pregnancy and service*). Services come in an order of their content, by which ties are broken: of two that fit
//! equally well the later one counts.

use super::current::{EMBRYO_GESTATION_DAYS, GESTATION_DAYS, Service, ServiceResult};
use super::day_of;
use super::lactation::{CalvingEvent, CalvingRow};
use model::registry::births::GESTATION;
use std::cmp::Reverse;

/// Days after a service from which on a check can tell.
const VISIBLE_DAYS: i64 = 21;
/// Days by which an assessed age of a foetus may miss the service.
const AGE_ERROR_DAYS: i64 = 10;

/// A pregnancy check that is an event of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Epoch milliseconds.
    pub date: i64,
    /// What was found.
    pub result: ServiceResult,
    /// Assessed age of the foetus, days.
    pub foetal_age: Option<i64>,
    /// Place of the service that it names.
    pub names: Option<usize>,
}

/// Day of the last calving or abortion that fulfils a condition on its day.
fn ended(calvings: &[CalvingRow], counts: impl Fn(i64) -> bool) -> Option<i64> {
    (calvings.iter())
        .filter(|row| row.event != CalvingEvent::DryOff)
        .map(|row| day_of(row.date))
        .filter(|day| counts(*day))
        .max()
}

/// The place of the service that a check is about; none: the check stands for itself.
#[must_use]
pub fn service_of(check: &Check, services: &[Service], calvings: &[CalvingRow]) -> Option<usize> {
    let day = day_of(check.date);
    // What was served before a calving or abortion is over.
    let over = ended(calvings, |ended| ended <= day);
    let open = || {
        let days = services.iter().map(|service| day_of(service.date));
        days.enumerate().filter(|(_, served)| Some(*served) > over && *served <= day)
    };
    let aged = || {
        let begun = day - check.foetal_age?;
        let near = open().map(|(at, served)| ((served - begun).abs(), Reverse(at)));
        let nearest = near.filter(|(apart, _)| *apart <= AGE_ERROR_DAYS).min();
        nearest.map(|(_, Reverse(at))| at)
    };
    let latest = || {
        let visible = open().filter(|(_, served)| *served <= day - VISIBLE_DAYS);
        visible.max_by_key(|(at, served)| (*served, *at)).map(|(at, _)| at)
    };
    check.names.or_else(aged).or_else(latest)
}

/// The place of the service that led to a calving or abortion: one found in calf goes before others, then the one
/// whose gestation comes nearest to the usual; of abortions the last. Services known to have failed never count, nor
/// do those before an earlier calving or abortion.
#[must_use]
pub fn fruitful(own: CalvingRow, services: &[Service], calvings: &[CalvingRow]) -> Option<usize> {
    let day = day_of(own.date);
    let over = ended(calvings, |ended| ended < day);
    let plausible = match own.event {
        CalvingEvent::Calving => GESTATION,
        CalvingEvent::OpeningAbortion | CalvingEvent::Abortion => 1..=*GESTATION.end(),
        CalvingEvent::DryOff => return None,
    };
    (services.iter().enumerate())
        .filter(|(_, service)| service.result != ServiceResult::Empty)
        .filter(|(_, service)| Some(day_of(service.date)) > over)
        .map(|(at, service)| (at, service, day - day_of(service.date)))
        .filter(|(_, _, days)| plausible.contains(days))
        .min_by_key(|(at, service, days)| {
            let distance = match own.event {
                CalvingEvent::Calving => (days - gestation(service)).abs(),
                _ => *days,
            };
            (!service.result.in_calf(), distance, Reverse(*at))
        })
        .map(|(at, ..)| at)
}

/// Usual days from the service to calving.
const fn gestation(service: &Service) -> i64 {
    match service.embryo {
        true => EMBRYO_GESTATION_DAYS,
        false => GESTATION_DAYS,
    }
}

/// The kind of an abortion: whether it opens a lactation, as stated, else by its days of gestation.
#[must_use]
pub fn abortion(stated: Option<bool>, gestation: Option<i64>, opening: i64) -> CalvingEvent {
    match stated.unwrap_or(gestation.is_some_and(|days| days >= opening)) {
        true => CalvingEvent::OpeningAbortion,
        false => CalvingEvent::Abortion,
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, abortion, fruitful, service_of};
    use crate::derive::current::{Service, ServiceResult};
    use crate::derive::instant_of;
    use crate::derive::lactation::{CalvingEvent, CalvingRow};

    const fn served(day: i64, result: ServiceResult) -> Service {
        Service { date: instant_of(day), embryo: false, result, foetus_count: None, checked: None }
    }

    const fn calved(day: i64, event: CalvingEvent) -> CalvingRow {
        CalvingRow { date: instant_of(day), number: 1, event }
    }

    #[test]
    fn a_check_is_about_the_service_of_its_age_or_the_latest_that_it_can_tell_of() {
        let services = [0, 41, 60].map(|day| served(day, ServiceResult::Unknown));
        let over = [calved(30, CalvingEvent::Abortion), calved(50, CalvingEvent::DryOff)];
        for (day, foetal_age, names, calvings, expected) in [
            (80, None, None, &[][..], Some(1)),
            (81, None, None, &[], Some(2)),
            (62, None, None, &[], Some(1)),
            (61, None, None, &[], Some(0)),
            (20, None, None, &[], None),
            // An age of so many days, within ten; else as without one.
            (80, Some(80), None, &[], Some(0)),
            (80, Some(70), None, &[], Some(0)),
            (80, Some(69), None, &[], Some(1)),
            (80, Some(25), None, &[], Some(2)),
            // Nearest, and of two that are equally near the later one.
            (101, Some(51), None, &[], Some(1)),
            (101, Some(50), None, &[], Some(2)),
            (120, Some(200), None, &[], Some(2)),
            // A named one counts, whatever fits better; what a calving or abortion ended does not.
            (80, Some(80), Some(2), &[], Some(2)),
            (80, Some(80), None, &over, Some(1)),
            (30, None, None, &over, None),
        ] {
            let check = Check { date: instant_of(day), result: ServiceResult::Empty, foetal_age, names };
            assert_eq!(service_of(&check, &services, calvings), expected, "{check:?}");
        }
    }

    #[test]
    fn a_calving_comes_from_the_service_with_the_usual_gestation() {
        let all = [0, 21, 90].map(|day| served(day, ServiceResult::Unknown));
        let at = |day| fruitful(calved(day, CalvingEvent::Calving), &all, &[]);
        assert_eq!(at(280), Some(0));
        assert_eq!(at(300), Some(1));
        assert_eq!(at(600), None);
        // Equally near: the later one.
        let all = [0, 2].map(|day| served(day, ServiceResult::Unknown));
        assert_eq!(fruitful(calved(280, CalvingEvent::Calving), &all, &[]), Some(1));
    }

    #[test]
    fn a_known_result_decides() {
        let all = [(0, ServiceResult::Empty), (15, ServiceResult::Unknown), (21, ServiceResult::Pregnant)];
        let all = all.map(|(day, result)| served(day, result));
        let at = |day, event| fruitful(calved(day, event), &all, &[]);
        assert_eq!(at(279, CalvingEvent::Calving), Some(2));
        assert_eq!(at(100, CalvingEvent::Abortion), Some(2));
        assert_eq!(at(100, CalvingEvent::DryOff), None);
    }

    #[test]
    fn what_an_earlier_calving_or_abortion_ended_leads_to_none() {
        let all = [(0, ServiceResult::Pregnant), (60, ServiceResult::Unknown)];
        let all = all.map(|(day, result)| served(day, result));
        let aborted = [calved(45, CalvingEvent::Abortion), calved(300, CalvingEvent::Calving)];
        assert_eq!(fruitful(aborted[1], &all, &aborted), Some(1));
        assert_eq!(fruitful(aborted[0], &all, &aborted), Some(0));
    }

    #[test]
    fn an_abortion_opens_a_lactation_as_stated_or_late() {
        for (stated, days, opens) in [
            (None, Some(210), true),
            (None, Some(209), false),
            (None, None, false),
            (Some(true), None, true),
            (Some(false), Some(230), false),
        ] {
            assert_eq!(abortion(stated, days, 210).opens(), opens, "{stated:?} {days:?}");
        }
    }
}
