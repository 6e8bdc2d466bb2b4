//! Kin: what computed values show of relations.

use super::{Scene, animal, calf, get, number, patch, post, with};
use serde_json::{Value, json};

/// What derived values reveal about kinship.
pub(super) fn scenes() -> Vec<Scene> {
    let related = |sire: Value| {
        vec![
            animal(910, "male", "2012-01-01"),
            with(911, "male", "2017-01-01", json!({"father": 910})),
            with(912, "female", "2018-01-01", json!({"father": sire})),
        ]
    };
    // The pedigree of a calf of 913 and 914, and with it the identity of 909 and 910, belongs to the
    // calf; all else of the two does not.
    let shown = |more: Value| {
        let hidden = |id: i64| {
            let mut hidden = with(id, "male", &format!("{}-01-01", id + 1100), more.clone());
            if id == 910 {
                hidden["father"] = json!(909);
            }
            hidden
        };
        let open = |id: i64, sex: &str| {
            let open = json!({"father": 910, "publicVisible": true});
            with(id, sex, "2014-01-01", open)
        };
        vec![
            hidden(909),
            hidden(910),
            open(913, "male"),
            open(914, "female"),
        ]
    };
    let one = || {
        json!({"nameLatin": "One", "altIds": {"earTag": "ONE", "chipNumber": "643000000000001"},
            "bloodPercent": 50.0, "notes": "one", "forSale": true, "state": "dead", "trustLevel": 3,
            "summary": {"milkYield": 9000.0}, "disposalDate": "2020-01-01"})
    };
    // An own calf of two that are closed and old.
    let closed = |more: Value| {
        let old = |id: i64, sex: &str| with(id, sex, "1980-01-01", more.clone());
        let calf = json!({"owner": 1, "father": 910, "mother": 911});
        vec![
            old(910, "male"),
            old(911, "female"),
            with(922, "female", "2024-06-01", calf),
        ]
    };
    let other = || json!({"nameLatin": "Other", "altIds": {"earTag": "OTHER"}, "inbreeding": 3.0});
    let calf_of = |father: i64, mother: i64| {
        vec![
            post(
                "animals",
                calf(4, json!({"father": father, "mother": mother})),
            ),
            get("/api/animals/{last}?depth=2"),
            get("/api/animals/{last}/pedigree?generations=6"),
            post(
                "animals",
                calf(
                    5,
                    json!({"pedigreeText": {"fatherId": number(father), "motherId": number(mother)}}),
                ),
            ),
            get("/api/animals/{last}?depth=2"),
            get("/api/animals/{last}/pedigree?generations=6"),
        ]
    };
    vec![
        Scene {
            name: "kinship of two hidden parents",
            first: vec![("animals", related(json!(910)))],
            second: vec![("animals", related(Value::Null))],
            asks: calf_of(911, 912),
            ..Scene::default()
        },
        Scene {
            name: "hidden ancestors of visible parents",
            first: vec![("animals", shown(one()))],
            second: vec![("animals", shown(other()))],
            asks: {
                let mut asks = calf_of(913, 914);
                asks.extend([
                    get("/api/animals/910"),
                    get("/api/animals/909/pedigree"),
                    get("/api/animals/{last}/pedigree?generations=10&depth=3"),
                    get("/api/animals/{last}/card?language=en"),
                    get("/api/animals?limit=0&depth=3&joins[children][count]=true"),
                ]);
                asks
            },
            ..Scene::default()
        },
        Scene {
            name: "what is found of closed parents",
            first: vec![(
                "animals",
                closed(json!({"bloodPercent": 50.0, "state": "dead", "disposalDate": "2020-01-01"})),
            )],
            second: vec![(
                "animals",
                closed(json!({"bloodPercent": 75.0, "semen": {"stock": {"code": "ONE"}}})),
            )],
            asks: vec![
                patch("animals", "922", json!({"birthDate": "2023-06-01"})),
                patch("animals", "922", json!({"bloodPercent": 75.0})),
                get("/api/animals/922?depth=1"),
                get("/api/check-findings/count"),
                get("/api/animals/922/certificate-conditions"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "filters through hidden ancestors",
            first: vec![("animals", shown(json!({"name": "One", "breed": 1})))],
            second: vec![("animals", shown(json!({"name": "Other", "breed": 2})))],
            asks: {
                let named = ["father.father", "father", "mother.father.father"];
                let mut asks = vec![post("animals", calf(7, json!({"father": 913, "mother": 914})))];
                asks.extend(named.iter().flat_map(|path| {
                    [
                        get(&format!("/api/animals?depth=0&where[{path}.name][equals]=One")),
                        get(&format!("/api/animals/count?where[{path}.breed][equals]=1")),
                        get(&format!("/api/animals?depth=0&limit=0&sort={path}.name")),
                    ]
                }));
                asks
            },
            ..Scene::default()
        },
        Scene {
            name: "hidden ancestors of a calf that is sold",
            first: vec![("animals", shown(one()))],
            second: vec![("animals", shown(other()))],
            asks: vec![
                post("animals", calf(6, json!({"father": 913, "mother": 914}))),
                post(
                    "movements",
                    json!({"animal": "{last}", "date": "2025-06-01", "kind": "sale", "to": 2}),
                ),
                get("/api/animals?limit=0&depth=0&where[identNumber][equals]=970000000006"),
                ("DELETE", "/api/movements/{last}".to_owned(), Value::Null),
                get("/api/animals?limit=0&depth=0&where[identNumber][equals]=970000000006"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "closed card of a calf that is seen",
            first: vec![(
                "animals",
                vec![with(
                    920,
                    "female",
                    "2023-06-01",
                    json!({"mother": 2, "publicVisible": true}),
                )],
            )],
            second: vec![(
                "animals",
                vec![with(
                    920,
                    "female",
                    "2023-06-01",
                    json!({"publicVisible": true}),
                )],
            )],
            asks: vec![
                get("/api/animals?depth=0&where[mother][equals]=2"),
                patch("animals", "2", json!({"birthDate": "2023-05-31"})),
                patch("animals", "2", json!({"birthDate": "2023-06-01"})),
            ],
            ..Scene::default()
        },
        Scene {
            name: "who named a number that becomes one's own",
            first: vec![(
                "animals",
                vec![with(
                    921,
                    "female",
                    "2023-06-01",
                    json!({"pedigreeText": {"fatherId": number(950)}}),
                )],
            )],
            second: vec![("animals", vec![animal(921, "female", "2023-06-01")])],
            asks: vec![
                post(
                    "animals",
                    calf(950, json!({"sex": "male", "identNumber": number(950)})),
                ),
                get("/api/clarifications?depth=1"),
                patch("animals", "{last}", json!({"identNumber": number(951)})),
                patch("animals", "{last}", json!({"identNumber": number(950)})),
                get("/api/clarifications?depth=1"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "services of an own bull elsewhere",
            first: table![
                "animals", vec![animal(901, "female", "2019-03-01")];
                "inseminations", vec![json!({"id": 901, "animal": 901, "date": "2024-01-01", "bull": 1})];
            ].into(),
            second: table![
                "animals", vec![animal(901, "female", "2019-03-01")];
                "inseminations", vec![json!({"id": 901, "animal": 901, "date": "2024-01-01", "bullText": "X"})];
            ].into(),
            asks: vec![
                get("/api/animals/1?depth=1"),
                patch("animals", "1", json!({"birthDate": "2024-06-01"})),
                patch("animals", "1", json!({"sex": "female"})),
            ],
            ..Scene::default()
        },
        Scene {
            name: "foreign calf of an own cow",
            first: vec![(
                "animals",
                vec![with(920, "female", "2023-06-01", json!({"mother": 2}))],
            )],
            second: vec![("animals", vec![animal(920, "female", "2023-06-01")])],
            asks: vec![
                get("/api/animals/2?depth=1&joins[children][count]=true"),
                patch("animals", "2", json!({"birthDate": "2023-09-01"})),
                patch("animals", "2", json!({"sex": "male"})),
                patch("animals", "4", json!({"birthDate": "2023-09-01"})),
                post("calvings", json!({"animal": 2, "date": "2023-06-03"})),
                post(
                    "movements",
                    json!({"animal": 2, "date": "2022-01-01", "kind": "death"}),
                ),
            ],
            ..Scene::default()
        },
        Scene {
            name: "foreign calf of an own bull",
            first: vec![(
                "animals",
                vec![with(920, "female", "2016-06-01", json!({"father": 1}))],
            )],
            second: vec![("animals", vec![animal(920, "female", "2016-06-01")])],
            asks: vec![
                get("/api/animals/1?depth=1&joins[children][count]=true"),
                patch("animals", "1", json!({"birthDate": "2016-09-01"})),
                patch("animals", "1", json!({"sex": "female"})),
                post(
                    "movements",
                    json!({"animal": 1, "date": "2015-06-01", "kind": "death"}),
                ),
            ],
            ..Scene::default()
        },
    ]
}
