//! Tests that come after the others are added to what those add up to. That this comes to the same as reading all of them
//! is the law of facts (`tests/it/facts`).

use super::{Farm, HEAD, TODAY, day, farm, fields};
use model::record::Value;
use model::registry::Command;

#[test]
fn later_tests_are_taken_without_reading_the_earlier_ones() {
    let mut farm = farm();
    farm.book.association(HEAD);
    let cow = farm.cows[0];
    let test = |ago: i64| Command::Create(fields! { "animal": cow, "date": day(TODAY - ago), "milkYield": 30.0 });
    let calving = |ago: i64| fields! { "animal": cow, "date": day(TODAY - ago) };
    let dry_off = |ago: i64| fields! { "animal": cow, "date": day(TODAY - ago), "eventType": "dryOff" };
    let read = |farm: &mut Farm| std::mem::take(&mut farm.book.look_ups).contains(&"milk-tests".to_owned());
    farm.book.create("calvings", calving(760)).unwrap();
    let tests = farm.book.write("milk-tests", vec![test(600), test(570)]).unwrap();
    farm.book.look_ups.clear();
    farm.book.write("milk-tests", vec![test(540), test(510)]).unwrap();
    assert!(!read(&mut farm));
    let lactations = farm.of(cow, "lactations");
    assert_eq!(lactations.rows()[0]["lastTestDay"], "2023-05-13T00:00:00.000Z");

    // What comes after all tests has none read; a drying-off before the last one has.
    farm.book.create("inseminations", fields! { "animal": cow, "date": day(TODAY - 505) }).unwrap();
    farm.book.create("calvings", dry_off(400)).unwrap();
    farm.book.create("calvings", calving(340)).unwrap();
    assert!(!read(&mut farm));
    assert_eq!(farm.of(cow, "lactations").rows().len(), 2);
    farm.book.create("calvings", dry_off(530)).unwrap();
    assert!(read(&mut farm));

    // One before them has all read, and so has a correction, also with a later one.
    farm.book.write("milk-tests", vec![test(560)]).unwrap();
    assert!(read(&mut farm));
    let correction = |milk: f64| Command::Update(tests[0], fields! { "milkYield": milk });
    farm.book.write("milk-tests", vec![correction(10.0)]).unwrap();
    assert!(read(&mut farm));
    farm.book.write("milk-tests", vec![correction(20.0), test(300)]).unwrap();
    assert!(read(&mut farm));
}

#[test]
fn a_content_of_0_is_no_measurement() {
    let mut farm = farm();
    let cow = farm.cows[0];
    farm.book.create("calvings", fields! { "animal": cow, "date": day(TODAY - 100) }).unwrap();
    for (ago, fat, cells) in [(70, 4.0, 100.0), (40, 4.0, 100.0), (10, 0.0, 0.0)] {
        let contents = fields! { "fatPercent": fat, "somaticCells": cells };
        let test = fields! { "animal": cow, "date": day(TODAY - ago), "milkYield": 30.0 };
        farm.book.create("milk-tests", [test, contents].concat()).unwrap();
    }
    let lactation = farm.of(cow, "lactations").rows()[0].clone();
    let percent = 100.0 * lactation["fatKg"].as_f64().unwrap() / lactation["milkYield"].as_f64().unwrap();
    assert!((percent - 4.0).abs() < 0.01, "{lactation}");
    assert_eq!(lactation["scc"], 100);
    assert_eq!(farm.of(cow, "current.lastCells"), Value::Num(100.0));
}
