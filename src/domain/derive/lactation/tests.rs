use super::super::DAY_MS;
use super::{
    CalvingEvent, CalvingRow, EndReason, Frame, History, Lactation, Origin, PresentTests, Recorder, ServiceRow,
    Summary, Sums, TestRow, YieldMethod, lactations, summary, with_reported,
};
use model::registry::{Rules, StandardCurves};

/// A worked example: days in milk, kg, fat %, protein %.
const EXAMPLE: [(i64, f64, f64, f64); 11] = [
    (10, 30.0, 4.0, 3.3),
    (40, 36.0, 3.7, 3.1),
    (70, 35.0, 3.6, 3.1),
    (101, 33.0, 3.7, 3.2),
    (130, 31.0, 3.8, 3.3),
    (161, 29.0, 3.9, 3.4),
    (192, 26.5, 4.0, 3.5),
    (222, 24.0, 4.1, 3.5),
    (253, 21.5, 4.2, 3.6),
    (283, 19.0, 4.3, 3.6),
    (312, 16.0, 4.5, 3.7),
];

/// A calving long enough ago to have neighbours on both sides.
const START: i64 = 19_000;

fn at(dim: i64) -> i64 {
    (START + dim) * DAY_MS
}

fn calving(dim: i64, number: i64) -> CalvingRow {
    CalvingRow { date: at(dim), number, event: CalvingEvent::Calving }
}

fn dry_off(dim: i64, number: i64) -> CalvingRow {
    CalvingRow { date: at(dim), number, event: CalvingEvent::DryOff }
}

fn example_tests() -> Vec<TestRow> {
    EXAMPLE
        .iter()
        .map(|&(dim, milk, fat, protein)| TestRow {
            date: at(dim),
            milk: Some(milk),
            fat: Some(fat),
            protein: Some(protein),
            scc: Some(100.0),
            ..TestRow::default()
        })
        .collect()
}

fn history<'a>(calvings: &'a [CalvingRow], tests: &'a [TestRow], today: i64) -> History<'a> {
    History { calvings, tests, services: &[], disposal: None, today: at(today) }
}

fn only(history: &History<'_>) -> Lactation {
    let mut computed = lactations(history);
    assert_eq!(computed.len(), 1);
    computed.remove(0)
}

#[test]
fn the_worked_example_of_the_domain_facts() {
    let calvings = [calving(0, 2), dry_off(330, 2)];
    let computed = only(&history(&calvings, &example_tests(), 400));
    assert_eq!(computed.milk305, Some(8590.5));
    assert_eq!(computed.fat305_kg, Some(334.7));
    assert_eq!(computed.protein305_kg, Some(286.3));
    assert_eq!(computed.fat305, Some(3.9));
    assert_eq!(computed.protein305, Some(3.33));
    assert_eq!(computed.milk_yield, Some(8993.0));
    assert_eq!(computed.fat_kg, Some(352.8));
    assert_eq!(computed.protein_kg, Some(301.2));
    // 0.4 * 8590.5 + 15 * 334.7, and 0.25 * 8590.5 + 12.2 * 334.7 + 7.7 * 286.3, of sums that are not rounded.
    assert_eq!((computed.fcm305, computed.ecm305), (Some(8457.0), Some(8435.9)));
    assert_eq!((computed.peak_day, computed.peak_milk), (Some(40), Some(36.0)));
    // 8590.5 of 305 days of 36 kg.
    assert_eq!(computed.persistency, Some(78.2));
    assert_eq!(computed.dd, Some(330));
    assert_eq!(computed.scc, Some(100.0));
    assert_eq!((computed.number, computed.calving_date), (2, Some(at(0))));
    assert_eq!(computed.dry_off_date, Some(at(330)));
    assert_eq!((computed.end_date, computed.end_reason), (Some(at(330)), Some(EndReason::DryOff)));
}

/// The lactation of a cow under standard curves that are the same for all parities.
fn by_curves(points: &[(i64, f64)], calvings: &[CalvingRow], tests: &[TestRow]) -> Lactation {
    let lines = (1..=3).flat_map(|parity| {
        points.iter().map(move |(day, kg)| format!("{parity},{day},{kg},{},{}\n", kg * 0.04, kg * 0.03))
    });
    let text = format!("parity,day,milk,fat,protein\n{}", lines.collect::<String>());
    let curves = Some(&*Box::leak(Box::new(StandardCurves::read(&text).unwrap())));
    let frame = Frame::of(calvings, None, at(400)).with_rules(Rules { curves, ..Rules::default() });
    frame.lactations(&Sums::of(&frame, tests), &[]).remove(0)
}

#[test]
fn standard_curves_bend_the_lines_between_tests() {
    // Days of the grid of ICAR: 0, 10, 30, 50 and so on.
    let points = [(0, 20.0), (10, 24.0), (30, 30.0), (50, 32.0), (70, 31.0), (90, 29.0), (305, 12.0)];
    let rows = [calving(0, 1), dry_off(84, 1)];
    let tests = [(30, 28.0), (70, 27.0)].map(|(dim, kg)| TestRow {
        date: at(dim),
        milk: Some(kg),
        fat: Some(4.0),
        protein: Some(3.0),
        ..TestRow::default()
    });
    let straight = only(&history(&rows, &tests, 400));
    assert_eq!((straight.milk_yield, straight.yield_method), (Some(2318.0), Some(YieldMethod::TestInterval)));
    let bent = by_curves(&points, &rows, &tests);
    // 2 kg below the curve up to day 30, and 4 from day 70 on: 18, 22 and 28 kg on days 0, 10 and 30, 29 on day 50,
    // 27 and 25.6 on days 70 and 84. So 200 + 500 + 570 + 560 + 368.2.
    assert_eq!((bent.milk_yield, bent.yield_method), (Some(2198.2), Some(YieldMethod::StandardCurves)));
    // What the curve of a content is to that of milk, the samples are too.
    assert_eq!((bent.fat_kg, bent.protein_kg), (Some(87.9), Some(65.9)));
    assert_eq!((bent.milk305, bent.fat305, bent.protein305), (Some(2198.2), Some(4.0), Some(3.0)));
    // A curve takes no more than there is.
    let poor = tests.map(|test| TestRow { milk: Some(0.1), ..test });
    assert_eq!(by_curves(&points, &rows, &poor).milk_yield, Some(0.0));
}

#[test]
fn only_the_bend_of_a_curve_counts() {
    let rows = [calving(0, 2), dry_off(330, 2)];
    let straight = only(&history(&rows, &example_tests(), 400));
    let plain = |points: &[(i64, f64)]| {
        let bent = by_curves(points, &rows, &example_tests());
        let Lactation { milk_yield, milk305, fat_kg, .. } = bent;
        [milk_yield, milk305, fat_kg].map(|kg| kg.unwrap_or_default())
    };
    let of = |lactation: &Lactation| {
        [lactation.milk_yield, lactation.milk305, lactation.fat_kg].map(|kg| kg.unwrap_or_default())
    };
    // A level curve says nothing, wherever it lies.
    assert_eq!(plain(&[(0, 30.0), (305, 30.0)]), of(&straight));
    assert_eq!(plain(&[(0, 5.0), (100, 5.0), (400, 5.0)]), of(&straight));
    // A curve that is higher everywhere says the same of milk; one that is twice as high bends twice as much.
    let curve = [(0, 20.0), (10, 25.0), (60, 36.0), (305, 18.0), (400, 11.0)];
    let bend = |points: &[(i64, f64)]| plain(points)[0] - of(&straight)[0];
    let near = |one: f64, other: f64| assert!((one - other).abs() < 0.11, "{one} {other}");
    near(bend(&curve.map(|(day, kg)| (day, kg + 7.0))), bend(&curve));
    near(bend(&curve.map(|(day, kg)| (day, kg * 2.0))), 2.0 * bend(&curve));
    assert!(bend(&curve).abs() > 5.0, "{}", bend(&curve));
}

#[test]
fn what_is_left_of_a_lactation_in_progress_is_projected() {
    let projected = |tests: usize, calvings: &[CalvingRow], today: i64| {
        let computed = only(&history(calvings, &example_tests()[..tests], today));
        computed.projected305.zip(computed.projected_from)
    };
    let begun = [calving(0, 1)];
    // Of the lactation that gave 8,590.5 kg; computed with fractions from the normal equations.
    assert_eq!(projected(5, &begun, 150), Some((8453.0, 144)));
    assert_eq!(projected(7, &begun, 210), Some((8649.0, 206)));
    assert_eq!(projected(4, &begun, 120), None);
    assert_eq!(projected(11, &begun, 320), None);
    assert_eq!(projected(7, &[calving(0, 1), dry_off(200, 1)], 210), None);
    assert_eq!(projected(7, &begun, 400), None);
}

#[test]
fn the_first_of_the_four_ends_wins() {
    let tests = example_tests();
    let open = only(&history(&[calving(0, 1)], &tests, 340));
    assert_eq!((open.end_date, open.dd), (None, Some(326)));
    let silent = only(&history(&[calving(0, 1)], &tests, 372));
    assert_eq!((silent.end_date, silent.end_reason), (Some(at(372)), Some(EndReason::NoTests)));

    let twice = [calving(0, 1), calving(350, 2), dry_off(360, 2)];
    let next = lactations(&history(&twice, &tests, 360));
    assert_eq!(next[0].end_reason, Some(EndReason::Calving));
    assert_eq!(next[0].end_date, Some(at(350)));

    let calvings = [calving(0, 1), dry_off(330, 1)];
    let gone = History { disposal: Some(at(200)), ..history(&calvings, &tests, 400) };
    let gone = only(&gone);
    assert_eq!((gone.end_date, gone.end_reason), (Some(at(200)), Some(EndReason::Disposal)));
    assert_eq!(gone.last_test_date, Some(at(192)));
    assert_eq!(gone.dry_off_date, None);
}

#[test]
fn calvings_and_dry_offs_after_the_disposal_are_in_no_lactation() {
    let late = [calving(0, 1), dry_off(330, 1), calving(390, 2)];
    for (left, kept) in [(329, 1), (330, 2), (389, 2), (390, 3)] {
        let [all, cut] = [&late[..], &late[..kept]]
            .map(|rows| lactations(&History { disposal: Some(at(left)), ..history(rows, &example_tests(), 500) }));
        assert_eq!(all, cut, "{left}");
        assert_eq!(all.len(), if kept == 3 { 2 } else { 1 }, "{left}");
    }
}

#[test]
fn an_open_lactation_is_credited_no_more_than_fourteen_days_after_its_last_test() {
    let tests = &example_tests()[..2];
    let calvings = [calving(0, 1)];
    let to_40 = 10.0 * 30.0 + 30.0 * 33.0;
    let at_45 = only(&history(&calvings, tests, 45));
    assert_eq!(at_45.milk_yield, Some(to_40 + 5.0 * 36.0));
    let at_90 = only(&history(&calvings, tests, 90));
    assert_eq!(at_90.milk_yield, Some(to_40 + 14.0 * 36.0));
    assert_eq!(at_90.milk305, at_90.milk_yield);
}

#[test]
fn one_test_gives_a_yield_but_no_305_day_value() {
    let tests = &example_tests()[..1];
    let computed = only(&history(&[calving(0, 1), dry_off(20, 1)], tests, 100));
    assert_eq!(computed.milk_yield, Some(600.0));
    assert_eq!((computed.milk305, computed.fat305), (None, None));
}

/// Tests of milk by days in milk, with fat where it is known.
fn milk(days: &[(i64, f64, Option<f64>)]) -> Vec<TestRow> {
    let row = |&(dim, milk, fat): &(i64, f64, Option<f64>)| TestRow {
        date: at(dim),
        milk: Some(milk),
        fat,
        source: Recorder::Official,
        ..TestRow::default()
    };
    days.iter().map(row).collect()
}

#[test]
fn contents_carry_over_between_samples() {
    let eleven = |sampled: std::ops::Range<usize>| {
        let day = |at: usize| (10 + 30 * at as i64, 40.0 - 3.0 * at as f64, sampled.contains(&at).then_some(4.0));
        (0..11).map(day).collect::<Vec<_>>()
    };
    let constant: [Vec<(i64, f64, Option<f64>)>; 4] = [
        vec![(10, 40.0, Some(4.0)), (40, 10.0, None), (70, 40.0, Some(4.0)), (100, 40.0, Some(4.0))],
        eleven(0..2),
        eleven(9..11),
        eleven(4..5),
    ];
    for days in constant {
        let computed = only(&history(&[calving(0, 1)], &milk(&days), 400));
        assert_eq!(computed.fat305, Some(4.0), "{days:?}");
        assert_eq!(computed.fat305_kg, computed.milk305.map(|kg| super::round(kg * 0.04, 1)));
        assert_eq!(computed.fat_kg, computed.milk_yield.map(|kg| super::round(kg * 0.04, 1)));
    }
    // On the line from 4 to 5 per cent, and flat before and behind: 4, 4, 4.5, 5, 5.
    let line = [(10, 30.0, None), (20, 30.0, Some(4.0)), (50, 30.0, None), (80, 30.0, Some(5.0)), (90, 30.0, None)];
    let computed = only(&history(&[calving(0, 1), dry_off(100, 1)], &milk(&line), 400));
    let fat = 0.3 * (10.0 * 4.0 + 10.0 * 4.0 + 30.0 * 4.25 + 30.0 * 4.75 + 10.0 * 5.0 + 10.0 * 5.0);
    assert_eq!((computed.milk_yield, computed.fat_kg), (Some(3000.0), Some(fat)));
    // A sample on a day without milk counts as well; days of nothing but samples are no tests.
    let mut tests = milk(&[(10, 30.0, None), (20, 30.0, None), (80, 30.0, None), (90, 30.0, None)]);
    let mut samples = milk(&[(20, 1.0, Some(4.0)), (50, 1.0, Some(4.5)), (80, 1.0, Some(5.0)), (95, 1.0, Some(5.0))]);
    samples.iter_mut().for_each(|sample| sample.milk = None);
    tests.extend(samples);
    let computed = only(&history(&[calving(0, 1), dry_off(100, 1)], &tests, 400));
    let fat = 0.3 * (20.0 * 4.0 + 60.0 * 4.5 + 20.0 * 5.0);
    assert_eq!((computed.milk_yield, computed.fat_kg), (Some(3000.0), Some(fat)));
    assert_eq!(computed.last_test_date, Some(at(90)));
}

#[test]
fn a_gap_credits_fourteen_days_on_either_side_and_is_not_official() {
    let credited = |calvings: &[CalvingRow], dims: &[i64], today| {
        let days: Vec<_> = dims.iter().map(|dim| (*dim, 30.0, None)).collect();
        let computed = only(&history(calvings, &milk(&days), today));
        (computed.milk_yield.unwrap() / 30.0, computed.official.unwrap())
    };
    let calved = [calving(0, 1)];
    // 14 days before the first, 14 on either side of the gap, 14 behind the last.
    assert_eq!(credited(&calved, &[14, 683], 800), (56.0, false));
    assert_eq!(credited(&calved, &[20, 120], 134), (134.0, true));
    assert_eq!(credited(&calved, &[20, 121], 135), (62.0, false));
    assert_eq!(credited(&calved, &[100, 130], 200), (144.0, true));
    assert_eq!(credited(&calved, &[101, 130], 200), (57.0, false));
    // The end: before and after the silence is noticed, and on the days around 14.
    for (today, days) in
        [(100, 100.0), (110, 110.0), (114, 114.0), (115, 114.0), (159, 114.0), (160, 114.0), (500, 114.0)]
    {
        assert_eq!(credited(&calved, &[10, 40, 70, 100], today), (days, true), "{today}");
    }
    // A dry-off up to 100 days behind the last test credits all days, a later one 14.
    for (dry, days, official) in
        [(110, 110.0, true), (159, 159.0, true), (160, 160.0, true), (200, 200.0, true), (201, 114.0, false)]
    {
        let rows = [calving(0, 1), dry_off(dry, 1)];
        assert_eq!(credited(&rows, &[10, 40, 70, 100], 400), (days, official), "{dry}");
    }
    // The next calving credits 14.
    let tests = milk(&[(10, 30.0, None), (300, 30.0, None)]);
    for (next, days) in [(305, 43.0), (340, 52.0), (500, 52.0)] {
        let rows = [calving(0, 1), calving(next, 2)];
        let computed = lactations(&history(&rows, &tests, 600));
        assert_eq!(computed[0].milk_yield, Some(30.0 * days), "{next}");
    }
    // 305 days: what is behind is not in it.
    let computed = only(&history(&calved, &milk(&[(10, 30.0, None), (298, 30.0, None), (500, 30.0, None)]), 600));
    assert_eq!(computed.milk305, Some(30.0 * (10.0 + 14.0 + 14.0 + 7.0)));
    assert_eq!(computed.milk_yield, Some(30.0 * (10.0 + 14.0 * 5.0)));
}

#[test]
fn a_dry_off_that_is_known_ends_a_lactation_before_silence_does() {
    let tests = milk(&[(10, 30.0, None), (100, 30.0, None)]);
    let end = |calvings: &[CalvingRow], disposal: Option<i64>, today| {
        let computed = only(&History { disposal, ..history(calvings, &tests, today) });
        (computed.end_date, computed.end_reason, computed.dd)
    };
    let silent = (Some(at(160)), Some(EndReason::NoTests), Some(160));
    let dried = [calving(0, 1), dry_off(180, 1)];
    assert_eq!(end(&dried, None, 179), silent);
    assert_eq!(end(&dried, None, 180), (Some(at(180)), Some(EndReason::DryOff), Some(180)));
    assert_eq!(end(&dried[..1], Some(at(190)), 200), (Some(at(190)), Some(EndReason::Disposal), Some(190)));
    let late = [calving(0, 1), dry_off(201, 1)];
    assert_eq!(end(&late, None, 300), silent);
}

#[test]
fn cells_have_a_mean_of_scores_beside_their_mean() {
    let means = |cells: &[f64]| {
        let row =
            |(at, cells): (usize, &f64)| TestRow { scc: Some(*cells), ..milk(&[(10 + at as i64, 30.0, None)])[0] };
        let tests: Vec<_> = cells.iter().enumerate().map(row).collect();
        let computed = only(&history(&[calving(0, 1)], &tests, 40));
        (computed.scc.unwrap(), computed.scs.unwrap())
    };
    assert_eq!(means(&[50.0, 50.0, 5000.0]), (1700.0, 4.21));
    assert_eq!(means(&[100.0]), (100.0, 3.0));
    assert_eq!(means(&[0.0]), (0.0, -3.64));
    assert_eq!(means(&[1.0]), (1.0, -3.64));
}

#[test]
fn lactations_of_official_tests_are_official() {
    let mut tests = milk(&[(10, 30.0, None), (40, 30.0, Some(4.0))]);
    let official = |tests: &[TestRow]| only(&history(&[calving(0, 1)], tests, 60)).official;
    assert_eq!(official(&tests), Some(true));
    assert_eq!(official(&[]), None);
    // A robot beside an official test takes nothing away; a test of its own does.
    tests.push(TestRow { source: Recorder::Other, ..tests[0] });
    assert_eq!(official(&tests), Some(true));
    tests.push(TestRow { date: at(50), source: Recorder::Laboratory, ..tests[0] });
    assert_eq!(official(&tests), Some(false));
}

#[test]
fn coded_future_and_foreign_tests_do_not_count() {
    let mut tests = example_tests();
    let plain = only(&history(&[calving(0, 1), dry_off(330, 1)], &tests, 340));
    let odd = TestRow { milk: Some(90.0), ..TestRow::default() };
    tests.push(TestRow { date: at(150), has_test_code: true, ..odd });
    tests.push(TestRow { date: at(-30), ..odd });
    tests.push(TestRow { date: at(335), ..odd });
    tests.push(TestRow { date: at(900), ..odd });
    tests.push(TestRow { date: at(155), milk: None, ..odd });
    tests.reverse();
    assert_eq!(only(&history(&[dry_off(330, 1), calving(0, 1)], &tests, 340)), plain);
}

#[test]
fn services_and_dry_days_belong_to_their_lactation() {
    let service =
        |dim: i64, bull: &str| ServiceRow { date: at(dim), fruitful: true, services: 1, bull: Some(bull.to_owned()) };
    let services = [service(-280, "A"), service(90, "B"), service(68, "C"), service(500, "D")];
    let calvings = [calving(0, 1), dry_off(310, 1), calving(370, 2)];
    let computed = lactations(&History { services: &services, ..history(&calvings, &[], 480) });
    assert_eq!((computed[0].days_open, computed[0].services), (Some(90), Some(1)));
    assert_eq!(computed[0].calving_interval, Some(370));
    assert_eq!((computed[1].days_open, computed[1].services), (None, None));
    assert_eq!(computed[1].calving_interval, None);
    assert_eq!(computed[0].insemination_date, Some(at(90)));
    assert_eq!(computed[0].service_bull.as_deref(), Some("B"));
    assert_eq!(computed[0].dry_days_before, None);
    assert_eq!(computed[1].insemination_date, None);
    assert_eq!(computed[1].dry_days_before, Some(60));
    assert_eq!(computed[1].dd, None);
}

#[test]
fn an_abortion_starts_nothing() {
    let abortion = CalvingRow { event: CalvingEvent::Abortion, ..calving(150, 1) };
    assert_eq!(lactations(&history(&[calving(0, 1), abortion], &[], 200)).len(), 1);
}

#[test]
fn reported_rows_show_only_where_nothing_is_computed() {
    let computed = lactations(&history(&[calving(0, 2), dry_off(330, 2), calving(390, 3)], &example_tests(), 400));
    let reported =
        |number: i64, milk: f64| Lactation { number, milk305: Some(milk), fat305: Some(4.0), ..Lactation::default() };
    let rows = with_reported(
        computed,
        vec![reported(1, 7000.0), reported(2, 9999.0), reported(3, 5.0), reported(0, 20_000.0)],
    );
    let by_number: Vec<_> = rows.iter().map(|row| (row.number, row.milk305, row.origin)).collect();
    assert_eq!(
        by_number,
        [
            (0, Some(20_000.0), Origin::Reported),
            (1, Some(7000.0), Origin::Reported),
            (2, Some(8590.5), Origin::Computed),
            (3, Some(5.0), Origin::Reported),
        ]
    );
    let best = summary(&rows).unwrap();
    assert_eq!(best.milk_yield, Some(8590.5));
    assert_eq!((best.fat_kg, best.protein_kg), (Some(334.7), Some(286.3)));
    assert_eq!((best.fat_percent, best.fat_protein_sum), (Some(3.9), Some(621.0)));
}

#[test]
fn the_written_summary_is_the_last_resort() {
    let written = Lactation { number: 0, milk_yield: Some(10_000.0), fat_kg: Some(400.0), ..Lactation::default() };
    let expected =
        Summary { milk_yield: Some(10_000.0), fat_percent: Some(4.0), fat_kg: Some(400.0), ..Summary::default() };
    assert_eq!(summary(&[written]), Some(expected));
    assert_eq!(summary(&[]), None);
}

#[test]
fn the_last_tests_are_those_of_the_lactation_that_began_last() {
    let test = |dim, scc| TestRow { date: at(dim), milk: Some(30.0), scc, ..TestRow::default() };
    let tests = [test(20, Some(500.0)), test(50, Some(90.0)), test(80, None)];
    let of = |calvings: &[CalvingRow]| {
        let frame = Frame::of(calvings, None, at(100));
        let sums = Sums::of(&frame, &tests);
        assert_eq!(Sums::from_text(&sums.to_text()).as_ref(), Some(&sums));
        frame.present_tests(&sums)
    };
    let last = PresentTests { last: Some(at(80)), cells: Some((at(50), 90.0)) };
    assert_eq!(of(&[calving(0, 1)]), last);
    assert_eq!(of(&[calving(0, 1), calving(60, 2)]), PresentTests { last: Some(at(80)), cells: None });
    assert_eq!(of(&[calving(0, 1), calving(90, 2)]), PresentTests::default());
    assert_eq!(of(&[]), PresentTests::default());
}
