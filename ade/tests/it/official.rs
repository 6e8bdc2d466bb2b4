//! Our notation says what the official files say: every name, base, member, type, mark,
//! code, format and limit, both ways.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ade::schema::{Section, Standard};
use serde_json::{Map, Value, json};

/// The keywords that decide about validity or that the notation contains; the rest is annotation.
const KEYWORDS: [&str; 13] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "format",
    "pattern",
    "minimum",
    "maxLength",
    "minItems",
    "deprecated",
    "$ref",
    "anyOf",
];
/// Formats that say how to store a number, not which numbers are valid.
const STORAGE_FORMATS: [&str; 3] = ["int32", "double", "integer"];

fn reference(target: &str) -> Value {
    let file = target.rsplit('/').next().unwrap_or(target);
    let name = file.strip_suffix(".json").unwrap_or(file);
    json!(if target.contains("geojson.org") { "GeoJsonGeometry" } else { name })
}

/// The schema with these keywords only, in one form.
fn normal(schema: &Value) -> Value {
    let Value::Object(members) = schema else { panic!("no schema: {schema}") };
    let mut out = Map::new();
    if let Some(all) = members.get("allOf").and_then(Value::as_array) {
        let (bases, own): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|part| part.get("$ref").is_some());
        let bases: Vec<Value> =
            bases.iter().map(|base| reference(base["$ref"].as_str().expect("a reference"))).collect();
        out.insert("bases".into(), json!(bases));
        let rest: Map<String, Value> =
            members.iter().filter(|(key, _)| *key != "allOf").map(|(k, v)| (k.clone(), v.clone())).collect();
        for part in own.into_iter().cloned().chain([Value::Object(rest)]) {
            merge(&mut out, normal(&part));
        }
        out.insert("type".into(), json!("object"));
        return Value::Object(out);
    }
    if let Some(cases) = members.get("oneOf").and_then(Value::as_array) {
        return json!({"oneOf": cases.iter().map(normal).collect::<Vec<_>>()});
    }
    for (key, value) in members.iter().filter(|(key, _)| KEYWORDS.contains(&key.as_str())) {
        let value = match key.as_str() {
            "properties" => {
                let properties = value.as_object().expect("properties");
                if properties.is_empty() {
                    continue;
                }
                properties.iter().map(|(name, schema)| (name.clone(), normal(schema))).collect()
            }
            "items" => normal(value),
            "anyOf" => json!(value.as_array().expect("anyOf").iter().map(normal).collect::<Vec<_>>()),
            "required" => sorted(value),
            "type" if value.is_array() => sorted(value),
            "$ref" => reference(value.as_str().expect("a reference")),
            "pattern" => json!(value.as_str().expect("a pattern").replace("\\/", "/")),
            "minimum" => json!(value.as_f64()),
            "format" if STORAGE_FORMATS.contains(&value.as_str().expect("a format")) => continue,
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    out.sort_keys();
    Value::Object(out)
}

fn merge(into: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { panic!("no schema") };
    for (key, value) in part {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
            (Some(Value::Array(old)), Value::Array(new)) => {
                old.extend(new);
                old.sort_by_key(ToString::to_string);
            }
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

fn sorted(list: &Value) -> Value {
    let mut list = list.as_array().expect("a list").clone();
    list.sort_by_key(ToString::to_string);
    Value::Array(list)
}

fn official_schemas(folder: &Path) -> BTreeMap<String, (Section, Value)> {
    let sections = [
        ("resources", Section::Resource),
        ("types", Section::Type),
        ("enums", Section::Enum),
        ("collections", Section::Collection),
    ];
    let mut found = BTreeMap::new();
    for (sub, section) in sections {
        for entry in fs::read_dir(folder.join(sub)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "json") {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                found.insert(name, (section, normal(&crate::support::read(&path))));
            }
        }
    }
    let geometry = crate::support::read(&folder.join("external/geojson.org/schema/Geometry.json"));
    found.insert("GeoJsonGeometry".into(), (Section::Type, normal(&geometry)));
    found
}

#[test]
fn every_schema_says_what_the_official_file_says() {
    let Some(folder) = crate::support::official() else {
        return;
    };
    let official = official_schemas(&folder);
    assert!(official.len() > 280, "only {} official schemas", official.len());
    let mut differences = Vec::new();
    for one in Standard::get().declarations() {
        match official.get(one.name) {
            None => differences.push(format!("{}: not in the standard", one.name)),
            Some((_, theirs)) => {
                let ours = normal(&one.json_schema(""));
                if ours != *theirs {
                    differences.push(format!("{}\n    ours   {ours}\n    theirs {theirs}", one.name));
                }
            }
        }
    }
    for (name, (section, _)) in &official {
        match Standard::get().declaration(name) {
            None => differences.push(format!("{name}: not in our notation")),
            // The two bodies without a base of their own are declared as types.
            Some(one) if one.section != *section && !one.name.ends_with("Collection") => {
                differences.push(format!("{name}: {:?} is {section:?} in the standard", one.section));
            }
            Some(_) => {}
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

/// `resourceType` may have any value that the resource type catalogue lists, misspelled rows included.
#[test]
fn every_row_of_the_resource_type_catalogue_is_a_resource() {
    let Some(folder) = crate::support::official() else {
        return;
    };
    let table = fs::read_to_string(folder.join("resources/resourceTypeCatalog.md")).expect("the catalogue");
    let rows: Vec<&str> = table.split("**").filter(|cell| cell.starts_with("icar")).collect();
    assert_eq!(rows.len(), 66);
    for row in rows {
        assert!(Standard::get().resource(row).is_some(), "{row}");
    }
}
