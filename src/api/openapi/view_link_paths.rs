//! The operation that opens a view link.

use super::operation::operation;
use super::replies::{ok, replies};
use model::registry::Collection;
use serde_json::{Value, json};

/// `POST /api/<slug>/open`
pub(super) fn open(c: &Collection) -> Value {
    let id = json!({"type": "integer"});
    let sent = json!({"type": "object", "required": ["token"], "properties": {
        "token": {"type": "string", "description": "The token of the link."},
    }});
    let good = json!({
        "type": "object",
        "required": ["owner", "scopes", "expiresAt", "animals"],
        "properties": {
            "owner": {
                "type": ["object", "null"],
                "properties": {"id": id, "name": {"type": "string"}},
                "description": "The organisation whose animals it shows.",
            },
            "scopes": {"type": "array", "items": {"type": "string"}, "description": "Which data of them."},
            "expiresAt": {"type": "string", "format": "date-time", "description": "When it ends."},
            "animals": {"type": "array", "items": id, "description": "The animals. The header `Authorization: Share` and the token opens them to reading."},
        },
    });
    let parts = json!({
        "description": "What the link shows. Counts that it was opened. Tokens that open nothing are answered alike (404), whether they never were any, have ended or were revoked.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": sent}}},
        "responses": replies(("200", ok("What the link shows.", &good)), [
            ("400", "bad-request"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Open one {}", c.singular);
    json!({"post": operation(c, "open", &c.singular, &summary, parts)})
}
