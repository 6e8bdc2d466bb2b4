use super::super::{
    CalvingEvent, CalvingRow, EndReason, Frame, History, Lactation, Recorder, STANDARD_DAYS, Span, TestRow, lactations,
    round,
};
use super::{FORM, Sums, TestDay, test_days};
use crate::derive::{DAY_MS, day_of};
use model::registry::{Curve, ParityCurves, Rules, StandardCurves};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;
use std::sync::LazyLock;

/// The first day of the histories.
const START: i64 = 19_000;
/// How long they are.
const DAYS: i64 = 900;

fn test_row() -> impl Strategy<Value = TestRow> {
    let percent = || prop_oneof![2 => (200_u32..700).prop_map(|n| Some(f64::from(n) / 100.0)), 1 => Just(None)];
    let source = prop_oneof![
        2 => Just(Recorder::Official),
        1 => Just(Recorder::Laboratory),
        1 => Just(Recorder::Owner),
        1 => Just(Recorder::Other),
    ];
    let milk = prop_oneof![4 => (0_u32..600).prop_map(|n| Some(f64::from(n) / 10.0)), 1 => Just(None)];
    let cells = prop_oneof![(1_u32..900).prop_map(|n| Some(f64::from(n))), Just(None)];
    let code = prop_oneof![9 => Just(false), 1 => Just(true)];
    let at = (0..DAYS, 0..3_i64);
    (at, milk, percent(), percent(), cells, code, source).prop_map(
        |((day, hour), milk, fat, protein, scc, has_test_code, source)| TestRow {
            date: (START + day) * DAY_MS + hour * DAY_MS / 24,
            milk,
            fat,
            protein,
            scc,
            has_test_code,
            source,
        },
    )
}

fn event() -> impl Strategy<Value = CalvingEvent> {
    prop_oneof![
        4 => Just(CalvingEvent::Calving),
        2 => Just(CalvingEvent::DryOff),
        1 => Just(CalvingEvent::Abortion),
    ]
}

fn calvings() -> impl Strategy<Value = Vec<CalvingRow>> {
    vec((0..DAYS, 1..4_i64, event()), 0..6).prop_map(|rows| {
        let row = |(day, number, event)| CalvingRow { date: (START + day) * DAY_MS, number, event };
        rows.into_iter().map(row).collect()
    })
}

/// Curves as an installation states them, those of parity 2 level.
static CURVES: LazyLock<StandardCurves> =
    LazyLock::new(|| StandardCurves::read(include_str!("../../../../../tests/it/facts/curves.csv")).unwrap());

/// What a transaction does to the tests of an animal.
#[derive(Debug, Clone)]
enum Step {
    /// New tests, all of them at least so many days after the last one.
    Later(Vec<TestRow>, i64),
    /// New tests anywhere.
    Anywhere(Vec<TestRow>),
    Correct(Index, TestRow),
    Delete(Index),
    /// Other calvings, and a disposal.
    Life(Vec<CalvingRow>, Option<i64>),
    /// A further event so many days after the last test.
    Event(CalvingEvent, i64),
    /// A further row of a day that has one.
    Beside(Index, TestRow),
}

fn step() -> impl Strategy<Value = Step> {
    let tests = || vec(test_row(), 1..4);
    prop_oneof![
        6 => (tests(), 0..30_i64).prop_map(|(tests, gap)| Step::Later(tests, gap)),
        2 => tests().prop_map(Step::Anywhere),
        1 => (any::<Index>(), test_row()).prop_map(|(at, test)| Step::Correct(at, test)),
        1 => any::<Index>().prop_map(Step::Delete),
        1 => (calvings(), proptest::option::weighted(0.3, 0..DAYS))
            .prop_map(|(rows, gone)| Step::Life(rows, gone.map(|day| (START + day) * DAY_MS))),
        2 => (any::<Index>(), test_row()).prop_map(|(at, test)| Step::Beside(at, test)),
        4 => (event(), -3..30_i64).prop_map(|(event, gap)| Step::Event(event, gap)),
    ]
}

/// Kilograms of each day of a lactation up to `length`, one after the other: those of the curve and the deviation from
/// it, on a line between two tests, or that of the nearest test where they are far apart. Nothing else is added up.
fn daily(tests: &[(i64, f64)], tail: i64, length: i64, curve: Option<&Curve>) -> Option<f64> {
    let standard = |day: f64| curve.map_or(0.0, |curve| curve.at(day));
    let tests: Vec<(i64, f64)> = tests.iter().map(|(dim, kg)| (*dim, kg - standard(*dim as f64))).collect();
    let (first, last) = (tests.first()?, tests.last()?);
    let flat = |from: i64, to: i64, kg: f64| -> f64 {
        (from..to.min(length)).map(|day| standard(day as f64 + 0.5) + kg).sum()
    };
    let begin = if first.0 > 100 { first.0 - 14 } else { 0 };
    let mut sum = flat(begin, first.0, first.1);
    for (from, to) in tests.iter().zip(tests.iter().skip(1)) {
        if to.0 - from.0 > 100 {
            sum += flat(from.0, from.0 + 14, from.1) + flat(to.0 - 14, to.0, to.1);
            continue;
        }
        for day in from.0..to.0.min(length) {
            let share = ((day - from.0) as f64 + 0.5) / (to.0 - from.0) as f64;
            sum += standard(day as f64 + 0.5) + from.1 + share * (to.1 - from.1);
        }
    }
    Some((sum + flat(last.0, last.0 + tail, last.1)).max(0.0))
}

/// Per cent of a day by the samples around it.
fn percent(samples: &[(i64, f64)], dim: i64) -> Option<f64> {
    let before = samples.iter().rfind(|(day, _)| *day <= dim);
    let after = samples.iter().find(|(day, _)| *day >= dim);
    let (one, other) = before.or(after).zip(after.or(before))?;
    let share = (dim - one.0) as f64 / (other.0 - one.0).max(1) as f64;
    Some(one.1 + share * (other.1 - one.1))
}

/// Milk and fat of a lactation, and those of its standard part, by all of its tests.
fn yields(span: &Span, lactation: &Lactation, days: &[TestDay], curves: Option<&ParityCurves>) -> [Option<f64>; 4] {
    let dim = |day: &&TestDay| (day.day - span.start(), **day);
    let within: Vec<(i64, TestDay)> = (days.iter()).filter(|day| span.has(day.day)).map(|day| dim(&day)).collect();
    let milk: Vec<(i64, f64)> = (within.iter()).filter_map(|(dim, day)| Some((*dim, day.milk?.1))).collect();
    let Some((last, _)) = milk.last().copied() else {
        return [None; 4];
    };
    let samples: Vec<(i64, f64)> = (within.iter()).filter_map(|(dim, day)| Some((*dim, day.fat?))).collect();
    let fat: Vec<(i64, f64)> =
        (milk.iter()).filter_map(|(dim, kg)| Some((*dim, kg * percent(&samples, *dim)? / 100.0))).collect();
    // `dd` counts to the end, the credit behind the last test is shorter without a dry-off.
    let left = lactation.dd.map_or(0, |dd| dd - last);
    let has_contents = matches!(lactation.end_reason, Some(EndReason::DryOff | EndReason::Disposal));
    let tail = if has_contents && left <= 100 { left } else { left.min(14) };
    // One test, or a first one that comes too late, says nothing of the standard lactation.
    let tells = milk.len() > 1 && milk.first().is_some_and(|(first, _)| *first <= 100);
    let (milk, fat) = ((milk, curves.map(|curves| &curves.milk)), (fat, curves.map(|curves| &curves.fat)));
    let standard = |(tests, curve): &(Vec<_>, _)| daily(tests, tail, STANDARD_DAYS, *curve).filter(|_| tells);
    let whole = |(tests, curve): &(Vec<_>, _)| daily(tests, tail, i64::MAX, *curve);
    [whole(&milk), whole(&fat), standard(&milk), standard(&fat)]
}

/// Whether yields differ by no more than can be rounded in two ways.
fn near(one: [Option<f64>; 4], other: [Option<f64>; 4]) -> bool {
    let same = |(one, other): (Option<f64>, Option<f64>)| match (one, other) {
        (Some(one), Some(other)) => (round(one, 1) - round(other, 1)).abs() < 0.11,
        (one, other) => one == other,
    };
    one.into_iter().zip(other).all(same)
}

#[derive(Debug, Default)]
struct Cow {
    calvings: Vec<CalvingRow>,
    disposal: Option<i64>,
    tests: Vec<TestRow>,
    known: Option<String>,
    /// Steps in which no test was read.
    added: usize,
}

impl Cow {
    /// What the sums are, as the book comes to them.
    fn sums(&mut self, frame: &Frame, new: Option<&[TestRow]>) -> Sums {
        let stored = self.known.as_deref().and_then(Sums::from_text);
        match stored.zip(new).and_then(|(sums, new)| sums.with(frame, new)) {
            Some(sums) => {
                self.added += 1;
                sums
            }
            None => Sums::of(frame, &self.tests),
        }
    }

    fn take(&mut self, step: Step) -> Option<Vec<TestRow>> {
        let new = match step {
            Step::Later(mut new, gap) => {
                let last = self.tests.iter().map(|test| day_of(test.date)).max();
                let first = new.iter().map(|test| day_of(test.date)).min();
                let by = last.zip(first).map_or(0, |(last, first)| last + gap - first);
                for test in &mut new {
                    test.date += by * DAY_MS;
                }
                new
            }
            Step::Anywhere(new) => new,
            Step::Correct(at, test) => {
                if !self.tests.is_empty() {
                    let at = at.index(self.tests.len());
                    self.tests[at] = test;
                }
                return None;
            }
            Step::Beside(at, mut test) => {
                if !self.tests.is_empty() {
                    test.date = self.tests[at.index(self.tests.len())].date;
                }
                vec![test]
            }
            Step::Delete(at) => {
                if !self.tests.is_empty() {
                    self.tests.remove(at.index(self.tests.len()));
                }
                return None;
            }
            Step::Life(calvings, disposal) => {
                (self.calvings, self.disposal) = (calvings, disposal);
                return Some(Vec::new());
            }
            Step::Event(event, gap) => {
                let last = self.tests.iter().map(|test| day_of(test.date)).max();
                let number = self.calvings.len() as i64 + 1;
                let date = (last.unwrap_or(START) + gap) * DAY_MS;
                self.calvings.push(CalvingRow { date, number, event });
                return Some(Vec::new());
            }
        };
        self.tests.extend(&new);
        Some(new)
    }
}

proptest! {
    #[test]
    fn what_is_added_up_is_what_all_tests_give(
        first in calvings(),
        steps in vec((step(), 0..40_i64), 1..24),
        (curves, from) in (any::<bool>(), 0..24_usize),
    ) {
        let mut cow = Cow { calvings: first, ..Cow::default() };
        let mut today = START + DAYS / 2;
        for (at, (step, later)) in steps.into_iter().enumerate() {
            today += later;
            // The setting changes at some time.
            let curves = (curves == (at >= from)).then(|| &*CURVES);
            let new = cow.take(step);
            let now = today * DAY_MS + 1;
            // A book takes no tests of the future.
            cow.tests.retain(|test| day_of(test.date) <= today);
            let new = new.map(|mut new| {
                new.retain(|test| day_of(test.date) <= today);
                new
            });
            let frame = Frame::of(&cow.calvings, cow.disposal, now).with_rules(Rules { curves, ..Rules::default() });
            let sums = cow.sums(&frame, new.as_deref());
            prop_assert_eq!(&sums, &Sums::of(&frame, &cow.tests));
            let text = sums.to_text();
            prop_assert_eq!(Sums::from_text(&text), Some(sums.clone()));
            let computed = frame.lactations(&sums, &[]);
            let history = History {
                calvings: &cow.calvings,
                tests: &cow.tests,
                services: &[],
                disposal: cow.disposal,
                today: now,
            };
            if curves.is_none() {
                prop_assert_eq!(&computed, &lactations(&history));
            }
            let mut shuffled = cow.tests.clone();
            shuffled.reverse();
            prop_assert_eq!(&sums, &Sums::of(&frame, &shuffled));
            let days = test_days(&cow.tests);
            for lactation in &computed {
                let calved = |span: &&Span| Some(span.calving) == lactation.calving_date;
                let span = frame.spans.iter().find(calved).unwrap();
                let Lactation { milk_yield, fat_kg, milk305, fat305_kg, .. } = *lactation;
                let (computed, plain) = ([milk_yield, fat_kg, milk305, fat305_kg], yields(span, lactation, &days, frame.curves_of(span)));
                prop_assert!(near(computed, plain), "{:?} {:?} {:?}", computed, plain, lactation);
            }
            cow.known = Some(text);
        }
    }
}

fn test(day: i64, milk: f64) -> TestRow {
    TestRow {
        date: (START + day) * DAY_MS,
        milk: Some(milk),
        fat: Some(4.1),
        protein: Some(3.3),
        scc: Some(150.0),
        ..TestRow::default()
    }
}

fn frame(calved: i64, today: i64) -> Frame {
    let calving = CalvingRow { date: (START + calved) * DAY_MS, number: 1, event: CalvingEvent::Calving };
    Frame::of(&[calving], None, (START + today) * DAY_MS)
}

#[test]
fn only_later_tests_of_the_same_lactations_are_added() {
    let frame_then = frame(0, 100);
    let sums = Sums::of(&frame_then, &[test(10, 30.1), test(40, 28.3)]);
    let with = |frame: &Frame, tests: &[TestRow]| sums.clone().with(frame, tests);
    let later = with(&frame_then, &[test(99, 25.0), test(70, 26.0)]);
    let all = [test(10, 30.1), test(40, 28.3), test(70, 26.0), test(99, 25.0)];
    assert_eq!(later, Some(Sums::of(&frame_then, &all)));
    assert_eq!(with(&frame_then, &[]), Some(sums.clone()));
    // On the day of the last one, before it, in the future, after another calving.
    assert_eq!(with(&frame_then, &[test(40, 1.0)]), None);
    assert_eq!(with(&frame_then, &[test(70, 26.0), test(20, 1.0)]), None);
    assert_eq!(with(&frame_then, &[test(101, 1.0)]), None);
    assert_eq!(with(&frame(1, 100), &[test(70, 26.0)]), None);
}

#[test]
fn sums_hold_when_the_cow_is_dry_and_calves_after_her_tests() {
    let row = |day: i64, number, event| CalvingRow { date: (START + day) * DAY_MS, number, event };
    let calving = row(0, 1, CalvingEvent::Calving);
    let dry_off = row(300, 1, CalvingEvent::DryOff);
    let next = row(360, 2, CalvingEvent::Calving);
    let of = |rows: &[CalvingRow]| Frame::of(rows, None, (START + 500) * DAY_MS);
    let tests = [test(10, 30.1), test(290, 12.3)];
    let milking = Sums::of(&of(&[calving]), &tests);

    let dry = of(&[calving, dry_off]);
    let sums = milking.with(&dry, &[]).unwrap();
    assert_eq!(sums, Sums::of(&dry, &tests));
    let second = of(&[calving, dry_off, next]);
    let sums = sums.with(&second, &[test(370, 33.3)]).unwrap();
    let all = [tests[0], tests[1], test(370, 33.3)];
    assert_eq!(sums, Sums::of(&second, &all));
    assert!(sums.all_before(START + 371) && !sums.all_before(START + 370));

    // A drying-off before the last test, one that is taken back, a calving that is.
    let early = of(&[calving, row(280, 1, CalvingEvent::DryOff)]);
    assert_eq!(Sums::of(&of(&[calving]), &tests).with(&early, &[]), None);
    assert_eq!(Sums::of(&dry, &tests).with(&of(&[calving]), &[]), None);
    assert_eq!(sums.with(&dry, &[]), None);
    // A test that no lactation has may belong to a new one.
    let ended = Sums::of(&dry, &[tests[0], test(400, 8.0)]);
    assert_eq!(ended.with(&second, &[]), None);
}

#[test]
fn a_test_of_the_future_has_all_read_until_it_is_there() {
    let tests = [test(10, 30.1), test(101, 28.3)];
    let sums = Sums::of(&frame(0, 100), &tests);
    assert_eq!(Sums::from_text(&sums.to_text()), Some(sums.clone()));
    assert_eq!(sums.clone().with(&frame(0, 100), &[]), None);
    assert_eq!(sums.with(&frame(0, 102), &[]), None);
}

#[test]
fn a_text_that_is_none_is_not_read() {
    let text = Sums::of(&frame(0, 100), &[test(10, 30.1), test(40, 28.3)]).to_text();
    assert!(Sums::from_text(&text).is_some());
    for end in 1..text.len() {
        // Cut within its last number it is another one.
        if !text[..end].contains(text.rsplit_once(' ').unwrap().0) {
            assert_eq!(Sums::from_text(&text[..end]).filter(|sums| !sums.spans.is_empty()), None);
        }
    }
    assert_eq!(Sums::from_text(&text.replacen(FORM, "5", 1)), None);
    assert_eq!(Sums::from_text(""), None);
}

#[test]
fn sums_hold_as_long_as_the_curves_of_the_parity_are_the_same() {
    let of = |number: i64, curves: Option<&'static StandardCurves>| {
        let calving = CalvingRow { date: START * DAY_MS, number, event: CalvingEvent::Calving };
        let frame = Frame::of(&[calving], None, (START + 100) * DAY_MS);
        frame.with_rules(Rules { curves, ..Rules::default() })
    };
    let sums = |frame: &Frame| Sums::of(frame, &[test(10, 30.1), test(40, 28.3)]);
    let curved = of(3, Some(&CURVES));
    assert_eq!(sums(&curved).with(&of(4, Some(&CURVES)), &[]), Some(sums(&curved)));
    for other in [of(1, Some(&CURVES)), of(3, None)] {
        assert_eq!(sums(&curved).with(&other, &[]), None);
        assert_eq!(sums(&other).with(&curved, &[]), None);
    }
}
