//! Parents: what a calf shows of the animals that it names.

use super::{Scene, animal, calf, get, number, patch, post, with};
use serde_json::{Value, json};

/// What a calf reveals about the parents that it names.
pub(super) fn scenes() -> Vec<Scene> {
    let dates = [
        "2018-01-01",
        "2019-06-01",
        "2020-06-01",
        "2021-06-01",
        "2022-06-01",
        "2023-06-01",
    ];
    let names = |parent: &'static str, text: &'static str, id: i64| {
        vec![
            post("animals", calf(1, json!({parent: id}))),
            post(
                "animals",
                calf(2, json!({"pedigreeText": {text: number(id)}})),
            ),
            patch("animals", "{last}", json!({parent: id})),
            patch("animals", "{last}", json!({parent: 777_777})),
            patch("animals", "4", json!({"pedigreeText": {text: number(id)}})),
            patch("animals", "4", json!({parent: id})),
            get("/api/animals/4?depth=2"),
        ]
    };
    let bisect = |first: (&'static str, Value)| {
        let make = post("animals", calf(3, json!({first.0: first.1})));
        let each = dates
            .iter()
            .map(|day| patch("animals", "{last}", json!({"birthDate": day})));
        std::iter::once(make).chain(each).collect::<Vec<_>>()
    };
    // The card of the lower one is open, and shows no parents.
    let descent = |more: Value| {
        let mut lower = with(902, "female", "2023-03-01", json!({"mother": 901}));
        lower["publicVisible"] = true.into();
        let upper = with(901, "female", "2021-03-01", more);
        ("animals", vec![upper, lower])
    };
    vec![
        Scene {
            name: "existence of a mother",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            asks: names("mother", "motherId", 901),
            ..Scene::default()
        },
        Scene {
            name: "existence of a father",
            first: vec![("animals", vec![animal(902, "male", "2019-03-01")])],
            asks: names("father", "fatherId", 902),
            ..Scene::default()
        },
        Scene {
            name: "sex of a parent",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            second: vec![("animals", vec![animal(901, "male", "2019-03-01")])],
            asks: names("mother", "motherId", 901),
            ..Scene::default()
        },
        Scene {
            name: "birth date of a mother by id",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            second: vec![("animals", vec![animal(901, "female", "2022-09-01")])],
            asks: bisect(("mother", json!(901))),
            ..Scene::default()
        },
        Scene {
            name: "birth date of a mother by number",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            second: vec![("animals", vec![animal(901, "female", "2022-09-01")])],
            asks: bisect(("pedigreeText", json!({"motherId": number(901)}))),
            ..Scene::default()
        },
        Scene {
            name: "cycle through a hidden animal",
            first: vec![(
                "animals",
                vec![with(901, "female", "2021-03-01", json!({"mother": 2}))],
            )],
            second: vec![("animals", vec![animal(901, "female", "2021-03-01")])],
            asks: vec![
                patch("animals", "2", json!({"mother": 901})),
                patch(
                    "animals",
                    "2",
                    json!({"pedigreeText": {"motherId": number(901)}}),
                ),
            ],
            ..Scene::default()
        },
        Scene {
            name: "cycle through a hidden animal above a visible one",
            first: vec![descent(json!({"mother": 2}))],
            second: vec![descent(json!({}))],
            asks: vec![
                patch("animals", "2", json!({"mother": 902})),
                patch(
                    "animals",
                    "2",
                    json!({"birthDate": "2024-06-01", "mother": 902}),
                ),
                get("/api/animals/2?depth=1"),
            ],
            ..Scene::default()
        },
    ]
}
