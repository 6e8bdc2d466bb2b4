//! Full syncs of data sets.

use super::exchange_parts::{ROOT, SETS, only, operation, replies};
use super::replies::ok;
use super::to_schema;
use serde_json::{Map, Value, json};

const NAME: &str = "ade-full-sync";

/// The parameter of a push that is a part of one.
pub(super) fn named() -> Value {
    json!({
        "name": "full-sync", "in": "query", "schema": {"type": "string"},
        "description": "The id of the full sync that this push is a part of.",
    })
}

/// Answers, and the one that a full sync that does not go on gets.
pub(super) fn or_conflict(mut answers: Value) -> Value {
    if let Some(answers) = answers.as_object_mut() {
        let about = "The full sync does not go on, or counts other resources.";
        answers.insert("409".to_owned(), ok(about, &to_schema("ade-errors")));
    }
    answers
}

/// A full sync in its present state.
pub(super) fn schema() -> Value {
    let place = json!({
        "type": "object", "required": ["scheme", "id"],
        "properties": {"scheme": {"type": "string"}, "id": {"type": "string"}},
    });
    let one = json!({
        "type": "object", "required": ["dataset", "location", "source", "sourceId"],
        "properties": {
            "dataset": {"type": "string"}, "location": place,
            "source": {"type": "string"}, "sourceId": {"type": "string"},
            "why": {"type": "array", "items": {"type": "string"}},
        },
    });
    let fate = json!({
        "type": "object", "required": ["count", "first"],
        "properties": {
            "count": {"type": "integer"}, "first": {"type": "array", "items": one},
        },
    });
    let time = json!({"type": "string", "format": "date-time"});
    json!({
        "type": "object",
        "required": [
            "id", "dataset", "sources", "locations", "state", "started", "pushes", "resources",
        ],
        "properties": {
            "id": {"type": "string"}, "dataset": {"type": "string"},
            "sources": {"type": "array", "items": {"type": "string"}},
            "locations": {"type": "array", "items": place},
            "state": {
                "type": "string",
                "enum": ["started", "ending", "ended", "superseded", "expired", "given-up"],
            },
            "started": time, "expires": time, "ended": time,
            "pushes": {"type": "integer"}, "resources": {"type": "integer"},
            "unnamed": {"type": "integer"},
            "deleted": fate, "kept": fate, "refused": fate,
        },
    })
}

/// Their addresses; `set` is the parameter that names the data set.
pub(super) fn paths(set: &Value) -> Map<String, Value> {
    let op = |id: &str, summary: &str, parts: Value| {
        operation(id.to_owned(), SETS, summary.to_owned(), parts)
    };
    let takes = |schema: Value| json!({"required": true, "content": {"application/json": {"schema": schema}}});
    let sync = |about: &str| ok(about, &to_schema(NAME));
    let place = json!({
        "type": "object", "required": ["scheme", "id"],
        "properties": {"scheme": {"type": "string"}, "id": {"type": "string"}},
    });
    let scope = takes(json!({
        "type": "object", "required": ["sources"], "additionalProperties": false,
        "properties": {
            "sources": {"type": "array", "minItems": 1, "items": {"type": "string"}},
            "locations": {"type": "array", "minItems": 1, "items": place},
        },
    }));
    let start = json!({
        "requestBody": scope,
        "responses": or_conflict(replies(("201", sync("Started.")), &["405", "413", "415"])),
    });
    let expect = takes(json!({
        "type": "object", "required": ["expect"], "additionalProperties": false,
        "properties": {"expect": {"type": "integer", "minimum": 0}},
    }));
    let done = ("200", sync("What was deleted, and what stays."));
    let mut ends = or_conflict(replies(done, &["413", "415"]));
    if let Some(ends) = ends.as_object_mut() {
        let about = "It is worked off; look at its `Location` until it has ended.";
        ends.insert("202".to_owned(), sync(about));
    }
    let end = json!({"parameters": [only()], "requestBody": expect, "responses": ends});
    let found = json!({"responses": replies(("200", sync("How far it is.")), &[])});
    let gone = json!({"description": "It deletes nothing."});
    let give_up = json!({"responses": or_conflict(replies(("204", gone), &[]))});
    let mut named: Vec<Value> = set.as_array().cloned().unwrap_or_default();
    named.push(json!({
        "name": "full-sync", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "The id of the full sync.",
    }));
    let base = format!("{ROOT}/datasets/{{set}}/full-syncs");
    Map::from_iter([
        (
            base.clone(),
            json!({"parameters": set, "post": op("adeStartFullSync", "Start a full sync", start)}),
        ),
        (
            format!("{base}/{{full-sync}}"),
            json!({
                "parameters": named,
                "get": op("adeFullSync", "Look at a full sync", found),
                "delete": op("adeGiveUpFullSync", "Give a full sync up", give_up),
            }),
        ),
        (
            format!("{base}/{{full-sync}}/end"),
            json!({"parameters": named, "post": op("adeEndFullSync", "End a full sync", end)}),
        ),
    ])
}
