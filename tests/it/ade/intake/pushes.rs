//! Pushes: all stored, or nothing.

use crate::ade::stage::{PUSH, Stage, codes, stored, weight};
use serde_json::{Value, json};

const EVERYTHING: &str = "/ade/v1/datasets/everything/resources";

fn placed(key: u32, animal: i64, location: &str) -> Value {
    crate::ade::stage::placed(weight(key, animal), location)
}

fn pointers(body: &Value) -> Vec<&str> {
    let errors = body["errors"].as_array().unwrap();
    errors.iter().map(|e| e["meta"]["pointer"].as_str().unwrap_or("?")).collect()
}

#[tokio::test]
async fn a_push_that_is_not_stored_says_why_and_stores_nothing() {
    let s = Stage::plain().await;
    // One bad element keeps all out.
    let mut heavy = placed(3, 11, "1");
    heavy["weight"]["measurement"] = (-1).into();
    let mut untyped = placed(4, 11, "1");
    untyped.as_object_mut().unwrap().remove("resourceType");
    for (bad, status, code, pointer) in [
        (placed(3, 21, "1"), 422, "animal-not-found", "/2/animal"),
        (heavy, 400, "field-value", "/2/weight/measurement"),
        (placed(3, 21, "2"), 404, "location-forbidden", "/2/location"),
        (placed(3, 11, "x"), 404, "location-forbidden", "/2/location"),
        (weight(3, 11), 400, "field-missing", "/2/location"),
        (json!(17), 400, "body-shape", "/2"),
        (untyped, 400, "field-missing", "/2/resourceType"),
        (json!({"id": "@context"}), 400, "body-shape", "/2"),
    ] {
        let body = json!([{"id": "@context"}, placed(1, 11, "1"), bad, placed(2, 11, "1")]);
        let (found, _, answer) = s.f.post(EVERYTHING, &s.farm, body).await;
        assert_eq!((found, codes(&answer)), (status, vec![code]), "{answer}");
        assert_eq!(pointers(&answer), [pointer]);
        assert_eq!(stored(&s).await, Vec::<String>::new());
    }
    let mut read_only = placed(3, 11, "1");
    read_only["resourceType"] = "icarLactationResource".into();
    let answer = ask!(s.f, s.farm, "POST {EVERYTHING}", [read_only] => 400);
    assert_eq!(pointers(&answer), ["/0/resourceType"], "{answer}");

    // All faults at once.
    let mut nameless = placed(2, 11, "1");
    nameless["meta"].as_object_mut().unwrap().remove("sourceId");
    let mut heavy = placed(3, 11, "1");
    heavy["weight"]["measurement"] = "much".into();
    let answer = ask!(s.f, s.farm, "POST {PUSH}", [nameless, placed(1, 11, "2"), heavy] => 400);
    let found = pointers(&answer);
    for pointer in ["/0/meta/sourceId", "/1/location", "/2/weight/measurement"] {
        assert!(found.contains(&pointer), "{pointer}: {answer}");
    }

    // Duplicates and other shapes.
    let twice = format!("[{},{{\"a\":1,\"a\":2}}]", placed(1, 11, "1"));
    for (body, code) in
        [("{}", "body-shape"), ("[]", "body-shape"), ("[", "body-not-json"), (twice.as_str(), "field-value")]
    {
        let (status, _, answer) = s.f.raw("POST", PUSH, &s.farm, body.to_owned()).await;
        assert_eq!((status, codes(&answer)), (400, vec![code]), "{body}");
    }
    assert_eq!(stored(&s).await, Vec::<String>::new());

    // A single set fills in the type and says so.
    let mut untyped = placed(1, 11, "1");
    untyped.as_object_mut().unwrap().remove("resourceType");
    let (headers, _) = ask!(s.f, s.farm, "POST {PUSH}", [{"id": "@context"}, untyped] => 200 with headers);
    let answer: Value = serde_json::from_slice(headers["x-icar-ade-messages"].as_bytes()).unwrap();
    assert_eq!(answer[0]["instance"], "/1/resourceType");
    assert_eq!(stored(&s).await, ["w1"]);
}

#[test_each(Stage::each())]
async fn the_association_pushes_for_several_farms(s: Stage) {
    let body = json!([placed(1, 11, "1"), placed(2, 21, "2")]);
    assert_eq!(s.f.post(EVERYTHING, &s.expert, body).await.0, 200);
    assert_eq!(stored(&s).await, ["w1"]);
    ask!(s.f, s.expert, "POST {EVERYTHING}", [placed(3, 11, "777")] => 404 ["location-forbidden"]);
}
