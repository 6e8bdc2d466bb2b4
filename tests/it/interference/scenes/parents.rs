//! Parents: what a calf shows of the animals that it names.

use super::{Ask, Rows, Scene, animal, animals, asks, calf, get, number, patch, post, with};
use serde_json::{Value, json};

/// Days between which a hidden birth date is sought.
const DAYS: [&str; 6] = ["2018-01-01", "2019-06-01", "2020-06-01", "2021-06-01", "2022-06-01", "2023-06-01"];

fn names(parent: &'static str, text: &'static str, id: i64) -> Vec<Ask> {
    let by_number = json!({"pedigreeText": {text: number(id)}});
    vec![
        post("animals", calf(1, json!({parent: id}))),
        post("animals", calf(2, by_number.clone())),
        patch("animals", "{last}", json!({parent: id})),
        patch("animals", "{last}", json!({parent: 777_777})),
        patch("animals", "4", by_number),
        patch("animals", "4", json!({parent: id})),
        get("/api/animals/4?depth=2"),
    ]
}

fn bisect(first: Value) -> Vec<Ask> {
    let make = post("animals", calf(3, first));
    let each = DAYS.iter().map(|day| patch("animals", "{last}", json!({"birthDate": day})));
    std::iter::once(make).chain(each).collect()
}

/// The card of the lower one is open, and shows no parents.
fn descent(more: Value) -> Rows {
    let lower = json!({"mother": 901, "publicVisible": true});
    animals(vec![with(901, "female", "2021-03-01", more), with(902, "female", "2023-03-01", lower)])
}

/// What a calf reveals about the parents that it names.
pub(super) fn scenes() -> Vec<Scene> {
    let one = |sex: &str, day: &str| animals(vec![animal(901, sex, day)]);
    let (old, young) = (one("female", "2019-03-01"), one("female", "2022-09-01"));
    let (mother, father) = (names("mother", "motherId", 901), names("father", "fatherId", 901));
    let by_number = json!({"pedigreeText": {"motherId": number(901)}});
    let child = json!({"mother": 2});
    vec![
        Scene::of("existence of a mother", old.clone(), vec![], mother.clone()),
        Scene::of("existence of a father", one("male", "2019-03-01"), vec![], father),
        Scene::of("sex of a parent", old.clone(), one("male", "2019-03-01"), mother),
        Scene::of("birth date of a mother by id", old.clone(), young.clone(), bisect(json!({"mother": 901}))),
        Scene::of("birth date of a mother by number", old, young, bisect(by_number)),
        Scene::of(
            "cycle through a hidden animal",
            animals(vec![with(901, "female", "2021-03-01", child.clone())]),
            one("female", "2021-03-01"),
            asks(
                r#"
                PATCH animals/2 {"mother": 901}
                PATCH animals/2 {"pedigreeText": {"motherId": "960000000901"}}
                "#,
            ),
        ),
        Scene::of(
            "cycle through a hidden animal above a visible one",
            descent(child),
            descent(json!({})),
            asks(
                r#"
                PATCH animals/2 {"mother": 902}
                PATCH animals/2 {"birthDate": "2024-06-01", "mother": 902}
                GET /api/animals/2?depth=1
                "#,
            ),
        ),
    ]
}
