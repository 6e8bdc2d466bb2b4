//! Other collections: what they show of an animal that they name.

use super::{Ask, Scene, animal, animals, asks, exchange, get, number, patch, post, with};
use serde_json::{Value, json};

/// Movements of a hidden animal.
fn movements() -> Vec<Ask> {
    let mut moves = Vec::new();
    for (kind, to) in [
        ("sale", json!(1)),
        ("sale", json!(2)),
        ("lease", json!(1)),
        ("transfer", Value::Null),
        ("import", json!(1)),
        ("cull", Value::Null),
        ("death", Value::Null),
    ] {
        for day in ["2017-01-01", "2021-01-01", "2025-01-01"] {
            moves.push(post("movements", json!({"animal": 901, "date": day, "kind": kind, "to": to, "toHerd": 1})));
        }
        moves.push(post("movements", json!({"animal": 901, "date": "2025-01-01", "kind": kind, "from": 2, "to": to})));
    }
    moves
}

/// Rows about a hidden animal.
fn rows_about() -> Vec<Ask> {
    let mut about = Vec::new();
    for (slug, more) in table![
        "weighings", json!({"weight": 500});
        "milk-tests", json!({"milkYield": 20});
        "calvings", json!({"number": 1});
        "inseminations", json!({});
        "events", json!({"type": "remark"});
        "health-events", json!({"title": "x"});
        "milking-visits", json!({"startedAt": "2025-01-01", "milkYield": 9});
        "daily-milkings", json!({"milkYield": 9});
        "documents", json!({"title": "x"});
        "access-requests", json!({"purpose": "purchase"});
        "access-grants", json!({"grantee": 5, "scopes": ["origin"]});
        "genotype-consents", json!({"grantee": 5, "purposes": ["research"]});
    ] {
        for day in ["2017-01-01", "2021-01-01"] {
            let mut body = more.clone();
            body["animal"] = 901.into();
            body["date"] = day.into();
            about.push(post(slug, body));
        }
    }
    about.extend(asks(
        r#"
        POST share-links {"animals": [901], "scopes": ["origin"], "expiresAt": "2026-06-01"}
        POST verification-requests {"animals": [901], "purpose": "trust"}
        POST verification-requests {"animals": [2], "purpose": "correction", "proposed": [{"animal": 901, "path": "birthDate", "value": "2020-01-01"}]}
        POST saved-searches {"name": "s", "place": "book", "query": "x", "scope": "private", "adeSet": true, "members": [901]}
        GET /api/saved-searches?depth=1
        POST data-submissions {"kind": "animals", "animals": [901]}
        "#,
    ));
    about
}

/// Rows that name hidden bulls, donors and calves.
fn rows_that_name() -> Vec<Ask> {
    asks(
        r#"
        POST inseminations {"animal": 2, "date": "2025-01-01", "bull": 902}
        POST inseminations {"animal": 2, "date": "2025-01-03", "bullText": "960000000902"}
        GET /api/inseminations/{last}?depth=1
        PATCH inseminations/{last} {"bull": 902}
        POST inseminations {"animal": 2, "date": "2025-02-03", "embryo": {"donor": 901, "sire": 902}}
        POST inseminations {"animal": 2, "date": "2025-02-05", "embryo": {"donor": 901}}
        POST inseminations {"animal": 2, "date": "2017-06-05", "bull": 902}
        POST calvings {"animal": 2, "date": "2024-02-03", "calves": [901]}
        POST calvings {"animal": 2, "date": "2024-02-04", "progeny": [{"sex": "female", "birthStatus": "alive", "animal": 901}]}
        "#,
    )
}

/// Movements and other rows of an own animal, at days of its hidden past.
fn course() -> Vec<Ask> {
    let mut course = Vec::new();
    for day in ["2020-06-01", "2021-06-01", "2022-06-01", "2024-03-01"] {
        for (kind, more) in [
            ("sale", json!({"to": 4})),
            ("sale", json!({"from": 1, "to": 4})),
            ("sale", json!({"from": 2, "to": 1})),
            ("lease", json!({"from": 5, "to": 1})),
            ("import", json!({"to": 1})),
            ("transfer", json!({"toHerd": 1})),
            ("death", json!({})),
        ] {
            let mut body = more;
            body["animal"] = 903.into();
            body["date"] = day.into();
            body["kind"] = kind.into();
            course.push(post("movements", body));
        }
        course.push(patch("animals", "903", json!({"birthDate": day})));
        course.push(post("weighings", json!({"animal": 903, "date": day, "weight": 300})));
    }
    course
}

/// Documents of the exchange that name hidden animals by number.
fn documents() -> Vec<Ask> {
    // A bull is looked for among males, a calf among females.
    let mut sent = Vec::new();
    for id in [901, 902] {
        let all = exchange::about(0, &number(2), exchange::SCHEMES[0].0, &number(id));
        for (nth, (set, document)) in all.into_iter().enumerate() {
            let document = |way: &str| exchange::keyed(&document, &format!("{way}{id}.{nth}"));
            let mut pushed = document("p");
            pushed["location"] = json!({"scheme": "org.herdbook.orgid", "id": "1"});
            let at = format!("locations/org.herdbook.orgid/1/{set}");
            sent.extend(table![
                "POST", format!("/ade/v1/{at}"), document("s");
                "POST", format!("/ade/v1/batches/{at}"), json!([document("b")]);
                "POST", exchange::EVERYTHING.to_owned(), json!([pushed]);
            ]);
        }
    }
    for slug in ["inseminations", "calvings", "weighings", "animals"] {
        sent.push(get(&format!("/api/{slug}?depth=1&limit=0")));
    }
    sent
}

/// What other collections reveal about an animal that they name.
pub(super) fn scenes() -> Vec<Scene> {
    let born = |owner: i64, day: &str| animals(vec![with(901, "female", day, json!({"owner": owner}))]);
    let two = |day: &str| animals(vec![animal(901, "female", day), animal(902, "male", day)]);
    // How it came from one farm to another before it came here.
    let past = |day: &str| {
        let step = |id: i64, day: &str, from: i64, to: i64| json!({"id": id, "animal": 903, "date": day, "kind": "sale", "from": from, "to": to});
        vec![
            ("animals", vec![animal(903, "female", "2020-01-10")]),
            ("movements", vec![step(901, day, 2, 5)]),
            ("movements", vec![step(902, "2024-06-01", 5, 1)]),
        ]
    };
    let chipped = |chip: &str| {
        let more = json!({"publicVisible": true, "altIds": {"chipNumber": chip}});
        animals(vec![with(902, "male", "2019-03-01", more)])
    };
    vec![
        Scene::of("bull and calf by number in the exchange", two("2023-03-01"), vec![], documents()),
        Scene::of(
            "chip of a bull whose card is closed",
            chipped("643096001000420"),
            chipped("643096001000099"),
            exchange::about(0, &number(2), "std.iso.11785", "643096001000420")
                .into_iter()
                .map(|(set, document)| {
                    let at = format!("/ade/v1/locations/org.herdbook.orgid/1/{set}");
                    ("POST", at, exchange::keyed(&document, "chip"))
                })
                .collect(),
        ),
        Scene::of("hidden past of an own animal", past("2020-09-01"), past("2023-03-01"), course()),
        Scene::of("owner and birth date by movements", born(2, "2019-03-01"), born(5, "2022-03-01"), movements()),
        Scene::of("existence by movements", born(2, "2019-03-01"), vec![], movements()),
        Scene::of("existence by rows about an animal", born(2, "2019-03-01"), vec![], rows_about()),
        Scene::of(
            "owner and birth date by rows about an animal",
            born(2, "2019-03-01"),
            born(5, "2022-03-01"),
            rows_about(),
        ),
        Scene::of("existence of bulls, donors and calves", two("2019-03-01"), vec![], rows_that_name()),
        Scene::of("birth dates of bulls, donors and calves", two("2016-03-01"), two("2024-02-01"), rows_that_name()),
    ]
}
