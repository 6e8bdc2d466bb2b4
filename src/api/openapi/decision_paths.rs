//! The operation that tells what the approval of a request would do.

use super::operation::operation;
use super::replies::{ok, replies};
use super::to_parameter;
use model::registry::Collection;
use serde_json::{Value, json};

/// `GET /api/<slug>/{id}/decision`
pub(super) fn preview(c: &Collection) -> Value {
    let id = json!({"type": "integer"});
    let text = json!({"type": "string"});
    let held = json!({"type": "object", "required": ["animal", "codes"], "properties": {
        "animal": id, "codes": {"type": "array", "items": text},
    }});
    let finding = json!({"type": "object", "required": ["id", "animal", "code", "holds"], "properties": {
        "id": id, "animal": id, "code": text, "collection": text, "recordId": id, "path": text,
        "message": {"type": "object", "properties": {"en": text, "ru": text}},
        "holds": {"type": "boolean", "description": "Whether it holds its animal back; false: its farm does not read it, or the animal has another owner."},
    }});
    let good = json!({
        "type": "object",
        "required": ["status", "approvedCount", "heldCount", "held", "lacking", "findings"],
        "properties": {
            "status": text,
            "approvedCount": {"type": ["integer", "null"], "description": "Animals that are let through."},
            "heldCount": {"type": ["integer", "null"], "description": "Animals that are held back."},
            "held": {"type": "array", "items": held, "description": "The animals that are held back, with the reasons."},
            "lacking": {"type": "array", "items": id, "description": "Animals without a category, for which the approval of a registration is refused."},
            "findings": {"type": "array", "items": finding, "description": "The open findings about its animals that must be corrected and that the caller reads."},
        },
    });
    let parts = json!({
        "description": "What an approval would do now; of a decided request, what it did.",
        "responses": replies(("200", ok("What an approval does.", &good)), [
            ("400", "bad-request"), ("404", "not-found"),
        ]),
    });
    let summary = format!("Ask what the approval of one {} would do", c.singular);
    json!({"parameters": [to_parameter("id")], "get": operation(c, "decision", &c.singular, &summary, parts)})
}
