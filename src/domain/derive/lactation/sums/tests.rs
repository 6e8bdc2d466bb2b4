use super::super::{CalvingEvent, CalvingRow, Frame, Recorder, TestRow};
use super::{FORM, Sums};
use crate::derive::{DAY_MS, day_of};
use model::registry::{Rules, StandardCurves};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
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

#[derive(Debug, Default)]
struct Cow {
    calvings: Vec<CalvingRow>,
    disposal: Option<i64>,
    tests: Vec<TestRow>,
    known: Option<String>,
}

impl Cow {
    /// What the sums are, as the book comes to them.
    fn sums(&self, frame: &Frame, new: Option<&[TestRow]>) -> Sums {
        let stored = self.known.as_deref().and_then(Sums::from_text);
        let sums = stored.zip(new).and_then(|(sums, new)| sums.with(frame, new));
        sums.unwrap_or_else(|| Sums::of(frame, &self.tests))
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
            let mut shuffled = cow.tests.clone();
            shuffled.reverse();
            prop_assert_eq!(&sums, &Sums::of(&frame, &shuffled));
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
