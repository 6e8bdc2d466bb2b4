//! Schemas of documents and bodies, from the declarations.

use super::template::{Filling, SCHEMAS};
use super::to_schema;
use model::registry::{Class, Collection, Field, Kind, Node, Registry, Writer};
use serde_json::{Map, Value, json};

/// A relation, an id or a document in its place.
const ID: &str = "id";

/// The place of a schema: answers and bodies differ in relations and in times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Answer,
    /// A body; with whether all that is required must be there.
    Body {
        whole: bool,
    },
}

/// The schemas of a collection: document, list, and the bodies of a create and of an update.
pub(super) fn of(registry: &Registry, c: &Collection) -> Map<String, Value> {
    let slug = c.slug;
    let choices = c.fields.iter().filter(|f| is_visible(f));
    let mut out: Map<String, Value> = choices.filter_map(|f| Some((choice(c, f)?, options(f)?))).collect();
    let whole = Side::Body { whole: true };
    let parts = Side::Body { whole: false };
    out.insert(slug.to_owned(), record(registry, c, Side::Answer));
    let filling = Filling::new(&SCHEMAS, vec![("slug", slug.into())], Vec::new());
    out.extend(filling.members(&SCHEMAS, "collection"));
    out.extend([
        (format!("{slug}-create"), record(registry, c, whole)),
        (format!("{slug}-update"), record(registry, c, parts)),
    ]);
    out
}

/// The name of the schema of a field's values, which generators make a type of.
pub(super) fn choice(c: &Collection, f: &Field) -> Option<String> {
    let chosen = matches!(f.kind, Kind::Select(_) | Kind::Selects(_));
    chosen.then(|| format!("{}-{}", c.slug, f.path))
}

fn options(f: &Field) -> Option<Value> {
    match &f.kind {
        Kind::Select(options) | Kind::Selects(options) => Some(json!({"type": "string", "enum": options})),
        _ => None,
    }
}

fn record(registry: &Registry, c: &Collection, side: Side) -> Value {
    let mut properties = nodes(registry, c, &c.layout, side);
    if side == Side::Answer {
        for (canonical, alias) in &c.aliases {
            if let Some(one) = properties.get(*canonical).cloned() {
                properties.insert((*alias).to_owned(), one);
            }
        }
        for join in &c.joins {
            if registry.get(join.collection).is_some() {
                properties.insert(join.name.to_owned(), joined(join.collection));
            }
        }
        if c.auth {
            properties.insert("collection".to_owned(), json!({"type": "string"}));
        }
    } else {
        properties.shift_remove(ID);
    }
    let mut out = json!({"type": "object", "description": c.doc, "properties": properties});
    let required: Vec<&str> = match side {
        Side::Answer => vec![ID],
        Side::Body { whole: true } => required(c),
        Side::Body { whole: false } => Vec::new(),
    };
    if let Some(out) = out.as_object_mut() {
        // Generators name types after titles, so that only one schema may have it.
        if side == Side::Answer {
            out.insert("title".to_owned(), c.singular.as_str().into());
        }
        if !required.is_empty() {
            out.insert("required".to_owned(), json!(required));
        }
        if let Side::Body { whole } = side {
            out.insert("examples".to_owned(), json!([example(c, whole)]));
        }
    }
    out
}

/// Top-level members that a create must have. What has a default, comes from the session or has another name may
/// be absent.
fn required(c: &Collection) -> Vec<&str> {
    let must = |f: &&Field| {
        f.must_come()
            && is_visible(f)
            && !f.path.contains('.')
            && !c.aliases.iter().any(|(canonical, _)| *canonical == f.path)
    };
    (c.fields.iter().filter(must)).map(|f| f.path.as_str()).collect()
}

fn nodes(registry: &Registry, c: &Collection, all: &[Node], side: Side) -> Map<String, Value> {
    let mut out = Map::new();
    for node in all {
        match node {
            Node::Leaf(slot) => {
                let moved = side == (Side::Body { whole: false }) && c.moved_by_association(*slot);
                let has_field = |f: &&Field| stands(f, side) || (moved && is_visible(f));
                if let Some(f) = c.fields.get(*slot).filter(has_field) {
                    out.insert(f.name().to_owned(), field(registry, Some(c), f, side));
                }
            }
            Node::Group(name, members) => {
                let members = nodes(registry, c, members, side);
                if !members.is_empty() {
                    let group = json!({"type": ["object", "null"], "properties": members});
                    out.insert(name.clone(), group);
                }
            }
        }
    }
    out
}

/// Whether callers can see the field at all.
fn is_visible(f: &Field) -> bool {
    f.class != Class::Hidden || f.kind == Kind::Password
}

fn stands(f: &Field, side: Side) -> bool {
    match side {
        Side::Answer => f.class != Class::Hidden && f.kind != Kind::Password,
        Side::Body { .. } => f.writer != Writer::Server && is_visible(f),
    }
}

fn field(registry: &Registry, c: Option<&Collection>, f: &Field, side: Side) -> Value {
    let reference = c.and_then(|c| choice(c, f)).map(|name| to_schema(&name));
    let mut out = match (reference, &f.kind) {
        (Some(one), Kind::Selects(_)) => json!({"type": "array", "items": one}),
        (Some(one), _) => one,
        (None, _) => kind(registry, f, side),
    };
    let bare = f.path == ID;
    if !(bare || f.required) {
        out = nullable(out);
    }
    if let Some(map) = out.as_object_mut() {
        if !f.doc.is_empty() {
            map.insert("description".to_owned(), f.doc.into());
        }
        if side == Side::Answer && f.writer == Writer::Server {
            map.insert("readOnly".to_owned(), true.into());
        }
        if f.kind == Kind::Password {
            map.insert("writeOnly".to_owned(), true.into());
        }
        // Generated clients send a default: one that is another for farms would be refused.
        if let (Side::Body { whole: true }, Some(default), None) = (side, &f.default, f.typed)
            && let Some(json) = plain(default)
        {
            map.insert("default".to_owned(), json);
        }
    }
    out
}

fn plain(value: &model::record::Value) -> Option<Value> {
    use model::record::Value as V;
    match value {
        V::Bool(b) => Some(json!(b)),
        V::Int(i) => Some(json!(i)),
        V::Num(n) => Some(json!(n)),
        V::Text(t) => Some(json!(t)),
        _ => None,
    }
}

/// The schema of the same values and null.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut map) = schema else {
        return schema;
    };
    if let Some(Value::String(one)) = map.get("type").cloned() {
        map.insert("type".to_owned(), json!([one, "null"]));
        if let Some(Value::Array(values)) = map.get_mut("enum") {
            values.push(Value::Null);
        }
    } else if let Some(Value::Array(options)) = map.get_mut("oneOf") {
        options.push(json!({"type": "null"}));
    } else if map.contains_key("$ref") {
        return json!({"anyOf": [map, {"type": "null"}]});
    }
    Value::Object(map)
}

fn kind(registry: &Registry, f: &Field, side: Side) -> Value {
    match &f.kind {
        Kind::Text(max) => json!({"type": "string", "maxLength": max}),
        Kind::LongText => json!({"type": "string"}),
        Kind::Email => json!({"type": "string", "format": "email", "maxLength": 254}),
        Kind::Password => {
            json!({"type": "string", "format": "password", "minLength": f.min.unwrap_or(1.0) as i64})
        }
        Kind::Int if f.path == ID => to_schema(ID),
        Kind::Int => bounded("integer", f),
        Kind::Number => bounded("number", f),
        Kind::Day | Kind::Instant => moment(&f.kind, side),
        Kind::Bool => json!({"type": "boolean"}),
        Kind::Json => json!({}),
        Kind::Texts(max) => {
            json!({"type": "array", "items": {"type": "string", "maxLength": max}})
        }
        Kind::Select(options) => json!({"type": "string", "enum": options}),
        Kind::Selects(options) => {
            json!({"type": "array", "items": {"type": "string", "enum": options}})
        }
        Kind::Relation(to) => relation(registry, to, side),
        Kind::Relations(to) => json!({"type": "array", "items": relation(registry, to, side)}),
        Kind::Rows(subs) => rows(registry, subs, side),
    }
}

fn bounded(name: &str, f: &Field) -> Value {
    let mut out = Map::from_iter([("type".to_owned(), json!(name))]);
    let whole = |n: f64| {
        if name == "integer" { json!(n as i64) } else { json!(n) }
    };
    // A computed value may lie outside of what may be sent.
    if f.writer != Writer::Server {
        out.extend(f.min.map(|n| ("minimum".to_owned(), whole(n))));
        out.extend(f.max.map(|n| ("maximum".to_owned(), whole(n))));
    }
    Value::Object(out)
}

/// Answers have an instant always; bodies may have a day.
fn moment(kind: &Kind, side: Side) -> Value {
    match side {
        Side::Answer => json!({"type": "string", "format": "date-time"}),
        Side::Body { .. } if *kind == Kind::Day => json!({
            "oneOf": [
                {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
                {"type": "string", "format": "date-time", "pattern": "[Tt]"},
            ],
        }),
        Side::Body { .. } => json!({
            "oneOf": [
                {"type": "string", "format": "date-time", "pattern": "[Tt]"},
                {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
            ],
        }),
    }
}

/// Answers have the id, or the document where `depth` asks for it; bodies the id.
fn relation(registry: &Registry, to: &str, side: Side) -> Value {
    match side {
        Side::Answer if registry.get(to).is_some() => {
            json!({"oneOf": [{"type": "integer"}, to_schema(to)]})
        }
        _ => json!({"type": "integer", "minimum": 1}),
    }
}

fn rows(registry: &Registry, subs: &[Field], side: Side) -> Value {
    let mut properties = Map::from_iter([(
        ID.to_owned(),
        json!({"type": ["string", "null"], "description": "Key of the row within its record."}),
    )]);
    let members = subs.iter().filter(|f| stands(f, side));
    properties.extend(members.map(|f| (f.path.clone(), field(registry, None, f, side))));
    let mut items = json!({"type": "object", "properties": properties});
    let required: Vec<&str> = subs.iter().filter(|f| f.must_come()).map(|f| f.path.as_str()).collect();
    if side != Side::Answer
        && !required.is_empty()
        && let Some(items) = items.as_object_mut()
    {
        items.insert("required".to_owned(), json!(required));
    }
    json!({"type": "array", "items": items})
}

fn joined(slug: &str) -> Value {
    let filling = Filling::new(&SCHEMAS, vec![("of", slug.into())], Vec::new());
    filling.one(&SCHEMAS, "join")
}

/// A body that fulfils its own schema: what is required, and the first few fields beside.
pub(super) fn example(c: &Collection, whole: bool) -> Value {
    let must = required(c);
    let mut out = Map::new();
    let mut room = if whole { 4 } else { 2 };
    for f in &c.fields {
        let name = f.path.as_str();
        let wanted = whole && must.contains(&name);
        let fits_example = room > 0 && !f.path.contains('.') && !f.session && f.writer == Writer::Anyone;
        if f.path == ID || !stands(f, Side::Body { whole }) || !(wanted || fits_example) {
            continue;
        }
        if let Some(value) = sample(f) {
            room -= i32::from(!wanted);
            out.insert(f.path.clone(), value);
        }
    }
    Value::Object(out)
}

fn sample(f: &Field) -> Option<Value> {
    let middle = match (f.min, f.max) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        (Some(low), None) => low + 1.0,
        (None, Some(high)) => high,
        (None, None) => 1.0,
    };
    Some(match &f.kind {
        Kind::Text(max) => json!(f.name().chars().take(*max).collect::<String>()),
        Kind::LongText => json!("As stated by the farm."),
        Kind::Email => json!("farm1@demo.herdbook"),
        Kind::Password => json!("correct horse battery"),
        Kind::Int => json!(middle.round() as i64),
        Kind::Number => json!((middle * 10.0).round() / 10.0),
        Kind::Day => json!("2026-01-10"),
        Kind::Instant => json!("2026-01-10T06:30:00Z"),
        Kind::Bool => json!(true),
        Kind::Select(options) => json!(options.first()?),
        Kind::Selects(options) => json!([options.first()?]),
        Kind::Texts(_) => json!([f.name()]),
        Kind::Relation(_) => json!(1),
        Kind::Relations(_) => json!([1]),
        Kind::Rows(subs) => {
            let must = subs.iter().filter(|s| s.required);
            let row: Map<_, _> = must.filter_map(|s| Some((s.path.clone(), sample(s)?))).collect();
            if row.is_empty() {
                return None;
            }
            json!([row])
        }
        Kind::Json => return None,
    })
}
