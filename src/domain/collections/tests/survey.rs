use super::{TODAY, day, farm, fields};
use crate::collections::Survey;
use checks::{Day, Finding};
use futures_util::FutureExt as _;
use model::registry::Command;
use serde_json::json;

/// What a step costs, and what its checks find.
fn surveyed(farm: &mut super::Farm) -> (usize, Vec<checks::Animal>, Vec<Finding>) {
    let book = &mut farm.book;
    let mut survey = Survey::begin(book).now_or_never().unwrap().unwrap();
    let part = Survey::counting(book, 0).now_or_never().unwrap().unwrap();
    survey.count(part);
    book.look_ups.clear();
    let step = survey.step(book, Some(farm.herd), 0);
    let step = step.now_or_never().unwrap().unwrap();
    let look_ups = farm.book.look_ups.len();
    let mut findings = Vec::new();
    for animal in &step.animals {
        survey.run.animal(animal, &step.context, &mut findings);
    }
    (look_ups, step.animals, findings)
}

#[test]
fn a_step_costs_the_same_look_ups_for_one_cow_and_for_hundreds() {
    let mut one = farm();
    let (few, ..) = surveyed(&mut one);
    let mut farm = farm();
    let mut tests = Vec::new();
    for number in 0..200 {
        let cow = farm.animal(&format!("3{number:06}"), "female", TODAY - 1_500);
        let calved = fields! { "animal": cow, "date": day(TODAY - 200) };
        farm.book.create("calvings", calved).unwrap();
        let test = fields! { "animal": cow, "date": day(TODAY - 100), "milkYield": 30.0 };
        tests.push(Command::Create(test));
    }
    farm.book.write("milk-tests", tests).unwrap();
    let (many, animals, _) = surveyed(&mut farm);
    assert_eq!(animals.len(), 203);
    assert_eq!(many, few, "{:?}", farm.book.look_ups);
}

#[test]
fn rows_arrive_as_the_checks_see_them() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let bull = farm.animal("4000001", "male", TODAY - 2_500);
    let service = fields! { "animal": cow, "date": day(TODAY - 480), "bull": bull };
    farm.book.create("inseminations", service).unwrap();
    let calf = farm.animal("4000002", "female", TODAY - 199);
    let changed = fields! { "mother": cow, "father": bull };
    farm.book.update("animals", calf, changed).unwrap();
    let calved = fields! {
        "animal": cow, "date": day(TODAY - 201), "result": "one", "ease": "surgery", "liveHeifers": 1, "liveBulls": 1,
        "calves": model::record::Value::Ids(vec![calf]),
    };
    let calving = farm.book.create("calvings", calved).unwrap();
    let dry = fields! { "animal": cow, "date": day(TODAY - 9), "eventType": "dryOff", "number": 1 };
    farm.book.create("calvings", dry).unwrap();
    let test =
        fields! { "animal": cow, "date": day(TODAY - 100), "milkYield": 30.0, "fatPercent": 12.0, "source": "owner" };
    let test = farm.book.create("milk-tests", test).unwrap();
    let weight = fields! { "animal": cow, "date": day(TODAY - 100), "weight": 90.0, "sign": "age" };
    let weight = farm.book.create("weighings", weight).unwrap();

    let (_, animals, findings) = surveyed(&mut farm);
    let of = animals.iter().find(|animal| animal.passport.id == cow).unwrap();
    assert_eq!(of.children, [calf]);
    assert_eq!(of.passport.birth, Some(Day(TODAY - 2_000)));
    assert_eq!(of.calvings[0].served, Some(Day(TODAY - 480)));
    assert_eq!(of.services[0].bull, Some(bull));
    assert_eq!(of.tests[0].source, 1);
    let row = of.passport.lactations.first().map(|l| json!([l.number, l.reported]));
    assert_eq!(row, Some(json!([1, false])));
    let assert_finding = |code: &str, collection: &str, row: i64| {
        let at = |f: &Finding| (f.code, f.place.collection, f.place.row) == (code, collection, row);
        assert!(findings.iter().any(at), "{code}: {findings:#?}");
    };
    assert_finding("calf-birth-vs-calving", "calvings", calving);
    assert_finding("twins-mismatch", "calvings", calving);
    assert_finding("hard-calving-no-care", "calvings", calving);
    assert_finding("test-fat-range", "milk-tests", test);
    assert_finding("weight-implausible", "weighings", weight);
    assert_finding("no-breed", "animals", cow);
}
