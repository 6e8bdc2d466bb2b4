use super::{HEAD, TODAY, farm, fault, faults, fields};
use crate::derive::instant_of;
use model::record::Value;
use model::registry::Command;

fn scopes() -> Value {
    Value::Texts(vec!["origin".to_owned()])
}

#[test]
fn the_last_head_stays_head() {
    let mut farm = farm();
    let mut user = |email: &str| {
        let fields = fields! {
            "email": email,
            "lastName": "A",
            "firstName": "B",
            "organization": farm.mine,
            "orgRole": "head",
        };
        farm.book.create("users", fields).unwrap()
    };
    let (first, second) = (user("  First@Farm.example "), user("second@farm.example"));
    let email = farm.book.get("users", first, "email");
    assert_eq!(email, Value::from("first@farm.example"));
    let operator = |id| Command::Update(id, fields! { "orgRole": "operator" });
    let both = farm.book.write("users", vec![operator(first), operator(second)]);
    assert_eq!(faults(both), fault("orgRole", "last-head"));
    let blocked = fields! { "blockedAt": Value::Time(instant_of(TODAY)) };
    farm.book.update("users", first, blocked).unwrap();
    assert_eq!(farm.book.get("users", first, "blockedBy"), Value::Int(HEAD));
    assert_eq!(faults(farm.book.delete("users", second)), fault("orgRole", "last-head"));
}

#[test]
fn organisations_made_by_a_farm_are_only_named() {
    let mut farm = farm();
    let region = fields! { "code": "63", "name": "Самарская область" };
    farm.book.create("regions", region).unwrap();
    let dealer = fields! { "name": "ООО «Заря»", "region": "Самарская область" };
    let dealer = farm.book.create("organizations", dealer).unwrap();
    let of = |path| farm.book.get("organizations", dealer, path);
    assert_eq!(of("presence"), Value::from("referenced"));
    assert_eq!(of("referencedBy"), Value::Int(farm.mine));
    assert_eq!(of("nameKey"), Value::from("ооо заря"));
    let nowhere = fields! { "region": "Nowhere" };
    let result = farm.book.update("organizations", dealer, nowhere);
    assert_eq!(faults(result), fault("region", "no-such-region"));

    farm.book.system();
    let joined = fields! { "presence": "registered" };
    farm.book.update("organizations", dealer, joined).unwrap();
    farm.book.farm(farm.mine, HEAD);
    let result = farm.book.update("organizations", dealer, fields! { "phone": "1" });
    assert_eq!(faults(result), fault("id", "forbidden"));
}

#[test]
fn membership_goes_by_its_steps() {
    let mut farm = farm();
    farm.book.association(7);
    let id = farm.mine;
    let mut to = |state: &str| {
        let fields = fields! { "membership": state };
        faults(farm.book.update("organizations", id, fields))
    };
    assert_eq!(to("member"), fault("membership", "illegal-move"));
    assert_eq!(to("pending"), []);
    assert_eq!(to("member"), []);
    assert_eq!(to("suspended"), []);
    assert_eq!(to("pending"), fault("membership", "illegal-move"));
    let by = farm.book.get("organizations", id, "membershipReview.decidedBy");
    assert_eq!(by, Value::Int(7));
}

#[test]
fn grants_come_from_the_owner_and_end_for_good() {
    let mut farm = farm();
    let own = fields! { "grantee": farm.mine, "scopes": scopes() };
    let result = farm.book.create("access-grants", own);
    assert_eq!(faults(result), fault("grantee", "same-organization"));
    let grant = fields! { "grantee": farm.other, "animal": farm.cows[0], "scopes": scopes() };
    let grant = farm.book.create("access-grants", grant).unwrap();
    let of = |farm: &super::Farm, path| farm.book.get("access-grants", grant, path);
    assert_eq!(of(&farm, "owner"), Value::Int(farm.mine));
    assert_eq!(of(&farm, "issuedBy"), Value::Int(HEAD));

    let later = fields! { "revokedAt": Value::Time(instant_of(TODAY + 9)) };
    farm.book.update("access-grants", grant, later).unwrap();
    assert_eq!(of(&farm, "revokedAt"), Value::Time(farm.book.now), "at once");
    assert_eq!(of(&farm, "revokedBy"), Value::Int(HEAD));
    let reopened = fields! { "revokedAt": Value::Null };
    let result = farm.book.update("access-grants", grant, reopened);
    assert_eq!(faults(result), fault("revokedAt", "illegal-move"));
}
