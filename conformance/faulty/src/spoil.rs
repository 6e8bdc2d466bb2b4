//! Documents that are returned wrongly. A fault in one document is the same wherever the document
//! is returned.

use crate::book::Record;
use crate::fault::Fault;
use crate::request::Request;
use crate::world::World;
use serde_json::{Value, json};

/// Spoils a document of a collection.
pub(crate) fn document(world: &World, record: &Record, document: &mut Value) {
    let Some(fault) = world.options.fault else {
        return;
    };
    if record.deleted {
        return;
    }
    let set = |document: &mut Value, pointer: &str, value: Value| {
        if let Some(slot) = document.pointer_mut(pointer) {
            *slot = value;
        }
    };
    let remove = |document: &mut Value, parent: &str, name: &str| {
        let parent = document.pointer_mut(parent).and_then(Value::as_object_mut);
        parent.and_then(|members| members.remove(name));
    };
    let insert = |document: &mut Value, parent: &str, name: &str, value: Value| {
        let parent = document.pointer_mut(parent).and_then(Value::as_object_mut);
        parent.and_then(|members| members.insert(name.to_owned(), value));
    };
    let of = |name: &str| record.collection == name;
    match fault {
        Fault::ResourceTypeMissing if of("weights") => remove(document, "", "resourceType"),
        Fault::ResourceTypeWrong if of("weights") => {
            set(
                document,
                "/resourceType",
                json!("icarMilkingVisitEventResource"),
            );
        }
        Fault::ResourceTypeShort if of("weights") => {
            set(document, "/resourceType", json!("WeightEvent"));
        }
        Fault::MetaMissing if of("weights") => remove(document, "", "meta"),
        Fault::MetaModifiedMissing if of("weights") => remove(document, "/meta", "modified"),
        Fault::MetaSourceMissing if of("weights") => remove(document, "/meta", "source"),
        Fault::SourceIdMissing if of("weights") => remove(document, "/meta", "sourceId"),
        Fault::SourceIdShared if of("weights") => set(document, "/meta/sourceId", json!("weights")),
        Fault::DocumentWithoutLocation if of("weights") => remove(document, "", "location"),
        Fault::InstantWithoutOffset if of("weights") => {
            let text = document.get("eventDateTime").and_then(Value::as_str);
            let cut = text.unwrap_or_default().trim_end_matches('Z').to_owned();
            set(document, "/eventDateTime", json!(cut));
        }
        Fault::DateImpossible if of("statistics") => {
            set(document, "/dateFrom", json!("2025-02-30"))
        }
        Fault::DateAsInstant if of("statistics") => {
            set(document, "/dateFrom", json!("2025-02-03T00:00:00Z"));
        }
        Fault::EnumMisspelt if of("animals") => set(document, "/gender", json!("female")),
        Fault::NumberAsText if of("weights") => {
            let text = document
                .pointer("/weight/measurement")
                .map(Value::to_string);
            set(document, "/weight/measurement", json!(text));
        }
        Fault::RequiredMissing if of("animals") => remove(document, "", "specie"),
        Fault::NestedRequiredMissing if of("conformation-scores") => {
            remove(document, "", "traitScored");
        }
        Fault::IdentifierWithoutScheme if of("weights") => remove(document, "/animal", "scheme"),
        Fault::IdentifierAsText if of("weights") => set(document, "/animal", json!("N1")),
        Fault::NullForList if of("diagnoses") => set(document, "/diagnoses", Value::Null),
        Fault::ListForSingle if of("weights") => {
            let weight = document.get("weight").cloned();
            set(document, "/weight", json!([weight]));
        }
        Fault::NegativeWeight if of("weights") => set(document, "/weight/measurement", json!(-1)),
        Fault::SelfWrong if of("weights") => {
            let other = format!(
                "/ade/v1/locations/{}/north/remarks/1",
                crate::seed::LOCATION_SCHEME
            );
            insert(document, "", "@self", json!(other));
        }
        Fault::ModifiedAhead if of("weights") => {
            set(document, "/meta/modified", json!("2099-01-01T00:00:00Z"));
        }
        Fault::MemberMisspelt if of("weights") => {
            remove(document, "", "eventDateTime");
            insert(document, "", "eventDatetime", json!("2025-06-04T12:00:00Z"));
        }
        Fault::ProgenyAlone if of("parturitions") => {
            insert(document, "", "progeny", json!([]));
        }
        Fault::SourceIsWords if of("weights") => set(document, "/meta/source", json!("our book")),
        Fault::ValidityReversed if of("weights") => {
            insert(
                document,
                "/meta",
                "validFrom",
                json!("2025-06-04T12:00:00Z"),
            );
            insert(document, "/meta", "validTo", json!("2025-06-03T12:00:00Z"));
        }
        Fault::IdShared if of("weights") => set(document, "/id", json!("1")),
        Fault::IdentifierEmpty if of("weights") => set(document, "/animal/id", json!("")),
        Fault::SchemeIsWords if of("weights") => set(document, "/animal/scheme", json!("Ear tag")),
        Fault::EventAhead if of("weights") => {
            set(document, "/eventDateTime", json!("2095-06-04T12:00:00Z"));
        }
        Fault::PeriodReversed if of("test-days") => {
            set(document, "/endDate", json!("2024-06-04T12:00:00Z"));
        }
        Fault::ProgenyOverTotal if of("parturitions") => {
            insert(document, "", "liveProgeny", json!(2));
            insert(document, "", "totalProgeny", json!(1));
        }
        Fault::CreatedAfterModified if of("weights") => {
            set(document, "/meta/created", json!("2098-01-01T00:00:00Z"));
        }
        _ => {}
    }
}

/// Spoils a location.
pub(crate) fn location(world: &World, document: &mut Value) {
    let Some(members) = document.as_object_mut() else {
        return;
    };
    match world.options.fault {
        Some(Fault::LocationWithoutIdentifier) => {
            members.remove("identifier");
        }
        Some(Fault::LocationIdAsNumber) => {
            members.insert(
                "identifier".to_owned(),
                json!({"scheme": "org.example.farm", "id": 7}),
            );
        }
        _ => {}
    }
}

/// Spoils the bytes of a page.
pub(crate) fn body(world: &World, request: &Request, body: &mut Vec<u8>) {
    if !request.path.trim_end_matches('/').ends_with("/weights") {
        return;
    }
    match world.options.fault {
        Some(Fault::HalfJson) => body.truncate(body.len() / 2),
        Some(Fault::MemberTwice) => {
            let text = String::from_utf8_lossy(body);
            let twice = text.replacen("{\"view\"", "{\"view\":{},\"view\"", 1);
            *body = twice.into_bytes();
        }
        Some(Fault::NotUtf8) => {
            let end = body.len().saturating_sub(1);
            body.truncate(end);
            body.extend_from_slice(b",\"name\":\"Gr\xfcn\"}");
        }
        Some(Fault::TrailingText) => body.extend_from_slice(b"\n<!-- 3 ms -->"),
        _ => {}
    }
}
