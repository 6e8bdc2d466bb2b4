//! Laws of what is noted beside the events of the herd book: heats, bars, statuses, health, single milkings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{BOOKS, DEMO, counts, date, number, of, text};
use crate::{Book, SeedRow};

const NOTED: [&str; 3] = ["events", "health-events", "milking-visits"];

fn real(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Rows of one collection by animal, in their order.
fn by_animal<'a>(book: &'a Book, collection: &'a str) -> BTreeMap<i64, Vec<&'a SeedRow>> {
    let mut rows: BTreeMap<i64, Vec<&SeedRow>> = BTreeMap::new();
    for row in of(book, collection) {
        rows.entry(number(row, "animal").unwrap()).or_default().push(row);
    }
    rows
}

fn observations<'a>(book: &'a Book, kind: &'a str) -> impl Iterator<Item = &'a SeedRow> {
    of(book, "events").filter(move |row| text(row, "type") == kind)
}

fn days_between(from: &str, to: &str) -> i64 {
    let day = |text: &str| text.parse::<jiff::civil::Date>().unwrap();
    let span = day(from).until(day(to)).unwrap();
    i64::from(span.get_days())
}

/// Codes of the kinds of health events, by id.
fn kinds(book: &Book) -> BTreeMap<i64, (&str, &str)> {
    of(book, "health-event-types").map(|row| (row.id, (text(row, "code"), text(row, "kind")))).collect()
}

#[test]
fn each_kind_is_there_and_they_are_few() {
    for book in BOOKS.iter() {
        let counts = counts(book);
        let noted: usize = NOTED.iter().map(|collection| counts[collection]).sum();
        let others = book.rows.len() - noted;
        assert!(noted * 100 <= others * 15, "{noted} beside {others}");
        for kind in ["heat", "doNotBreed", "reproStatus", "lactationStatus"] {
            assert!(observations(book, kind).count() >= 5, "{kind}");
        }
        let kinds = kinds(book);
        let illnesses: BTreeSet<&str> =
            of(book, "health-events").map(|row| kinds[&number(row, "type").unwrap()].1).collect();
        let all = BTreeSet::from(["diagnosis", "treatment", "trimming", "status"]);
        assert_eq!(illnesses, all);
        let diagnoses: BTreeSet<&str> =
            of(book, "health-events").map(|row| kinds[&number(row, "type").unwrap()].0).collect();
        for illness in ["mastitis", "ketosis", "lameness"] {
            assert!(diagnoses.contains(illness), "{illness}");
        }
        for status in ["healthy", "inTreatment", "toBeCulled"] {
            let has_status = |row: &SeedRow| text(row, "observedStatus") == status;
            assert!(of(book, "health-events").any(has_status), "{status}");
        }
    }
}

#[test]
fn a_heat_comes_before_its_service() {
    for book in BOOKS.iter() {
        let services = by_animal(book, "inseminations");
        for heat in observations(book, "heat") {
            let own = &services[&number(heat, "animal").unwrap()];
            let near = |row: &&SeedRow| (0..=1).contains(&days_between(date(heat), date(row)));
            assert!(own.iter().any(near), "heat {}", heat.id);
            let collar = text(heat, "result") == "collar";
            assert_eq!(collar, heat.data.contains_key("value"), "heat {}", heat.id);
        }
    }
}

#[test]
fn nobody_breeds_a_barred_cow_and_none_in_calf_is_barred() {
    for book in BOOKS.iter() {
        let services = by_animal(book, "inseminations");
        let calvings = by_animal(book, "calvings");
        let results: BTreeMap<i64, &str> =
            of(book, "insemination-results").map(|row| (row.id, text(row, "adeResult"))).collect();
        for bar in observations(book, "doNotBreed") {
            let animal = number(bar, "animal").unwrap();
            let served = services.get(&animal).map_or(&[][..], Vec::as_slice);
            assert!(served.iter().all(|row| date(row) < date(bar)), "bar {}", bar.id);
            let own = calvings.get(&animal).map_or(&[][..], Vec::as_slice);
            let turn = |row: &&&SeedRow| text(row, "eventType") != "dryOff";
            let last = own.iter().filter(turn).map(|row| date(row)).max();
            assert!(last.is_none_or(|last| last < date(bar)), "bar {}", bar.id);
            let in_calf = served.iter().any(|row| {
                let result = number(row, "result").map(|id| results[&id]);
                result == Some("pregnant") && last.is_none_or(|last| date(row) > last)
            });
            assert!(!in_calf, "bar {}", bar.id);
        }
    }
}

#[test]
fn statuses_agree_with_the_course_of_the_cow() {
    for book in BOOKS.iter() {
        let calvings = by_animal(book, "calvings");
        let services = by_animal(book, "inseminations");
        for row in observations(book, "reproStatus").chain(observations(book, "lactationStatus")) {
            let animal = number(row, "animal").unwrap();
            let before = calvings[&animal].iter().rfind(|event| date(event) < date(row)).unwrap();
            let (turn, days) = (text(before, "eventType"), days_between(date(before), date(row)));
            match (text(row, "type"), text(row, "result")) {
                ("reproStatus", "open") => {
                    assert!(turn == "calving" && (28..=40).contains(&days));
                    let served = services.get(&animal).map_or(&[][..], Vec::as_slice);
                    let since = |event: &&SeedRow| (date(before)..=date(row)).contains(&date(event));
                    assert!(!served.iter().any(since), "{} {}", row.collection, row.id);
                }
                ("lactationStatus", "lead") => {
                    assert!(turn == "dryOff" && (34..=42).contains(&days));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn what_is_treated_was_diagnosed_and_follows_its_medicine() {
    for book in BOOKS.iter() {
        let kinds = kinds(book);
        let calvings = by_animal(book, "calvings");
        let mut days: BTreeSet<(i64, &str)> = BTreeSet::new();
        for row in of(book, "health-events") {
            let animal = number(row, "animal").unwrap();
            let (code, kind) = kinds[&number(row, "type").unwrap()];
            match kind {
                "diagnosis" => {
                    assert!(days.insert((animal, date(row))), "one illness a day");
                    let calved = calvings.get(&animal).is_some_and(|own| {
                        own.iter().any(|c| text(c, "eventType") == "calving" && date(c) <= date(row))
                    });
                    let of_cows = !["pneumonia", "calf-diarrhoea", "lameness"].contains(&code);
                    assert!(calved || !of_cows, "{code} {}", row.id);
                    let ongoing = text(row, "outcome") == "ongoing";
                    assert!(!ongoing || !row.data.contains_key("endDate"));
                }
                "treatment" | "trimming" => {
                    assert!(days.contains(&(animal, date(row))), "{}", row.id);
                    assert!(!text(row, "procedure").is_empty());
                    let medicine = row.data.get("medicine");
                    assert_eq!(medicine.is_some(), kind == "treatment");
                    let expiry = medicine.and_then(|m| m["expiryDate"].as_str());
                    assert!(expiry.is_none_or(|day| day > text(row, "endDate")));
                    for until in ["milkWithdrawalUntil", "meatWithdrawalUntil"] {
                        let day = text(row, until);
                        assert!(day.is_empty() || day > text(row, "endDate"), "{}", row.id);
                    }
                }
                "status" => assert!(!text(row, "observedStatus").is_empty()),
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn animals_that_leave_ill_are_known_to() {
    let kinds = kinds(&DEMO);
    let health = by_animal(&DEMO, "health-events");
    let udder = of(&DEMO, "disposal-reasons").find(|row| text(row, "code") == "udder");
    let culled: Vec<&SeedRow> = of(&DEMO, "movements")
        .filter(|row| number(row, "reason") == udder.map(|reason| reason.id))
        .filter(|row| date(row) > "2024-08-01")
        .collect();
    assert!(!culled.is_empty());
    for leaving in culled {
        let own = &health[&number(leaving, "animal").unwrap()];
        let last = own.iter().rfind(|row| row.data.contains_key("outcome"));
        let last = last.unwrap();
        assert_eq!(kinds[&number(last, "type").unwrap()].0, "mastitis");
        assert_eq!(text(last, "outcome"), "culled");
        assert_eq!(text(last, "endDate"), date(leaving));
        let statuses = own.iter().map(|row| text(row, "observedStatus"));
        assert!(statuses.into_iter().any(|status| status == "toBeCulled"));
    }
}

#[test]
fn cells_rise_when_the_udder_is_ill() {
    // The largest book: few cows of a small one are tested within weeks of a mastitis.
    let book = &BOOKS[2];
    let kinds = kinds(book);
    let tests = by_animal(book, "milk-tests");
    let (mut ill, mut all) = (Vec::new(), Vec::new());
    all.extend(of(book, "milk-tests").filter_map(|row| number(row, "somaticCells")));
    for row in of(book, "health-events") {
        let recovered = text(row, "outcome") == "recovered";
        if !recovered || kinds[&number(row, "type").unwrap()].0 != "mastitis" {
            continue;
        }
        let own = tests.get(&number(row, "animal").unwrap());
        let after = own
            .into_iter()
            .flatten()
            .filter(|test| date(test) >= date(row) && days_between(date(row), date(test)) < 30);
        ill.extend(after.filter_map(|test| number(test, "somaticCells")));
    }
    let median = |cells: &mut Vec<i64>| {
        cells.sort_unstable();
        cells[cells.len() / 2]
    };
    assert!(ill.len() > 20, "{}", ill.len());
    let (ill, all) = (median(&mut ill), median(&mut all));
    assert!(ill > 4 * all, "{ill} beside {all}");
}

#[test]
fn a_robot_milks_on_one_farm_in_the_last_days() {
    for book in BOOKS.iter() {
        let mut owners: BTreeMap<i64, i64> =
            of(book, "animals").map(|row| (row.id, number(row, "owner").unwrap())).collect();
        for row in of(book, "movements") {
            let to = number(row, "to");
            owners.extend(to.map(|to| (number(row, "animal").unwrap(), to)));
        }
        let mut robot: BTreeMap<i64, Vec<&SeedRow>> = BTreeMap::new();
        for row in of(book, "milking-visits") {
            assert!(("2025-06-28"..="2025-06-30").contains(&date(row)));
            let sum: f64 =
                (row.data["quarters"].as_array().unwrap().iter()).map(|quarter| real(&quarter["milkYield"])).sum();
            let milk = real(&row.data["milkYield"]);
            assert!((sum - milk).abs() < 0.01 && milk > 0.5, "{sum} {milk}");
            assert!(number(row, "duration") < number(row, "visitDuration"));
            assert_eq!(row.data["complete"] == true, !row.data.contains_key("remarks"));
            robot.entry(number(row, "animal").unwrap()).or_default().push(row);
        }
        assert!((20..=60).contains(&robot.len()), "{}", robot.len());
        for visits in robot.values() {
            assert!((5..=13).contains(&visits.len()), "{}", visits.len());
        }
        let animals = robot.keys().map(|animal| owners[animal]);
        assert_eq!(animals.collect::<BTreeSet<i64>>(), BTreeSet::from([2]));
    }
}
