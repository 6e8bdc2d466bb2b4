//! Compares sent documents with those that came back, member by member.

use std::fmt;

use serde_json::{Map, Value};

use crate::clock;

/// How a value differs from the one that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// It was sent, and is not there.
    Dropped,
    /// Another value is there.
    Changed,
    /// The same elements are there in another order.
    Reordered,
    /// It was not sent, and is there.
    Invented,
}

/// One value that differs from the one that was sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    pub(crate) pointer: String,
    pub(crate) kind: Kind,
    /// Null if the value was not sent.
    pub(crate) sent: Value,
    /// Null if the value did not come.
    pub(crate) came: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, sent, came) = (&self.pointer, short(&self.sent), short(&self.came));
        match self.kind {
            Kind::Dropped => write!(f, "{at} did not come back; {sent} was sent"),
            Kind::Changed => write!(f, "{at} came back as {came}; {sent} was sent"),
            Kind::Reordered => write!(f, "{at} came back in another order: {came} for {sent}"),
            Kind::Invented => write!(f, "{at} came back as {came}, and was not sent"),
        }
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 120 {
        return text;
    }
    let begin: String = text.chars().take(120).collect();
    format!("{begin}…")
}

/// All differences. Allowed are `id`, `@self`, `meta.created` and `meta.modified`, which belong to
/// the server, and other forms of the same number or instant.
pub(crate) fn differences(document: &Value, came: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    step(&mut String::new(), document, came, &mut found);
    found
}

fn servers_own(at: &str) -> bool {
    // Documents within documents have a meta of their own.
    let meta = at.ends_with("/meta/created") || at.ends_with("/meta/modified");
    meta || matches!(at, "/id" | "/@self")
}

fn step(at: &mut String, document: &Value, came: &Value, found: &mut Vec<Difference>) {
    match (document, came) {
        (Value::Object(document), Value::Object(came)) => members(at, document, came, found),
        (Value::Array(document), Value::Array(came)) => elements(at, document, came, found),
        _ if same(document, came) => {}
        _ => found.push(difference(at, Kind::Changed, document, came)),
    }
}

fn difference(at: &str, kind: Kind, document: &Value, came: &Value) -> Difference {
    Difference { pointer: at.to_owned(), kind, sent: document.clone(), came: came.clone() }
}

/// Calls with a longer pointer.
fn below(at: &mut String, name: &str, then: impl FnOnce(&mut String)) {
    let length = at.len();
    at.push('/');
    at.push_str(&name.replace('~', "~0").replace('/', "~1"));
    then(at);
    at.truncate(length);
}

fn members(at: &mut String, document: &Map<String, Value>, came: &Map<String, Value>, found: &mut Vec<Difference>) {
    for (name, value) in document {
        below(at, name, |at| match came.get(name) {
            _ if servers_own(at) => {}
            Some(inner) => step(at, value, inner, found),
            None => found.push(difference(at, Kind::Dropped, value, &Value::Null)),
        });
    }
    for (name, value) in came.iter().filter(|(name, _)| !document.contains_key(*name)) {
        below(at, name, |at| {
            if !servers_own(at) {
                found.push(difference(at, Kind::Invented, &Value::Null, value));
            }
        });
    }
}

fn elements(at: &mut String, sent: &[Value], came: &[Value], found: &mut Vec<Difference>) {
    let in_place = sent.len() == came.len() && sent.iter().zip(came).all(|(s, c)| same(s, c));
    if in_place {
        return;
    }
    // Equal elements at other places are matched first; the rest is compared in order.
    let mut remaining: Vec<&Value> = came.iter().collect();
    let mut lacking: Vec<(usize, &Value)> = Vec::new();
    for (index, one) in sent.iter().enumerate() {
        match remaining.iter().position(|other| same(one, other)) {
            Some(place) => {
                remaining.remove(place);
            }
            None => lacking.push((index, one)),
        }
    }
    if lacking.is_empty() && remaining.is_empty() {
        let (sent, came) = (Value::from(sent.to_vec()), Value::from(came.to_vec()));
        found.push(difference(at, Kind::Reordered, &sent, &came));
        return;
    }
    let mut remaining = remaining.into_iter();
    for (index, one) in lacking {
        below(at, &index.to_string(), |at| match remaining.next() {
            Some(other) => step(at, one, other, found),
            None => found.push(difference(at, Kind::Dropped, one, &Value::Null)),
        });
    }
    for other in remaining {
        found.push(difference(at, Kind::Invented, &Value::Null, other));
    }
}

/// Whether two values mean the same: texts, numbers and instants, however they are written.
fn same(document: &Value, came: &Value) -> bool {
    match (document, came) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => {
            a == b || clock::instant(a).is_some_and(|instant| clock::instant(b) == Some(instant))
        }
        (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_)) => {
            let mut found = Vec::new();
            // Within a document nothing belongs to the server.
            step(&mut "/".to_owned(), document, came, &mut found);
            found.is_empty()
        }
        _ => document == came,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kinds(document: Value, came: Value) -> Vec<(Kind, String)> {
        let all = differences(&document, &came).into_iter();
        all.map(|one| (one.kind, one.pointer)).collect()
    }

    #[test]
    fn what_belongs_to_the_server_and_other_forms_are_no_differences() {
        let document = json!({"t": "2026-01-01T02:00:00+02:00", "n": 1, "meta": {"source": "a.b"}});
        let came = json!({"t": "2026-01-01T00:00:00.000Z", "n": 1.0, "id": "7", "@self": "/x",
            "meta": {"source": "a.b", "created": "2026-01-01T00:00:00Z", "modified": "2026-01-01T00:00:00Z"}});
        assert_eq!(kinds(document, came), []);
    }

    #[test]
    fn members_are_dropped_changed_or_invented() {
        let document = json!({"a": 1, "b": {"c": "x", "d": true}, "id": "own"});
        let came = json!({"a": 2, "b": {"c": "x", "id": "7"}, "id": "other"});
        let expected = [
            (Kind::Changed, "/a".to_owned()),
            (Kind::Dropped, "/b/d".to_owned()),
            (Kind::Invented, "/b/id".to_owned()),
        ];
        assert_eq!(kinds(document, came), expected);
    }

    #[test]
    fn elements_are_reordered_dropped_changed_or_invented() {
        let document = json!({"l": [1, 2, 3]});
        let one = |kind, at: &str| vec![(kind, at.to_owned())];
        let with = |came| kinds(document.clone(), json!({"l": came}));
        assert_eq!(with(json!([1, 3, 2])), one(Kind::Reordered, "/l"));
        assert_eq!(with(json!([1, 3])), one(Kind::Dropped, "/l/1"));
        assert_eq!(with(json!([1, 2, 4])), one(Kind::Changed, "/l/2"));
        assert_eq!(with(json!([1, 2, 3, 3])), one(Kind::Invented, "/l"));
    }
}
