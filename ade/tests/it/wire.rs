//! The bodies that go over the wire: what they look like as JSON, that they are valid by the standard's
//! own schemas, and that they are read again.

use ade::dataset::{self, Dataset, Element};
use ade::time::{self, Instant};
use ade::{
    BatchResult, Envelope, ErrorCollection, ErrorElement, FaultCode, Head, Identifier, IdentifierRef, Meta,
    ResponseMessage, Severity, View, validate,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Writes, compares with the expected JSON, checks by the schema, reads again.
fn agrees<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(schema: &str, value: &T, expected: &Value) {
    let written = serde_json::to_value(value).expect("JSON");
    assert_eq!(&written, expected);
    assert_eq!(validate(schema, &written), []);
    assert_eq!(&serde_json::from_value::<T>(written).expect("read again"), value);
}

#[test]
fn identifiers() {
    let animal = Identifier::new("eu.animalId", "276000312312345");
    agrees("icarIdentifierType", &animal, &json!({"id": "276000312312345", "scheme": "eu.animalId"}));
}

#[test]
fn meta_data() {
    let at = |text| Instant(time::parse(text).expect("a time"));
    let mut meta = Meta::new("org.example", at("2025-01-01T12:00:00+01:00"));
    agrees("icarMetaDataType", &meta, &json!({"source": "org.example", "modified": "2025-01-01T11:00:00Z"}));
    meta.source_id = Some("7".into());
    meta.is_deleted = Some(true);
    meta.created = Some(at("2024-01-01"));
    meta.creator = Some("A. Breeder".into());
    meta.valid_from = Some(at("2024-01-01T00:00:00.005Z"));
    meta.valid_to = Some(at("2026-01-01"));
    let expected = json!({
        "source": "org.example", "sourceId": "7", "isDeleted": true, "modified": "2025-01-01T11:00:00Z",
        "created": "2024-01-01T00:00:00Z", "creator": "A. Breeder",
        "validFrom": "2024-01-01T00:00:00.005Z", "validTo": "2026-01-01T00:00:00Z",
    });
    agrees("icarMetaDataType", &meta, &expected);
    let with_nulls = json!({"source": "s", "modified": "2025-01-01T00:00:00Z", "created": null, "validTo": null});
    assert_eq!(serde_json::from_value::<Meta>(with_nulls).expect("nulls are valid").created, None);
}

#[test]
fn collections_are_written_around_ready_members() {
    let view = View {
        total_items: Some(3),
        page_size: Some(2),
        next: Some("https://example.org/weights?page=\"2\"".into()),
        ..View::default()
    };
    let mut body = Envelope::collection(&view);
    body.member(br#"{"resourceType":"a"}"#);
    body.member(br#"{"resourceType":"b"}"#);
    let text = String::from_utf8(body.finish()).expect("text");
    assert_eq!(
        text,
        r#"{"view":{"totalItems":3,"pageSize":2,"next":"https://example.org/weights?page=\"2\""},"member":[{"resourceType":"a"},{"resourceType":"b"}]}"#
    );
}

#[test]
fn an_empty_collection_is_valid() {
    let body = Envelope::collection(&View { current_page: Some(1), ..View::default() }).finish();
    let read: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(read, json!({"view": {"currentPage": 1}, "member": []}));
    assert_eq!(validate("icarWeightEventCollection", &read), []);
}

#[test]
fn bodies_may_be_taken_in_pieces() {
    let mut body = Envelope::array();
    body.reserve(64);
    let mut sent = Vec::new();
    for member in ["1", "2", "3"] {
        body.member(member.as_bytes());
        assert!(body.pending() > 0);
        sent.extend(body.take());
    }
    sent.extend(body.finish());
    assert_eq!(sent, b"[1,2,3]");
    assert_eq!(Envelope::array().finish(), b"[]");
}

#[test]
fn errors_unite_both_forms() {
    let element = ErrorElement {
        id: Some("1".into()),
        status: Some(422),
        code: Some("missing".into()),
        title: Some("Missing member".into()),
        detail: Some("/animal: Is required.".into()),
        meta: Some(Map::from_iter([("pointer".to_owned(), json!("/animal"))])),
        kind: Some("https://example.org/problems/missing".into()),
        severity: Some(Severity::Error),
        instance: Some("urn:uuid:1".into()),
    };
    let expected = json!({
        "id": "1", "status": 422, "code": "missing", "title": "Missing member", "detail": "/animal: Is required.",
        "meta": {"pointer": "/animal"}, "type": "https://example.org/problems/missing", "severity": "Error",
        "instance": "urn:uuid:1",
    });
    agrees("exampleErrorResource", &element, &expected);
    agrees("icarResponseMessageResource", &element, &expected);
    agrees("icarErrorCollection", &ErrorCollection { errors: vec![element] }, &json!({"errors": [expected]}));
}

#[test]
fn faults_become_messages() {
    let faults = validate("icarIdentifierType", &json!({"id": 1, "scheme": "x"}));
    let error = ErrorElement::from_fault(&faults[0], 400);
    assert_eq!(error.code.as_deref(), Some("wrong-type"));
    assert_eq!(error.detail.as_deref(), Some("/id: Expected a string, found a number."));
    assert_eq!(error.meta.expect("meta")["pointer"], "/id");
    let message = ResponseMessage::from_fault(&faults[0], 400);
    agrees(
        "icarResponseMessageResource",
        &message,
        &json!({"severity": "Error", "status": 400, "title": "Wrong type", "detail": "/id: Expected a string, found a number."}),
    );
}

#[test]
fn batch_results() {
    let result = BatchResult {
        id: Some("5".into()),
        meta: Some(json!({"source": "s", "sourceId": "1", "modified": "2025-01-01T00:00:00Z"})),
        messages: vec![ResponseMessage { severity: Some(Severity::Warning), ..ResponseMessage::default() }],
    };
    let expected = json!({
        "id": "5", "meta": {"source": "s", "sourceId": "1", "modified": "2025-01-01T00:00:00Z"},
        "messages": [{"severity": "Warning"}],
    });
    agrees("icarBatchResult", &result, &expected);
    agrees("icarBatchResult", &BatchResult::default(), &json!({"messages": []}));
    let null: BatchResult = serde_json::from_value(json!({"messages": null})).expect("null is valid");
    assert_eq!(null, BatchResult::default());
}

#[test]
fn data_sets_are_read_in_both_spellings() {
    let set = Dataset {
        name: "Herd".into(),
        url: "/datasets/1".into(),
        changes: "/datasets/1/changes".into(),
        contained_types: vec!["icarAnimalCoreResource".into()],
        wait: None,
    };
    let written = serde_json::to_value(&set).expect("JSON");
    assert_eq!(written["containedTypes"], json!(["icarAnimalCoreResource"]));
    let other = json!({"name": "Herd", "url": "/datasets/1", "changes": "/datasets/1/changes",
        "containsTypes": ["icarAnimalCoreResource"]});
    assert_eq!(serde_json::from_value::<Dataset>(other).expect("the other spelling"), set);
}

#[test]
fn elements_of_a_feed_are_told_apart() {
    let end = dataset::Mark { current: true, pending_since: None };
    assert_eq!(dataset::continuation("abc", end), json!({"id": "@continuation", "token": "abc", "current": true}));
    let on = dataset::Mark { current: false, pending_since: Some(1_767_225_600_000) };
    assert_eq!(
        dataset::continuation("abc", on),
        json!({"id": "@continuation", "token": "abc", "current": false, "pendingSince": "2026-01-01T00:00:00.000Z"})
    );
    let vocabulary = Map::from_iter([("vocabulary".to_owned(), json!("icar"))]);
    let context = dataset::context(vocabulary.clone());
    assert_eq!(context.to_string(), r#"{"id":"@context","vocabulary":"icar"}"#);
    assert_eq!(Element::read(context), Element::Context(vocabulary));
    assert_eq!(Element::read(dataset::continuation("abc", end)), Element::Continuation(Some("abc".into())));
    assert_eq!(Element::read(json!({"id": "@continuation"})), Element::Continuation(None));
    for resource in [json!({"id": "1", "resourceType": "x"}), json!({}), json!(3)] {
        assert_eq!(Element::read(resource.clone()), Element::Resource(resource));
    }
}

#[test]
fn heads_are_read_without_the_rest() {
    let document = json!({
        "resourceType": "icarReproInsemonationEventResource",
        "meta": {"source": "s", "sourceId": "1", "modified": "1970-01-01T00:00:01Z", "isDeleted": true},
        "location": {"id": "1", "scheme": "nl.ubn"}, "animal": {"id": "2", "scheme": "x"},
        "eventDateTime": "1970-01-01", "inseminationType": 5,
    });
    let (head, faults) = Head::read(&document);
    assert_eq!(faults, []);
    assert_eq!(head.resource, Some("icarReproInseminationEventResource"));
    assert_eq!((head.source, head.source_id), (Some("s"), Some("1")));
    assert_eq!((head.modified, head.is_deleted, head.event_date_time), (Some(1000), true, Some(0)));
    assert_eq!(head.location, Some(IdentifierRef { id: "1", scheme: "nl.ubn" }));
    assert_eq!(head.animal.map(|animal| animal.id), Some("2"));
    assert_eq!(head.other_than("icarReproInseminationEventResource"), None);
    assert_eq!(head.other_than("icarWeightEventResource").map(|fault| fault.code), Some(FaultCode::OtherResource));
    assert_eq!(head.missing_for_exchange(), []);
}

#[test]
fn unreadable_heads_are_faults() {
    let places = |document: &Value| {
        let (_, faults) = Head::read(document);
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let document = json!({
        "resourceType": "Animal", "location": {"id": 1}, "animal": "2", "eventDateTime": "today",
        "meta": {"source": 1, "modified": null, "isDeleted": "yes"},
    });
    let expected = [
        ("/location", FaultCode::WrongType),
        ("/animal", FaultCode::NotObject),
        ("/eventDateTime", FaultCode::BadFormat),
        ("/meta/source", FaultCode::WrongType),
        ("/meta/modified", FaultCode::WrongType),
        ("/meta/isDeleted", FaultCode::WrongType),
        ("/resourceType", FaultCode::UnknownSchema),
    ];
    assert_eq!(places(&document), expected.map(|(pointer, code)| (pointer.to_owned(), code)));
    assert_eq!(places(&json!([])), [(String::new(), FaultCode::NotObject)]);
}

#[test]
fn exchanged_elements_need_four_members() {
    let document = json!({"meta": {"sourceId": "1"}});
    let (head, faults) = Head::read(&document);
    assert_eq!(faults, []);
    let missing: Vec<_> = head.missing_for_exchange().into_iter().map(|fault| fault.pointer).collect();
    assert_eq!(missing, ["/resourceType", "/location", "/meta/source"]);
}
