//! `where` as a typed structure: for each collection its fields, for each kind of field its
//! operators (docs/dialect.md, *Operators*). Conditions through relations and joins are named by
//! pattern, since their paths have no end.

use super::{schema, to_schema};
use model::registry::{Class, Collection, Field, Kind, Registry};
use serde_json::{Map, Value, json};

/// Operators of each kind of field.
pub(super) fn shared() -> Map<String, Value> {
    let text = json!({"type": "string"});
    let number = json!({"type": "number"});
    let time =
        json!({"type": "string", "description": "An ISO day or instant; compared as instants."});
    let id = json!({"type": ["integer", "null"]});
    let any = json!({"type": ["string", "number", "boolean", "null"]});
    let relative = [
        "greater_than",
        "greater_than_equal",
        "less_than",
        "less_than_equal",
    ];
    let words = ["like", "not_like", "contains"];
    [
        ("where-text", operators(&text, &words, &[])),
        ("where-number", operators(&number, &[], &relative)),
        ("where-date", operators(&time, &[], &relative)),
        ("where-id", operators(&id, &[], &relative)),
        ("where-any", operators(&any, &words, &relative)),
        ("where-boolean", {
            let yes = json!({"type": "boolean"});
            object(Map::from_iter([
                ("equals".to_owned(), yes.clone()),
                ("not_equals".to_owned(), yes.clone()),
                ("exists".to_owned(), yes),
            ]))
        }),
        ("where-exists", {
            object(Map::from_iter([(
                "exists".to_owned(),
                json!({"type": "boolean"}),
            )]))
        }),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect()
}

/// The operators that every kind has, with those that it has besides.
fn operators(value: &Value, words: &[&str], relative: &[&str]) -> Value {
    let list = json!({"type": "array", "items": value});
    let mut out = Map::from_iter([
        ("equals".to_owned(), value.clone()),
        ("not_equals".to_owned(), value.clone()),
        ("in".to_owned(), list.clone()),
        ("not_in".to_owned(), list),
        ("exists".to_owned(), json!({"type": "boolean"})),
    ]);
    let text = json!({"type": "string"});
    out.extend(words.iter().map(|name| ((*name).to_owned(), text.clone())));
    out.extend(
        relative
            .iter()
            .map(|name| ((*name).to_owned(), value.clone())),
    );
    object(out)
}

/// The operators of a list of values: one of them, or all of them.
fn members(value: &Value) -> Value {
    let list = json!({"type": "array", "items": value});
    object(Map::from_iter([
        ("equals".to_owned(), value.clone()),
        ("not_equals".to_owned(), value.clone()),
        ("contains".to_owned(), value.clone()),
        ("in".to_owned(), list.clone()),
        ("not_in".to_owned(), list.clone()),
        ("all".to_owned(), list),
        ("exists".to_owned(), json!({"type": "boolean"})),
    ]))
}

fn object(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// The structure of a collection's `where`.
pub(super) fn of(registry: &Registry, c: &Collection) -> Value {
    let mut properties = Map::new();
    for f in c.fields.iter().filter(|f| asked(f)) {
        properties.insert(f.path.clone(), field(c, f));
    }
    for (canonical, alias) in &c.aliases {
        if let Some(one) = properties.get(*canonical).cloned() {
            properties.insert((*alias).to_owned(), one);
        }
    }
    let again = json!({"type": "array", "items": to_schema(&format!("{}-where", c.slug))});
    properties.insert("and".to_owned(), again.clone());
    properties.insert("or".to_owned(), again);
    let mut out = object(properties);
    let heads: Vec<&str> = heads(registry, c).collect();
    if let (false, Some(out)) = (heads.is_empty(), out.as_object_mut()) {
        let through = format!("^({})\\.[A-Za-z0-9_.]+$", heads.join("|"));
        let any = Map::from_iter([(through, to_schema("where-any"))]);
        out.insert("patternProperties".to_owned(), Value::Object(any));
        let about = "Fields that stand beside each other must all hold. A path may go on through a relation, \
                     such as `herd.organization.name`.";
        out.insert("description".to_owned(), about.into());
    }
    out
}

/// Where a path can go on: relations, joins, rows.
fn heads<'a>(registry: &'a Registry, c: &'a Collection) -> impl Iterator<Item = &'a str> {
    let fields = c.fields.iter().filter(|f| {
        asked(f)
            && matches!(
                f.kind,
                Kind::Relation(_) | Kind::Relations(_) | Kind::Rows(_)
            )
    });
    let joins = c
        .joins
        .iter()
        .filter(|j| registry.get(j.collection).is_some());
    (fields.map(|f| f.path.as_str())).chain(joins.map(|j| j.name))
}

fn asked(f: &Field) -> bool {
    f.class != Class::Hidden && f.kind != Kind::Password
}

/// The values of a field that has named ones.
fn chosen(c: &Collection, f: &Field) -> Value {
    schema::choice(c, f).map_or_else(|| json!({"type": "string"}), |name| to_schema(&name))
}

fn field(c: &Collection, f: &Field) -> Value {
    match &f.kind {
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password => to_schema("where-text"),
        Kind::Int if f.path == "id" => to_schema("where-id"),
        Kind::Int | Kind::Number => to_schema("where-number"),
        Kind::Day | Kind::Instant => to_schema("where-date"),
        Kind::Bool => to_schema("where-boolean"),
        Kind::Json | Kind::Rows(_) => to_schema("where-exists"),
        Kind::Select(_) => operators(&chosen(c, f), &[], &[]),
        Kind::Selects(_) => members(&chosen(c, f)),
        Kind::Relation(_) => to_schema("where-id"),
        Kind::Relations(_) => members(&json!({"type": "integer"})),
        Kind::Texts(_) => members(&json!({"type": "string"})),
    }
}
