use super::{TODAY, day, farm, fields};
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
    assert_eq!(farm.of(cow, "ageGroupDate"), day(TODAY - 100));
    let lactations = farm.of(cow, "lactations");
    assert_eq!(lactations.rows()[0]["origin"], "computed");
    assert_eq!(lactations.rows()[0]["milkYield"], json!(74 * 30));
    assert_eq!(farm.of(cow, "summary.milkYield"), Value::Num(74.0 * 30.0));
}

#[test]
fn gains_of_one_batch_follow_each_other() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let weigh = |on: i64, kg: f64| Command::Create(fields! { "animal": cow, "date": day(on), "weight": kg });
    let both = vec![weigh(TODAY - 100, 400.0), weigh(TODAY, 480.0)];
    let ids = farm.book.write("weighings", both).unwrap();
    let gains = ids.iter().map(|id| farm.book.get("weighings", *id, "dailyGain"));
    assert_eq!(gains.collect::<Vec<_>>(), [Value::Null, Value::Num(800.0)]);
}
