//! Documents of the exchange: every fault has an existing place, and the mappings fill slots of the
//! collection of a document, report the places of faults, and give the same result each time.

use crate::draw::Draw;
use crate::world::mappings;
use ade::schema::{Body, Standard};
use ade::{unknown_members, validate};
use domain::collections::registry;
use mapping::{Reference, ReferenceResolver};
use model::registry::Collection;
use serde_json::{Value, json};

/// Documents by the schemas, as the tests of the crate `ade` make them.
#[path = "../../../../ade/tests/it/support/generate.rs"]
pub(crate) mod generate;

use generate::{Dice, mutate, valid};

pub(crate) const WORDS: &[&str] = &[
    "id",
    "scheme",
    "animal",
    "meta",
    "source",
    "sourceId",
    "modified",
    "isDeleted",
    "location",
    "resourceType",
    "eventDateTime",
    "weight",
    "measurement",
    "unitCode",
    "KGM",
    "LBR",
    "GRM",
    "org.herdbook.animal",
    "org.herdbook.orgid",
    "org.herdbook",
    "other.example",
    "value",
    "milkCharacteristics",
    "characteristic",
    "FAT",
    "SCC",
    "remark",
    "responsible",
    "contemporaryGroup",
    "2025-01-01T00:00:00Z",
    "2025-13-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:60Z",
    "2025-01-01",
    "P1D",
    "1",
    "-1",
    "2",
    "1e308",
    "0x10",
    "é",
    "\u{0}",
    "",
    " ",
    "a/b",
    "a~b",
    "@type",
    "@self",
    "$ref",
    "icarWeightEventResource",
    "icarAnimalCoreResource",
    "Female",
    "Male",
];

/// Finds some of the rows that are named.
struct Several;

impl ReferenceResolver for Several {
    fn id(&self, reference: &Reference) -> Option<i64> {
        let sum: usize = reference.value.bytes().map(usize::from).sum();
        i64::try_from(sum % 3).ok().filter(|id| *id > 0)
    }
    fn latest(&self, _: &str, animal: i64, before: i64) -> Option<i64> {
        (animal == 1 && before > 0).then_some(7)
    }
    fn placeholder(&self) -> Option<i64> {
        Some(9)
    }
    fn location(&self) -> i64 {
        2
    }
}

/// A document of a type, near a valid one.
pub(crate) fn document(draw: &mut Draw<'_>, resource: &str) -> Value {
    let seed = u64::from_le_bytes(std::array::from_fn(|_| draw.byte()));
    let mut dice = Dice(seed);
    let one = Standard::get().resource(resource);
    let mut document = one.map_or_else(|| json!({}), |one| valid(one, &mut dice));
    if let Some(members) = document.as_object_mut() {
        members.insert("resourceType".to_owned(), resource.into());
    }
    for _ in 0..draw.below(4) {
        match draw.once_in(2) {
            true => mutate(&mut document, &mut dice),
            false => draw.spoil(&mut document, WORDS),
        }
    }
    document
}

pub(crate) fn check(draw: &mut Draw<'_>) {
    let mappings = mappings();
    let all: Vec<_> = mappings.all().collect();
    let mapping = *draw.pick(&all);
    let mut doc = document(draw, mapping.resource());
    if draw.once_in(2) {
        sent(&mut doc, &format!("{}", draw.below(9)));
    }
    let faults = validate(mapping.resource(), &doc);
    for fault in faults.iter().chain(&unknown_members(mapping.resource(), &doc)) {
        assert!(!fault.message.is_empty(), "{doc}");
        place(&doc, &fault.pointer, &fault.message);
    }
    any_schema(draw, &doc);
    // The mappings receive only valid documents.
    if !faults.is_empty() {
        return;
    }
    for reference in mapping.references(&doc) {
        let known = registry().unwrap().get(&reference.collection);
        assert!(known.is_some(), "{reference:?}: {doc}");
    }
    let intake = mapping.intake(&doc, &Several);
    assert_eq!(mapping.intake(&doc, &Several), intake, "{doc}");
    // A raw document has no row, but a slot for its animal.
    let collection = registry().unwrap().get(mapping.collection());
    assert_eq!(collection.is_none(), mapping.is_passthrough(), "{doc}");
    let width = collection.map_or(1, Collection::width);
    let slots = intake.fields.iter().chain(&intake.new);
    let slots = slots.chain(intake.parts.iter().flatten());
    for (slot, value) in slots {
        assert!(*slot < width, "{value:?}: {doc}");
    }
    for issue in &intake.issues {
        assert!(!issue.message.english().is_empty(), "{issue:?}: {doc}");
        let pointer = issue.path.is_empty() || issue.path.starts_with('/');
        assert!(pointer, "{issue:?}: {doc}");
    }
    for created in [true, false] {
        let writes = mapping.writes(intake.clone(), created);
        assert!(writes.iter().all(|(slot, _)| *slot < width), "{doc}");
    }
}

/// As a sender names it.
pub(crate) fn sent(doc: &mut Value, animal: &str) {
    if let Some(members) = doc.as_object_mut() {
        let meta = json!({"source": "other.example", "sourceId": animal, "modified": "2025-06-01T00:00:00Z"});
        members.insert("meta".to_owned(), meta);
        let named = json!({"id": animal, "scheme": "org.herdbook.animal"});
        members.insert("animal".to_owned(), named);
    }
}

/// A pointer leads to a value, or to a member that is missing in one.
fn place(doc: &Value, pointer: &str, message: &str) {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    assert!(doc.pointer(parent).is_some(), "{pointer}: {message} is nowhere in {doc}");
}

/// Any schema of the standard judges any document.
fn any_schema(draw: &mut Draw<'_>, doc: &Value) {
    let all = Standard::get().declarations();
    let one = draw.pick(all);
    let faults = validate(one.name, doc);
    if matches!(one.body, Body::Codes(_) | Body::Scalar(_)) && doc.is_object() {
        assert!(!faults.is_empty(), "{}: {doc}", one.name);
    }
    faults.iter().for_each(|fault| place(doc, &fault.pointer, &fault.message));
}
