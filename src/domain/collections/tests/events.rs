use super::{TODAY, day, farm, fault, faults, fields};
use model::record::Value;
use model::registry::Command;
use serde_json::json;

#[test]
fn a_thousand_milk_tests_cost_a_handful_of_look_ups_and_one_amend() {
    let mut farm = farm();
    let mut commands = Vec::new();
    for number in 0..500 {
        let cow = farm.animal(&format!("2{number:06}"), "female", TODAY - 1_500);
        let calved = fields! { "animal": cow, "date": day(TODAY - 100) };
        farm.book.create("calvings", calved).unwrap();
        for ago in [70, 40] {
            commands.push(Command::Create(fields! {
                "animal": cow,
                "date": day(TODAY - ago),
                "milkYield": 30.0,
                "fatPercent": 4.0,
                "proteinPercent": 3.2,
            }));
        }
    }
    farm.book.look_ups.clear();
    farm.book.amended.clear();
    let ids = farm.book.write("milk-tests", commands).unwrap();
    // Two of them are for the zones of the places.
    assert!(farm.book.look_ups.len() <= 12, "{:?}", farm.book.look_ups);
    assert_eq!(farm.book.amended, ["animals"]);

    let cow = farm.book.get("milk-tests", ids[1], "animal").int().unwrap();
    let of_test = |path| farm.book.get("milk-tests", ids[1], path);
    assert_eq!(of_test("daysInMilk"), Value::Int(60));
    assert_eq!(of_test("lactationNumber"), Value::Int(1));
    assert_eq!(of_test("ownerOrg"), Value::Int(farm.mine));
    assert_eq!(farm.of(cow, "current.parity"), Value::Int(1));
    let lactations = farm.of(cow, "lactations");
    assert_eq!(lactations.rows()[0]["origin"], "computed");
    assert_eq!(lactations.rows()[0]["milkYield"], json!(74 * 30));
    assert_eq!(farm.of(cow, "summary.milkYield"), Value::Num(74.0 * 30.0));
}

#[test]
fn a_late_calving_moves_what_hangs_on_it() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let service = fields! { "animal": cow, "date": day(TODAY - 480) };
    let service = farm.book.create("inseminations", service).unwrap();
    let test = fields! { "animal": cow, "date": day(TODAY - 100), "milkYield": 20.0 };
    let test = farm.book.create("milk-tests", test).unwrap();
    assert_eq!(farm.book.get("milk-tests", test, "daysInMilk"), Value::Null);

    let calved = fields! { "animal": cow, "date": day(TODAY - 201) };
    let calving = farm.book.create("calvings", calved).unwrap();
    let of = |path| farm.book.get("calvings", calving, path);
    assert_eq!(of("number"), Value::Int(1));
    assert_eq!(of("insemination"), Value::Int(service));
    assert_eq!(of("gestationDays"), Value::Int(279));
    assert_eq!(farm.book.get("milk-tests", test, "daysInMilk"), Value::Int(101));
    assert_eq!(farm.of(cow, "ageGroup"), Value::from("firstCalf"));
    assert_eq!(farm.of(cow, "ageGroupDate"), day(TODAY - 201));

    let service = fields! { "animal": cow, "date": day(TODAY - 120) };
    let service = farm.book.create("inseminations", service).unwrap();
    let of = |path| farm.book.get("inseminations", service, path);
    assert_eq!(of("daysOpen"), Value::Int(81));
    assert_eq!(of("lactationNumber"), Value::Int(1));
    assert_eq!(of("expectedCalving"), day(TODAY - 120 + 279));

    farm.book.delete("calvings", calving).unwrap();
    assert_eq!(farm.book.get("milk-tests", test, "daysInMilk"), Value::Null);
    assert_eq!(farm.book.get("inseminations", service, "daysOpen"), Value::Null);
    assert_eq!(farm.of(cow, "current.parity"), Value::Int(0));
}

#[test]
fn a_dry_off_lives_in_its_own_row() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let calved = fields! {
        "animal": cow,
        "date": day(TODAY - 400),
        "dryOffDate": day(TODAY - 100),
    };
    let calving = farm.book.create("calvings", calved).unwrap();
    assert_eq!(farm.book.get("calvings", calving, "milkingDays"), Value::Int(300));
    let row = farm.book.ids("calvings")[1];
    assert_eq!(farm.book.get("calvings", row, "eventType"), Value::from("dryOff"));
    assert_eq!(farm.book.get("calvings", row, "number"), Value::Int(1));
    assert_eq!(farm.book.get("calvings", row, "dryOffDate"), Value::Null);
    assert_eq!(farm.of(cow, "current.lactationStatus"), Value::from("dry"));

    let moved = fields! { "dryOffDate": day(TODAY - 90) };
    farm.book.update("calvings", calving, moved).unwrap();
    assert_eq!(farm.book.get("calvings", row, "date"), day(TODAY - 90));

    let directly = fields! { "date": day(TODAY - 80) };
    farm.book.update("calvings", row, directly).unwrap();
    assert_eq!(farm.book.get("calvings", calving, "dryOffDate"), day(TODAY - 80));
    assert_eq!(farm.book.get("calvings", calving, "milkingDays"), Value::Int(320));

    let removed = fields! { "dryOffDate": Value::Null };
    farm.book.update("calvings", calving, removed).unwrap();
    assert_eq!(farm.book.ids("calvings"), [calving]);

    let early = fields! { "dryOffDate": day(TODAY - 401) };
    let result = farm.book.update("calvings", calving, early);
    assert_eq!(faults(result), fault("dryOffDate", "calving-order"));
}

#[test]
fn counts_follow_from_the_calves() {
    let mut farm = farm();
    let progeny = Value::json(json!([
        {"sex": "female", "birthStatus": "alive", "weight": 40.0},
        {"sex": "male", "birthStatus": "stillborn", "weight": 41.0},
    ]));
    let mut calved = fields! {
        "animal": farm.cows[0],
        "date": day(TODAY - 10),
        "progeny": progeny,
    };
    let calving = farm.book.create("calvings", calved.clone()).unwrap();
    let of = |path| farm.book.get("calvings", calving, path);
    assert_eq!(of("liveHeifers"), Value::Int(1));
    assert_eq!(of("liveBulls"), Value::Int(0));
    assert_eq!(of("stillborn"), Value::Int(1));
    assert_eq!(of("calfWeight"), Value::Num(40.5));

    calved.extend(fields! { "liveBulls": 1 });
    let result = farm.book.create("calvings", calved);
    assert_eq!(faults(result), fault("liveBulls", "progeny-mismatch"));
}

#[test]
fn events_lie_between_birth_and_today_and_suit_the_sex() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let bull = farm.animal("300000", "male", TODAY - 900);
    let mut weigh = |animal: i64, on: i64| {
        let fields = fields! { "animal": animal, "date": day(on), "weight": 500.0 };
        faults(farm.book.create("weighings", fields))
    };
    assert_eq!(weigh(cow, TODAY + 1), fault("date", "event-in-future"));
    assert_eq!(weigh(cow, TODAY - 2_001), fault("date", "event-before-birth"));
    assert_eq!(weigh(cow, TODAY), []);
    assert_eq!(weigh(bull, TODAY), []);
    let test = fields! { "animal": bull, "date": day(TODAY), "milkYield": 3.0 };
    let result = farm.book.create("milk-tests", test);
    assert_eq!(faults(result), fault("animal", "event-vs-sex"));
}

#[test]
fn a_test_without_milk_says_why_and_takes_the_rest_from_the_herd() {
    let mut farm = farm();
    let herd = farm.herd;
    let protocol = fields! { "recordingProtocol": "C-Both" };
    farm.book.update("herds", herd, protocol).unwrap();
    let mut test = fields! { "animal": farm.cows[0], "date": day(TODAY) };
    let result = farm.book.create("milk-tests", test.clone());
    assert_eq!(faults(result), fault("milkYield", "required"));
    test.extend(fields! { "testCode": "sick" });
    let id = farm.book.create("milk-tests", test).unwrap();
    let protocol = farm.book.get("milk-tests", id, "recordingProtocol");
    assert_eq!(protocol, Value::from("C-Both"));
}

#[test]
fn gains_follow_the_weighing_before_also_when_it_comes_late() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let weigh = |on: i64, kg: f64| Command::Create(fields! { "animal": cow, "date": day(on), "weight": kg });
    let both = vec![weigh(TODAY - 100, 400.0), weigh(TODAY, 480.0)];
    let ids = farm.book.write("weighings", both).unwrap();
    let gain = |farm: &super::Farm, id| farm.book.get("weighings", id, "dailyGain");
    assert_eq!(gain(&farm, ids[0]), Value::Null);
    assert_eq!(gain(&farm, ids[1]), Value::Num(800.0));
    let age = farm.book.get("weighings", ids[1], "ageDays");
    assert_eq!(age, Value::Int(2_000));

    let late = farm.book.write("weighings", vec![weigh(TODAY - 50, 430.0)]).unwrap();
    assert_eq!(gain(&farm, late[0]), Value::Num(600.0));
    assert_eq!(gain(&farm, ids[1]), Value::Num(1000.0));
    farm.book.delete("weighings", late[0]).unwrap();
    assert_eq!(gain(&farm, ids[1]), Value::Num(800.0));

    farm.book.update("animals", cow, fields! { "birthDate": day(TODAY - 1_000) }).unwrap();
    let age = farm.book.get("weighings", ids[1], "ageDays");
    assert_eq!(age, Value::Int(1_000));
}

#[test]
fn a_correction_by_the_owner_takes_the_signature_away() {
    let mut farm = farm();
    let test = fields! { "animal": farm.cows[0], "date": day(TODAY), "milkYield": 30.0 };
    let id = farm.book.create("milk-tests", test).unwrap();
    let verify = |farm: &mut super::Farm| {
        farm.book.system();
        for word in ["pending", "verified"] {
            let step = fields! { "verification": word };
            farm.book.update("milk-tests", id, step).unwrap();
        }
    };
    verify(&mut farm);
    farm.book.farm(farm.mine, super::HEAD);
    assert_eq!(faults(farm.book.delete("milk-tests", id)), fault("id", "verified"));
    let fat = fields! { "fatPercent": 4.1 };
    farm.book.update("milk-tests", id, fat.clone()).unwrap();
    let state = farm.book.get("milk-tests", id, "verification");
    assert_eq!(state, Value::from("unverified"));

    verify(&mut farm);
    farm.book.association(1);
    farm.book.update("milk-tests", id, fields! { "fatPercent": 4.2 }).unwrap();
    let state = farm.book.get("milk-tests", id, "verification");
    assert_eq!(state, Value::from("verified"));
    assert_eq!(faults(farm.book.delete("milk-tests", id)), []);
}
