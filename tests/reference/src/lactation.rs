//! Lactations, and their yields day by day (*Test days*, *Lactation*, *Yields*).

use crate::parity::Beginning;
use crate::{Event, History, Source, Test};
use std::cmp::Reverse;
use std::collections::BTreeSet;

const SILENT_DAYS: i64 = 60;
const TAIL_DAYS: i64 = 14;
const GAP_DAYS: i64 = 100;
const STANDARD_DAYS: i64 = 305;

/// Why a lactation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The cow was dried off.
    DryOff,
    /// The next lactation began.
    Calving,
    /// The animal left.
    Disposal,
    /// No further test came.
    NoTests,
}

/// A lactation; kilograms and percentages are not rounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Lactation {
    pub number: i64,
    /// First day.
    pub begin: i64,
    /// Last day, and why it ended.
    pub end: Option<(i64, End)>,
    /// Day of the dry-off in it, which may come after its end.
    pub dry_off: Option<i64>,
    /// Days from the first day to the last, or to the last one credited.
    pub length: Option<i64>,
    /// The service by which it ended in calf.
    pub service: Option<usize>,
    /// Days to that service, and how many days up to it had one; none where she was not in calf by it.
    pub conception: Option<(i64, i64)>,
    /// Days to the next lactation.
    pub interval: Option<i64>,
    /// Highest milk of a test day in the first 305 days, kg, and its first day in milk.
    pub peak: Option<(i64, f64)>,
    /// Milk of the first 305 days in per cent of the peak on each of them.
    pub persistency: Option<f64>,
    /// Milk of 305 days to be expected while it is in progress, and how many of them are credited.
    pub projected: Option<(f64, i64)>,
    /// Day of the last test.
    pub last_test: Option<i64>,
    /// Milk, fat and protein of all days, kg.
    pub whole: [Option<f64>; 3],
    /// The same of the first 305 days.
    pub standard: [Option<f64>; 3],
    /// Mean of the cell counts, 1000/ml.
    pub cells: Option<f64>,
    /// Mean of the scores of the cell counts.
    pub score: Option<f64>,
    /// All tests are official, and there is no gap; none without tests.
    pub official: Option<bool>,
}

/// What all rows of a day say together.
#[derive(Debug, Clone, Copy)]
struct TestDay {
    day: i64,
    milk: Option<f64>,
    fat: Option<f64>,
    protein: Option<f64>,
    cells: Option<f64>,
    official: bool,
}

/// The course of a lactation.
struct Course {
    dry_off: Option<i64>,
    days: Vec<TestDay>,
    last_test: Option<i64>,
    end: Option<(i64, End)>,
    last_day: i64,
    /// Whether it ended long after its last test day.
    far: bool,
}

impl History {
    /// The test days, in order.
    fn test_days(&self) -> Vec<TestDay> {
        let today = self.today();
        let counted: Vec<&Test> = self.tests.iter().filter(|test| test.code.is_none()).collect();
        let mut days: Vec<i64> = counted.iter().map(|test| self.day(test.when)).filter(|day| *day <= today).collect();
        days.sort_unstable();
        days.dedup();
        let said = |day: i64| {
            let of_day = || counted.iter().copied().filter(|test| self.day(test.when) == day);
            let best = |value: fn(&Test) -> Option<f64>| {
                let rows = of_day().filter_map(|test| Some((test, value(test)?)));
                rows.max_by(|(a, one), (b, other)| self.weight(a).cmp(&self.weight(b)).then(one.total_cmp(other)))
            };
            let value = |of: fn(&Test) -> Option<f64>| best(of).map(|(_, value)| value);
            TestDay {
                day,
                milk: value(|test| test.milk),
                fat: value(|test| test.fat),
                protein: value(|test| test.protein),
                cells: value(|test| test.cells),
                official: best(|test| test.milk).is_some_and(|(test, _)| test.source == Source::Official),
            }
        };
        days.into_iter().map(said).collect()
    }

    /// How much a row counts among those of its day: the better source, more contents, the later time. Of rows that are
    /// equal in that the higher value counts.
    fn weight(&self, test: &Test) -> (Reverse<Source>, usize, i64) {
        let contents = [test.fat, test.protein, test.cells].iter().flatten().count();
        (Reverse(test.source), contents, self.time(test.when))
    }

    /// The lactations up to the last day that counts, by number.
    pub(crate) fn lactations(&self) -> Vec<Lactation> {
        let until = self.last_day();
        let all: Vec<Beginning> = self.beginnings().into_iter().filter(|beginning| beginning.day <= until).collect();
        let next = |at: usize| all.get(at + 1).map(|next| next.day);
        let mut lactations: Vec<Lactation> = Vec::new();
        for (at, beginning) in all.iter().enumerate() {
            // Of several calvings with one number the first counts.
            if lactations.iter().all(|known| known.number != beginning.number) {
                let followed = all.get(at + 1).is_none_or(|next| next.number == beginning.number + 1);
                lactations.push(self.lactation(*beginning, next(at), followed));
            }
        }
        lactations.sort_by_key(|lactation| lactation.number);
        lactations
    }

    /// The test days of a lactation, and how it ended.
    fn course(&self, begin: i64, next: Option<i64>) -> Course {
        let (today, until) = (self.today(), self.last_day());
        let within = |day: &i64| *day >= begin && *day <= until && next.is_none_or(|next| *day < next);
        let rows = self.calvings.iter();
        let dry_off = rows.filter(|row| row.event == Event::DryOff).map(|row| self.day(row.when)).filter(within).min();
        let left = self.left_on().filter(|day| *day >= begin && *day <= today);
        let ends = [
            dry_off.map(|day| (day, End::DryOff)),
            next.map(|day| (day, End::Calving)),
            left.map(|day| (day, End::Disposal)),
        ];
        let fixed = ends.into_iter().flatten().min();
        let has = |day: i64| within(&day) && fixed.is_none_or(|(end, _)| day <= end);
        let days: Vec<TestDay> = self.test_days().into_iter().filter(|test| has(test.day)).collect();
        let milked: Vec<&TestDay> = days.iter().filter(|test| test.milk.is_some()).collect();
        let last_test = milked.last().map(|test| test.day);
        let silent = last_test.map(|last| last + SILENT_DAYS).filter(|day| *day <= today);
        let silent = silent.filter(|day| fixed.is_none_or(|(end, _)| *day < end));
        // A drying-off or disposal ends the lactation, if it is not too far from the last test.
        let parted = fixed.filter(|(_, reason)| *reason != End::Calving).map(|(end, _)| end);
        let far = last_test.is_some_and(|last| parted.is_some_and(|end| end - last > GAP_DAYS));
        let silent = silent.filter(|_| parted.is_none() || far);
        let end = silent.map(|day| (day, End::NoTests)).or(fixed);
        let last_day = end.map_or_else(|| last_test.map_or(begin, |last| last + TAIL_DAYS).min(today), |(day, _)| day);
        Course { dry_off, days, last_test, end, last_day, far }
    }

    /// Test days with milk of the last lactation, and their cells.
    pub(crate) fn milked(&self, begin: i64) -> Vec<(i64, Option<f64>)> {
        let days = self.course(begin, None).days.into_iter();
        days.filter(|test| test.milk.is_some()).map(|test| (test.day, test.cells)).collect()
    }

    fn lactation(&self, beginning: Beginning, next: Option<i64>, followed: bool) -> Lactation {
        let begin = beginning.day;
        let Course { dry_off, days, last_test, end, last_day, far } = self.course(begin, next);
        let milked: Vec<&TestDay> = days.iter().filter(|test| test.milk.is_some()).collect();

        // Kilograms of the test days.
        let dim = |test: &TestDay| test.day - begin;
        let milk: Vec<(i64, f64)> = milked.iter().filter_map(|test| Some((dim(test), test.milk?))).collect();
        let share = |value: fn(&TestDay) -> Option<f64>| -> Option<Vec<(i64, f64)>> {
            let samples: Vec<(i64, f64)> = days.iter().filter_map(|test| Some((dim(test), value(test)?))).collect();
            milk.iter().map(|(day, kg)| Some((*day, kg * between(&samples, *day as f64)? / 100.0))).collect()
        };
        let curves = [Some(milk.clone()), share(|test| test.fat), share(|test| test.protein)];
        let dated: Vec<i64> = milk.iter().map(|(day, _)| *day).collect();
        let credited = |day: i64| credited(&dated, day, last_day - begin, end);
        let sum = |until: i64| {
            [0, 1, 2].map(|of| {
                let tests = curves[of].as_ref().filter(|tests| !tests.is_empty())?;
                let standard = |day: f64| self.standard(beginning.number, of, day);
                let deviations: Vec<(i64, f64)> =
                    tests.iter().map(|(day, kg)| (*day, kg - standard(*day as f64))).collect();
                let kg = |day: i64| match credited(day) {
                    Credit::Nothing => 0.0,
                    credit => standard(day as f64 + 0.5) + yield_of(&deviations, day, credit),
                };
                Some((0..until).map(kg).sum::<f64>().max(0.0))
            })
        };
        let counts: Vec<f64> = milked.iter().filter_map(|test| test.cells).collect();
        let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let gap = far
            || dated.windows(2).any(|pair| pair[1] - pair[0] > GAP_DAYS)
            || dated.first().is_some_and(|first| *first > GAP_DAYS);
        let standard = match milk.len() {
            0 | 1 => [None; 3],
            // The first one is too late.
            _ if dated.first().is_some_and(|first| *first > GAP_DAYS) => [None; 3],
            _ => sum((last_day - begin).min(STANDARD_DAYS)),
        };
        let early = milk.iter().filter(|(day, _)| *day <= STANDARD_DAYS);
        let peak = early.copied().reduce(|best, one| if one.1 > best.1 { one } else { best });
        let counting = (0..STANDARD_DAYS.min(last_day - begin)).filter(|day| credited(*day) != Credit::Nothing);
        let possible = peak.map(|(_, kg)| kg * counting.count() as f64);
        let persistency = possible.filter(|kg| *kg > 0.0 && !gap).and_then(|kg| Some(100.0 * standard[0]? / kg));
        let from = last_day - begin;
        let projected = standard[0].filter(|_| end.is_none() && !gap && from < STANDARD_DAYS).and_then(|kg| {
            let rest = rest(&milk, from)?;
            let most = peak?.1 * (STANDARD_DAYS - from) as f64;
            (rest <= most).then_some((kg + rest, from))
        });
        Lactation {
            number: beginning.number,
            begin,
            end,
            dry_off,
            length: (end.is_some() || last_test.is_some()).then_some(last_day - begin),
            service: self.service_of_lactation(begin, next),
            conception: self.conception(begin, next).filter(|_| followed),
            interval: next.filter(|_| followed).map(|next| next - begin),
            peak,
            persistency,
            projected,
            last_test,
            whole: sum(last_day - begin),
            standard,
            cells: mean(counts.clone()),
            score: mean(counts.iter().map(|count| (count.max(1.0) / 100.0).log2() + 3.0).collect()),
            official: (!milked.is_empty()).then(|| milked.iter().all(|test| test.official) && !gap),
        }
    }

    /// Milk (0), fat (1) or protein (2) by the standard curve of a parity; nothing without curves.
    fn standard(&self, parity: i64, of: usize, day: f64) -> f64 {
        let Some(curves) = &self.curves else { return 0.0 };
        let curve = match parity {
            ..=1 => &curves[0],
            2 => &curves[1],
            _ => &curves[2],
        };
        let points: Vec<(i64, f64)> = curve.iter().map(|(day, kg)| (*day, kg[of])).collect();
        between(&points, day).unwrap_or(0.0)
    }

    /// Days to the service by which the cow was in calf, and days up to it that had a service.
    fn conception(&self, begin: i64, next: Option<i64>) -> Option<(i64, i64)> {
        let until = self.last_day();
        let led = match next {
            Some(next) => self.origin_on(next),
            None => self.in_calf_by(until),
        };
        let served = self.day(self.services[led?].when);
        let within = |day: i64| day >= begin && day <= until && next.is_none_or(|next| day < next);
        if !within(served) {
            return None;
        }
        let days = self.services.iter().map(|service| self.day(service.when));
        let days: BTreeSet<i64> = days.filter(|day| within(*day) && *day <= served).collect();
        Some((served - begin, i64::try_from(days.len()).ok()?))
    }

    /// The service that led to the end of a lactation, else the one by which the cow is in calf, else the last in it.
    fn service_of_lactation(&self, begin: i64, next: Option<i64>) -> Option<usize> {
        let until = self.last_day();
        let within = |day: i64| day >= begin && day <= until && next.is_none_or(|next| day < next);
        let led = match next {
            Some(next) => self.origin_on(next),
            None => self.in_calf_by(until),
        };
        let led = led.filter(|at| within(self.day(self.services[*at].when)));
        led.or_else(|| self.last_service(within))
    }
}

/// Milk from a day to day 305 by the curve of Wood through test days; none of fewer than five, or of those that do not
/// rise and fall.
fn rest(tests: &[(i64, f64)], from: i64) -> Option<f64> {
    let points: Vec<[f64; 4]> = tests
        .iter()
        .filter(|(day, kg)| *day >= 1 && *kg > 0.0)
        .map(|(day, kg)| [1.0, (*day as f64).ln(), *day as f64 / 100.0, kg.ln()])
        .collect();
    if points.len() < 5 {
        return None;
    }
    // Columns made perpendicular to each other, one after the other (Gram and Schmidt).
    let mut columns: [Vec<f64>; 4] = std::array::from_fn(|at| points.iter().map(|point| point[at]).collect());
    let mut parts = [[0.0; 4]; 3];
    for at in 0..3 {
        let base = columns[at].clone();
        let length: f64 = base.iter().map(|x| x * x).sum();
        for other in at + 1..4 {
            let part = base.iter().zip(&columns[other]).map(|(a, b)| a * b).sum::<f64>() / length;
            columns[other].iter_mut().zip(&base).for_each(|(value, x)| *value -= part * x);
            parts[at][other] = part;
        }
    }
    let fall = parts[2][3];
    let rise = parts[1][3] - parts[1][2] * fall;
    let level = parts[0][3] - parts[0][1] * rise - parts[0][2] * fall;
    if rise <= 1e-6 || -fall <= 1e-6 {
        return None;
    }
    let of = |day: f64| (level + rise * day.ln() + fall * day / 100.0).exp();
    Some((from..STANDARD_DAYS).map(|day| of(day as f64 + 0.5)).sum())
}

/// The value of a line through points, constant beyond them.
fn between(points: &[(i64, f64)], at: f64) -> Option<f64> {
    let before = points.iter().rfind(|(day, _)| *day as f64 <= at);
    let after = points.iter().find(|(day, _)| *day as f64 > at);
    match (before, after) {
        (Some((d1, y1)), Some((d2, y2))) => {
            let part = (at - *d1 as f64) / (*d2 - *d1) as f64;
            Some(y1 + (y2 - y1) * part)
        }
        (Some((_, y)), None) | (None, Some((_, y))) => Some(*y),
        (None, None) => None,
    }
}

/// What a day of a lactation is credited with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Credit {
    Nothing,
    /// The line through the test days.
    Line,
    /// The yield of this test day.
    Of(i64),
}

/// Of the day that begins so many days after calving.
fn credited(tests: &[i64], day: i64, length: i64, end: Option<(i64, End)>) -> Credit {
    let before = tests.iter().rfind(|test| **test <= day).copied();
    let after = tests.iter().find(|test| **test > day).copied();
    match (before, after) {
        (None, None) => Credit::Nothing,
        (None, Some(first)) if first > GAP_DAYS && day < first - TAIL_DAYS => Credit::Nothing,
        (None, Some(first)) => Credit::Of(first),
        (Some(one), Some(other)) if other - one <= GAP_DAYS => Credit::Line,
        (Some(one), Some(_)) if day < one + TAIL_DAYS => Credit::Of(one),
        (Some(_), Some(other)) if day >= other - TAIL_DAYS => Credit::Of(other),
        (Some(_), Some(_)) => Credit::Nothing,
        (Some(last), None) => {
            let known = matches!(end, Some((_, End::DryOff | End::Disposal))) && length - last <= GAP_DAYS;
            match day < length && (known || day < last + TAIL_DAYS) {
                true => Credit::Of(last),
                false => Credit::Nothing,
            }
        }
    }
}

/// Of a day that is credited: the line at its middle, or what this test day has.
fn yield_of(curve: &[(i64, f64)], day: i64, credit: Credit) -> f64 {
    match credit {
        Credit::Nothing => 0.0,
        Credit::Line => between(curve, day as f64 + 0.5).unwrap_or(0.0),
        Credit::Of(test) => curve.iter().find(|(day, _)| *day == test).map_or(0.0, |(_, kg)| *kg),
    }
}
