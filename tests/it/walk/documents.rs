//! Every document of the demonstration book against the official schemas, by a validator that is not ours.

use super::demo::Demo;
use indexmap::IndexMap;
use jsonschema::{Draft, Validator};
use mapping::Mappings;
use serde_json::{Value, json};
use std::path::PathBuf;

#[tokio::test]
async fn every_document_fulfils_the_official_schema_of_its_type() {
    let Some(bundle) = bundle() else {
        return;
    };
    let bundle: Value = serde_json::from_slice(&std::fs::read(bundle).unwrap()).unwrap();
    let demo = Demo::start(200);
    let token = demo.sign_in("association@demo.herdbook").await;
    let (documents, _) = demo.feed(&token, "everything", None).await;
    assert!(documents.len() > 1_000, "{}", documents.len());
    let mut validators: IndexMap<String, Validator> = IndexMap::new();
    let mut faults = Vec::new();
    for document in &documents {
        let kind = document["resourceType"].as_str().unwrap();
        if document["meta"]["isDeleted"] == true {
            tombstone(document);
            continue;
        }
        let validator = (validators.entry(kind.to_owned())).or_insert_with(|| validator(&bundle, kind));
        for fault in validator.iter_errors(document) {
            faults.push(format!("{kind}{}: {fault}", fault.instance_path()));
        }
    }
    let served = demo.get(&token, "/ade/v1/datasets/everything").await;
    let registry = domain::collections::registry().unwrap();
    let mappings = Mappings::build(registry, &Default::default(), None).unwrap();
    for kind in served["containedTypes"].as_array().unwrap() {
        let kind = kind.as_str().unwrap();
        // Documents that are stored whole come from senders, of which a demonstration has none.
        if !mappings.iter().any(|m| m.resource() == kind) {
            continue;
        }
        assert!(validators.contains_key(kind), "no document of {kind}");
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    demo.stop();
}

/// The official schemas as one file.
fn bundle() -> Option<PathBuf> {
    test_support::official().map(|folder| folder.join("ade-1.5.bundle.json"))
}

fn validator(bundle: &Value, kind: &str) -> Validator {
    assert!(bundle["$defs"].get(kind).is_some(), "{kind} is not of the standard");
    let mut schema = bundle.clone();
    schema["$ref"] = format!("#/$defs/{kind}").into();
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    let validator = options.build(&schema).unwrap();
    assert!(!validator.is_valid(&json!({})), "{kind} would let anything pass");
    validator
}

/// A tombstone names the document, its location and the time; the schemas would require an animal as well.
fn tombstone(document: &Value) {
    for pointer in "/meta/source /meta/sourceId /meta/modified /location/scheme /location/id".split(' ') {
        assert!(document.pointer(pointer).is_some_and(Value::is_string), "{pointer}: {document}");
    }
    assert_eq!(document["meta"]["isDeleted"], json!(true));
}
