//! Documents that are returned wrongly. A fault in one document is the same wherever the document is returned.

use crate::book::Record;
use crate::fault::Fault;
use crate::seed::LOCATION_SCHEME;
use crate::wire::request::Request;
use crate::world::World;
use serde_json::{Value, json};

/// A change of a member: pointer, and how.
type Edit = (&'static str, How);

enum How {
    Remove,
    /// Another value, if the member is there.
    Set(Value),
    /// A value, whether the member is there or not.
    Put(Value),
}

const fn remove(pointer: &'static str) -> Edit {
    (pointer, How::Remove)
}

const fn set(pointer: &'static str, value: Value) -> Edit {
    (pointer, How::Set(value))
}

const fn put(pointer: &'static str, value: Value) -> Edit {
    (pointer, How::Put(value))
}

fn apply(document: &mut Value, edits: Vec<Edit>) {
    for (pointer, how) in edits {
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        let parent = document.pointer_mut(parent).and_then(Value::as_object_mut);
        let Some(members) = parent else { continue };
        match how {
            How::Remove => drop(members.remove(name)),
            How::Set(value) => {
                if let Some(slot) = members.get_mut(name) {
                    *slot = value;
                }
            }
            How::Put(value) => drop(members.insert(name.to_owned(), value)),
        }
    }
}

/// Spoils a document of a collection.
pub(crate) fn document(world: &World, record: &Record, document: &mut Value) {
    let Some(fault) = world.options.fault.filter(|_| !record.deleted) else {
        return;
    };
    let edits = match record.collection {
        "weights" => of_weight(fault, document),
        "animals" => match fault {
            Fault::EnumMisspelt => vec![set("/gender", json!("female"))],
            Fault::RequiredMissing => vec![remove("/specie")],
            _ => return,
        },
        "conformation-scores" if fault == Fault::NestedRequiredMissing => {
            vec![remove("/traitScored")]
        }
        "diagnoses" if fault == Fault::NullForList => vec![set("/diagnoses", Value::Null)],
        "parturitions" => match fault {
            Fault::ProgenyAlone => vec![put("/progeny", json!([]))],
            Fault::ProgenyOverTotal => {
                vec![put("/liveProgeny", json!(2)), put("/totalProgeny", json!(1))]
            }
            _ => return,
        },
        "statistics" => match fault {
            Fault::DateImpossible => vec![set("/dateFrom", json!("2025-02-30"))],
            Fault::DateAsInstant => vec![set("/dateFrom", json!("2025-02-03T00:00:00Z"))],
            _ => return,
        },
        "test-days" if fault == Fault::PeriodReversed => {
            vec![set("/endDate", json!("2024-06-04T12:00:00Z"))]
        }
        _ => return,
    };
    apply(document, edits);
}

fn of_weight(fault: Fault, document: &Value) -> Vec<Edit> {
    let (event, number) = ("/eventDateTime", "/weight/measurement");
    let text = document.pointer(event).and_then(Value::as_str);
    let local = text.unwrap_or_default().trim_end_matches('Z');
    match fault {
        Fault::ResourceTypeMissing => vec![remove("/resourceType")],
        Fault::ResourceTypeWrong => {
            vec![set("/resourceType", json!("icarMilkingVisitEventResource"))]
        }
        Fault::ResourceTypeShort => vec![set("/resourceType", json!("WeightEvent"))],
        Fault::MetaMissing => vec![remove("/meta")],
        Fault::MetaModifiedMissing => vec![remove("/meta/modified")],
        Fault::MetaSourceMissing => vec![remove("/meta/source")],
        Fault::SourceIdMissing => vec![remove("/meta/sourceId")],
        Fault::SourceIdShared => vec![set("/meta/sourceId", json!("weights"))],
        Fault::SourceIsWords => vec![set("/meta/source", json!("our book"))],
        Fault::ModifiedAhead => vec![set("/meta/modified", json!("2099-01-01T00:00:00Z"))],
        Fault::CreatedAfterModified => vec![set("/meta/created", json!("2098-01-01T00:00:00Z"))],
        Fault::ValidityReversed => vec![
            put("/meta/validFrom", json!("2025-06-04T12:00:00Z")),
            put("/meta/validTo", json!("2025-06-03T12:00:00Z")),
        ],
        Fault::DocumentWithoutLocation => vec![remove("/location")],
        Fault::InstantWithoutOffset => vec![set(event, json!(local))],
        Fault::EventAhead => vec![set(event, json!("2095-06-04T12:00:00Z"))],
        Fault::MemberMisspelt => {
            vec![remove(event), put("/eventDatetime", json!("2025-06-04T12:00:00Z"))]
        }
        Fault::NumberAsText => {
            vec![set(number, json!(document.pointer(number).map(Value::to_string)))]
        }
        Fault::NegativeWeight => vec![set(number, json!(-1))],
        Fault::ListForSingle => vec![set("/weight", json!([document.get("weight")]))],
        Fault::IdentifierWithoutScheme => vec![remove("/animal/scheme")],
        Fault::IdentifierAsText => vec![set("/animal", json!("N1"))],
        Fault::IdentifierEmpty => vec![set("/animal/id", json!(""))],
        Fault::SchemeIsWords => vec![set("/animal/scheme", json!("Ear tag"))],
        Fault::IdShared => vec![set("/id", json!("1"))],
        Fault::SelfWrong => {
            let other = format!("/ade/v1/locations/{LOCATION_SCHEME}/north/remarks/1");
            vec![put("/@self", json!(other))]
        }
        _ => Vec::new(),
    }
}

/// Spoils an element of a feed.
pub(crate) fn element(world: &World, record: &Record, element: &mut Value) {
    let Some(fault) = world.options.fault else {
        return;
    };
    let tombstone = record.deleted;
    let weight = record.collection == "weights" && !tombstone;
    let edit = match fault {
        Fault::TombstoneWithoutMeta if tombstone => remove("/meta"),
        Fault::TombstoneWithoutLocation if tombstone => remove("/location"),
        Fault::TombstoneWithoutType if tombstone => remove("/resourceType"),
        Fault::TombstoneWithoutSourceId if tombstone => remove("/meta/sourceId"),
        Fault::TombstoneUnmarked if tombstone => remove("/meta/isDeleted"),
        Fault::TombstoneWithoutReason if tombstone => remove("/meta/reason"),
        Fault::FeedTellsPart if weight => remove("/weight"),
        Fault::FeedWithoutLocation if weight => remove("/location"),
        Fault::FeedOtherLocation if weight => set("/location/id", json!("elsewhere")),
        Fault::FeedModifiedBack if weight && record.id.is_multiple_of(2) => {
            set("/meta/modified", json!("2020-01-01T00:00:00Z"))
        }
        _ => return,
    };
    apply(element, vec![edit]);
}

/// Spoils a location.
pub(crate) fn location(world: &World, document: &mut Value) {
    let edit = match world.options.fault {
        Some(Fault::LocationWithoutIdentifier) => remove("/identifier"),
        Some(Fault::LocationIdAsNumber) => set("/identifier/id", json!(7)),
        _ => return,
    };
    apply(document, vec![edit]);
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
            body.pop();
            body.extend_from_slice(b",\"name\":\"Gr\xfcn\"}");
        }
        Some(Fault::TrailingText) => body.extend_from_slice(b"\n<!-- 3 ms -->"),
        _ => {}
    }
}
