//! One document for each of many, for collections that are declared so.

use super::operation::operation;
use super::replies::{ok, replies};
use super::to_schema;
use model::registry::{BulkMode, Collection, ForMany};
use ops::MOST_OF_MANY;
use serde_json::{Value, json};

/// `POST /api/<slug>/<name>`
pub(super) fn made(c: &Collection, how: &ForMany) -> Value {
    let of = c.field(how.relation).and_then(|field| field.target());
    let of = of.unwrap_or_default();
    let id = json!({"type": "integer"});
    let (most, judged) = match how.how {
        BulkMode::Together => (MOST_OF_MANY, false),
        BulkMode::OneByOne(most) => (most, true),
    };
    let mut whom = json!({
        "type": "object",
        "properties": {
            "where": to_schema(&format!("{of}-where")),
            of: {"type": "array", "items": id, "maxItems": most},
            "dryRun": {"type": "boolean", "default": false, "description": "Only tells what would be made."},
        },
    });
    if judged && let Some(members) = whom.get_mut("properties").and_then(Value::as_object_mut) {
        let about = "Makes none when one is refused (400).";
        let all = json!({"type": "boolean", "default": false, "description": about});
        members.insert("all".to_owned(), all);
    }
    let fields = to_schema(&format!("{}-update", c.slug));
    let body = json!({"allOf": [fields, whom]});
    let doc = json!({"type": "object", "required": [how.relation], "properties": {how.relation: id, "id": id}});
    let mut left = json!({
        "type": "object", "required": [how.relation, "reason"],
        "properties": {how.relation: id, "reason": {}, "id": id},
    });
    let mut reasons = vec![("open", "it has the same one, `id`")];
    if how.only.is_some() {
        reasons.push(("not-registered", "it does not take part"));
    }
    if judged {
        reasons.push(("refused", "`issues` say why"));
    }
    if let Some(members) = left.get_mut("properties").and_then(Value::as_object_mut) {
        let words: Vec<&str> = reasons.iter().map(|(word, _)| *word).collect();
        let about = reasons
            .iter()
            .map(|(word, why)| format!("`{word}`: {why}."));
        let about = about.collect::<Vec<_>>().join(" ");
        members.insert(
            "reason".to_owned(),
            json!({"enum": words, "description": about}),
        );
        if judged {
            let text = json!({"type": "string"});
            let one = json!({
                "type": "object", "required": ["code", "message"],
                "properties": {"code": text, "message": text},
            });
            members.insert("issues".to_owned(), json!({"type": "array", "items": one}));
        }
    }
    let good = json!({
        "type": "object", "required": ["message", "dryRun", "made", "leftOut", "docs", "left"],
        "properties": {
            "message": {"type": "string"}, "dryRun": {"type": "boolean"},
            "made": id, "leftOut": id,
            "docs": {"type": "array", "items": doc}, "left": {"type": "array", "items": left},
        },
    });
    let way = match judged {
        true => "What is said of one alone refuses that one. Written in one transaction.",
        false => "Written in parts, each a transaction.",
    };
    let about = format!(
        "Makes one for each of `{of}`, or of those that fulfil `where`, {most} at most, with the same fields and \
         without `{}`. Those that have the same one already, still open, are left out, so that the request can be \
         repeated. {way}",
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
