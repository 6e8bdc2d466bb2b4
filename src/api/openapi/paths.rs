//! Operations of a collection. An operation that the rules forbid to every caller is not listed: such a request answers
//! 403.

use super::extra;
use super::operation::operation;
use super::replies::{filter, json_body, ok, replies};
use super::{Facts, to_parameter, to_schema};
use model::registry::{Collection, Registry, Verb};
use serde_json::{Map, Value, json};

/// All paths of a collection.
pub(super) fn of(registry: &Registry, c: &Collection, facts: &Facts<'_>) -> Map<String, Value> {
    let slug = c.slug;
    let _ = (registry, facts);
    let mut list = Map::from_iter([("get".to_owned(), find(c))]);
    let mut one = Map::from_iter([
        ("parameters".to_owned(), json!([to_parameter("id")])),
        ("get".to_owned(), by_id(c)),
    ]);
    let mut out = Map::new();
    if c.access.opens(Verb::Create) {
        list.insert("post".to_owned(), create(c));
        let parameters = json!([to_parameter("id")]);
        let path = json!({"parameters": parameters, "post": duplicate(c)});
        out.insert(format!("/api/{slug}/{{id}}/duplicate"), path);
    }
    if c.access.opens(Verb::Update) {
        list.insert("patch".to_owned(), update_many(c));
        one.insert("patch".to_owned(), update(c));
    }
    if c.access.opens(Verb::Delete) {
        list.insert("delete".to_owned(), delete_many(c));
        one.insert("delete".to_owned(), delete(c));
    }
    out.insert(format!("/api/{slug}"), Value::Object(list));
    out.insert(format!("/api/{slug}/count"), json!({"get": count(c)}));
    out.insert(format!("/api/{slug}/{{id}}"), Value::Object(one));
    out
}

fn find(c: &Collection) -> Value {
    let slug = c.slug;
    let mut good = ok("A page.", &to_schema(&format!("{slug}-list")));
    if let Some(good) = good.as_object_mut() {
        let link = json!({"Link": {"$ref": "#/components/headers/link"}});
        good.insert("headers".to_owned(), link);
    }
    let mut parameters = vec![filter(slug, false)];
    let names = [
        "sort",
        "limit",
        "page",
        "pagination",
        "depth",
        "select",
        "populate",
        "joins",
    ];
    parameters.extend(names.map(to_parameter));
    parameters.push(json!({
        "name": "after", "in": "query", "schema": {"type": "string"},
        "description": "Where to go on, from the `Link` header of the page before.",
    }));
    // Last, since generators make arguments of parameters in their order.
    parameters.extend(["count", "countLimit", "format", "headers"].map(to_parameter));
    let summary = format!("List {}", c.plural);
    let about = format!(
        "{} `Accept: application/x-ndjson` gives a document a line, `text/csv` a table, \
         `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` a workbook, all whole unless `limit` is \
         given; `format` takes precedence.",
        c.doc
    );
    let parts = json!({
        "description": about,
        "parameters": parameters,
        "responses": replies(("200", good), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    operation(c, "find", &c.plural, &summary, parts)
}

fn by_id(c: &Collection) -> Value {
    let names = ["depth", "select", "populate", "joins"];
    let parts = json!({
        "parameters": names.map(to_parameter),
        "responses": replies(("200", ok("The record.", &to_schema(c.slug))), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Read one {}", c.singular);
    operation(c, "findOne", &c.singular, &summary, parts)
}

fn count(c: &Collection) -> Value {
    let parts = json!({
        "parameters": [filter(c.slug, false)],
        "responses": replies(("200", ok("How many.", &to_schema("count"))), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Count {}", c.plural);
    operation(c, "count", &c.plural, &summary, parts)
}

/// Parameters of the documents that a write answers, and of dry runs.
const WRITES: [&str; 4] = ["depth", "select", "populate", DRY];
/// The parameter of dry runs. Last, since generators make arguments of parameters in their order.
const DRY: &str = "validate";

fn create(c: &Collection) -> Value {
    let written = to_schema(&format!("{}-written", c.slug));
    let mut responses = replies(
        ("201", ok("The new record.", &written)),
        [("404", "not-found"), ("413", "too-large")],
    );
    extra::many(&mut responses);
    let mut parameters = WRITES.map(to_parameter).to_vec();
    parameters.insert(parameters.len() - 1, extra::key());
    let parts = json!({
        "parameters": parameters,
        "requestBody": extra::body(c),
        "responses": responses,
    });
    let summary = format!("Create a {}", c.singular);
    operation(c, "create", &c.singular, &summary, parts)
}

fn duplicate(c: &Collection) -> Value {
    let slug = c.slug;
    let written = to_schema(&format!("{slug}-written"));
    let parts = json!({
        "parameters": WRITES.map(to_parameter),
        "requestBody": json_body(&format!("{slug}-update"), false),
        "responses": replies(("200", ok("The copy.", &written)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
        ]),
    });
    let summary = format!("Duplicate a {}", c.singular);
    operation(c, "duplicate", &c.singular, &summary, parts)
}

fn update(c: &Collection) -> Value {
    let slug = c.slug;
    let written = to_schema(&format!("{slug}-written"));
    let parts = json!({
        "parameters": WRITES.map(to_parameter),
        "requestBody": json_body(&format!("{slug}-update"), true),
        "responses": replies(("200", ok("The record as it is now.", &written)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
        ]),
    });
    let summary = format!("Update a {}", c.singular);
    operation(c, "update", &c.singular, &summary, parts)
}

fn delete(c: &Collection) -> Value {
    let written = to_schema(&format!("{}-written", c.slug));
    let parts = json!({
        "parameters": WRITES.map(to_parameter),
        "responses": replies(("200", ok("The record as it was.", &written)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Delete a {}", c.singular);
    operation(c, "delete", &c.singular, &summary, parts)
}

/// What a bulk operation answers: 400 with the same form when some failed.
fn many(c: &Collection, about: &str) -> Value {
    let slug = c.slug;
    let many = to_schema(&format!("{slug}-many"));
    let mut out = replies(
        ("200", ok(about, &many)),
        [
            ("403", "forbidden"),
            ("404", "not-found"),
            ("413", "too-large"),
        ],
    );
    if let Some(out) = out.as_object_mut() {
        let some = json!({"anyOf": [many, to_schema("errors")]});
        let about = "Some rows could not be done, the others are; or the request cannot be taken.";
        out.insert("400".to_owned(), ok(about, &some));
    }
    out
}

fn update_many(c: &Collection) -> Value {
    let slug = c.slug;
    let mut parameters = vec![filter(slug, true)];
    parameters.extend(["limit", "sort", "depth", "select", DRY].map(to_parameter));
    let parts = json!({
        "parameters": parameters,
        "requestBody": json_body(&format!("{slug}-update"), true),
        "responses": many(c, "The rows as they are now."),
    });
    let summary = format!("Update all {} that match", c.plural);
    operation(c, "updateMany", &c.plural, &summary, parts)
}

fn delete_many(c: &Collection) -> Value {
    let mut parameters = vec![filter(c.slug, true)];
    parameters.extend(["limit", "sort", "depth", "select", DRY].map(to_parameter));
    let parts = json!({
        "parameters": parameters,
        "responses": many(c, "The rows as they were."),
    });
    let summary = format!("Delete all {} that match", c.plural);
    operation(c, "deleteMany", &c.plural, &summary, parts)
}
