use super::{Farm, HEAD, TODAY, day, farm, fault, faults, fields};
use model::error::Error;
use model::record::Value;

fn movement(farm: &mut Farm, kind: &str, ago: i64, to: Option<i64>) -> Result<i64, Error> {
    let fields = fields! {
        "animal": farm.cows[0],
        "date": day(TODAY - ago),
        "kind": kind,
        "to": to,
    };
    farm.book.create("movements", fields)
}

#[test]
fn deleting_a_movement_leads_back_to_the_herd_before_it() {
    let mut farm = farm();
    let (mine, cow, first) = (farm.mine, farm.cows[0], farm.herd);
    let mut herd = |name: &str| {
        let fields = fields! { "name": name, "organization": mine };
        farm.book.create("herds", fields).unwrap()
    };
    let (second, third) = (herd("Two"), herd("Three"));
    let transfer = fields! {
        "animal": cow,
        "date": day(TODAY - 9),
        "kind": "transfer",
        "toHerd": second,
    };
    farm.book.create("movements", transfer).unwrap();
    assert_eq!(farm.of(cow, "herd"), Value::Int(second));
    assert_eq!(farm.of(cow, "entry.herd"), Value::Int(first));
    let moved = fields! { "herd": third };
    farm.book.update("animals", cow, moved).unwrap();
    let other = farm.other;
    let sale = movement(&mut farm, "sale", 5, Some(other)).unwrap();
    farm.book.delete("movements", sale).unwrap();
    assert_eq!(farm.of(cow, "owner"), Value::Int(mine));
    assert_eq!(farm.of(cow, "herd"), Value::Int(third));
}

#[test]
fn a_sale_out_of_the_book_keeps_the_owner() {
    let mut farm = farm();
    let (mine, outside, cow) = (farm.mine, farm.outside, farm.cows[0]);
    movement(&mut farm, "sale", 5, Some(outside)).unwrap();
    assert_eq!(farm.of(cow, "owner"), Value::Int(mine));
    assert_eq!(farm.of(cow, "state"), Value::from("sold"));
    assert_eq!(farm.of(cow, "disposalDate"), day(TODAY - 5));
    assert_eq!(farm.of(cow, "disposalOrganization"), Value::Int(outside));

    // The receiver joins later: what happened stays as it was.
    farm.book.system();
    let joined = fields! { "presence": "registered" };
    farm.book.update("organizations", outside, joined).unwrap();
    movement(&mut farm, "import", 1, Some(outside)).unwrap();
    assert_eq!(farm.of(cow, "owner"), Value::Int(outside));
    assert_eq!(farm.of(cow, "state"), Value::from("alive"));
    assert_eq!(farm.of(cow, "pastOwners"), Value::Ids(vec![mine]));
    assert_eq!(["disposalDate", "disposalOrganization"].map(|path| farm.of(cow, path)), [Value::Null, Value::Null]);
}

#[test]
fn nobody_takes_an_animal_by_importing_it() {
    let mut farm = farm();
    let (mine, other, cow) = (farm.mine, farm.other, farm.cows[0]);
    farm.book.farm(other, 902);
    let taken = movement(&mut farm, "import", 1, None);
    assert_eq!(faults(taken), fault("kind", "not-the-owner"));
    let fields = fields! {
        "animal": cow,
        "date": day(TODAY),
        "kind": "sale",
        "from": other,
        "to": farm.outside,
    };
    let sold = farm.book.create("movements", fields);
    assert_eq!(faults(sold), fault("from", "not-the-owner"));
    assert_eq!(farm.of(cow, "owner"), Value::Int(mine));
}

#[test]
fn only_the_recorder_takes_a_state_back_and_not_for_long() {
    let mut farm = farm();
    let cow = farm.cows[0];
    farm.book.update("animals", cow, fields! { "state": "dead" }).unwrap();
    let back = fields! { "state": "alive" };
    farm.book.farm(farm.mine, HEAD + 1);
    let result = farm.book.update("animals", cow, back.clone());
    assert_eq!(faults(result), fault("state", "forbidden"));
    farm.book.farm(farm.mine, HEAD);
    farm.book.now += 31 * crate::derive::DAY_MS;
    let result = farm.book.update("animals", cow, back.clone());
    assert_eq!(faults(result), fault("state", "forbidden"));
    farm.book.caller.admin = true;
    farm.book.update("animals", cow, back).unwrap();
    assert_eq!(farm.of(cow, "state"), Value::from("alive"));
}
