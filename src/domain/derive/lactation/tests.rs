use super::super::DAY_MS;
use super::{
    CalvingEvent, CalvingRow, EndReason, History, Lactation, Origin, ServiceRow, Summary, TestRow,
    lactations, summary, with_reported,
};

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
    CalvingRow {
        date: at(dim),
        number,
        event: CalvingEvent::Calving,
    }
}

fn dry_off(dim: i64, number: i64) -> CalvingRow {
    CalvingRow {
        date: at(dim),
        number,
        event: CalvingEvent::DryOff,
    }
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
            has_test_code: false,
        })
        .collect()
}

fn history<'a>(calvings: &'a [CalvingRow], tests: &'a [TestRow], today: i64) -> History<'a> {
    History {
        calvings,
        tests,
        services: &[],
        disposal: None,
        today: at(today),
    }
}

fn only(history: &History<'_>) -> Lactation {
    let mut found = lactations(history);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn the_worked_example_of_the_domain_facts() {
    let calvings = [calving(0, 2), dry_off(330, 2)];
    let found = only(&history(&calvings, &example_tests(), 400));
    assert_eq!(found.milk305, Some(8590.5));
    assert_eq!(found.fat305_kg, Some(334.7));
    assert_eq!(found.protein305_kg, Some(286.3));
    assert_eq!(found.fat305, Some(3.9));
    assert_eq!(found.protein305, Some(3.33));
    assert_eq!(found.milk_yield, Some(8993.0));
    assert_eq!(found.fat_kg, Some(352.8));
    assert_eq!(found.protein_kg, Some(301.2));
    assert_eq!(found.dd, Some(330));
    assert_eq!(found.scc, Some(100.0));
    assert_eq!((found.number, found.calving_date), (2, Some(at(0))));
    assert_eq!(found.dry_off_date, Some(at(330)));
    assert_eq!(
        (found.end_date, found.end_reason),
        (Some(at(330)), Some(EndReason::DryOff))
    );
}

#[test]
fn the_first_of_the_four_ends_wins() {
    let tests = example_tests();
    let open = only(&history(&[calving(0, 1)], &tests, 340));
    assert_eq!((open.end_date, open.dd), (None, Some(326)));
    let silent = only(&history(&[calving(0, 1)], &tests, 372));
    assert_eq!(
        (silent.end_date, silent.end_reason),
        (Some(at(372)), Some(EndReason::NoTests))
    );

    let twice = [calving(0, 1), calving(350, 2), dry_off(360, 2)];
    let next = lactations(&history(&twice, &tests, 360));
    assert_eq!(next[0].end_reason, Some(EndReason::Calving));
    assert_eq!(next[0].end_date, Some(at(350)));

    let calvings = [calving(0, 1), dry_off(330, 1)];
    let gone = History {
        disposal: Some(at(200)),
        ..history(&calvings, &tests, 400)
    };
    let gone = only(&gone);
    assert_eq!(
        (gone.end_date, gone.end_reason),
        (Some(at(200)), Some(EndReason::Disposal))
    );
    assert_eq!(gone.last_test_date, Some(at(192)));
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
    let found = only(&history(&[calving(0, 1), dry_off(20, 1)], tests, 100));
    assert_eq!(found.milk_yield, Some(600.0));
    assert_eq!((found.milk305, found.fat305), (None, None));
}

#[test]
fn coded_future_and_foreign_tests_do_not_count() {
    let mut tests = example_tests();
    let plain = only(&history(&[calving(0, 1), dry_off(330, 1)], &tests, 340));
    let odd = TestRow {
        milk: Some(90.0),
        ..TestRow::default()
    };
    tests.push(TestRow {
        date: at(150),
        has_test_code: true,
        ..odd
    });
    tests.push(TestRow {
        date: at(-30),
        ..odd
    });
    tests.push(TestRow {
        date: at(335),
        ..odd
    });
    tests.push(TestRow {
        date: at(900),
        ..odd
    });
    tests.push(TestRow {
        date: at(155),
        milk: None,
        ..odd
    });
    tests.reverse();
    assert_eq!(
        only(&history(&[dry_off(330, 1), calving(0, 1)], &tests, 340)),
        plain
    );
}

#[test]
fn services_and_dry_days_belong_to_their_lactation() {
    let service = |dim: i64, bull: &str| ServiceRow {
        date: at(dim),
        bull: Some(bull.to_owned()),
    };
    let services = [
        service(-280, "A"),
        service(90, "B"),
        service(68, "C"),
        service(500, "D"),
    ];
    let calvings = [calving(0, 1), dry_off(310, 1), calving(370, 2)];
    let found = lactations(&History {
        services: &services,
        ..history(&calvings, &[], 480)
    });
    assert_eq!(found[0].insemination_date, Some(at(90)));
    assert_eq!(found[0].service_bull.as_deref(), Some("B"));
    assert_eq!(found[0].dry_days_before, None);
    assert_eq!(found[1].insemination_date, None);
    assert_eq!(found[1].dry_days_before, Some(60));
    assert_eq!(found[1].dd, None);
}

#[test]
fn an_abortion_starts_nothing() {
    let abortion = CalvingRow {
        event: CalvingEvent::Abortion,
        ..calving(150, 1)
    };
    assert_eq!(
        lactations(&history(&[calving(0, 1), abortion], &[], 200)).len(),
        1
    );
}

#[test]
fn reported_rows_show_only_where_nothing_is_computed() {
    let computed = lactations(&history(
        &[calving(0, 2), dry_off(330, 2), calving(390, 3)],
        &example_tests(),
        400,
    ));
    let reported = |number: i64, milk: f64| Lactation {
        number,
        milk305: Some(milk),
        fat305: Some(4.0),
        ..Lactation::default()
    };
    let rows = with_reported(
        computed,
        vec![
            reported(1, 7000.0),
            reported(2, 9999.0),
            reported(3, 5.0),
            reported(0, 20_000.0),
        ],
    );
    let shown: Vec<_> = rows
        .iter()
        .map(|row| (row.number, row.milk305, row.origin))
        .collect();
    assert_eq!(
        shown,
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
    assert_eq!(
        (best.fat_percent, best.fat_protein_sum),
        (Some(3.9), Some(621.0))
    );
}

#[test]
fn the_written_summary_is_the_last_resort() {
    let written = Lactation {
        number: 0,
        milk_yield: Some(10_000.0),
        fat_kg: Some(400.0),
        ..Lactation::default()
    };
    let expected = Summary {
        milk_yield: Some(10_000.0),
        fat_percent: Some(4.0),
        fat_kg: Some(400.0),
        ..Summary::default()
    };
    assert_eq!(summary(&[written]), Some(expected));
    assert_eq!(summary(&[]), None);
}
