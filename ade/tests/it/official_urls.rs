//! Our URL catalogue says what the official URL schemes say: every path, method, query parameter, body
//! and answer, both ways.

use std::fs;
use std::path::{Path, PathBuf};

use ade::catalog::{Catalog, Filter, LOCATION, Verb};
use ade::schema::{PathKind, Section, Standard};
use serde_json::Value;

/// What one official URL scheme file states: method, path, parameters and schemas of each operation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Operation {
    method: String,
    path: String,
    /// Query parameters; a required one ends in `!`.
    parameters: Vec<String>,
    body: Option<String>,
    answer: Option<String>,
}

/// The official name of a schema, through the components of the file; an array is `[name]`.
fn schema_name(file: &Value, schema: &Value) -> Option<String> {
    if schema["type"] == "array" {
        return Some(format!("[{}]", schema_name(file, &schema["items"])?));
    }
    let target = schema["$ref"].as_str()?;
    match target.strip_prefix("#/components/schemas/") {
        Some(name) => schema_name(file, &file["components"]["schemas"][name]),
        None => {
            let file = target.rsplit('/').next()?;
            file.strip_suffix(".json").map(str::to_owned)
        }
    }
}

fn operations(file: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, methods) in file["paths"].as_object().expect("paths") {
        let methods = methods.as_object().expect("methods");
        for (method, operation) in methods.iter().filter(|(method, _)| *method != "parameters") {
            let own = operation["parameters"].as_array().into_iter().flatten();
            let shared = methods.get("parameters").and_then(Value::as_array).into_iter().flatten();
            let parameters = own.chain(shared).filter_map(|parameter| {
                let parameter = match parameter["$ref"].as_str() {
                    Some(target) => file.pointer(target.trim_start_matches('#')).expect("a parameter"),
                    None => parameter,
                };
                let mark = if parameter["required"] == true { "!" } else { "" };
                let name = parameter["name"].as_str().expect("a name");
                (parameter["in"] == "query").then(|| format!("{name}{mark}"))
            });
            let mut parameters: Vec<String> = parameters.collect();
            parameters.sort_unstable();
            let content = |body: &Value| schema_name(file, &body["content"]["application/json"]["schema"]);
            found.push(Operation {
                method: method.clone(),
                path: path.clone(),
                parameters,
                body: content(&operation["requestBody"]),
                answer: content(&operation["responses"]["200"]),
            });
        }
    }
    found.sort_unstable();
    found
}

/// The operations our catalogue states for one scheme file.
fn catalogued(scheme: &str) -> Vec<Operation> {
    let mut found = Vec::new();
    for one in Catalog::get().collections().iter().filter(|one| one.scheme == scheme) {
        let mark = |filter: &Filter| {
            if one.required.contains(filter) { "!" } else { "" }
        };
        let mut parameters: Vec<String> = (one.filters.iter())
            .flat_map(|filter| filter.parameters().iter().map(move |name| format!("{name}{}", mark(filter))))
            .collect();
        parameters.sort_unstable();
        let resource = || Some(one.resource.clone());
        for verb in &one.verbs {
            let (method, path, parameters, body, answer) = match verb {
                Verb::Get if one.single => ("get", one.path(), parameters.clone(), None, resource()),
                Verb::Get => ("get", one.path(), parameters.clone(), None, collection_of(&one.resource)),
                Verb::Post => {
                    let body = one.declared.post.clone().or_else(resource);
                    ("post", one.path(), vec![], body, one.declared.answer.clone().or_else(resource))
                }
                Verb::Batch => {
                    let path = one.batch_path().expect("a batch name");
                    let body = Some(format!("[{}]", one.resource));
                    ("post", path, vec![], body, Some("[icarBatchResult]".to_owned()))
                }
                Verb::Delete => ("delete", one.path(), vec![], None, None),
            };
            found.push(Operation { method: method.to_owned(), path, parameters, body, answer });
        }
    }
    found.sort_unstable();
    found
}

/// The collection body whose members are that resource.
fn collection_of(resource: &str) -> Option<String> {
    let mut collections = Standard::get().declarations().iter().filter(|one| one.section == Section::Collection);
    let path = |name| Standard::get().resolve_path(name, "member").map(|info| info.kind);
    let found = collections.find(|one| matches!(path(one.name), Some(PathKind::Object(name)) if name == resource));
    found.map(|one| one.name.to_owned())
}

fn scheme_file(folder: &Path, scheme: &str) -> Value {
    let mut files = fs::read_dir(folder.join("url-schemes")).expect("a folder").map(|e| e.expect("an entry").path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        name == format!("{scheme}urlscheme.json")
    };
    crate::support::read(&files.find(is_it).unwrap_or_else(|| panic!("no file for {scheme}")))
}

#[test]
fn the_catalogue_says_what_the_url_schemes_say() {
    let Some(folder) = crate::support::official() else {
        return;
    };
    let schemes = ["registration", "reproduction", "milk", "performance", "health", "feed", "management", "sorting"];
    let mut total = 0;
    for scheme in schemes {
        let (ours, theirs) = (catalogued(scheme), operations(&scheme_file(&folder, scheme)));
        total += theirs.len();
        let surplus: Vec<_> = ours.iter().filter(|one| !theirs.contains(one)).collect();
        let missing: Vec<_> = theirs.iter().filter(|one| !ours.contains(one)).collect();
        assert!(surplus.is_empty() && missing.is_empty(), "{scheme}\nours only {surplus:#?}\ntheirs only {missing:#?}");
        assert_eq!(ours.len(), theirs.len(), "{scheme}");
    }
    assert_eq!(total, 169);
}

/// The example file repeats the GETs of the others, with fewer filters, and adds a few of its own.
#[test]
fn the_catalogue_covers_the_example_scheme() {
    let Some(folder) = crate::support::official() else {
        return;
    };
    let theirs = operations(&scheme_file(&folder, "example"));
    let examples = catalogued("example");
    let surplus: Vec<_> = examples.iter().filter(|one| !theirs.contains(one)).collect();
    assert!(surplus.is_empty(), "not in the example scheme: {surplus:?}");
    for one in &theirs {
        let name = one.path.rsplit_once("}/").map_or(one.path.trim_start_matches('/'), |(_, name)| name);
        let name = one.path.strip_prefix(LOCATION).map_or(name, |rest| rest.trim_start_matches('/'));
        let entry = Catalog::get().collection(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(entry.path(), one.path);
        assert_eq!(collection_of(&entry.resource), one.answer, "{name}");
        // It filters animal sets by animal, the management scheme does not.
        if name != "animal-sets" {
            let known: Vec<_> = entry.parameters().collect();
            for parameter in &one.parameters {
                assert!(known.contains(&parameter.trim_end_matches('!')), "{name}: {parameter}");
            }
        }
    }
}
