//! Single resources.

use crate::ade::stage::{OTHER, Stage, WEIGHTS, keys, weight};
use serde_json::Value;

#[test_each(Stage::each())]
async fn a_foreign_key_does_not_reach_into_another_location(s: Stage) {
    s.weigh(&[1]).await;
    let other = format!("{OTHER}/weights");
    let body = ask!(s.f, s.other, "POST {other}", weight(1, 21) => 201, "the same pair is another resource there");
    let mut ours = weight(1, 21);
    let record = body["id"].as_str().unwrap();
    ours["meta"]["source"] = "org.herdbook".into();
    ours["meta"]["sourceId"] = format!("weights:{record}").into();
    ours["animal"] = weight(1, 11)["animal"].clone();
    ours["meta"]["isDeleted"] = true.into();
    ask!(s.f, s.farm, "POST {WEIGHTS}", ours => 422 ["resource-not-found"]);
    let (_, _, page) = s.f.get(&other, &s.other).await;
    assert_eq!(keys(&page), ["w1"]);
    assert_eq!(page["member"][0], body);
}

#[tokio::test]
async fn every_bad_value_has_its_pointer() {
    let s = Stage::plain().await;
    for (pointer, value, code) in table![
        "/meta/source", Value::Null, "field-missing";
        "/meta/sourceId", Value::Null, "field-missing";
        "/meta", Value::Null, "field-missing";
        "/animal", Value::Null, "field-missing";
        "/eventDateTime", Value::Null, "field-missing";
        "/eventDateTime", "2026-02-30T00:00:00Z".into(), "field-value";
        "/weight/measurement", (-1).into(), "field-value";
        "/weight/measurement", "500".into(), "field-value";
        "/weight/units", "LTR".into(), "field-value";
        "/meta/modified", "yesterday".into(), "field-value";
    ] {
        let mut bad = weight(1, 11);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = bad.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            parent.remove(name);
        } else {
            parent.insert(name.to_owned(), value.clone());
        }
        let body = ask!(s.f, s.farm, "POST {WEIGHTS}", bad => 400, "{pointer} {value}");
        let errors = body["errors"].as_array().unwrap();
        let hit =
            errors.iter().any(|e| e["code"] == code && e["instance"].as_str().is_some_and(|p| p.starts_with(pointer)));
        assert!(hit, "{pointer} {value}: {body}");
    }
    assert_eq!(s.get(WEIGHTS).await.1["view"]["totalItems"], 0);

    // A missing type is filled in.
    let mut untyped = weight(1, 11);
    untyped.as_object_mut().unwrap().remove("resourceType");
    let (headers, body) = ask!(s.f, s.farm, "POST {WEIGHTS}", untyped => 201 with headers);
    holds!(body, {"resourceType": "icarWeightEventResource"});
    let notes = headers["x-icar-ade-messages"].as_bytes();
    let notes: Value = serde_json::from_slice(notes).unwrap();
    holds!(notes[0], {"severity": "Warning", "type": "resource-type-filled", "instance": "/resourceType"});
    let mut other = weight(2, 11);
    other["resourceType"] = "icarHeatEventResource".into();
    ask!(s.f, s.farm, "POST {WEIGHTS}", other => 400 ["field-value"]);
}

#[test_each(Stage::each())]
async fn zero_characters_are_no_text(s: Stage) {
    for pointer in "/meta/sourceId /meta/source /animal/id /remark /x-own".split(' ') {
        let mut bad = weight(1, 11);
        bad["remark"] = "".into();
        bad["x-own"] = "".into();
        *bad.pointer_mut(pointer).unwrap() = "a\0b".into();
        let body = ask!(s.f, s.farm, "POST {WEIGHTS}", bad => 400 ["field-value"], "{pointer}");
        assert_eq!(body["errors"][0]["instance"], pointer);
    }
    for query in ["animal-scheme=org.herdbook.animal&animal-id=%00", "x=%00"] {
        let (status, _) = s.get(&format!("{WEIGHTS}?{query}")).await;
        assert!(status < 500, "{query}: {status}");
    }
    assert_eq!(s.get(&format!("{WEIGHTS}/%00")).await.0, 404);
}
