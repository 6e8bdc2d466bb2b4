//! Operations on certificates (docs/certificates.md).

use super::operation::operation;
use super::page::TAG;
use super::printed::{format, language, page};
use super::replies::{ok, replies};
use super::to_parameter;
use domain::collections::certificates::Form;
use model::registry::{Collection, Feature, Registry};
use serde_json::{Map, Value, json};

/// The paths of a collection that has certificates, or whose rows get them.
pub(super) fn of(registry: &Registry, c: &Collection) -> Map<String, Value> {
    let mut out = Map::new();
    let mut add = |name: &str, get: Value| {
        let path = format!("/api/{}/{{id}}/{name}", c.slug);
        out.insert(
            path,
            json!({"parameters": [to_parameter("id")], "get": get}),
        );
    };
    if registry.certificates_about(c.slug).is_some() {
        add("certificate-conditions", conditions(c));
    }
    if c.is(Feature::Certificates) {
        add("certificate", certificate(c));
    }
    out
}

fn conditions(c: &Collection) -> Value {
    let one = json!({
        "type": "object", "required": ["code", "met", "message"],
        "properties": {
            "code": {"type": "string", "description": "As in refusals."},
            "met": {"type": "boolean"},
            "message": {
                "type": "object", "required": ["en", "ru"],
                "properties": {"en": {"type": "string"}, "ru": {"type": "string"}},
                "description": "What is said of the condition: that it is met, or that it is not.",
            },
        },
    });
    let all = json!({
        "type": "object", "required": ["type", "met", "conditions"],
        "properties": {
            "type": {"type": "string"},
            "met": {"type": "boolean", "description": "Whether all are met."},
            "conditions": {"type": "array", "items": one},
        },
    });
    let parts = json!({
        "description": "For the owner and the Association. Only the conditions that are asked of this record.",
        "parameters": [{
            "name": "type", "in": "query", "description": "Type of the certificate.",
            "schema": {
                "type": "string", "enum": Form::ALL.map(Form::word), "default": Form::Pedigree.word(),
            },
        }],
        "responses": replies(("200", ok("The conditions.", &all)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"),
        ]),
    });
    let summary = format!(
        "Read the conditions for a certificate of one {}",
        c.singular
    );
    operation(c, "certificateConditions", &c.singular, &summary, parts)
}

fn certificate(c: &Collection) -> Value {
    let parts = json!({
        "description": "A certificate for print, as it was issued, in English or Russian by `Accept-Language`. For those who see `snapshot`.",
        "parameters": [format(), language()],
        "responses": replies(("200", page()), [("400", "bad-request"), ("404", "not-found")]),
    });
    let summary = format!("Print the certificate of one {}", c.singular);
    operation(c, "certificate", &c.singular, &summary, parts)
}

/// `GET /certificate/{number}`
pub(super) fn check() -> Map<String, Value> {
    let text = || json!({"type": ["string", "null"]});
    let difference = json!({
        "type": "object", "required": ["field", "paper", "book"],
        "properties": {"field": {"type": "string"}, "paper": text(), "book": text()},
    });
    let told = json!({
        "type": "object",
        "required": ["number", "type", "issuedAt", "valid", "revoked", "paper", "inBook", "differences"],
        "properties": {
            "number": {"type": "string"},
            "type": {"type": "string", "enum": Form::ALL.map(Form::word)},
            "issuedAt": {"type": "string", "format": "date"},
            "valid": {"type": "boolean"},
            "revoked": {
                "type": ["object", "null"], "properties": {"at": text(), "reason": text()},
            },
            "paper": {
                "type": ["object", "null"], "additionalProperties": {"type": "string"},
                "description": "What the certificate says. Null: it was issued before contents were stored.",
            },
            "inBook": {"type": "boolean", "description": "Whether the animal is still in the book."},
            "differences": {"type": "array", "items": difference},
        },
    });
    let mut good = ok("The certificate.", &told);
    if let Some(content) = good.pointer_mut("/content").and_then(Value::as_object_mut) {
        content.insert(
            "text/html".to_owned(),
            json!({"schema": {"type": "string"}}),
        );
    }
    let number = json!({
        "name": "number", "in": "path", "required": true, "schema": {"type": "string"},
        "description": "Number of the certificate.",
    });
    let code = json!({
        "name": "k", "in": "query", "schema": {"type": "string", "maxLength": 64},
        "description": "Code beside the number; case, spaces and dashes do not matter.",
    });
    let get = json!({
        "operationId": "checkCertificate", "tags": [TAG], "summary": "Check a certificate",
        "description": "Open to everybody who has number and code. 404: no certificate has the number. 403: the code is missing or wrong. A page for browsers, else JSON.",
        "security": [{}],
        "parameters": [code],
        "responses": replies(("200", good), [("403", "forbidden"), ("404", "not-found")]),
    });
    let path = json!({"parameters": [number], "get": get});
    Map::from_iter([(crate::pages::certificate::check::PATH.to_owned(), path)])
}
