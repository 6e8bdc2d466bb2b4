use super::{HEAD, TODAY, farm, fault, faults, fields};
use crate::derive::instant_of;
use model::record::Value;
use model::registry::Command;

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
