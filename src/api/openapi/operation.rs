//! An operation of the REST face on a collection.

use super::tag;
use model::registry::Collection;
use serde_json::{Map, Value, json};

/// `find` + `MilkTests`
fn named(verb: &str, label: &str) -> String {
    let label: String = label.split_whitespace().collect();
    format!("{verb}{label}")
}

pub(super) fn operation(
    c: &Collection,
    verb: &str,
    label: &str,
    summary: &str,
    parts: Value,
) -> Value {
    let mut out = Map::from_iter([
        ("operationId".to_owned(), named(verb, label).into()),
        ("tags".to_owned(), json!([tag(c)])),
        ("summary".to_owned(), summary.into()),
        ("description".to_owned(), c.doc.into()),
    ]);
    if let Value::Object(parts) = parts {
        out.extend(parts);
    }
    // Reading asks for no sign-in: what is public is seen without.
    let reading = [
        "find", "findOne", "count", "pedigree", "card", "file", "access", "accessTo", "accept",
    ]
    .contains(&verb);
    let mut ways = vec![
        json!({"token": []}),
        json!({"cookie": []}),
        json!({"apiKey": []}),
    ];
    if reading {
        ways.insert(0, json!({}));
    }
    out.insert("security".to_owned(), ways.into());
    Value::Object(out)
}
