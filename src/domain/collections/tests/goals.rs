//! What matings are to improve, read from the book (docs/mating.md, *Goal*).

use super::{Farm, TODAY, day, farm, fields};
use crate::collections::mating::Goal;
use futures_util::FutureExt as _;
use model::record::Value;
use serde_json::json;
use std::collections::BTreeMap;

fn values(farm: &mut Farm, goal: &Goal) -> BTreeMap<i64, f64> {
    let animals = farm.cows.iter().copied().collect();
    goal.values(&mut farm.book, &animals).now_or_never().unwrap().unwrap()
}

fn own(farm: &mut Farm, organization: i64) -> Goal {
    let weights =
        json!([{"id": "1", "trait": "milk", "weight": 2.0}, {"id": "2", "trait": "udderComposite", "weight": 10.0}]);
    let profile = fields! {
        "name": "Own", "kind": "economic", "organization": organization, "weights": Value::json(weights),
    };
    Goal::Profile(format!("own:{}", farm.book.create("index-profiles", profile).unwrap()))
}

#[test]
fn the_profile_of_a_farm_has_values_of_all_animals() {
    let mut farm = farm();
    farm.book.system();
    let (cow, other) = (farm.cows[0], farm.other);
    let evaluation = fields! { "animal": cow, "evaluatedAt": day(TODAY - 9), "milkForecast": 50.0, "milkR": 70.0 };
    farm.book.create("animal-evaluations", evaluation).unwrap();
    // The cow is of the first farm, the profile of the other one: no row of `index-values` has its value.
    let goal = own(&mut farm, other);
    assert_eq!(values(&mut farm, &goal), [(cow, 100.0)].into());
    let association = Goal::Profile("association".to_owned());
    let stored = farm.book.rows("index-values").len();
    assert!(stored > 0 && values(&mut farm, &association).contains_key(&cow));
    for key in ["own:999", "own:1x", "own:01", "none"] {
        assert_eq!(values(&mut farm, &Goal::Profile(key.to_owned())), BTreeMap::new(), "{key}");
    }
}

#[test]
fn a_composite_is_that_of_the_exterior_in_force_for_weights_too() {
    let mut farm = farm();
    farm.book.system();
    let (cow, mine) = (farm.cows[0], farm.mine);
    let goal = Goal::Weights(vec![("milk", 2.0), ("udderComposite", 10.0), ("calfMortality", 3.0)]);
    let evaluation =
        fields! { "animal": cow, "evaluatedAt": day(TODAY - 9), "milkForecast": 50.0, "calfMortalityForecast": 1.0 };
    farm.book.create("animal-evaluations", evaluation).unwrap();
    assert_eq!(values(&mut farm, &goal), BTreeMap::new(), "one trait is missing");
    let scored = fields! { "animal": cow, "assessedAt": day(TODAY - 4), "udderComposite": 1.5 };
    farm.book.create("animal-exteriors", scored).unwrap();
    // Fewer losses are better.
    assert_eq!(values(&mut farm, &goal), [(cow, 100.0 + 15.0 - 3.0)].into());
    let by_profile = own(&mut farm, mine);
    assert_eq!(values(&mut farm, &by_profile), [(cow, 115.0)].into());
}

#[test]
fn goals_are_of_the_traits_of_indexes() {
    assert_eq!((Goal::of_traits("milk"), Goal::of_traits("mlik")), (Some("milk"), None));
    assert_eq!(Goal::traits().count(), 11);
}
