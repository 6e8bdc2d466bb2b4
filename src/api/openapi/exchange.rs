//! The ADE face, from the catalogue of the standard and the mappings that are served. Schemas of documents are the
//! standard's own.

use super::exchange_parts::{
    ID, JSON, PLACES, PREFIX, ROOT, SETS, batch, collection, locations, only, operation, query,
    replies, resource, results, standing, tag,
};
use super::replies::{ok, paced};
use super::{about, full_syncs, to_schema, twins};
use ade::schema::{Section, Standard};
use exchange::LOCATIONS;
use mapping::{Mapping, Mappings, Part};
use serde_json::{Map, Value, json};

/// Collections that stand at a location.
fn located(mappings: &Mappings) -> impl Iterator<Item = &Mapping> {
    mappings
        .all()
        .filter(|m| m.has(Part::Location) && m.dataset() != LOCATIONS)
}

pub(super) fn tags(mappings: &Mappings) -> Vec<Value> {
    let standard = "ICAR ADE 1.5.1";
    let mut out = vec![
        json!({"name": PLACES, "description": format!("{standard}: the locations of the caller.")}),
        json!({"name": SETS, "description": format!("{standard}, generic data exchange: changes and pushes.")}),
    ];
    out.extend(
        located(mappings).map(
            |m| json!({"name": tag(m), "description": format!("{standard}: {}", m.resource())}),
        ),
    );
    out
}

/// All schemas of the standard, by their official names.
pub(super) fn schemas(mappings: &Mappings) -> Map<String, Value> {
    let all = Standard::get().declarations().iter();
    let used = all.filter(|d| d.section != Section::Collection);
    let mut out: Map<String, Value> = used
        .map(|d| (d.name.to_owned(), d.json_schema(PREFIX)))
        .collect();
    let view = json!({
        "type": "object",
        "properties": {
            "totalItems": {"type": "integer"}, "totalPages": {"type": "integer"},
            "pageSize": {"type": "integer"}, "currentPage": {"type": "integer"},
            "first": {"type": "string", "format": "uri"}, "next": {"type": "string", "format": "uri"},
            "prev": {"type": "string", "format": "uri"}, "last": {"type": "string", "format": "uri"},
        },
    });
    out.insert("ade-view".to_owned(), view);
    let error = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"}, "status": {"type": "integer"}, "code": {"type": "string"},
            "title": {"type": "string"}, "detail": {"type": "string"}, "meta": {"type": "object"},
            "type": {"type": "string"}, "severity": {"type": "string"}, "instance": {"type": "string"},
        },
    });
    let errors = json!({
        "type": "object", "required": ["errors"],
        "properties": {"errors": {"type": "array", "minItems": 1, "items": error}},
    });
    out.insert("ade-errors".to_owned(), errors);
    out.insert("ade-data-set".to_owned(), data_set());
    out.insert("ade-full-sync".to_owned(), full_syncs::schema());
    // The two elements that are no resources: what the array holds, and where to go on.
    let about = json!({
        "type": "object", "required": [ID],
        "properties": {ID: {"const": ade::dataset::CONTEXT}},
    });
    let more = json!({
        "type": "object", "required": [ID, "token"],
        "properties": {ID: {"const": ade::dataset::CONTINUATION}, "token": {"type": "string"}},
    });
    let mut resources: Vec<&str> = located(mappings).map(Mapping::resource).collect();
    resources.sort_unstable();
    resources.dedup();
    let mut any = vec![about, more];
    any.extend(resources.into_iter().map(to_schema));
    let element = json!({"anyOf": any});
    let changes = json!({"type": "array", "items": element});
    out.insert("ade-changes".to_owned(), changes);
    out
}

fn data_set() -> Value {
    json!({
        "type": "object", "required": ["name", "url"],
        "properties": {
            "name": {"type": "string"}, "url": {"type": "string"}, "changes": {"type": "string"},
            "containedTypes": {"type": "array", "items": {"type": "string"}},
        },
    })
}

/// Whether the caller sends data at all, and whether of a data set.
pub(super) type Sends<'s> = (bool, &'s dyn Fn(&Mapping) -> bool);

/// All addresses, and those that send data as far as the caller may.
pub(super) fn paths(mappings: &Mappings, (writes, sends): Sends<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert(format!("{ROOT}/locations"), locations());
    out.extend(about::paths());
    for mapping in located(mappings) {
        let name = mapping.dataset();
        let base = format!("{ROOT}/locations/{{location-scheme}}/{{location-id}}/{name}");
        out.insert(base.clone(), collection(mapping, name, sends(mapping)));
        out.insert(format!("{base}/{{resource-id}}"), resource(mapping));
        if sends(mapping) && mapping.can_batch() {
            let path =
                format!("{ROOT}/batches/locations/{{location-scheme}}/{{location-id}}/{name}");
            out.insert(path, batch(mapping, name));
        }
    }
    out.extend(twins::second_names(mappings, sends));
    out.extend(twins::beside(mappings, writes));
    out.insert(format!("{ROOT}/batches/{{batch}}"), sent_batch());
    out.extend(sets(writes));
    out
}

fn sent_batch() -> Value {
    let parameters = json!([{
        "name": "batch", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The id of the batch.",
    }]);
    let mut found = replies(("200", ok("The results.", &results())), &[]);
    if let Some(found) = found.as_object_mut() {
        found.insert("202".to_owned(), ok("Not done yet.", &standing()));
    }
    let mut gone = replies(
        ("200", ok("What was deleted, and what stays.", &results())),
        &[],
    );
    if let Some(gone) = gone.as_object_mut() {
        gone.insert(
            "409".to_owned(),
            ok("Not done yet.", &to_schema("ade-errors")),
        );
    }
    let op = |id: &str, summary: &str, answers: Value| {
        let parts = json!({"responses": answers});
        operation(id.to_owned(), PLACES, summary.to_owned(), parts)
    };
    json!({
        "parameters": parameters,
        "get": op("adeBatch", "Read the result of a batch", found),
        "delete": op("adeRetractBatch", "Take a batch back", gone),
    })
}

fn sets(writes: bool) -> Map<String, Value> {
    let name = json!([{
        "name": "set", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The name of the set.",
    }]);
    let list = json!({"type": "array", "items": to_schema("ade-data-set")});
    let list = json!({"responses": replies(("200", ok("The sets.", &list)), &[])});
    let one =
        json!({"responses": replies(("200", ok("The set.", &to_schema("ade-data-set"))), &[])});
    let changes = json!({
        "parameters": [
            query("since", json!({"type": "string"})),
            query("from", json!({"type": "string", "enum": ["now"]})),
            query("limit", json!({"type": "integer", "minimum": 1})),
            query("wait", json!({"type": "integer", "minimum": 1})),
            query("types", json!({"type": "array", "items": {"type": "string"}})),
            query("latestOnly", json!({"type": "boolean"})),
            query("location-scheme", json!({"type": "array", "items": {"type": "string"}})),
            query("location-id", json!({"type": "array", "items": {"type": "string"}})),
        ],
        "responses": replies(("200", paced(ok("Changes in the order of the book.", &to_schema("ade-changes")))), &[]),
    });
    let body = json!({"required": true, "content": {JSON: {"schema": to_schema("ade-changes")}}});
    let push = json!({
        "parameters": [only(), full_syncs::named()],
        "requestBody": body,
        "responses": full_syncs::or_conflict(
            replies(("200", json!({"description": "All are stored."})), &["405", "413", "415"]),
        ),
    });
    let op = |id: &str, summary: &str, parts: Value| {
        operation(id.to_owned(), SETS, summary.to_owned(), parts)
    };
    let mut out = Map::from_iter([
        (
            format!("{ROOT}/datasets"),
            json!({"get": op("adeSets", "List the data sets", list)}),
        ),
        (
            format!("{ROOT}/datasets/{{set}}"),
            json!({"parameters": name, "get": op("adeSet", "Read a data set", one)}),
        ),
        (
            format!("{ROOT}/datasets/{{set}}/changes"),
            json!({"parameters": name, "get": op("adeChanges", "Read what changed", changes)}),
        ),
    ]);
    if writes {
        out.insert(
            format!("{ROOT}/datasets/{{set}}/resources"),
            json!({"parameters": name, "post": op("adePush", "Push resources, all or none", push)}),
        );
        out.extend(full_syncs::paths(&name));
    }
    out
}
