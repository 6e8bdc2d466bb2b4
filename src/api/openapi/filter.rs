//! `where` as a typed structure: for each collection its fields, for each kind of field its operators (docs/dialect.md,
//! *Operators*). Conditions through relations and joins are named by pattern, since their paths have no end.

use super::template::{Filling, SCHEMAS};
use super::{schema, to_schema};
use model::registry::{Class, Collection, Field, Kind, Registry};
use serde_json::{Map, Value, json};

/// Templates of the operators of a field with one value, and with a list of values.
const ONE: &str = "filter-of-one";
const SEVERAL: &str = "filter-of-several";

/// The operators of a field: of one value, or of a list of values.
fn operators(name: &str, value: Value) -> Value {
    Filling::new(&SCHEMAS, vec![("value", value)], Vec::new()).one(&SCHEMAS, name)
}

/// The structure of a collection's `where`.
pub(super) fn of(registry: &Registry, c: &Collection) -> Value {
    let mut properties = Map::new();
    for f in c.fields.iter().filter(|f| is_queryable(f)) {
        properties.insert(f.path.clone(), field(c, f));
    }
    for (canonical, alias) in &c.aliases {
        if let Some(one) = properties.get(*canonical).cloned() {
            properties.insert((*alias).to_owned(), one);
        }
    }
    let nested = json!({"type": "array", "items": to_schema(&format!("{}-where", c.slug))});
    properties.insert("and".to_owned(), nested.clone());
    properties.insert("or".to_owned(), nested);
    let mut out = json!({"type": "object", "properties": properties, "additionalProperties": false});
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
    let fields = c
        .fields
        .iter()
        .filter(|f| is_queryable(f) && matches!(f.kind, Kind::Relation(_) | Kind::Relations(_) | Kind::Rows(_)));
    let joins = c.joins.iter().filter(|j| registry.get(j.collection).is_some());
    (fields.map(|f| f.path.as_str())).chain(joins.map(|j| j.name))
}

fn is_queryable(f: &Field) -> bool {
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
        Kind::Select(_) => operators(ONE, chosen(c, f)),
        Kind::Selects(_) => operators(SEVERAL, chosen(c, f)),
        Kind::Relation(_) => to_schema("where-id"),
        Kind::Relations(_) => operators(SEVERAL, json!({"type": "integer"})),
        Kind::Texts(_) => operators(SEVERAL, json!({"type": "string"})),
    }
}
