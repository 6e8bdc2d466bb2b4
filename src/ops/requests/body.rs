//! A JSON body read against a declaration: values by slot, and every fault with its path. Unknown keys and hidden
//! fields are ignored and named, `id` is ignored; groups merge, arrays replace (docs/dialect.md, *Bodies*).

use crate::handling::{self, UNKNOWN_FIELD};
use model::error::Issue;
use model::messages::Sentence;
use model::record::{Record, Value, time};
use model::registry::{Class, Collection, Field, ID, Kind, Node};
use model::said;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// Longest list that a body may bring in one field.
const LIST_MAX: usize = 10_000;

/// Reads a body. With a stored row (`old`), equal values of aliases are not a conflict.
pub fn parse_body(
    collection: &'static Collection,
    body: &Map<String, Json>,
    old: Option<&Record>,
) -> (Vec<(usize, Value)>, Vec<Issue>) {
    let mut reader = Reader { collection, values: Vec::new(), issues: Vec::new() };
    reader.nodes(&collection.layout, body, "");
    reader.aliases(body, old);
    reader.unknown(&collection.layout, body, "");
    (reader.values, reader.issues)
}

struct Reader {
    collection: &'static Collection,
    values: Vec<(usize, Value)>,
    issues: Vec<Issue>,
}

impl Reader {
    fn nodes(&mut self, nodes: &[Node], body: &Map<String, Json>, prefix: &str) {
        for node in nodes {
            match node {
                Node::Leaf(slot) => self.leaf(*slot, body, prefix),
                Node::Group(name, inner) => match body.get(name) {
                    None => {}
                    Some(Json::Object(members)) => {
                        self.nodes(inner, members, &format!("{prefix}{name}."));
                    }
                    Some(Json::Null) => self.nodes_null(inner),
                    Some(_) => self.issues.push(Issue::error(
                        format!("{prefix}{name}"),
                        "wrong-type",
                        "This must be an object.",
                    )),
                },
            }
        }
    }

    /// Names what is no field of anybody's, at each level; a document may come back with what
    /// was read beside its fields.
    fn unknown(&mut self, nodes: &[Node], body: &Map<String, Json>, prefix: &str) {
        let c = self.collection;
        let mut from = 0;
        for (name, json) in body {
            let is_node = |node: &Node| match node {
                Node::Leaf(slot) => c.fields.get(*slot).and_then(|f| f.path.strip_prefix(prefix)) == Some(name),
                Node::Group(group, _) => group == name,
            };
            // Members mostly come in the order of the fields.
            let (before, rest) = nodes.split_at(from.min(nodes.len()));
            let place = (rest.iter().position(is_node)).map(|at| from + at).or_else(|| before.iter().position(is_node));
            from = place.map_or(from, |at| at + 1);
            let node = place.and_then(|at| nodes.get(at));
            let path = || format!("{prefix}{name}");
            match (node, json) {
                (Some(Node::Group(_, inner)), Json::Object(members)) => {
                    self.unknown(inner, members, &format!("{prefix}{name}."));
                }
                (Some(Node::Leaf(slot)), json) => {
                    let Some(field) = c.fields.get(*slot) else { continue };
                    if field.class == Class::Hidden && !matches!(field.kind, Kind::Password) {
                        self.issues.push(handling::ignore(path(), UNKNOWN_FIELD));
                    } else if let Kind::Rows(subs) = &field.kind {
                        self.unknown_in_rows(subs, json, &path());
                    }
                }
                (None, _) if self.is_beside(&path()) => {}
                (None, _) => self.issues.push(handling::ignore(path(), UNKNOWN_FIELD)),
                (Some(Node::Group(..)), _) => {}
            }
        }
    }

    /// Whether a document that was read has it beside its fields.
    fn is_beside(&self, path: &str) -> bool {
        let c = self.collection;
        (c.auth && path == "collection")
            || c.aliases.iter().any(|(_, alias)| *alias == path)
            || c.joins.iter().any(|join| join.name == path)
    }

    fn unknown_in_rows(&mut self, subs: &[Field], json: &Json, path: &str) {
        for (at, row) in json.as_array().into_iter().flatten().enumerate() {
            let members = row.as_object().into_iter().flatten();
            let unknown = members.filter(|(name, _)| {
                *name != "id" && !subs.iter().any(|sub: &Field| sub.name() == *name && sub.class != Class::Hidden)
            });
            self.issues.extend(unknown.map(|(name, _)| handling::ignore(format!("{path}.{at}.{name}"), UNKNOWN_FIELD)));
        }
    }

    /// A group that was sent as null empties all its members.
    fn nodes_null(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Leaf(slot) => self.values.push((*slot, Value::Null)),
                Node::Group(_, inner) => self.nodes_null(inner),
            }
        }
    }

    fn leaf(&mut self, slot: usize, body: &Map<String, Json>, prefix: &str) {
        let Some(field) = self.collection.fields.get(slot) else { return };
        let password = matches!(field.kind, Kind::Password);
        if slot == ID || (field.class == Class::Hidden && !password) {
            return;
        }
        let name = field.path.strip_prefix(prefix);
        if let Some(json) = name.and_then(|name| body.get(name)) {
            match read(field, json, &field.path) {
                Ok(value) => self.values.push((slot, value)),
                Err(mut issues) => self.issues.append(&mut issues),
            }
        }
    }

    fn aliases(&mut self, body: &Map<String, Json>, old: Option<&Record>) {
        for (canonical, alias) in &self.collection.aliases {
            let (Some(json), Some(slot)) = (body.get(*alias), self.collection.slot(canonical)) else { continue };
            let Some(field) = self.collection.fields.get(slot) else { continue };
            let value = match read(field, json, alias) {
                Ok(value) => value,
                Err(mut issues) => {
                    self.issues.append(&mut issues);
                    continue;
                }
            };
            let Some(at) = self.values.iter().position(|(s, _)| *s == slot) else {
                self.values.push((slot, value));
                continue;
            };
            let Some((_, sent)) = self.values.get_mut(at) else { continue };
            if *sent == value {
                continue;
            }
            // A client that reads a document and sends it back with one of the two names
            // changed means the one that it changed.
            let stored = old.map(|o| o.get(slot));
            if stored == Some(sent) {
                *sent = value;
            } else if stored != Some(&value) {
                self.issues.push(Issue::error(
                    *alias,
                    "alias-conflict",
                    said!(
                        "{alias} and {canonical} name the same field and differ.",
                        alias = *alias,
                        canonical = *canonical
                    ),
                ));
            }
        }
    }
}

/// Reads one value by its field's kind. Types only; limits are checked with the whole row.
fn read(field: &Field, json: &Json, path: &str) -> Result<Value, Vec<Issue>> {
    let one = |code: &'static str, message: Sentence| Err(vec![Issue::error(path, code, message)]);
    if json.is_null() {
        return Ok(Value::Null);
    }
    match &field.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password => match json.as_str() {
            Some(t) if t.contains('\0') => one("wrong-type", "Texts cannot contain the character U+0000.".into()),
            Some(t) => Ok(t.into()),
            None => one("wrong-type", "This field must be text.".into()),
        },
        Kind::Int => match number(json) {
            Some(n) if n.fract() == 0.0 && n.abs() < 9e15 =>
            {
                #[expect(clippy::cast_possible_truncation, reason = "checked just before")]
                Ok(Value::Int(n as i64))
            }
            _ => one("wrong-type", "This field must be a whole number.".into()),
        },
        Kind::Number => match number(json) {
            Some(n) => Ok(Value::Num(n)),
            None => one("wrong-type", "Please enter a valid number.".into()),
        },
        Kind::Day | Kind::Instant => match json.as_str().and_then(time::parse) {
            Some(ms) => Ok(Value::Time(ms)),
            None if field.kind == Kind::Day => {
                one("wrong-type", "There is no such date; write it as 2025-12-31.".into())
            }
            None => one("wrong-type", "There is no such time; write it as 2025-12-31T06:30:00Z.".into()),
        },
        Kind::Bool => match json {
            Json::Bool(b) => Ok(Value::Bool(*b)),
            _ => one("wrong-type", "This field must be true or false.".into()),
        },
        Kind::Json => Ok(Value::json(json.clone())),
        Kind::Select(values) => match json.as_str() {
            Some("") => Ok(Value::Null),
            Some(v) if values.iter().any(|known| known == v) => Ok(v.into()),
            _ => one("not-an-option", "This field has an invalid selection.".into()),
        },
        Kind::Selects(values) => selects(values, json, path),
        Kind::Texts(_) => text_list(json, path),
        Kind::Relation(_) => match related(json) {
            Some(id) => Ok(id),
            None => one("invalid-relation", invalid_relations(&[json])),
        },
        Kind::Relations(_) => relation_list(json, path),
        Kind::Rows(subs) => row_list(subs, json, path),
    }
}

fn number(json: &Json) -> Option<f64> {
    match json {
        Json::Number(n) => n.as_f64().filter(|n| n.is_finite()),
        Json::String(t) => t.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        _ => None,
    }
}

fn related(json: &Json) -> Option<Value> {
    match json {
        Json::String(t) if t.is_empty() => Some(Value::Null),
        Json::Number(n) => n.as_i64().map(Value::Int),
        Json::Object(o) => o.get("id").and_then(Json::as_i64).map(Value::Int),
        _ => None,
    }
}

/// The dialect's text for relations that are no ids.
fn invalid_relations(bad: &[&Json]) -> Sentence {
    let listed: Vec<String> = (bad.iter().enumerate())
        .map(|(i, j)| match j {
            Json::String(t) => format!("{t} {i}"),
            other => format!("{other} {i}"),
        })
        .collect();
    said!("This relationship field has the following invalid relationships: {list}", list = listed.join(", "))
}

fn selects(values: &[String], json: &Json, path: &str) -> Result<Value, Vec<Issue>> {
    let bad = || Issue::error(path, "not-an-option", "This field has an invalid selection.");
    let Json::Array(items) = json else { return Err(vec![bad()]) };
    let mut list: Vec<String> = Vec::new();
    for item in items {
        match item.as_str() {
            Some(v) if values.iter().any(|known| known == v) => {
                if !list.iter().any(|had| had == v) {
                    list.push(v.to_owned());
                }
            }
            _ => return Err(vec![bad()]),
        }
    }
    Ok(Value::Texts(list))
}

/// Limits of the single texts are checked with the whole row.
fn text_list(json: &Json, path: &str) -> Result<Value, Vec<Issue>> {
    let one = |code: &'static str, message: Sentence| Err(vec![Issue::error(path, code, message)]);
    let Json::Array(items) = json else { return one("wrong-type", "This must be a list of texts.".into()) };
    if items.len() > LIST_MAX {
        return one("too-many", said!("At most {limit} entries.", limit = LIST_MAX));
    }
    match items.iter().map(|item: &Json| item.as_str().filter(|t| !t.contains('\0')).map(str::to_owned)).collect() {
        Some(list) => Ok(Value::Texts(list)),
        None => one("wrong-type", "This must be a list of texts.".into()),
    }
}

fn relation_list(json: &Json, path: &str) -> Result<Value, Vec<Issue>> {
    let bad = |items: &[&Json]| vec![Issue::error(path, "invalid-relation", invalid_relations(items))];
    let Json::Array(items) = json else { return Err(bad(&[json])) };
    if items.len() > LIST_MAX {
        return Err(vec![Issue::error(path, "too-many", said!("At most {limit} entries.", limit = LIST_MAX))]);
    }
    let mut ids = Vec::new();
    let mut faults = Vec::new();
    for item in items {
        match related(item) {
            Some(Value::Int(id)) => {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            _ => faults.push(item),
        }
    }
    if faults.is_empty() { Ok(Value::Ids(ids)) } else { Err(bad(&faults)) }
}

/// Rows come in the declared order of their members, with an id each; unknown members are dropped.
fn row_list(subs: &[Field], json: &Json, path: &str) -> Result<Value, Vec<Issue>> {
    let Json::Array(items) = json else {
        return Err(vec![Issue::error(path, "wrong-type", "This must be a list of rows.")]);
    };
    if items.len() > LIST_MAX {
        return Err(vec![Issue::error(path, "too-many", said!("At most {limit} rows.", limit = LIST_MAX))]);
    }
    let mut rows = Vec::with_capacity(items.len());
    let mut issues = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let Json::Object(members) = item else {
            issues.push(Issue::error(format!("{path}.{i}"), "wrong-type", "This must be an object."));
            continue;
        };
        rows.push(one_row(subs, members, &format!("{path}.{i}"), &mut issues));
    }
    if issues.is_empty() { Ok(Value::json(Json::Array(rows))) } else { Err(issues) }
}

fn one_row(subs: &[Field], members: &Map<String, Json>, path: &str, issues: &mut Vec<Issue>) -> Json {
    let mut row = Map::new();
    let id = match members.get("id") {
        Some(Json::String(id)) if !id.is_empty() && id.len() <= 64 => id.clone(),
        _ => row_id(),
    };
    row.insert("id".to_owned(), Json::String(id));
    for sub in subs {
        let at = format!("{path}.{}", sub.path);
        let sent = members.get(&sub.path).unwrap_or(&Json::Null);
        let mut value = match read(sub, sent, &at) {
            Ok(value) => value,
            Err(mut faults) => {
                issues.append(&mut faults);
                continue;
            }
        };
        if value.is_null() && !members.contains_key(&sub.path) {
            value = sub.default.clone().unwrap_or(Value::Null);
        }
        crate::write::limits(sub, &value, &at, issues);
        row.insert(sub.path.clone(), plain(value));
    }
    Json::Object(row)
}

/// An id for a row of a list: 24 hexadecimal digits, as clients know them.
pub(crate) fn row_id() -> String {
    let mut id = uuid::Uuid::new_v4().simple().to_string();
    id.truncate(24);
    id
}

/// Without a trailing `.0`, as outside of rows.
fn decimal(n: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    if n.fract() == 0.0 && n.abs() < 1e15 {
        Json::from(n as i64)
    } else {
        serde_json::Number::from_f64(n).map_or(Json::Null, Json::Number)
    }
}

/// A value inside rows: times as ISO text, relations as numbers.
pub(crate) fn plain(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => b.into(),
        Value::Int(i) => i.into(),
        Value::Num(n) => decimal(n),
        Value::Text(t) => t.into(),
        Value::Time(ms) => time::to_iso(ms).into(),
        Value::Ids(ids) => ids.into(),
        Value::Texts(list) => list.into(),
        Value::Json(json) => Arc::unwrap_or_clone(json),
    }
}
