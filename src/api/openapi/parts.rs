//! The document in parts, for readers: which operations there are, and the description of those with one tag. A viewer
//! shows a part at once, and the whole after half a minute.

use super::{prune, references};
use axum::body::Bytes;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Keys of a path that are operations.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// What was made so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    operations: OnceLock<Bytes>,
    by_tag: Mutex<BTreeMap<String, Bytes>>,
}

impl Parts {
    /// Every operation: tag, method, path, id, summary.
    pub(super) fn operations(&self, whole: &Bytes) -> Bytes {
        let made = self.operations.get_or_init(|| {
            let document: Value = serde_json::from_slice(whole).unwrap_or_default();
            Bytes::from(operations(&document).to_string())
        });
        made.clone()
    }

    /// The document with the operations of one tag; none where no operation has it.
    pub(super) fn tagged(&self, whole: &Bytes, tag: &str) -> Option<Bytes> {
        let cache = || self.by_tag.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = cache().get(tag) {
            return Some(made.clone());
        }
        let document: Value = serde_json::from_slice(whole).unwrap_or_default();
        let part = Bytes::from(tagged(document, tag)?.to_string());
        // Tags without operations are not stored, so that there are never more than tags.
        cache().insert(tag.to_owned(), part.clone());
        Some(part)
    }
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn tag(operation: &Value) -> &str {
    let tag = operation.get("tags").and_then(|tags| tags.get(0));
    tag.and_then(Value::as_str).unwrap_or_default()
}

fn operations(document: &Value) -> Value {
    let paths = document.get("paths").and_then(Value::as_object);
    let mut all = Vec::new();
    for (path, methods) in paths.into_iter().flatten() {
        for method in METHODS {
            let Some(operation) = methods.get(method) else {
                continue;
            };
            all.push(json!({
                "tag": tag(operation), "method": method, "path": path,
                "id": text(operation, "operationId"), "summary": text(operation, "summary"),
            }));
        }
    }
    all.into()
}

fn tagged(mut document: Value, wanted: &str) -> Option<Value> {
    let paths = document.get_mut("paths")?.as_object_mut()?;
    let own = std::mem::take(paths).into_iter().filter_map(|(path, mut methods)| {
        let members = methods.as_object_mut()?;
        for method in METHODS {
            if members.get(method).is_some_and(|operation| tag(operation) != wanted) {
                members.shift_remove(method);
            }
        }
        METHODS.iter().any(|method| members.contains_key(*method)).then_some((path, methods))
    });
    let own: Map<String, Value> = own.collect();
    if own.is_empty() {
        return None;
    }
    *paths = own;
    if let Some(tags) = document.get_mut("tags").and_then(Value::as_array_mut) {
        tags.retain(|tag| text(tag, "name") == wanted);
    }
    prune(&mut document);
    shorten(&mut document);
    Some(document)
}

/// Where schemas are.
const SCHEMAS: &str = "/components/schemas";

/// Leaves names of what is further away, such as the documents of related records: a viewer resolves all that it gets,
/// and each of these stands whole in the part of its own tag.
fn shorten(document: &mut Value) {
    let near = document.get("paths").map(references).unwrap_or_default();
    let all = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for (name, schema) in all.into_iter().flatten() {
        if !near.contains(&format!("{SCHEMAS}/{name}")) {
            *schema = json!({"title": name, "description": "Described with the operations of its own tag."});
        }
    }
    prune(document);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_operations_of_its_tag_and_what_they_refer_to() {
        let whole = json!({
            "tags": [{"name": "a"}, {"name": "b"}],
            "paths": {
                "/a": {"parameters": [], "get": {"tags": ["a"], "operationId": "one", "summary": "One", "x": {"$ref": "#/components/schemas/s"}}},
                "/b": {"get": {"tags": ["b"], "operationId": "two", "summary": "Two"}, "post": {"tags": ["a"], "operationId": "three", "summary": "Three"}},
            },
            "components": {"schemas": {
                "s": {"$ref": "#/components/schemas/near"}, "near": {"$ref": "#/components/schemas/far"},
                "far": {"$ref": "#/components/schemas/further"}, "further": {}, "t": {},
            }},
        });
        let bytes = Bytes::from(whole.to_string());
        let parts = Parts::default();
        let part: Value = serde_json::from_slice(&parts.tagged(&bytes, "a").unwrap()).unwrap();
        assert_eq!(part["tags"], json!([{"name": "a"}]));
        let schemas = part["components"]["schemas"].as_object().unwrap();
        assert_eq!(schemas.keys().collect::<Vec<_>>(), ["s", "near"]);
        assert_eq!(schemas["s"], json!({"$ref": "#/components/schemas/near"}));
        assert_eq!(schemas["near"]["title"], "near");
        assert!(part["paths"]["/a"]["get"].is_object() && part["paths"]["/b"]["post"].is_object());
        assert!(part["paths"]["/b"].get("get").is_none());
        assert_eq!(parts.tagged(&bytes, "c"), None);
        let all: Value = serde_json::from_slice(&parts.operations(&bytes)).unwrap();
        assert_eq!(all.as_array().unwrap().len(), 3);
        assert_eq!(all[2], json!({"tag": "a", "method": "post", "path": "/b", "id": "three", "summary": "Three"}));
    }
}
