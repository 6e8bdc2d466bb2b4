//! `Prefer: handling=strict`: what is not understood is refused.

use crate::ade::stage::{FARM, Stage, codes, placed, weight};
use serde_json::{Value, json};

const STRICT: [(&str, &str); 1] = [("prefer", "handling=strict")];

fn pointers(body: &Value) -> Vec<&str> {
    let errors = body["errors"].as_array().unwrap().iter();
    errors.map(|e| e["instance"].as_str().unwrap_or("")).collect()
}

fn odd() -> Value {
    let mut doc = weight(1, 11);
    doc["x-own"] = 1.into();
    doc["weight"]["unit"] = "KGM".into();
    doc["meta"]["tag"] = json!({"a": 1});
    doc
}

#[tokio::test]
async fn what_the_standard_does_not_have_is_named_all_at_once() {
    let s = Stage::plain().await;
    // Members.
    let path = format!("{FARM}/weights");
    let (status, _, body) = s.send("POST", &path, &s.farm, &STRICT, odd()).await;
    assert_eq!(status, 400, "{body}");
    let mut found = pointers(&body);
    found.sort_unstable();
    assert_eq!(found, ["/meta/tag", "/weight/unit", "/x-own"]);
    assert!(codes(&body).iter().all(|code| *code == "field-value"));
    assert_eq!(body["errors"][0]["type"], "unknown-member");
    assert_eq!(s.get(&path).await.1["view"]["totalItems"], 0);
    // In a batch each element for itself.
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/weights";
    let all = json!([weight(2, 11), odd()]);
    let (status, headers, results) = s.send("POST", batch, &s.farm, &STRICT, all).await;
    assert_eq!(status, 200);
    assert_eq!(headers["preference-applied"], "handling=strict");
    assert_eq!(results[0]["messages"][0]["type"], "created");
    assert_eq!(results[1]["messages"].as_array().unwrap().len(), 3, "{results}");
    // In a push all or none.
    let pushed = placed(odd(), "1");
    let push = "/ade/v1/datasets/weights/resources";
    let (status, _, body) = s.send("POST", push, &s.farm, &STRICT, json!([pushed])).await;
    assert_eq!(status, 400);
    assert!(pointers(&body).contains(&"/0/weight/unit"), "{body}");
    // Members of the standard are accepted, and so are all others without the preference.
    let mut known = weight(3, 11);
    known["responsible"] = "Ann".into();
    known["device"] = json!({"model": "scale-7"});
    let (status, headers, body) = s.send("POST", &path, &s.farm, &STRICT, known).await;
    assert_eq!(status, 201, "{body}");
    assert_eq!(headers["preference-applied"], "handling=strict");
    let (headers, _) = ask!(s.f, s.farm, "POST {path}", odd() => 201 with headers);
    assert!(!headers.contains_key("preference-applied"));

    // Parameters.
    for path in [
        format!("{FARM}/weights"),
        "/ade/v1/batches/locations/org.herdbook.orgid/1/weights".to_owned(),
        "/ade/v1/datasets/weights/resources".to_owned(),
    ] {
        let path = format!("{path}?validate=only&colour=red&x%20y=1");
        let doc = placed(weight(1, 11), "1");
        let (status, _, body) = s.send("POST", &path, &s.farm, &STRICT, json!([doc])).await;
        assert_eq!(status, 400, "{path}: {body}");
        let errors = body["errors"].as_array().unwrap().iter();
        let names: Vec<&Value> = errors.map(|e| &e["meta"]["parameter"]).collect();
        assert_eq!(names, ["colour", "x y"]);
        let (headers, _) = ask!(s.f, s.farm, "POST {path}", [doc] => 200 with headers);
        assert_eq!(headers["x-icar-ade-ignored-filters"], "colour,x%20y");
    }
}
