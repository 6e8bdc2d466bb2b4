//! The description of the faces: consistent, complete, with valid examples, and a page that needs no other files.
//! Whether answers are as described is shown on the demonstration book (`walk`).

use crate::rest::stage::{Stage, request};
use axum::body::Body;
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const METHODS: [&str; 5] = ["get", "post", "patch", "put", "delete"];

async fn described() -> (Stage, Value) {
    let stage = Stage::new().await;
    let answer = stage.ask(request("GET", "/api-docs/openapi.json", &[], Body::empty())).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    let document = answer.json();
    (stage, document)
}

/// A schema of the document, with everything it refers to.
pub(crate) fn validator(document: &Value, schema: &Value) -> Validator {
    let mut whole = json!({"components": document["components"]});
    whole["allOf"] = json!([schema]);
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    options.build(&whole).unwrap()
}

/// `(path, method, operation)`
fn operations(document: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let all = item.as_object().unwrap().iter();
        all.filter(|(method, _)| METHODS.contains(&method.as_str()))
            .map(move |(method, operation)| (path, method, operation))
    })
}

fn each<'v>(value: &'v Value, seen: &mut dyn FnMut(&'v Map<String, Value>)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| each(item, seen)),
        Value::Object(members) => {
            seen(members);
            members.values().for_each(|member| each(member, seen));
        }
        _ => {}
    }
}

#[tokio::test]
async fn what_is_referred_to_is_there_and_what_is_there_is_referred_to() {
    let (_stage, document) = described().await;
    assert!(!document.to_string().contains("${"), "a hole of a template");
    let mut used = BTreeSet::new();
    each(&document, &mut |members| {
        if let Some(Value::String(to)) = members.get("$ref") {
            let place = to.strip_prefix('#').unwrap();
            assert!(document.pointer(place).is_some(), "{to} is not there");
            used.insert(place.to_owned());
        }
    });
    for kind in ["schemas", "parameters", "responses", "headers"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let place = format!("/components/{kind}/{name}");
            assert!(used.contains(&place), "nothing uses {place}");
        }
    }
    let tags: BTreeSet<_> =
        (document["tags"].as_array().unwrap().iter()).map(|tag| tag["name"].as_str().unwrap()).collect();
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{id} stands twice");
        let tag = operation["tags"][0].as_str().unwrap();
        assert!(tags.contains(tag), "{method} {path}: no tag {tag}");
        let answers = operation["responses"].as_object().unwrap();
        assert!(answers.keys().any(|status| status.starts_with('2')), "{method} {path}");
        let named = path.matches('{').count();
        let own = operation["parameters"].as_array().into_iter().flatten();
        let item = document["paths"][path]["parameters"].as_array();
        let inside = own.chain(item.into_iter().flatten()).filter(|parameter| {
            let to = parameter["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
            let parameter = to.map_or(*parameter, |place| document.pointer(place).unwrap());
            parameter["in"] == "path"
        });
        assert_eq!(inside.count(), named, "{method} {path}");
    }
}

#[tokio::test]
async fn every_operation_of_a_face_tells_its_limits() {
    let (_stage, document) = described().await;
    let resolved = |reply: &Value| {
        let to = reply["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
        to.map_or(reply, |place| document.pointer(place).unwrap()).clone()
    };
    let mut seen = 0;
    for (path, method, operation) in operations(&document) {
        if !path.starts_with("/api/") && !path.starts_with("/ade/v1/") {
            continue;
        }
        let answers = operation["responses"].as_object().unwrap();
        let headers = |status: &str| resolved(&answers[status])["headers"].clone();
        let good = answers.keys().find(|status| status.starts_with('2'));
        for status in [good.unwrap(), "429"] {
            for name in ["RateLimit", "RateLimit-Policy"] {
                let header = &headers(status)[name];
                assert!(header.is_object(), "{method} {path} {status}: no {name}");
            }
        }
        for status in ["429", "503"] {
            let header = &headers(status)["Retry-After"];
            assert!(header.is_object(), "{method} {path} {status}");
        }
        seen += 1;
    }
    assert!(seen > 200, "{seen}");
}

#[tokio::test]
async fn every_collection_is_described_with_what_its_rules_open() {
    use model::registry::{Rule, Verb};
    let (stage, document) = described().await;
    for c in stage.book.registry.iter() {
        let list = &document["paths"][format!("/api/{}", c.slug)];
        let one = &document["paths"][format!("/api/{}/{{id}}", c.slug)];
        assert!(list["get"].is_object() && one["get"].is_object(), "{}", c.slug);
        for (verb, operation) in
            [(Verb::Create, &list["post"]), (Verb::Update, &one["patch"]), (Verb::Delete, &one["delete"])]
        {
            let exceptions = c.access.allowances.iter().any(|a| a.verb == verb);
            let open = *c.access.rule(verb) != Rule::Nobody || exceptions;
            assert_eq!(operation.is_object(), open, "{verb:?} {}", c.slug);
        }
        let tag = format!("{} · {}", c.section, c.plural);
        assert!(!c.section.is_empty(), "{}", c.slug);
        assert_eq!(list["get"]["tags"], json!([tag]));
    }
}

/// What a generated client sends unasked must be right for whoever signs in.
#[tokio::test]
async fn a_default_that_depends_on_the_caller_is_not_described() {
    let (_stage, document) = described().await;
    let tests = &document["components"]["schemas"]["milk-tests-create"]["properties"];
    assert_eq!(tests["testCode"]["default"], "none", "{tests}");
    assert!(tests["source"].is_object(), "{tests}");
    assert!(tests["source"].get("default").is_none(), "{}", tests["source"]);
}

/// All under one validator, each example under a name of its own: to build one takes a tenth of a second.
#[tokio::test]
async fn examples_fulfil_their_schemas() {
    let (_stage, document) = described().await;
    let (mut schemas, mut examples) = (Map::new(), Map::new());
    let mut note = |name: String, schema: &Value, example: Value| {
        schemas.insert(name.clone(), schema.clone());
        examples.insert(name, example);
    };
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let all = schema["examples"].as_array().into_iter().flatten();
        for (at, example) in all.enumerate() {
            note(format!("{name} {at}"), schema, example.clone());
        }
    }
    for (path, method, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for (at, parameter) in parameters.enumerate() {
            let within = &parameter["schema"]["contentSchema"];
            if let (Some(text), false) = (parameter["example"].as_str(), within.is_null()) {
                let example = serde_json::from_str(text).unwrap();
                note(format!("{method} {path} {at}"), within, example);
            }
        }
    }
    let checked = examples.len();
    let validator = validator(&document, &json!({"properties": schemas}));
    let faults: Vec<_> = (validator.iter_errors(&Value::Object(examples)))
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 100, "{checked}");
}

#[tokio::test]
async fn a_where_of_each_operator_fits_and_a_wrong_one_does_not() {
    let (_stage, document) = described().await;
    let schema = json!({"$ref": "#/components/schemas/milk-tests-where"});
    let validator = validator(&document, &schema);
    for good in [
        json!({}),
        json!({"milkYield": {"greater_than": 30, "less_than_equal": 40}}),
        json!({"dailyYield": {"equals": 30.5}}),
        json!({"date": {"greater_than": "2026-01-01"}}),
        json!({"animal": {"in": [1, 2]}}),
        json!({"animal.herd.name": {"like": "north"}}),
        json!({"or": [{"source": {"equals": "lab"}}, {"and": [{"official": {"equals": true}}]}]}),
        json!({"testCode": {"in": ["dry", "sick"]}}),
    ] {
        assert!(validator.is_valid(&good), "{good}");
    }
    for bad in [
        json!({"nope": {"equals": 1}}),
        json!({"milkYield": 30}),
        json!({"milkYield": {"regex": 1}}),
        json!({"source": {"equals": "nobody"}}),
        json!({"or": {"source": {"equals": "lab"}}}),
        json!({"official": {"equals": "maybe"}}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

#[tokio::test]
async fn the_parts_are_small_and_together_the_whole() {
    let (stage, document) = described().await;
    let ask = async |path: &str| stage.ask(request("GET", path, &[], Body::empty())).await;
    let listed = ask("/api-docs/operations.json").await.json();
    let listed = listed.as_array().unwrap();
    let tags: BTreeSet<&str> = listed.iter().map(|one| one["tag"].as_str().unwrap()).collect();
    for tag in tags.iter().step_by(test_support::one_of(8, 4)) {
        let mut seen = 0;
        let query: String = url::form_urlencoded::byte_serialize(tag.as_bytes()).collect();
        let part = ask(&format!("/api-docs/openapi.json?tag={query}")).await;
        assert_eq!(part.status, 200, "{tag}");
        let bytes = part.text.len();
        assert!(bytes <= 1_000_000, "{tag} has {bytes} bytes");
        let part = part.json();
        for (path, methods) in part["paths"].as_object().unwrap() {
            let operations = methods.as_object().unwrap().iter().filter(|(_, one)| one.get("operationId").is_some());
            for (method, operation) in operations {
                assert_eq!(operation["tags"][0], *tag);
                assert_eq!(document["paths"][path][method], *operation, "{method} {path}");
                seen += 1;
            }
        }
        let all = listed.iter().filter(|one| one["tag"] == **tag);
        assert_eq!(seen, all.count(), "{tag}");
    }
    assert!(tags.len() > 60, "{tags:?}");
    assert_eq!(ask("/api-docs/openapi.json?tag=none").await.status, 404);
    let page = stage.send("GET", "/api-docs?q=list%20ANIMALS", &crate::pages::BROWSER).await;
    crate::pages::assert_sound(&page, "the search");
    page.has(&["<code>/api/animals</code>"]);
    page.lacks(&["<code>/api/calvings</code>"]);
}

#[tokio::test]
async fn the_page_has_all_it_needs_from_here() {
    let (stage, _document) = described().await;
    let ask = async |path: &str| stage.ask(request("GET", path, &[], Body::empty())).await;
    let page = ask("/api-docs/view").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").contains("default-src 'self'"));
    let mut places: Vec<&str> = Vec::new();
    for mark in ["src=\"", "href=\""] {
        let parts = page.text.split(mark).skip(1);
        places.extend(parts.map(|part| part.split('"').next().unwrap()));
    }
    places.retain(|place| *place != "data:,");
    assert!(places.len() >= 3, "{places:?}");
    for place in places {
        assert!(place.starts_with('/') && !place.starts_with("//"), "{place} is elsewhere");
        assert_eq!(ask(place).await.status, 200, "{place}");
    }
    assert_eq!(ask("/api-docs/assets/nothing.js").await.status, 404);
    assert_eq!(ask("/api-docs/").await.status, 308);
}
