//! The ADE face, from the catalogue of the standard and the mappings that are served. Schemas of documents are the
//! standard's own.

use super::template::{ADE, EXCHANGE, Filling, SCHEMAS};
use super::to_schema;
use crate::ade::query::filters;
use ade::catalog::{Catalog, CollectionEntry, Verb};
use ade::schema::{Section, Standard};
use exchange::LOCATIONS;
use mapping::{Mapping, Mappings, Part};
use serde_json::{Map, Value, json};

/// Where schemas are.
const SCHEMAS_AT: &str = "#/components/schemas/";
/// What operations on no single collection belong to.
const PLACES: &str = "Exchange · Locations";
const SETS: &str = "Exchange · Data sets";

/// Collections that stand at a location.
fn located(mappings: &Mappings) -> impl Iterator<Item = &Mapping> {
    mappings.all().filter(|m| m.has(Part::Location) && m.dataset() != LOCATIONS)
}

fn tag(mapping: &Mapping) -> String {
    format!("Exchange · {}", mapping.dataset())
}

pub(super) fn tags(mappings: &Mappings) -> Vec<Value> {
    let one = |name: &str, about: &str| json!({"name": name, "description": format!("ICAR ADE 1.5.1{about}")});
    let mut out =
        vec![one(PLACES, ": the locations of the caller."), one(SETS, ", generic data exchange: changes and pushes.")];
    out.extend(located(mappings).map(|m| one(&tag(m), &format!(": {}", m.resource()))));
    out
}

/// All schemas of the standard, by their official names, and those of the face.
pub(super) fn schemas(mappings: &Mappings) -> Map<String, Value> {
    let all = Standard::get().declarations().iter();
    let used = all.filter(|d| d.section != Section::Collection);
    let mut out: Map<String, Value> = used.map(|d| (d.name.to_owned(), d.json_schema(SCHEMAS_AT))).collect();
    let mut resources: Vec<&str> = located(mappings).map(Mapping::resource).collect();
    resources.sort_unstable();
    resources.dedup();
    let resources: Vec<Value> = resources.into_iter().map(to_schema).collect();
    let filling = Filling::new(&ADE, vec![("resources", resources.into())], Vec::new());
    out.extend(filling.members(&SCHEMAS, "exchange"));
    out
}

/// Whether the caller sends data at all, and whether of a data set.
pub(super) type Sends<'s> = (bool, &'s dyn Fn(&Mapping) -> bool);

/// All addresses, and those that send data as far as the caller may.
pub(super) fn paths(mappings: &Mappings, (writes, sends): Sends<'_>) -> Map<String, Value> {
    let filling = Filling::new(&ADE, Vec::new(), Vec::new()).when("sends", writes);
    let mut out = filling.paths(&EXCHANGE, "paths");
    for mapping in located(mappings) {
        let sends = sends(mapping);
        let filling = of_mapping(mapping, mapping.dataset(), sends);
        out.extend(filling.paths(&EXCHANGE, "collections"));
        out.extend(filling.paths(&EXCHANGE, "resources"));
        if sends && mapping.can_batch() {
            out.extend(filling.paths(&EXCHANGE, "batches"));
        }
    }
    out.extend(second_names(mappings, sends));
    out.extend(without_data_set(mappings, writes));
    out
}

/// The templates of a data set under one of its names.
fn of_mapping(mapping: &Mapping, name: &str, posts: bool) -> Filling<'static> {
    let holes = vec![
        ("name", name.into()),
        ("type", type_name(name).into()),
        ("tag", tag(mapping).into()),
        ("resource", mapping.resource().into()),
        ("filters", filters_of(mapping).into()),
    ];
    Filling::new(&ADE, holes, Vec::new()).when("posts", posts && mapping.can_post())
}

/// `TestDayResults` from `test-day-results`, `SchemataSchemeType` from `schemata/{scheme-type}`.
fn type_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

fn query(name: &str) -> Value {
    json!({
        "name": name, "in": "query", "schema": {"type": "string"},
        "description": "A filter of the standard, or the page.",
    })
}

fn filters_of(mapping: &Mapping) -> Vec<Value> {
    let required = filters::required(mapping);
    let mut all = Vec::new();
    for filter in filters::of(mapping) {
        for name in filter.parameters() {
            let mut one = query(name);
            if let Value::Object(members) = &mut one {
                if let Some(codes) = filters::codes_of(name) {
                    let schema = json!({"type": "string", "enum": codes});
                    members.insert("schema".to_owned(), schema);
                }
                if required.contains(&filter) {
                    members.insert("required".to_owned(), true.into());
                }
            }
            all.push(one);
        }
    }
    all
}

/// The addresses that lead to the data sets under other names: second names and older spellings.
fn second_names(mappings: &Mappings, sends: &dyn Fn(&Mapping) -> bool) -> Map<String, Value> {
    let mut out = Map::new();
    let entries = Catalog::get().collections().iter().filter(|e| e.scoped);
    for entry in entries {
        let own = entry.same_as.as_ref().unwrap_or(&entry.name);
        let Some(mapping) = mappings.all().find(|m| m.dataset() == own) else {
            continue;
        };
        let writes = sends(mapping);
        let second = entry.same_as.is_some().then_some(&entry.name);
        // Some are names of batches only.
        let read = second.filter(|_| entry.allows(Verb::Get));
        for name in read.into_iter().chain(&entry.aliases) {
            let filling = of_mapping(mapping, name, writes && entry.allows(Verb::Post));
            let mut paths = filling.paths(&EXCHANGE, "collections");
            note(&mut paths, own, entry, Some(name) != second);
            out.extend(paths);
        }
        if !(writes && mapping.can_batch() && entry.allows(Verb::Batch)) {
            continue;
        }
        let batches = second.into_iter().chain(&entry.aliases).map(String::as_str);
        let batch = entry.batch_name().filter(|name| name != own);
        for name in batches.chain(batch) {
            let mut paths = of_mapping(mapping, name, true).paths(&EXCHANGE, "batches");
            let older = entry.aliases.iter().any(|alias| alias == name);
            note(&mut paths, own, entry, older);
            out.extend(paths);
        }
    }
    out
}

/// Says of which collection operations are another name, and whether it is better not used.
fn note(paths: &mut Map<String, Value>, own: &str, entry: &CollectionEntry, older: bool) {
    let items = paths.values_mut().filter_map(Value::as_object_mut);
    let operations = items.flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut) {
        let text = format!("Another name of `{own}`: the same data.");
        operation.insert("description".to_owned(), text.into());
        if older || entry.deprecated.is_some() {
            operation.insert("deprecated".to_owned(), true.into());
        }
    }
}

/// The addresses at locations without a data set: values that are computed on request, lists of words, the command for
/// one animal.
fn without_data_set(mappings: &Mappings, writes: bool) -> Map<String, Value> {
    let mut out = Map::new();
    let entries = Catalog::get().collections().iter();
    let entries = entries.filter(|e| e.scoped && e.same_as.is_none());
    for entry in entries.filter(|e| mappings.all().all(|m| m.dataset() != e.name)) {
        let tag = mappings.all().find(|m| m.resource() == entry.resource).map(tag);
        let within = (entry.name.split('/')).filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(|name| {
            json!({
                "name": name, "in": "path", "required": true, "schema": {"type": "string"},
                "description": "As in an identifier.",
            })
        });
        let holes = vec![
            ("path", entry.path().into()),
            ("name", entry.name.as_str().into()),
            ("type", type_name(&entry.name).into()),
            ("tag", tag.unwrap_or_else(|| PLACES.to_owned()).into()),
            ("resource", entry.resource.as_str().into()),
            ("within", within.collect()),
            ("filters", entry.parameters().map(query).collect()),
        ];
        let filling = Filling::new(&ADE, holes, Vec::new())
            .when("reads", entry.allows(Verb::Get))
            .when("retracts", writes && entry.allows(Verb::Delete));
        let section = if entry.single { "single" } else { "list" };
        out.extend(filling.paths(&EXCHANGE, section));
    }
    out
}
