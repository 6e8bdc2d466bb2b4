//! All records at once: the same as by REST, written out while they are read.

use super::wire::{ask, data};
use crate::rest::world::World;
use serde_json::{Value, json};

/// More than are read at a time, and than one field may hold.
const MANY: usize = 10_400;

async fn filled(world: &World<'_>) {
    for part in 0..4 {
        let herds: Vec<Value> =
            (0..MANY / 4).map(|n| json!({"name": format!("Herd {part} {n}"), "organization": 1})).collect();
        ask!(world, "admin", "POST /api/herds?depth=0", herds => 201);
    }
}

#[test_with(World::each)]
async fn all_records_are_those_of_rest_however_many(world: &World<'_>) {
    filled(world).await;
    let address = "/api/herds?limit=0&sort=-id&depth=1&select[name]=true&select[organization]=true&populate[organizations][name]=true";
    let expected = world.get("admin", address).await.json();
    let query = "{ before: countHerds { totalDocs } \
         Every: Herds(limit: 0, sort: \"-id\") { total: totalDocs rows: docs { id name in: organization { name } } hasNextPage } \
         Herd(id: 0) { id } }";
    let answer = ask(world, "admin", query).await;
    // Its length is not known when it begins, and it is not cached.
    assert_eq!((answer.header("content-length"), answer.header("etag")), ("", ""));
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
    let body = answer.json();
    let (graph, found) = (&body["data"], &expected["docs"]);
    let found = found.as_array().unwrap();
    assert!(found.len() >= MANY, "{}", found.len());
    assert_eq!(graph["before"]["totalDocs"], found.len());
    let every = graph["Every"].as_object().unwrap();
    assert_eq!((&every["total"], &every["hasNextPage"], every.len()), (&json!(found.len()), &json!(false), 3));
    let rows = every["rows"].as_array().unwrap();
    assert_eq!(rows.len(), found.len());
    for (row, doc) in rows.iter().zip(found) {
        let organization = json!({"name": doc["organization"]["name"]});
        assert_eq!(row, &json!({"id": doc["id"], "name": doc["name"], "in": organization}));
    }
    // Errors of fields beside it are returned behind it.
    assert_eq!(graph["Herd"], Value::Null);
    assert_eq!(body["errors"][0]["path"], json!(["Herd"]));
    assert_eq!(body["errors"].as_array().unwrap().len(), 1);

    // A second one is held, and so are records under two names: they have a bound.
    for query in [
        "{ one: Herds(limit: 0) { docs { id } } two: Herds(pagination: false) { docs { id } } }",
        "{ two: Herds(limit: 0) { docs { id } again: docs { name } } }",
    ] {
        let body = ask(world, "admin", query).await.json();
        assert_eq!(body["data"]["two"], Value::Null);
        let message = body["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("10000"), "{message}");
        if query.contains("one:") {
            assert_eq!(body["data"]["one"]["docs"].as_array().unwrap().len(), found.len());
        }
    }
    // A caller that sees few of them gets these as before.
    let few = data(world, "", "{ Animals(limit: 0, page: 2) { docs { id } totalDocs page } }").await;
    let rest = world.get("", "/api/animals?limit=0&page=2&select[id]=true").await.json();
    for member in ["docs", "totalDocs", "page"] {
        assert_eq!(few["Animals"][member], rest[member], "{member}");
    }
}

#[test_with(World::each)]
async fn what_is_wrong_with_it_is_told_before_it_begins(world: &World<'_>) {
    let query = "{ Herds(limit: 0, after: \"nothing\") { docs { id } } countHerds { totalDocs } }";
    let answer = ask(world, "admin", query).await;
    let body = answer.json();
    assert_eq!((answer.status, &body["data"]["Herds"]), (200, &Value::Null));
    holds!(body, {"errors.0.extensions.name": "QueryError"}, "{}", answer.text);
    assert!(body["data"]["countHerds"]["totalDocs"].is_number());
}
