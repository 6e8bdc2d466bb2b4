//! The examples of `docs/derived.md`.

use crate::{Calving, Check, End, Event, History, Outcome, Service, Source, Test, When};

const MOSCOW: i64 = 180;

fn cow(now: i64) -> History {
    History { offset: MOSCOW, female: true, now: now * 86_400_000, ..History::default() }
}

fn calving(day: i64, number: Option<i64>) -> Calving {
    Calving { when: When::Day(day), event: Event::Calving, number, opens: None }
}

fn event(day: i64, event: Event) -> Calving {
    Calving { event, ..calving(day, None) }
}

fn test(day: i64, milk: impl Into<Option<f64>>, fat: impl Into<Option<f64>>) -> Test {
    Test {
        when: When::Day(day),
        source: Source::Owner,
        milk: milk.into(),
        fat: fat.into(),
        protein: None,
        cells: None,
        code: None,
        number: None,
    }
}

fn service(day: i64) -> Service {
    Service { when: When::Day(day), bull: None, embryo: false, result: None, number: None }
}

fn near(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-6), "{found:?}, not {expected}");
}

#[test]
fn an_instant_is_of_the_day_on_the_clock_of_its_place() {
    // 2025-03-16T00:40:28+03:00
    let at = When::At(1_742_074_828_000);
    let day = |offset| History { offset, ..History::default() }.day(at);
    assert_eq!([day(180), day(120)], [20_163, 20_162]);
    let midnight = When::At(20_162 * 86_400_000);
    assert_eq!(History { offset: -600, ..History::default() }.day(midnight), 20_162);
}

#[test]
fn calvings_are_numbered_by_their_days() {
    for (stated, expected) in [(None, [3, 2, 1]), (Some(3), [4, 3, 2])] {
        let mut cow = cow(2_000);
        cow.calvings = vec![calving(1_200, None), calving(800, stated), calving(400, None)];
        let numbers: Vec<i64> = cow.derived().calvings.iter().map(|row| row.number).collect();
        assert_eq!(numbers, expected);
    }
}

#[test]
fn a_late_abortion_opens_a_lactation() {
    let mut cow = cow(1_200);
    cow.calvings = vec![calving(500, None), event(730, Event::DryOff), event(828, Event::Abortion)];
    cow.services = vec![service(600)];
    let stated = Test { number: Some(5), ..test(850, 20.0, None) };
    cow.tests = vec![test(850, 20.0, None), stated];
    let all = cow.derived();
    assert_eq!(all.calvings[2].number, 2);
    let shown: Vec<_> = (all.tests.iter()).map(|test| (test.number, test.days_in_milk)).collect();
    assert_eq!(shown, [(Some(2), Some(22)), (Some(5), Some(22))]);
    assert_eq!(all.lactations.len(), 2);
}

#[test]
fn yields_of_a_day_are_added_up() {
    let whole = |tests: &[(i64, f64)], dry: Option<i64>, now: i64| {
        let mut cow = cow(now);
        cow.calvings = vec![calving(0, None)];
        cow.calvings.extend(dry.map(|day| event(day, Event::DryOff)));
        cow.tests = tests.iter().map(|(day, milk)| test(*day, *milk, None)).collect();
        cow.derived().lactations.remove(0)
    };
    let four = [(10, 30.0), (40, 30.0), (70, 30.0), (100, 30.0)];
    for now in [114, 159, 160, 500] {
        near(whole(&four, None, now).whole[0], 3_420.0);
    }
    near(whole(&four, Some(180), 500).whole[0], 5_400.0);
    assert_eq!(whole(&four, None, 160).end, Some((160, End::NoTests)));
    let apart = whole(&[(14, 30.0), (683, 30.0)], None, 1_000);
    near(apart.whole[0], 1_680.0);
    assert_eq!(apart.official, Some(false));
    // ICAR, Section 2: half of the sum of two tests for each day between them.
    near(whole(&[(10, 20.0), (40, 30.0)], Some(50), 60).whole[0], 200.0 + 750.0 + 300.0);
    // The line is cut at day 305: 20 kg on day 300, 25 on day 305.
    let line = [(100, 20.0), (200, 20.0), (300, 20.0), (310, 30.0)];
    near(whole(&line, None, 900).standard[0], 300.0 * 20.0 + 112.5);
    // Not where the first test comes too late.
    assert_eq!(whole(&line[1..], None, 900).standard, [None; 3]);
}

#[test]
fn standard_curves_bend_the_lines() {
    // ICAR's grid of days: 0, 10, 30, 50 and so on.
    let points = [(0, 20.0), (10, 24.0), (30, 30.0), (50, 32.0), (70, 31.0), (90, 29.0), (305, 12.0)];
    let curve: Vec<(i64, [f64; 3])> = points.map(|(day, kg)| (day, [kg, kg * 0.04, kg * 0.03])).to_vec();
    let mut cow = cow(500);
    cow.calvings = vec![calving(0, None), event(84, Event::DryOff)];
    cow.tests = vec![test(30, 28.0, 4.0), test(70, 27.0, 4.0)];
    // 30 days of 28 kg, 40 of 27.5, 14 of 27.
    near(cow.derived().lactations[0].whole[0], 2_318.0);
    cow.curves = Some([curve.clone(), curve.clone(), curve]);
    // 18, 22 and 28 kg on days 0, 10 and 30, 29 on day 50, 27 and 25.6 on days 70 and 84.
    let milk = 200.0 + 500.0 + 570.0 + 560.0 + 368.2;
    let found = &cow.derived().lactations[0];
    near(found.whole[0], milk);
    near(found.whole[1], milk * 0.04);
}

#[test]
fn contents_carry_over_between_samples() {
    let mut cow = cow(500);
    cow.calvings = vec![calving(0, None)];
    cow.tests = vec![test(10, 40.0, 4.0), test(40, 10.0, None), test(70, 40.0, 4.0), test(100, 40.0, 4.0)];
    let found = &cow.derived().lactations[0];
    near(found.standard[1].zip(found.standard[0]).map(|(fat, milk)| 100.0 * fat / milk), 4.0);
    // A row with contents alone makes a test day with the milk of another one, or a sample by itself.
    cow.tests = vec![test(10, 30.0, None), test(10, None, 3.0), test(40, None, 5.0), test(25, 30.0, None)];
    let found = &cow.derived().lactations[0];
    near(found.whole[0], 39.0 * 30.0);
    near(found.whole[1], 10.0 * 0.9 + 15.0 * (0.9 + 1.2) / 2.0 + 14.0 * 1.2);
}

#[test]
fn scores_of_cells_have_a_mean_of_their_own() {
    let mut cow = cow(500);
    cow.calvings = vec![calving(0, None)];
    cow.tests = [(10, 50.0), (40, 50.0), (70, 5_000.0)]
        .map(|(day, cells)| Test { cells: Some(cells), ..test(day, 30.0, None) })
        .to_vec();
    let found = &cow.derived().lactations[0];
    near(found.cells, 1_700.0);
    assert!(found.score.is_some_and(|score| (score - 4.21).abs() < 0.01), "{found:?}");
}

#[test]
fn the_best_source_of_a_day_counts() {
    let mut cow = cow(500);
    cow.calvings = vec![calving(0, None)];
    let robot = Test { source: Source::Other, ..test(10, 30.0, None) };
    let laboratory = Test { source: Source::Laboratory, ..test(10, 29.0, 4.0) };
    for tests in [vec![robot, laboratory], vec![laboratory, robot]] {
        cow.tests = tests;
        let found = &cow.derived().lactations[0];
        near(found.whole[0], 24.0 * 29.0);
        near(found.whole[1], 24.0 * 1.16);
    }
}

#[test]
fn a_later_service_does_not_end_a_pregnancy() {
    // 2025-01-01 is day 20,089: services of 1 April and 12 May, checks of 20 June.
    let day = 20_089;
    let mut cow = cow(day + 200);
    cow.services = vec![service(day + 90), service(day + 131)];
    let check = |age| Check { when: When::Day(day + 170), outcome: Outcome::Pregnant, service: None, age };
    cow.checks = vec![check(Some(80))];
    assert_eq!(cow.derived().checks, [Some(0)]);
    assert_eq!(cow.derived().present.expected, Some(day + 90 + 279));
    cow.services[1].result = Some((Outcome::Empty, None));
    let found = cow.derived().present;
    assert_eq!((found.reproduction, found.expected), (Some("pregnant"), Some(day + 369)));
    // Without an age it is about the latest that it can tell of.
    cow.checks = vec![check(None)];
    assert_eq!(cow.derived().checks, [Some(1)]);
}
