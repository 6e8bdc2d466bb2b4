//! Reading documents as they came: pointers, names, times, identifiers.

use serde_json::{Value, json};

use crate::clock;

/// A text that is not empty.
pub(crate) fn text<'v>(document: &'v Value, pointer: &str) -> Option<&'v str> {
    document.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A point in time, nanoseconds since 1970.
pub(crate) fn time(document: &Value, pointer: &str) -> Option<i128> {
    text(document, pointer).and_then(clock::instant)
}

/// Scheme and number.
pub(crate) fn identifier(document: &Value, pointer: &str) -> Option<(String, String)> {
    let value = document.pointer(pointer)?;
    Some((text(value, "/scheme")?.to_owned(), text(value, "/id")?.to_owned()))
}

/// All identifiers of an animal or a location.
pub(crate) fn names(document: &Value) -> Vec<(String, String)> {
    let others = document.get("alternativeIdentifiers");
    let others = others.and_then(Value::as_array).into_iter().flatten();
    let others = others.filter_map(|one| identifier(one, ""));
    let own = identifier(document, "/identifier");
    own.into_iter().chain(others).collect()
}

pub(crate) fn modified(document: &Value) -> Option<i128> {
    time(document, "/meta/modified")
}

pub(crate) fn deleted(document: &Value) -> bool {
    document.pointer("/meta/isDeleted") == Some(&Value::Bool(true))
}

/// Whether an animal lives, as far as its list says.
pub(crate) fn alive(animal: &Value) -> bool {
    animal.get("status").is_none_or(|status| status == "Alive")
}

/// Source and number, if both are there.
pub(crate) fn pair(document: &Value) -> Option<(String, String)> {
    Some((text(document, "/meta/source")?.to_owned(), text(document, "/meta/sourceId")?.to_owned()))
}

/// By what a document is known again: type, pair and location, or its id, or its content.
pub(crate) fn key(document: &Value) -> String {
    let kind = text(document, "/resourceType").unwrap_or_default();
    if let Some((source, id)) = pair(document) {
        let at = identifier(document, "/location").unwrap_or_default();
        return format!("{kind} {source} {id} at {}/{}", at.0, at.1);
    }
    match text(document, "/id") {
        Some(id) => format!("{kind} id {id}"),
        None => format!("{kind} {:032x}", feed_oracle::fingerprint(document)),
    }
}

/// For people.
pub(crate) fn name(document: &Value) -> String {
    match pair(document) {
        Some((source, id)) => format!("{source} {id}"),
        None => key(document),
    }
}

/// The same document with something changed, modified now.
pub(crate) fn changed(one: &Value, pointer: &str, value: Value) -> Value {
    with(one, pointer, Some(value))
}

/// The same document without a member.
pub(crate) fn without(one: &Value, pointer: &str) -> Value {
    with(one, pointer, None)
}

/// Its retraction.
pub(crate) fn retracted(one: &Value) -> Value {
    changed(one, "/meta/isDeleted", json!(true))
}

fn with(one: &Value, pointer: &str, value: Option<Value>) -> Value {
    let mut one = one.clone();
    let now = json!(clock::milliseconds());
    for (pointer, value) in [(pointer, value), ("/meta/modified", Some(now))] {
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        let parent = one.pointer_mut(parent).and_then(Value::as_object_mut);
        match (parent, value) {
            (Some(members), Some(value)) => drop(members.insert(name.to_owned(), value)),
            (Some(members), None) => drop(members.shift_remove(name)),
            (None, _) => {}
        }
    }
    one
}

/// Every value below, with its pointer, the document itself first.
pub(crate) fn walk<'v>(document: &'v Value, see: &mut dyn FnMut(&str, &'v Value)) {
    fn step<'v>(at: &mut String, value: &'v Value, see: &mut dyn FnMut(&str, &'v Value)) {
        see(at, value);
        let length = at.len();
        match value {
            Value::Object(members) => {
                for (name, inner) in members {
                    at.push('/');
                    at.push_str(&name.replace('~', "~0").replace('/', "~1"));
                    step(at, inner, see);
                    at.truncate(length);
                }
            }
            Value::Array(elements) => {
                for (index, inner) in elements.iter().enumerate() {
                    at.push('/');
                    at.push_str(&index.to_string());
                    step(at, inner, see);
                    at.truncate(length);
                }
            }
            _ => {}
        }
    }
    step(&mut String::new(), document, see);
}

/// Whether what was sent is in what came back: members, texts and numbers as they are, times as
/// instants. The first pointer that differs otherwise.
pub(crate) fn lost(document: &Value, came: &Value) -> Option<String> {
    fn step(at: &str, document: &Value, came: &Value) -> Option<String> {
        match (document, came) {
            (Value::Object(document), Value::Object(came)) => document.iter().find_map(|(name, value)| {
                let place = format!("{at}/{name}");
                match came.get(name) {
                    Some(inner) => step(&place, value, inner),
                    None => Some(place),
                }
            }),
            (Value::Array(document), Value::Array(came)) if document.len() == came.len() => {
                let pairs = document.iter().zip(came).enumerate();
                pairs.into_iter().find_map(|(index, (s, c))| step(&format!("{at}/{index}"), s, c))
            }
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
            (Value::String(a), Value::String(b)) => {
                let same = a == b || clock::instant(a).is_some_and(|instant| clock::instant(b) == Some(instant));
                (!same).then(|| at.to_owned())
            }
            (a, b) => (a != b).then(|| at.to_owned()),
        }
    }
    step("", document, came)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_may_have_more_and_write_times_otherwise() {
        let document = json!({"t": "2026-01-01T02:00:00+02:00", "n": 1, "a": [{"x": "y"}]});
        let came = json!({"t": "2026-01-01T00:00:00.000Z", "n": 1.0, "a": [{"x": "y", "z": 1}], "m": 1});
        assert_eq!(lost(&document, &came), None);
        let other = json!({"t": "2026-01-01T02:00:00Z", "n": 1, "a": [{"x": "y"}]});
        assert_eq!(lost(&document, &other).as_deref(), Some("/t"));
        let less = json!({"t": "2026-01-01T00:00:00Z", "n": 1, "a": [{}]});
        assert_eq!(lost(&document, &less).as_deref(), Some("/a/0/x"));
    }
}
