//! Services and what they led to: pure rules over the rows of one animal.

use crate::derive::current::{
    EMBRYO_GESTATION_DAYS, GESTATION_DAYS, Service, ServiceResult, expected_calving,
};
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow};

/// Shortest and longest plausible gestation of a living calf, days (defaults of the
/// checks `gestFixMin`, `gestFixMax`).
const GESTATION: std::ops::RangeInclusive<i64> = 240..=305;

/// A service with its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Served {
    /// Id of the insemination.
    pub(crate) id: i64,
    /// What is known of it.
    pub(crate) service: Service,
}

/// The service that led to a calving or abortion: one known to be pregnant goes before
/// others, then the one whose gestation comes nearest to the usual; of abortions the
/// last. Services known to have failed never count.
pub(crate) fn fruitful(services: &[Served], event: CalvingEvent, date: i64) -> Option<Served> {
    let days = |s: &Served| day_of(date) - day_of(s.service.date);
    let known = |s: &Served| {
        matches!(
            s.service.result,
            ServiceResult::Pregnant | ServiceResult::Multiple
        )
    };
    let plausible = |s: &&Served| match event {
        CalvingEvent::Calving => GESTATION.contains(&days(s)),
        CalvingEvent::Abortion => (1..=*GESTATION.end()).contains(&days(s)),
        CalvingEvent::DryOff => false,
    };
    (services.iter())
        .filter(plausible)
        .filter(|s| s.service.result != ServiceResult::Empty)
        .min_by_key(|s| {
            let usual = if s.service.embryo {
                EMBRYO_GESTATION_DAYS
            } else {
                GESTATION_DAYS
            };
            let distance = match event {
                CalvingEvent::Calving => (days(s) - usual).abs(),
                _ => days(s),
            };
            (!known(s), distance, s.id)
        })
        .copied()
}

/// The last calving on or before a day.
pub(crate) fn calved_before(calvings: &[CalvingRow], date: i64) -> Option<CalvingRow> {
    (calvings.iter())
        .filter(|c| c.event == CalvingEvent::Calving && day_of(c.date) <= day_of(date))
        .max_by_key(|c| (c.date, c.number))
        .copied()
}

/// `number` of a row that leaves it out: the next parity for a calving, the present one
/// for others.
pub(crate) fn next_number(calvings: &[CalvingRow], event: CalvingEvent, date: i64) -> i64 {
    let present = calved_before(calvings, date).map_or(0, |c| c.number);
    match event {
        CalvingEvent::Calving => present + 1,
        _ => present.max(1),
    }
}

/// `expectedCalving`: none of a service known to have failed.
pub(crate) fn expected(service: &Service) -> Option<i64> {
    (service.result != ServiceResult::Empty).then(|| expected_calving(service.date, service.embryo))
}

/// Days since the last calving; none before the first.
pub(crate) fn days_since_calving(calvings: &[CalvingRow], date: i64) -> Option<i64> {
    calved_before(calvings, date).map(|c| day_of(date) - day_of(c.date))
}

#[cfg(test)]
mod tests {
    use super::{Served, expected, fruitful, next_number};
    use crate::derive::current::{Service, ServiceResult};
    use crate::derive::instant_of;
    use crate::derive::lactation::{CalvingEvent, CalvingRow};

    fn served(id: i64, day: i64, result: ServiceResult) -> Served {
        let service = Service {
            date: instant_of(day),
            embryo: false,
            result,
            foetus_count: None,
        };
        Served { id, service }
    }

    fn calved(number: i64, day: i64) -> CalvingRow {
        CalvingRow {
            date: instant_of(day),
            number,
            event: CalvingEvent::Calving,
        }
    }

    #[test]
    fn a_calving_comes_from_the_service_with_the_usual_gestation() {
        let all = [
            served(1, 0, ServiceResult::Unknown),
            served(2, 21, ServiceResult::Unknown),
            served(3, 90, ServiceResult::Unknown),
        ];
        let at = |day| fruitful(&all, CalvingEvent::Calving, instant_of(day)).map(|s| s.id);
        assert_eq!(at(280), Some(1));
        assert_eq!(at(300), Some(2));
        assert_eq!(at(600), None);
    }

    #[test]
    fn a_known_result_decides() {
        let all = [
            served(1, 0, ServiceResult::Empty),
            served(2, 21, ServiceResult::Pregnant),
            served(3, 15, ServiceResult::Unknown),
        ];
        let at = |day| fruitful(&all, CalvingEvent::Calving, instant_of(day)).map(|s| s.id);
        assert_eq!(at(279), Some(2));
        let aborted = fruitful(&all, CalvingEvent::Abortion, instant_of(100));
        assert_eq!(aborted.map(|s| s.id), Some(2));
        assert_eq!(fruitful(&all, CalvingEvent::DryOff, instant_of(100)), None);
        let failed = served(1, 0, ServiceResult::Empty).service;
        assert_eq!(expected(&failed), None);
    }

    #[test]
    fn the_next_number_follows_the_calving_before_not_the_highest() {
        let calvings = [calved(1, 0), calved(3, 800)];
        let next = |event, day| next_number(&calvings, event, instant_of(day));
        assert_eq!(next(CalvingEvent::Calving, 400), 2);
        assert_eq!(next(CalvingEvent::Calving, 1200), 4);
        assert_eq!(next(CalvingEvent::DryOff, 900), 3);
        assert_eq!(next(CalvingEvent::Abortion, -5), 1);
    }
}
