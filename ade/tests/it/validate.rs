//! The validator by example: every fault is reported, each with its place and kind.

use ade::{FaultCode, Severity, validate};
use serde_json::{Value, json};

fn weight() -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "id": "b7b3c3ca-2a4b-4d8c-9a39-5d9a4c1f3f10",
        "eventDateTime": "2025-03-01T08:15:00Z",
        "animal": {"id": "276000312312345", "scheme": "eu.animalId"},
        "location": {"id": "123456", "scheme": "nl.ubn"},
        "meta": {"source": "org.example", "sourceId": "1", "modified": "2025-03-01T09:00:00+01:00", "created": null},
        "weight": {"measurement": 612.5, "units": "KGM", "method": "LoadCell"},
        "device": {"href": "https://example.org/devices/1"},
        "somethingElse": {"of": ["ours"]},
    })
}

fn faults(schema: &str, document: &Value) -> Vec<(String, FaultCode)> {
    validate(schema, document).into_iter().map(|fault| (fault.pointer, fault.code)).collect()
}

#[test]
fn a_valid_document_has_no_faults() {
    assert_eq!(validate("icarWeightEventResource", &weight()), []);
}

#[test]
fn all_faults_are_reported_at_once() {
    let document = json!({
        "eventDateTime": "2025-02-30T08:15:00Z",
        "animal": {"id": 276_000_312},
        "location": null,
        "meta": {"source": "org.example", "modified": "yesterday"},
        "weight": {"measurement": -1, "units": "pounds", "resolution": "1"},
        "device": {"href": "devices/1", "identifier": "1"},
        "timeOffFeed": "2",
    });
    let expected = [
        ("/eventDateTime", FaultCode::BadFormat),
        ("/animal/id", FaultCode::WrongType),
        ("/animal/scheme", FaultCode::Missing),
        ("/location", FaultCode::NotObject),
        ("/meta/modified", FaultCode::BadFormat),
        ("/weight/measurement", FaultCode::BelowMinimum),
        ("/weight/units", FaultCode::NotInEnum),
        ("/weight/resolution", FaultCode::WrongType),
        ("/device/href", FaultCode::BadFormat),
        ("/device/identifier", FaultCode::NotObject),
        ("/timeOffFeed", FaultCode::WrongType),
        ("/resourceType", FaultCode::Missing),
    ];
    let expected = expected.map(|(pointer, code)| (pointer.to_owned(), code));
    assert_eq!(faults("icarWeightEventResource", &document), expected);
}

#[test]
fn faults_tell_what_is_allowed() {
    let mut document = weight();
    document["weight"]["units"] = json!("pounds");
    let found = validate("icarWeightEventResource", &document);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Error);
    assert_eq!(
        found[0].to_string(),
        "/weight/units: \"pounds\" is not one of uncefactMassUnitsType: KGM, GRM, LBR, TNE, MC, MGM, ONZ, PN."
    );
}

/// Places and kinds of faults.
type Faults = &'static [(&'static str, FaultCode)];

/// Documents with the places and kinds of all their faults.
#[test]
fn faults_have_places_and_kinds() {
    use FaultCode::{BadFormat, Missing, NotInEnum, Pattern, TooFew, UnknownSchema, WrongType};
    let attention = "icarAttentionEventResource";
    let inventory = "icarInventoryClassificationType";
    let check = "icarReproPregnancyCheckEventResource";
    let feed = "icarFeedRecommendationResource";
    let position = "icarPositionObservationType";
    let animal = json!({"id": "1", "scheme": "x"});
    let born = |period: Value| json!({"name": "n", "species": "Cattle", "birthPeriod": period});
    let counted = |count: Value| json!({"resourceType": "x", "animal": animal, "foetusCount": count});
    let at = |geometry: Value| json!({"geometry": geometry});
    let cases: [(&str, Value, Faults); 21] = test_support::table![
        // Places in arrays are numbered.
        attention, json!({"resourceType": attention, "animal": animal, "category": "Health",
            "causes": ["Mastitis", "Boredom", 3]}), &[("/causes/1", NotInEnum), ("/causes/2", WrongType)];
        inventory, born(Value::Null), &[];
        inventory, born(json!("2023")), &[];
        inventory, born(json!("2023-04")), &[];
        inventory, born(json!("2023-01-01--2023-06-30")), &[];
        inventory, born(json!("2023-01-01Z/2023-06-30Z")), &[];
        inventory, born(json!("23")), &[("/birthPeriod", Pattern)];
        inventory, born(json!("2023-01-01")), &[("/birthPeriod", Pattern)];
        inventory, born(json!("2023-21")), &[("/birthPeriod", Pattern)];
        inventory, born(json!("2023\n")), &[("/birthPeriod", Pattern)];
        inventory, born(json!("x2023")), &[("/birthPeriod", Pattern)];
        // Integers may be written with a fraction of zero.
        check, counted(json!(2)), &[];
        check, counted(json!(2.0)), &[];
        check, counted(json!(2.5)), &[("/foetusCount", WrongType)];
        // Geometries are checked by their type.
        position, at(json!({"type": "Point", "coordinates": [4.9, 52.3]})), &[];
        position, at(json!({"type": "Point", "coordinates": [4.9]})), &[("/geometry/coordinates", TooFew)];
        position, at(json!({"type": "Pint"})), &[("/geometry/type", NotInEnum)];
        position, at(json!({})), &[("/geometry/type", Missing)];
        position, at(json!({"type": "LineString", "coordinates": [[1, 2], [3, "4"]]})),
            &[("/geometry/coordinates/1/1", WrongType)];
        // Odd names of members are pointed at as they were sent.
        feed, json!({"resourceType": feed, "id": "1", "animal": animal, "recommendationDateTime ": "soon"}),
            &[("/recommendationDateTime ", BadFormat)];
        "icarNothing", json!({}), &[("", UnknownSchema)];
    ];
    for (schema, document, expected) in cases {
        let found = faults(schema, &document);
        let found: Vec<(&str, FaultCode)> = (found.iter()).map(|(at, code)| (at.as_str(), *code)).collect();
        assert_eq!(found, expected, "{schema} {document}");
    }
}

#[test]
fn long_texts_are_cut_in_messages() {
    let mut document = weight();
    document["eventDateTime"] = json!("é".repeat(10_000));
    let found = validate("icarWeightEventResource", &document);
    assert!(found[0].message.len() < 250, "{}", found[0].message.len());
}

#[test]
fn members_without_a_schema_are_found_at_any_depth() {
    let document = serde_json::json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "a", "modified": "2026-01-01T00:00:00Z", "tag": 1},
        "animal": {"scheme": "a", "id": "1"},
        "weight": {"measurement": 1, "units": "KGM", "unit": "KGM"},
        "x-own": {"y": 1},
    });
    let found = ade::unknown_members("icarWeightEventResource", &document);
    let pointers: Vec<&str> = found.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/meta/tag", "/weight/unit", "/x-own"]);
    assert!(validate("icarWeightEventResource", &document).is_empty());
}
