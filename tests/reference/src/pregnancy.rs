//! Checks, results, and what services led to (*Pregnancy and service*).

use crate::{Check, Event, History, OfService, Outcome, Service};

/// Days from a service to calving, and from the transfer of an embryo.
const GESTATION: i64 = 279;
const EMBRYO_GESTATION: i64 = 272;
/// Days of gestation that a calving, and an abortion, may come after.
const CALVING: std::ops::RangeInclusive<i64> = 240..=305;
const ABORTION: std::ops::RangeInclusive<i64> = 1..=305;
/// Days by which the age of a foetus may be wrong.
const AGE_ERROR: i64 = 10;
/// Days after which a check can find a pregnancy.
const EARLIEST_CHECK: i64 = 21;

impl History {
    fn served(&self, at: usize) -> i64 {
        self.services.get(at).map_or(i64::MIN, |service| self.day(service.when))
    }

    /// Days and places of services, in the order of what they say: of two that fit equally well the later one counts.
    fn in_order(&self) -> Vec<(i64, usize)> {
        let mut all: Vec<(i64, usize)> = (0..self.services.len()).map(|at| (self.served(at), at)).collect();
        all.sort_by_cached_key(|(day, at)| {
            let service = &self.services[*at];
            (*day, self.time(service.when), service.embryo, service.bull.clone())
        });
        all
    }

    /// The place of a service in that order.
    fn rank(&self, at: usize) -> usize {
        self.in_order().iter().position(|(_, other)| *other == at).unwrap_or(0)
    }

    /// The last day up to one on which a calving or an abortion ended what was served before.
    fn over(&self, until: i64) -> i64 {
        let ends = self.calvings.iter().filter(|row| row.event != Event::DryOff);
        ends.map(|row| self.day(row.when)).filter(|day| *day <= until).max().unwrap_or(i64::MIN)
    }

    /// The service that a check belongs to.
    pub(crate) fn service_of(&self, check: usize) -> Option<usize> {
        let check = self.checks.get(check)?;
        let day = self.day(check.when);
        if check.service.is_some() {
            return check.service;
        }
        let over = self.over(day);
        let open: Vec<(i64, usize)> =
            self.in_order().into_iter().filter(|(served, _)| *served > over && *served <= day).collect();
        if let Some(age) = check.age {
            let apart = |served: i64| (served - (day - age)).abs();
            let fits = open.iter().filter(|(served, _)| apart(*served) <= AGE_ERROR);
            if let Some((_, at)) = fits.rev().min_by_key(|(served, _)| apart(*served)) {
                return Some(*at);
            }
        }
        open.iter().rfind(|(served, _)| day - served >= EARLIEST_CHECK).map(|(_, at)| *at)
    }

    /// The result of a service, and the day of its check: of the latest check that found something, else of the latest.
    /// One that was stated with the service goes before others of its day.
    pub(crate) fn result(&self, at: usize) -> Option<(i64, Outcome)> {
        let checks = self.checks.iter().enumerate();
        let checks = checks.filter(|(check, _)| self.service_of(*check) == Some(at));
        let is_clear = |outcome: Outcome| outcome != Outcome::Unknown;
        let order = |check: &Check| {
            (is_clear(check.outcome), self.day(check.when), false, self.time(check.when), check.outcome)
        };
        let own = self.services[at].result.map(|(outcome, when)| {
            let when = when.unwrap_or(self.services[at].when);
            (is_clear(outcome), self.day(when), true, self.time(when), outcome)
        });
        let (_, day, _, _, outcome) = checks.map(|(_, check)| order(check)).chain(own).max()?;
        Some((day, outcome))
    }

    fn outcome(&self, at: usize) -> Outcome {
        self.result(at).map_or(Outcome::Unknown, |(_, outcome)| outcome)
    }

    /// The service that led to a row of calvings.
    pub(crate) fn origin(&self, at: usize) -> Option<usize> {
        let row = self.calvings.get(at)?;
        let day = self.day(row.when);
        let range = match row.event {
            Event::Calving => CALVING,
            Event::Abortion => ABORTION,
            Event::DryOff => return None,
        };
        let fits = |service: &usize| {
            let served = self.served(*service);
            range.contains(&(day - served)) && served > self.over(day - 1) && self.outcome(*service) != Outcome::Empty
        };
        let distance = |service: &usize| {
            let gestation = day - self.served(*service);
            let usual = self.services.get(*service).map_or(GESTATION, usual);
            let distance = match row.event {
                Event::Calving => (gestation - usual).abs(),
                _ => gestation,
            };
            (!self.outcome(*service).in_calf(), distance, std::cmp::Reverse(self.rank(*service)))
        };
        (0..self.services.len()).filter(fits).min_by_key(distance)
    }

    /// The service that led to the beginning of a lactation on a day.
    pub(crate) fn origin_on(&self, day: i64) -> Option<usize> {
        let rows = self.events().into_iter().enumerate().filter(|(_, row)| row.begins && row.day == day);
        rows.filter_map(|(at, _)| self.origin(at)).max_by_key(|at| self.rank(*at))
    }

    /// The last service of some days.
    pub(crate) fn last_service(&self, days: impl Fn(i64) -> bool) -> Option<usize> {
        self.in_order().into_iter().rfind(|(served, _)| days(*served)).map(|(_, at)| at)
    }

    /// Days from that service.
    pub(crate) fn gestation(&self, at: usize) -> Option<i64> {
        let row = self.calvings.get(at)?;
        Some(self.day(row.when) - self.served(self.origin(at)?))
    }

    /// The day of the last check up to a day that found her not in calf: not those that name the service that they are
    /// about.
    fn found_empty(&self, on: i64) -> Option<i64> {
        let empty = self.checks.iter().filter(|check| check.outcome == Outcome::Empty && check.service.is_none());
        empty.map(|check| self.day(check.when)).filter(|day| *day <= on).max()
    }

    /// Services since the last calving or abortion, by their days.
    fn open(&self, on: i64) -> Vec<(i64, usize)> {
        let over = self.over(on);
        self.in_order().into_iter().filter(|(served, _)| *served > over && *served <= on).collect()
    }

    /// Whether the cow is in calf on a day: since when it is known, by which service, and with how many.
    pub(crate) fn in_calf(&self, on: i64) -> Option<(i64, Option<usize>, Outcome)> {
        let stands = |found: i64| self.found_empty(on).is_none_or(|empty| empty <= found);
        let by_service = self.open(on).into_iter().filter_map(|(served, at)| {
            let (found, outcome) = self.result(at)?;
            let found = found.max(served);
            (outcome.in_calf() && stands(found)).then_some((found, Some((self.rank(at), at)), outcome))
        });
        let over = self.over(on);
        let alone = self.checks.iter().enumerate().filter_map(|(at, check)| {
            let day = self.day(check.when);
            let counts = self.service_of(at).is_none() && day > over && day <= on;
            (counts && check.outcome.in_calf() && stands(day)).then_some((day, None, check.outcome))
        });
        let found = by_service.chain(alone).max()?;
        Some((found.0, found.1.map(|(_, at)| at), found.2))
    }

    /// The service by which the cow is in calf on a day.
    pub(crate) fn in_calf_by(&self, on: i64) -> Option<usize> {
        self.in_calf(on)?.1
    }

    /// The state of reproduction on a day.
    pub(crate) fn reproduction(&self, on: i64) -> &'static str {
        match self.in_calf(on) {
            Some((_, _, Outcome::Multiple)) => return "pregnantMultipleFoetus",
            Some(_) => return "pregnant",
            None => {}
        }
        let (status, since) = match self.open(on).last() {
            Some((served, at)) => match self.result(*at) {
                None => ("inseminated", *served),
                Some((found, Outcome::Unknown)) => ("inseminated", found.max(*served)),
                Some((found, Outcome::Empty)) => ("notPregnant", found.max(*served)),
                // What was found is not any more.
                Some(_) => ("notPregnant", self.found_empty(on).unwrap_or(*served)),
            },
            None => {
                let calved = self.begun(on).map(|beginning| beginning.day);
                let over = self.over(on);
                if calved == Some(over) { ("birthed", over) } else { ("open", over) }
            }
        };
        let alone = self.checks.iter().enumerate().filter(|(at, check)| {
            let day = self.day(check.when);
            check.outcome == Outcome::Empty && self.service_of(*at).is_none() && day > since && day <= on
        });
        if alone.count() > 0 { "notPregnant" } else { status }
    }

    pub(crate) fn expected(&self, at: usize) -> Option<i64> {
        let service = self.services.get(at)?;
        Some(self.day(service.when) + usual(service))
    }

    pub(crate) fn of_service(&self, at: usize) -> OfService {
        let day = self.served(at);
        let begun = self.begun(day);
        let stated = self.services.get(at).and_then(|service| service.number);
        OfService {
            number: stated.unwrap_or_else(|| begun.map_or(0, |beginning| beginning.number)),
            result: self.result(at).map(|(_, outcome)| outcome),
            expected: self.expected(at).filter(|_| self.outcome(at) != Outcome::Empty),
            open: begun.map(|beginning| day - beginning.day),
        }
    }
}

const fn usual(service: &Service) -> i64 {
    if service.embryo { EMBRYO_GESTATION } else { GESTATION }
}
