//! The addresses that describe the exchange itself, and the one that belongs to no location.

use super::exchange_parts::{PLACES, ROOT, operation, page_of, paging, query, replies};
use super::replies::ok;
use serde_json::{Map, Value, json};

pub(super) fn paths() -> Map<String, Value> {
    let object = json!({"type": "object"});
    let told = |name: &str| {
        let good = ok("Version, types, verbs, filters, schemes, limits.", &object);
        let mut answers = replies(("200", good), &[]);
        if let Some(answers) = answers.as_object_mut() {
            let same = json!({"description": "As before (`If-None-Match`)."});
            answers.insert("304".to_owned(), same);
        }
        let parts = json!({"responses": answers});
        let summary = "Read what this service and you can do".to_owned();
        json!({"get": operation(name.to_owned(), PLACES, summary, parts)})
    };
    let good = ok("An OpenAPI document.", &object);
    let parts = json!({"responses": replies(("200", good), &[])});
    let summary = "Read what you may do, as OpenAPI".to_owned();
    let openapi = operation("adeOpenapi".to_owned(), PLACES, summary, parts);
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let need = json!({
        "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "verbs": texts, "filters": texts},
    });
    let needs = json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "version": {"type": "string"}, "schemes": texts,
            "types": {"type": "array", "items": need},
        },
    });
    let item = json!({
        "type": "object", "required": ["path", "asked", "match", "reason"],
        "properties": {
            "path": {"type": "string"}, "asked": {"type": "string"},
            "match": {"type": "boolean"}, "reason": {"type": "string"},
        },
    });
    let judged = json!({
        "type": "object", "required": ["match", "items"],
        "properties": {"match": {"type": "boolean"}, "items": {"type": "array", "items": item}},
    });
    let parts = json!({
        "requestBody": {"required": true, "content": {"application/json": {"schema": needs}}},
        "responses": replies(("200", ok("Yes or no, item by item.", &judged)), &["413", "415"]),
    });
    let summary = "Ask whether this service has what you need".to_owned();
    let matched = operation("adeMatch".to_owned(), PLACES, summary, parts);
    let mut parameters: Vec<Value> = ["identifier-scheme", "identifier-id"]
        .into_iter()
        .map(|name| query(name, json!({"type": "string"})))
        .collect();
    parameters.extend(paging());
    let good = ok("Bulls.", &page_of("icarAnimalCoreResource"));
    let parts = json!({"parameters": parameters, "responses": replies(("200", good), &[])});
    let summary = "Find bulls by any of their numbers".to_owned();
    let sires = operation("adeServiceSires".to_owned(), PLACES, summary, parts);
    Map::from_iter([
        ("/.well-known/ade".to_owned(), told("adeWellKnown")),
        (ROOT.to_owned(), told("adeAbout")),
        (format!("{ROOT}/openapi.json"), json!({"get": openapi})),
        (format!("{ROOT}/match"), json!({"post": matched})),
        (format!("{ROOT}/service-sires"), json!({"get": sires})),
    ])
}
