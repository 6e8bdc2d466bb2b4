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
fn a_sale_changes_the_owner_and_deleting_it_restores_what_was() {
    let mut farm = farm();
    let (mine, other, cow) = (farm.mine, farm.other, farm.cows[0]);
    let grant = fields! {
        "grantee": other,
        "animal": cow,
        "scopes": Value::Texts(vec!["origin".to_owned()]),
    };
    let grant = farm.book.create("access-grants", grant).unwrap();

    let sale = movement(&mut farm, "sale", 5, Some(other)).unwrap();
    let of = |path| farm.book.get("movements", sale, path);
    assert_eq!(of("from"), Value::Int(mine));
    assert_eq!(of("fromHerd"), Value::Int(farm.herd));
    assert_eq!(of("recordedBy"), Value::Int(HEAD));
    assert_eq!(of("confirmation"), Value::from("none"));
    assert_eq!(farm.of(cow, "owner"), Value::Int(other));
    assert_eq!(farm.of(cow, "herd"), Value::Null);
    assert_eq!(farm.of(cow, "state"), Value::from("alive"));
    assert_eq!(farm.of(cow, "pastOwners"), Value::Ids(vec![mine]));
    assert_eq!(farm.of(cow, "arrivalDate"), day(TODAY - 5));
    assert_eq!(farm.of(cow, "previousOrganization"), Value::Int(mine));
    assert!(!farm.book.get("access-grants", grant, "revokedAt").is_null());

    farm.book.delete("movements", sale).unwrap();
    assert_eq!(farm.of(cow, "owner"), Value::Int(mine));
    assert_eq!(farm.of(cow, "herd"), Value::Int(farm.herd));
    assert_eq!(farm.of(cow, "pastOwners"), Value::Ids(vec![]));
    assert_eq!(farm.of(cow, "arrivalDate"), Value::Null);
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
fn what_the_buyer_records_waits_for_the_seller() {
    let mut farm = farm();
    let (mine, other, cow) = (farm.mine, farm.other, farm.cows[0]);
    farm.book.farm(other, 902);
    let sale = movement(&mut farm, "sale", 5, Some(other)).unwrap();
    let of = |farm: &Farm, path| farm.book.get("movements", sale, path);
    assert_eq!(of(&farm, "confirmation"), Value::from("pending"));
    assert_eq!(of(&farm, "applied"), Value::Bool(false));
    assert_eq!(farm.of(cow, "owner"), Value::Int(mine));
    assert_eq!(farm.of(cow, "pastOwners"), Value::Null);

    let confirmed = fields! { "confirmation": "confirmed" };
    let result = farm.book.update("movements", sale, confirmed.clone());
    assert_eq!(faults(result), fault("confirmation", "forbidden"));
    farm.book.farm(mine, HEAD);
    farm.book.update("movements", sale, confirmed.clone()).unwrap();
    assert_eq!(of(&farm, "confirmedBy"), Value::Int(HEAD));
    assert_eq!(farm.of(cow, "owner"), Value::Int(other));
    let repeated = farm.book.update("movements", sale, fields! { "confirmation": "refused" });
    assert_eq!(faults(repeated), fault("confirmation", "illegal-move"));
}

#[test]
fn a_refused_sale_changes_nothing() {
    let mut farm = farm();
    let (mine, other, cow) = (farm.mine, farm.other, farm.cows[0]);
    farm.book.farm(other, 902);
    let sale = movement(&mut farm, "sale", 5, Some(other)).unwrap();
    farm.book.farm(mine, HEAD);
    let refused = fields! { "confirmation": "refused" };
    farm.book.update("movements", sale, refused).unwrap();
    assert_eq!(farm.of(cow, "owner"), Value::Int(mine));
    assert_eq!(farm.of(cow, "herd"), Value::Int(farm.herd));
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
}

#[test]
fn the_latest_decides_and_an_earlier_one_only_joins_the_course() {
    let mut farm = farm();
    let (other, cow) = (farm.other, farm.cows[0]);
    let death = movement(&mut farm, "death", 2, None).unwrap();
    assert_eq!(farm.of(cow, "state"), Value::from("dead"));
    let cull = movement(&mut farm, "cull", 8, None).unwrap();
    assert_eq!(farm.of(cow, "disposalDate"), day(TODAY - 2));
    farm.book.delete("movements", cull).unwrap();
    farm.book.delete("movements", death).unwrap();
    assert_eq!(farm.of(cow, "state"), Value::from("alive"));
    assert_eq!(farm.of(cow, "disposalDate"), Value::Null);
    movement(&mut farm, "sale", 10, Some(other)).unwrap();
    assert_eq!(farm.of(cow, "owner"), Value::Int(other));
}

#[test]
fn kinds_have_their_parties() {
    let mut farm = farm();
    let (mine, other) = (farm.mine, farm.other);
    let mut tried = |kind, ago, to| faults(movement(&mut farm, kind, ago, to));
    assert_eq!(tried("sale", 1, None), fault("to", "required"));
    assert_eq!(tried("lease", 1, Some(mine)), fault("to", "same-organization"));
    assert_eq!(tried("cull", 1, Some(other)), fault("to", "not-allowed"));
    assert_eq!(tried("transfer", 1, Some(other)), fault("to", "not-allowed"));
    assert_eq!(tried("death", -1, None), fault("date", "event-in-future"));
    assert_eq!(tried("death", 2_001, None), fault("date", "event-before-birth"));
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
fn writing_the_state_records_amends_and_deletes_the_closing_movement() {
    let mut farm = farm();
    let cow = farm.cows[0];
    farm.book.update("animals", cow, fields! { "state": "sold" }).unwrap();
    let sale = farm.book.ids("movements")[0];
    let of = |farm: &Farm, path| farm.book.get("movements", sale, path);
    assert_eq!(of(&farm, "kind"), Value::from("sale"));
    assert_eq!(of(&farm, "date"), day(TODAY));
    assert_eq!(of(&farm, "recordedBy"), Value::Int(HEAD));
    assert_eq!(farm.of(cow, "disposalDate"), day(TODAY));
    let place = of(&farm, "to").int().unwrap();
    let name = farm.book.get("organizations", place, "name");
    assert_eq!(name, Value::from("Outside the herd book"));

    let amended = fields! { "disposalDate": day(TODAY - 3) };
    farm.book.update("animals", cow, amended).unwrap();
    assert_eq!(of(&farm, "date"), day(TODAY - 3));
    assert_eq!(farm.book.ids("movements"), [sale]);
    let wrong = farm.book.update("animals", cow, fields! { "state": "dead" });
    assert_eq!(faults(wrong), fault("state", "illegal-move"));

    farm.book.update("animals", cow, fields! { "state": "alive" }).unwrap();
    assert!(farm.book.ids("movements").is_empty());
    assert_eq!(farm.of(cow, "disposalDate"), Value::Null);

    let second = farm.cows[1];
    farm.book.update("animals", second, fields! { "state": "sold" }).unwrap();
    assert_eq!(farm.book.ids("organizations").len(), 4, "one placeholder");
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

#[test]
fn an_operator_does_not_move_animals_by_their_state() {
    let mut farm = farm();
    farm.book.caller.capabilities = [model::registry::Capability::Data].into();
    let dead = fields! { "state": "dead" };
    let result = farm.book.update("animals", farm.cows[0], dead);
    assert_eq!(faults(result), fault("state", "forbidden"));
}
