//! Kin: what computed values show of relations.

use super::{Ask, Rows, Scene, animal, animals, asks, calf, get, number, post, with};
use serde_json::{Value, json};

/// Two that are mated, with a calf that names them by ids, and one that names them by numbers.
fn calf_of(father: i64, mother: i64) -> Vec<Ask> {
    let by_number = json!({"fatherId": number(father), "motherId": number(mother)});
    let mut all = Vec::new();
    for (key, more) in [(4, json!({"father": father, "mother": mother})), (5, json!({"pedigreeText": by_number}))] {
        all.push(post("animals", calf(key, more)));
        all.push(get("/api/animals/{last}?depth=2"));
        all.push(get("/api/animals/{last}/pedigree?generations=6"));
    }
    all
}

fn related(sire: Value) -> Rows {
    animals(vec![
        animal(910, "male", "2012-01-01"),
        with(911, "male", "2017-01-01", json!({"father": 910})),
        with(912, "female", "2018-01-01", json!({"father": sire})),
    ])
}

/// The pedigree of a calf of 913 and 914, and with it the identity of 909 and 910, belongs to the
/// calf; all else of the two does not.
fn ancestors(more: Value) -> Rows {
    let hidden = |id: i64| with(id, "male", &format!("{}-01-01", id + 1100), more.clone());
    let open = json!({"father": 910, "publicVisible": true});
    let mut sire = hidden(910);
    sire["father"] = json!(909);
    animals(vec![
        hidden(909),
        sire,
        with(913, "male", "2014-01-01", open.clone()),
        with(914, "female", "2014-01-01", open),
    ])
}

/// An own calf of two that are closed and old.
fn closed(more: Value) -> Rows {
    let calf = json!({"owner": 1, "father": 910, "mother": 911});
    animals(vec![
        with(910, "male", "1980-01-01", more.clone()),
        with(911, "female", "1980-01-01", more),
        with(922, "female", "2024-06-01", calf),
    ])
}

fn served(more: Value) -> Rows {
    let service = json!({"id": 901, "animal": 901, "date": "2024-01-01"});
    let mut rows = animals(vec![animal(901, "female", "2019-03-01")]);
    rows.push(("inseminations", vec![crate::support::words::merged(service, &more)]));
    rows
}

fn born(id: i64, day: &str, more: Value) -> Rows {
    animals(vec![with(id, "female", day, more)])
}

/// What derived values reveal about kinship.
pub(super) fn scenes() -> Vec<Scene> {
    let mut all = of_ancestors();
    all.extend(of_parents());
    all.extend(of_calves());
    all
}

fn of_ancestors() -> Vec<Scene> {
    let one = json!({"nameLatin": "One", "altIds": {"earTag": "ONE", "chipNumber": "643000000000001"},
        "bloodPercent": 50.0, "notes": "one", "forSale": true, "state": "dead", "trustLevel": 3,
        "summary": {"milkYield": 9000.0}, "disposalDate": "2020-01-01"});
    let other = json!({"nameLatin": "Other", "altIds": {"earTag": "OTHER"}, "inbreeding": 3.0});
    let mut requests = calf_of(913, 914);
    requests.extend(asks(
        r#"
        GET /api/animals/910
        GET /api/animals/909/pedigree
        GET /api/animals/{last}/pedigree?generations=10&depth=3
        GET /api/animals/{last}/card?language=en
        GET /api/animals/{last}/kinship?with=2,909,910,913,914
        GET /api/animals/913/kinship?with=914
        POST animals/mating-plan {"females": [2], "bulls": {"id": {"exists": true}}}
        POST animals/mating-plan {"females": [2], "bulls": [913]}
        GET /api/animals?limit=0&depth=3&joins[children][count]=true
        "#,
    ));
    let mut filters = asks(r#"CALF 7 {"father": 913, "mother": 914}"#);
    for path in ["father.father", "father", "mother.father.father"] {
        filters.push(get(&format!("/api/animals?depth=0&where[{path}.name][equals]=One")));
        filters.push(get(&format!("/api/animals/count?where[{path}.breed][equals]=1")));
        filters.push(get(&format!("/api/animals?depth=0&limit=0&sort={path}.name")));
    }
    vec![
        Scene::of("hidden ancestors of visible parents", ancestors(one.clone()), ancestors(other.clone()), requests),
        Scene::of(
            "filters through hidden ancestors",
            ancestors(json!({"name": "One", "breed": 1})),
            ancestors(json!({"name": "Other", "breed": 2})),
            filters,
        ),
        Scene::of(
            "hidden ancestors of a calf that is sold",
            ancestors(one),
            ancestors(other),
            asks(
                r#"
                CALF 6 {"father": 913, "mother": 914}
                POST movements {"animal": "{last}", "date": "2025-06-01", "kind": "sale", "to": 2}
                GET /api/animals?limit=0&depth=0&where[identNumber][equals]=970000000006
                DELETE /api/movements/{last}
                GET /api/animals?limit=0&depth=0&where[identNumber][equals]=970000000006
                "#,
            ),
        ),
    ]
}

fn of_parents() -> Vec<Scene> {
    vec![
        Scene::of("kinship of two hidden parents", related(json!(910)), related(Value::Null), calf_of(911, 912)),
        Scene::of(
            "what is found of closed parents",
            closed(json!({"bloodPercent": 50.0, "state": "dead", "disposalDate": "2020-01-01"})),
            closed(json!({"bloodPercent": 75.0, "semen": {"stock": {"code": "ONE"}}})),
            asks(
                r#"
                PATCH animals/922 {"birthDate": "2023-06-01"}
                PATCH animals/922 {"bloodPercent": 75.0}
                GET /api/animals/922?depth=1
                GET /api/check-findings/count
                GET /api/animals/922/certificate-conditions
                "#,
            ),
        ),
        Scene::of(
            "services of an own bull elsewhere",
            served(json!({"bull": 1})),
            served(json!({"bullText": "X"})),
            asks(
                r#"
                GET /api/animals/1?depth=1
                PATCH animals/1 {"birthDate": "2024-06-01"}
                PATCH animals/1 {"sex": "female"}
                "#,
            ),
        ),
        Scene::of(
            "who named a number that becomes one's own",
            born(921, "2023-06-01", json!({"pedigreeText": {"fatherId": number(950)}})),
            born(921, "2023-06-01", json!({})),
            asks(
                r#"
                CALF 950 {"sex": "male", "identNumber": "960000000950"}
                GET /api/clarifications?depth=1
                PATCH animals/{last} {"identNumber": "960000000951"}
                PATCH animals/{last} {"identNumber": "960000000950"}
                GET /api/clarifications?depth=1
                "#,
            ),
        ),
    ]
}

fn of_calves() -> Vec<Scene> {
    vec![
        Scene::of(
            "closed card of a calf that is seen",
            born(920, "2023-06-01", json!({"mother": 2, "publicVisible": true})),
            born(920, "2023-06-01", json!({"publicVisible": true})),
            asks(
                r#"
                GET /api/animals?depth=0&where[mother][equals]=2
                PATCH animals/2 {"birthDate": "2023-05-31"}
                PATCH animals/2 {"birthDate": "2023-06-01"}
                "#,
            ),
        ),
        Scene::of(
            "foreign calf of an own cow",
            born(920, "2023-06-01", json!({"mother": 2})),
            born(920, "2023-06-01", json!({})),
            asks(
                r#"
                GET /api/animals/2?depth=1&joins[children][count]=true
                PATCH animals/2 {"birthDate": "2023-09-01"}
                PATCH animals/2 {"sex": "male"}
                PATCH animals/4 {"birthDate": "2023-09-01"}
                POST calvings {"animal": 2, "date": "2023-06-03"}
                POST movements {"animal": 2, "date": "2022-01-01", "kind": "death"}
                "#,
            ),
        ),
        Scene::of(
            "foreign calf of an own bull",
            born(920, "2016-06-01", json!({"father": 1})),
            born(920, "2016-06-01", json!({})),
            asks(
                r#"
                GET /api/animals/1?depth=1&joins[children][count]=true
                PATCH animals/1 {"birthDate": "2016-09-01"}
                PATCH animals/1 {"sex": "female"}
                POST movements {"animal": 1, "date": "2015-06-01", "kind": "death"}
                "#,
            ),
        ),
    ]
}
