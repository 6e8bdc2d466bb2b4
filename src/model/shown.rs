//! Documents as people read them, on pages and on paper: values as text, and what a record is called. Must not know how
//! they are laid out.

use crate::messages::{self, Language, labels};
use crate::registry::{Collection, Field, Kind, Registry};
use serde_json::Value;
use std::collections::BTreeMap;

/// The value at a path of a document; `a.b` is the member b of the member a.
pub fn at<'d>(document: &'d Value, path: &str) -> &'d Value {
    path.split('.').fold(document, |value, step| {
        value.get(step).unwrap_or(&Value::Null)
    })
}

/// Whether there is nothing to show.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        _ => false,
    }
}

/// The fields by which people call a record.
pub fn called(c: &Collection) -> Vec<&'static str> {
    let mut paths: Vec<&'static str> = c.label_field().into_iter().collect();
    for path in c.name_paths() {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// How a record is called.
pub fn name(c: &Collection, document: &Value) -> String {
    let words: Vec<&str> = (called(c).into_iter())
        .filter_map(|path| at(document, path).as_str())
        .filter(|text| !text.is_empty())
        .collect();
    match (words.is_empty(), document.get("id")) {
        (false, _) => words.join(" "),
        (true, Some(id)) => format!("№ {id}"),
        (true, None) => String::new(),
    }
}

/// The day of a point in time.
pub fn day_of(language: Language, iso: &str) -> String {
    messages::day(language, iso.get(..10).unwrap_or(iso))
}

/// A point in time to the minute, in UTC.
pub fn instant(language: Language, iso: &str) -> String {
    let minute = iso.get(11..16).unwrap_or_default();
    format!("{} {minute} UTC", day_of(language, iso))
}

/// A number as the language writes it.
pub fn number(language: Language, text: &str) -> String {
    match language {
        Language::Russian => text.replace('.', ","),
        Language::English => text.to_owned(),
    }
}

/// A related record by its name; one of which only the id is known by that.
pub fn related(registry: &Registry, slug: &str, value: &Value) -> String {
    match (value, registry.get(slug)) {
        (Value::Object(_), Some(target)) => name(target, value),
        (Value::Object(_) | Value::Null, _) => String::new(),
        (id, _) => format!("№ {id}"),
    }
}

/// A field with its path in the whole collection: a member of a list has the path of the list before its own.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'f> {
    /// The collection.
    pub collection: &'f Collection,
    /// The field.
    pub field: &'f Field,
    /// Its path.
    pub path: &'f str,
}

impl<'f> Shown<'f> {
    /// A field that is no member of a list.
    pub fn of(collection: &'f Collection, field: &'f Field) -> Self {
        Self {
            collection,
            field,
            path: &field.path,
        }
    }

    /// A value of it as text; nothing for an empty one.
    pub fn text(self, registry: &Registry, language: Language, value: &Value) -> String {
        let option = |word: &str| labels::option(language, self.collection.slug, self.path, word);
        let strings = |all: &'_ [Value], text: &dyn Fn(&str) -> String| {
            let all: Vec<String> = all.iter().filter_map(Value::as_str).map(text).collect();
            all.join(", ")
        };
        match (&self.field.kind, value) {
            (_, Value::Null) => String::new(),
            (Kind::Bool, Value::Bool(yes)) => {
                let word = if *yes { "page-yes" } else { "page-no" };
                messages::text(language, word, &BTreeMap::new())
            }
            (Kind::Day, Value::String(iso)) => day_of(language, iso),
            (Kind::Instant, Value::String(iso)) => instant(language, iso),
            (Kind::Int | Kind::Number, Value::Number(_)) => number(language, &value.to_string()),
            (Kind::Select(_), Value::String(word)) => option(word),
            (Kind::Selects(_), Value::Array(all)) => strings(all, &option),
            (Kind::Texts(_), Value::Array(all)) => strings(all, &str::to_owned),
            (Kind::Relation(to), _) => related(registry, to, value),
            (Kind::Relations(to), Value::Array(all)) => {
                let all: Vec<String> = all.iter().map(|one| related(registry, to, one)).collect();
                all.join(", ")
            }
            (_, Value::String(text)) => text.clone(),
            _ => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Access, Rule, fields, int, number, select, texts};
    use serde_json::json;

    #[test]
    fn values_are_written_as_the_language_does() {
        let fields = fields![
            number("share") => "A share.",
            int("count") => "A count.",
            texts("places", 40) => "Places.",
            select("sex", "female|male") => "The sex.",
        ];
        let c = Collection::new("animals", Access::read(Rule::Any), fields);
        let registry = Registry::build(Vec::new()).unwrap();
        for (path, value, russian) in [
            ("share", json!(4.25), "4,25"),
            ("count", json!(-3), "-3"),
            ("count", Value::Null, ""),
            ("places", json!(["A", "B"]), "A, B"),
            ("sex", json!("female"), "Самка"),
            (
                "createdAt",
                json!("2026-02-05T06:40:00.000Z"),
                "05.02.2026 06:40 UTC",
            ),
        ] {
            let shown = Shown::of(&c, c.field(path).unwrap());
            let text = shown.text(&registry, Language::Russian, &value);
            assert_eq!(text, russian, "{path}");
        }
        assert_eq!(related(&registry, "animals", &json!(7)), "№ 7");
        assert_eq!(
            day_of(Language::Russian, "2026-02-05T00:00:00.000Z"),
            "05.02.2026"
        );
        assert_eq!(day_of(Language::English, "2026-02-05"), "2026-02-05");
    }
}
