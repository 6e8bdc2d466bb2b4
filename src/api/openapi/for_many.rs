//! One document for each of many, for collections that are declared so.

use super::operation::operation;
use super::replies::{ok, replies};
use super::to_schema;
use model::registry::{Collection, ForMany};
use ops::MOST_OF_MANY;
use serde_json::{Value, json};

/// `POST /api/<slug>/<name>`
pub(super) fn made(c: &Collection, how: &ForMany) -> Value {
    let of = c.field(how.relation).and_then(|field| field.target());
    let of = of.unwrap_or_default();
    let id = json!({"type": "integer"});
    let whom = json!({
        "type": "object",
        "properties": {
            "where": to_schema(&format!("{of}-where")),
            of: {"type": "array", "items": id, "maxItems": MOST_OF_MANY},
            "dryRun": {"type": "boolean", "default": false, "description": "Only tells what would be made."},
        },
    });
    let fields = to_schema(&format!("{}-update", c.slug));
    let body = json!({"allOf": [fields, whom]});
    let doc = json!({"type": "object", "required": [how.relation], "properties": {how.relation: id, "id": id}});
    let left = json!({
        "type": "object", "required": [how.relation, "reason"],
        "properties": {
            how.relation: id,
            "reason": {"enum": ["open", "not-registered"], "description": "`open`: it has the same one, `id`. `not-registered`: it does not take part."},
            "id": id,
        },
    });
    let good = json!({
        "type": "object", "required": ["message", "dryRun", "made", "leftOut", "docs", "left"],
        "properties": {
            "message": {"type": "string"}, "dryRun": {"type": "boolean"},
            "made": id, "leftOut": id,
            "docs": {"type": "array", "items": doc}, "left": {"type": "array", "items": left},
        },
    });
    let about = format!(
        "Makes one for each of `{of}`, or of those that fulfil `where`, {MOST_OF_MANY} at most, with the same fields and \
         without `{}`. Those that have the same one already, still open, are left out, so that the request can be \
         repeated. Written in parts, each a transaction.",
        how.relation
    );
    let parts = json!({
        "description": about,
        "requestBody": {"required": true, "content": {"application/json": {"schema": body}}},
        "responses": replies(("200", ok("What was made and what was left out.", &good)), [
            ("400", "bad-request"), ("403", "forbidden"), ("404", "not-found"), ("413", "too-large"),
        ]),
    });
    let summary = format!("Create {} for many {of}", c.plural);
    json!({"post": operation(c, "createForMany", &c.plural, &summary, parts)})
}
