//! Templates of the document: JSON with holes, in files beside this one.
//!
//! `${slug}` within a text, or within a name of a member, stands for a text. A text that is nothing but a hole stands for
//! any value; within a list, a list in its place is put in member by member. An object with the member `when` is there
//! only where that word holds.

use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A file of templates.
pub(super) type File = LazyLock<Value>;

/// The document, its components beside the schemas.
pub(super) static DOCUMENT: File = LazyLock::new(|| parsed(include_str!("templates/document.json")));
/// Schemas that are not made of fields.
pub(super) static SCHEMAS: File = LazyLock::new(|| parsed(include_str!("templates/schemas.json")));
/// What operations of REST have in common.
pub(super) static REST: File = LazyLock::new(|| parsed(include_str!("templates/rest.json")));
/// Operations of all collections, and of joins and actions.
pub(super) static COLLECTION: File = LazyLock::new(|| parsed(include_str!("templates/collection.json")));
/// Operations that only some collections have.
pub(super) static FEATURES: File = LazyLock::new(|| parsed(include_str!("templates/features.json")));
/// Operations on packages of rows (docs/packages.md).
pub(super) static PACKAGES: File = LazyLock::new(|| parsed(include_str!("templates/packages.json")));
/// Signing in (docs/sign-in.md), for collections with accounts.
pub(super) static ACCOUNTS: File = LazyLock::new(|| parsed(include_str!("templates/accounts.json")));
/// Operations about the server.
pub(super) static SERVER: File = LazyLock::new(|| parsed(include_str!("templates/server.json")));
/// What operations of the exchange have in common.
pub(super) static ADE: File = LazyLock::new(|| parsed(include_str!("templates/ade.json")));
/// Operations of the exchange.
pub(super) static EXCHANGE: File = LazyLock::new(|| parsed(include_str!("templates/exchange.json")));

/// All of them, for tests.
#[cfg(test)]
pub(super) fn files() -> [&'static Value; 10] {
    [&DOCUMENT, &SCHEMAS, &REST, &COLLECTION, &FEATURES, &PACKAGES, &ACCOUNTS, &SERVER, &ADE, &EXCHANGE]
}

/// A test parses all of them.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// What is put into the holes of templates.
#[derive(Debug, Clone)]
pub(super) struct Filling<'t> {
    /// The file with the parts that templates name, and with the refusals of operations.
    common: &'t Value,
    holes: Vec<(&'static str, Value)>,
    words: Vec<&'static str>,
}

impl<'t> Filling<'t> {
    pub(super) fn new(common: &'t Value, holes: Vec<(&'static str, Value)>, words: Vec<&'static str>) -> Self {
        Self { common, holes, words }
    }

    pub(super) fn with<const N: usize>(&self, holes: [(&'static str, Value); N]) -> Self {
        let mut more = self.clone();
        more.holes.extend(holes);
        more
    }

    /// With one more word where it holds.
    pub(super) fn when(mut self, word: &'static str, holds: bool) -> Self {
        self.words.extend(holds.then_some(word));
        self
    }

    pub(super) fn one(&self, file: &Value, name: &str) -> Value {
        file.get(name).map_or(Value::Null, |one| self.fill(one))
    }

    pub(super) fn members(&self, file: &Value, name: &str) -> Map<String, Value> {
        match self.one(file, name) {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    /// The paths of a section of a file, their operations complete.
    pub(super) fn paths(&self, file: &Value, section: &str) -> Map<String, Value> {
        let defaults = file.get("defaults");
        let paths = file.get(section).and_then(Value::as_object);
        let served = paths.into_iter().flatten().filter(|(_, item)| self.holds(item));
        let complete = |item: &Value| -> Value {
            let members = item.as_object().into_iter().flatten();
            let members = members.map(|(name, value)| {
                let is_operation = value.get("responses").is_some();
                let value = match is_operation {
                    true => self.completed(value, defaults),
                    false => value.clone(),
                };
                (name.clone(), value)
            });
            members.collect()
        };
        served.map(|(path, item)| (self.text(path), self.fill(&complete(item)))).collect()
    }

    /// An operation with the members that all operations of its file have. `refusals` become answers; then the first
    /// answer tells the limits of the client.
    fn completed(&self, operation: &Value, defaults: Option<&Value>) -> Value {
        let mut out = operation.as_object().cloned().unwrap_or_default();
        for (name, value) in defaults.and_then(Value::as_object).into_iter().flatten() {
            out.entry(name.as_str()).or_insert_with(|| value.clone());
        }
        let refusals = out.shift_remove("refusals");
        let answers = out.get_mut("responses").and_then(Value::as_object_mut);
        if let (Some(refusals), Some(answers)) = (refusals, answers) {
            let common = |name: &str| self.common.get(name).and_then(Value::as_object);
            if let (Some(Value::Object(good)), Some(limits)) = (answers.values_mut().next(), common("limits"))
                && let Value::Object(headers) = good.entry("headers").or_insert_with(|| Map::new().into())
            {
                headers.extend(limits.clone());
            }
            let common_refusals = common("refusals").into_iter().flatten();
            let always = self.common.get("always");
            let has = |list: Option<&Value>, status: &str| {
                let mut list = list.and_then(Value::as_array).into_iter().flatten();
                list.any(|one| one == status)
            };
            for (status, answer) in common_refusals {
                if has(Some(&refusals), status) || has(always, status) {
                    answers.insert(status.clone(), answer.clone());
                }
            }
        }
        Value::Object(out)
    }

    fn holds(&self, template: &Value) -> bool {
        let word = template.get("when").and_then(Value::as_str);
        word.is_none_or(|word| self.words.contains(&word))
    }

    fn fill(&self, template: &Value) -> Value {
        match template {
            Value::String(text) => {
                whole(text).and_then(|name| self.hole(name)).unwrap_or_else(|| self.text(text).into())
            }
            Value::Array(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items.iter().filter(|item| self.holds(item)) {
                    match (item, self.fill(item)) {
                        (Value::String(_), Value::Array(more)) => out.extend(more),
                        (_, one) => out.push(one),
                    }
                }
                out.into()
            }
            Value::Object(members) => {
                let is_word = |name: &str, value: &Value| name == "when" && value.is_string();
                (members.iter())
                    .filter(|(name, value)| !is_word(name, value) && self.holds(value))
                    .map(|(name, value)| (self.text(name), self.fill(value)))
                    .collect()
            }
            other => other.clone(),
        }
    }

    /// What stands in a hole: a value of the caller, or a part of the common file.
    pub(super) fn hole(&self, name: &str) -> Option<Value> {
        let own = self.holes.iter().find(|(hole, _)| *hole == name);
        own.map(|(_, value)| value.clone()).or_else(|| {
            let part = self.common.get("parts")?.get(name)?;
            Some(self.fill(part))
        })
    }

    fn text(&self, template: &str) -> String {
        let mut parts = template.split("${");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            match self.hole(name) {
                Some(Value::String(text)) => out.push_str(&text),
                other => out.push_str(&other.unwrap_or_default().to_string()),
            }
            out.push_str(rest);
        }
        out
    }
}

fn whole(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    (!name.contains('$')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_file_is_an_object() {
        for (n, file) in files().into_iter().enumerate() {
            assert!(file.is_object(), "{n}");
        }
    }

    #[test]
    fn holes_words_defaults_and_refusals() {
        let common = json!({
            "limits": {"L": {}}, "always": ["500"], "refusals": {"400": {"n": 1}, "404": {}, "500": {}},
            "parts": {"two": ["${slug}", {"when": "never"}], "word": "w"},
        });
        let file = json!({
            "defaults": {"tags": ["${slug}"]},
            "paths": {
                "/${slug}/{id}": {"parameters": ["${two}", 3], "get": {"refusals": ["400"], "responses": {"200": {}}},
                    "put": {"when": "never", "responses": {}}, "post": {"when": "ever", "responses": {"201": {}}}},
                "/gone": {"when": "never", "get": {}},
            },
        });
        let filling = Filling::new(&common, vec![("slug", "s".into())], vec!["ever"]);
        assert_eq!(
            Value::from(filling.paths(&file, "paths")),
            json!({"/s/{id}": {
                "parameters": ["s", 3],
                "get": {"tags": ["s"], "responses": {"200": {"headers": {"L": {}}}, "400": {"n": 1}, "500": {}}},
                "post": {"tags": ["s"], "responses": {"201": {}}},
            }}),
        );
        assert_eq!(filling.text("${word} ${slug}-x"), "w s-x");
    }
}
