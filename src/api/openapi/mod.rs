//! The OpenAPI 3.1 document of both faces, made once from the registry and the ADE catalogue, and a page that shows
//! it. What a collection is called, what it takes and what it answers is read from its declaration; nothing here
//! knows a collection by name.

mod collection;
mod exchange;
mod filter;
mod parts;
mod schema;
mod serve;
mod template;

pub(crate) use serve::router;

use mapping::Mappings;
use model::registry::Registry;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use template::{DOCUMENT, Filling, SCHEMAS};

/// `#/components/schemas/<name>`
fn to_schema(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// What the document depends on beside the declarations.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Name of the service, also that of its cookie.
    pub service: &'a str,
    /// Levels of expansion when the caller does not say.
    pub depth: u8,
}

/// The whole document.
pub fn document(registry: &Registry, mappings: &Mappings, facts: &Facts<'_>) -> Value {
    let mut tags: Vec<Value> = Vec::new();
    let mut paths = Map::new();
    let plain = Filling::new(&SCHEMAS, Vec::new(), Vec::new());
    let mut schemas = plain.members(&SCHEMAS, "shared");
    let mut accounts = Map::new();
    for c in registry.iter() {
        tags.push(json!({"name": collection::tag(c), "description": c.doc}));
        schemas.extend(schema::of(registry, c));
        schemas.insert(format!("{}-where", c.slug), filter::of(registry, c));
        paths.extend(collection::paths(registry, c));
        if c.auth {
            tags.push(json!({
                "name": collection::sign_in_tag(c),
                "description": "Signing in and out, and what belongs to it.",
            }));
            let filling = Filling::new(&SCHEMAS, collection::holes(c), Vec::new());
            accounts.extend(filling.members(&SCHEMAS, "accounts"));
        }
    }
    schemas.extend(accounts);
    schemas.extend(plain.members(&SCHEMAS, "server"));
    tags.extend(exchange::tags(mappings));
    paths.extend(exchange::paths(mappings, (true, &|_| true)));
    schemas.extend(exchange::schemas(mappings));
    tags.push(json!({"name": "Platform · Server", "description": "About the server itself."}));
    paths.extend(collection::server());
    schemas.extend(plain.members(&SCHEMAS, "beside"));
    assembled(facts, Part::Whole, (tags, paths, schemas))
}

/// The document of the exchange alone, for a caller who may send data or may not.
pub(super) fn exchange_only(mappings: &Mappings, facts: &Facts<'_>, sends: exchange::Sends<'_>) -> Value {
    let tags = exchange::tags(mappings);
    let paths = exchange::paths(mappings, sends);
    let schemas = exchange::schemas(mappings);
    assembled(facts, Part::Exchange, (tags, paths, schemas))
}

/// Which faces a document describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Exchange,
}

type Content = (Vec<Value>, Map<String, Value>, Map<String, Value>);

fn assembled(facts: &Facts<'_>, part: Part, (tags, paths, schemas): Content) -> Value {
    let whole = part == Part::Whole;
    let filling = Filling::new(&DOCUMENT, Vec::new(), Vec::new()).when("whole", whole);
    let filling = filling.with([("service", facts.service.into()), ("depth", facts.depth.into())]);
    let info = filling.hole(if whole { "whole" } else { "exchange" });
    let filling = filling.with([
        ("info", info.unwrap_or_default()),
        ("tags", tags.into()),
        ("paths", paths.into()),
        ("schemas", schemas.into()),
    ]);
    let mut document = filling.one(&DOCUMENT, "document");
    prune(&mut document);
    document
}

/// The places that a value itself refers to, such as `/components/schemas/animals`.
fn references(value: &Value) -> BTreeSet<String> {
    let (mut places, mut open) = (BTreeSet::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                open.extend(members.values());
                let to = members.get("$ref").and_then(Value::as_str);
                places.extend(to.and_then(|to| to.strip_prefix('#')).map(str::to_owned));
            }
            _ => {}
        }
    }
    places
}

/// Drops what nothing refers to: of the standard's schemas those of types that are not served.
fn prune(document: &mut Value) {
    const PLACE: &str = "/components/";
    let mut used = BTreeSet::new();
    let mut open = document.get("paths").map(references).unwrap_or_default();
    while let Some(place) = open.pop_first() {
        let further = document.pointer(&place).map(references).unwrap_or_default();
        used.insert(place);
        open.extend(further.into_iter().filter(|place| !used.contains(place)));
    }
    for kind in ["schemas", "parameters", "responses", "headers"] {
        let place = format!("{PLACE}{kind}");
        if let Some(all) = document.pointer_mut(&place).and_then(Value::as_object_mut) {
            all.retain(|name, _| used.contains(&format!("{place}/{name}")));
        }
    }
}
