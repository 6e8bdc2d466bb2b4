//! Operations on packages of rows (docs/packages.md).

use super::operation::operation;
use super::printed::{format, language, page};
use super::replies::{ok, replies};
use super::{to_parameter, to_schema};
use model::registry::Collection;
use serde_json::{Value, json};

/// The paths of a collection of packages.
pub(super) fn of(c: &Collection) -> [(String, Value); 3] {
    let path = |name: &str| format!("/api/{}/{{id}}/{name}", c.slug);
    let at = |get: Value| json!({"parameters": [to_parameter("id")], "get": get});
    [
        (path("signed"), at(signed(c))),
        (path("sample"), at(sample(c))),
        (path("protocol"), at(protocol(c))),
    ]
}

fn signed(c: &Collection) -> Value {
    let lines = json!({
        "description": "Lines of JSON: the statement with its signature, then each row as it was signed.",
        "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
    });
    let mut responses = replies(
        ("200", lines),
        [("400", "bad-request"), ("404", "not-found")],
    );
    if let Some(responses) = responses.as_object_mut() {
        let about = "The package is not signed, or rows were changed since: `data.rows` has them, 50 at most, with \
                     the fields that differ.";
        responses.insert("409".to_owned(), ok(about, &to_schema("errors")));
    }
    let parts = json!({
        "description": "The rows of the package as they were signed, for `herdbook verify` and other verifiers.",
        "parameters": [{
            "name": "asSigned", "in": "query", "schema": {"type": "boolean", "default": false},
            "description": "Answer the rows as they were signed even if they were changed since.",
        }],
        "responses": responses,
    });
    let summary = format!("Download one {} as it was signed", c.singular);
    operation(c, "signed", &c.singular, &summary, parts)
}

fn sample(c: &Collection) -> Value {
    let drawn = json!({
        "type": "object", "required": ["seed", "n", "rows", "docs"],
        "properties": {
            "seed": {"type": "string", "description": "Draws the same rows again."},
            "n": {"type": "integer"},
            "rows": {"type": "integer", "description": "Rows of the package."},
            "docs": {"type": "array", "items": {
                "type": "object", "required": ["collection", "doc"],
                "properties": {"collection": {"type": "string"}, "doc": {"type": "object"}},
            }},
        },
    });
    let parts = json!({
        "description": "Rows of the package at random, for the Association, which compares them with paper.",
        "parameters": [
            {
                "name": "n", "in": "query", "description": "How many.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 20},
            },
            {
                "name": "seed", "in": "query", "description": "By which they are drawn; a new one unless it is given.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 64},
            },
            to_parameter("depth"), to_parameter("select"), to_parameter("populate"),
        ],
        "responses": replies(("200", ok("The rows.", &drawn)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Draw rows of one {}", c.singular);
    operation(c, "sample", &c.singular, &summary, parts)
}

fn protocol(c: &Collection) -> Value {
    let parts = json!({
        "description": "Number, farm, period, counts, findings, steps with persons and times, hash and signature, for screen and paper.",
        "parameters": [format(), language()],
        "responses": replies(("200", page()), [("400", "bad-request"), ("404", "not-found")]),
    });
    let summary = format!("Read the protocol of one {}", c.singular);
    operation(c, "protocol", &c.singular, &summary, parts)
}
