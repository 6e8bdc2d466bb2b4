//! Bodies that cannot be read, for a write of any collection.

use super::stage::{Stage, request};
use axum::body::Body;
use serde_json::Value;

async fn posted(stage: &Stage, body: &str) -> (u16, Value) {
    let answer = stage.post("/api/herds", body.to_owned()).await;
    (answer.status, answer.json()["errors"][0].clone())
}

#[tokio::test]
async fn what_is_not_a_json_object_is_invalid_json() {
    Stage::each(async |stage| {
        for body in ["", "{bad", "[]", "\"text\"", "{} {}", "\u{0}"] {
            let (status, error) = posted(stage, body).await;
            assert_eq!(
                (status, &error["message"]),
                (400, &Value::from("Invalid JSON")),
                "{body}"
            );
            assert_ne!(error["data"]["errors"][0]["message"], "", "{body}");
        }
        for kind in [&[][..], &[("content-type", "text/plain")]] {
            let request = request("POST", "/api/herds", kind, Body::from("{}"));
            let answer = stage.ask(request).await;
            assert_eq!(answer.status, 400);
            assert_eq!(answer.json()["errors"][0]["message"], "Invalid JSON");
        }
        let array = stage
            .ask(request(
                "PATCH",
                "/api/herds/1",
                &[("content-type", "application/json; charset=utf-8")],
                Body::from("[{}]"),
            ))
            .await;
        assert_eq!(array.status, 400);
    })
    .await;
}

#[tokio::test]
async fn members_that_stand_twice_are_told_by_path() {
    Stage::each(async |stage| {
        let (status, error) = posted(stage, r#"{"name":"a","g":{"x":1,"x":2},"name":"b"}"#).await;
        assert_eq!(status, 400);
        assert_eq!(error["name"], "ValidationError");
        let errors = error["data"]["errors"].as_array().unwrap();
        let paths: Vec<_> = errors.iter().map(|e| e["path"].as_str().unwrap()).collect();
        assert_eq!(paths, ["g.x", "name"]);
    })
    .await;
}

#[tokio::test]
async fn deep_nesting_is_told_where_it_is() {
    Stage::each(async |stage| {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
        let (status, error) = posted(stage, &deep).await;
        assert_eq!(
            (status, &error["message"]),
            (400, &Value::from("Invalid JSON"))
        );
        let path = error["data"]["errors"][0]["path"].as_str().unwrap();
        assert!(path.starts_with("a.0.0"), "{path}");
    })
    .await;
}

#[tokio::test]
async fn a_body_above_the_limit_is_413_announced_or_not() {
    let stage = Stage::with(&[("limits.body", "2000")]).await;
    let long = format!("{{\"name\":\"{}\"}}", "x".repeat(2000));
    let kind = ("content-type", "application/json");
    let length = long.len().to_string();
    let announced = [kind, ("content-length", length.as_str())];
    for headers in [&announced[..], &[kind]] {
        let request = request("POST", "/api/herds", headers, Body::from(long.clone()));
        let answer = stage.ask(request).await;
        assert_eq!(
            answer.told(),
            (
                413,
                r#"{"errors":[{"name":"APIError","data":{"limit":2000},"message":"The body is larger than 2000 bytes."}]}"#
            )
        );
    }
}
