//! Bodies that cannot be read, for a write of any collection.

use crate::rest::stage::{Stage, request};
use crate::rest::world::World;
use axum::body::Body;
use serde_json::Value;

async fn posted(stage: &Stage, body: &str) -> (u16, Value) {
    let answer = stage.post("/api/herds", body.to_owned()).await;
    (answer.status, answer.json()["errors"][0].clone())
}

#[test_with(Stage::each)]
async fn bodies_that_cannot_be_read_are_told_where(stage: &Stage) {
    let before = stage.content().await;
    let invalid = (400, Value::from("Invalid JSON"));
    for body in ["", "{bad", "[]", "[{}", "\"text\"", "{} {}", "null", "7", "\u{0}", "{\"name\":\"\\ud800\"}"] {
        let (status, error) = posted(stage, body).await;
        assert_eq!((status, error["message"].clone()), invalid, "{body}");
        assert_ne!(error["data"]["errors"][0]["message"], "", "{body}");
    }
    for (method, path, kind, body) in table![
        "POST", "/api/herds", &[][..], "{}";
        "POST", "/api/herds", &[("content-type", "text/plain")][..], "{}";
        "PATCH", "/api/herds/1", &[("content-type", "application/json; charset=utf-8")][..], "[{}]";
    ] {
        let answer = stage.ask(request(method, path, kind, Body::from(body))).await;
        answer.assert_is(400, path);
        answer.has(if method == "POST" { &["Invalid JSON"] } else { &[] });
    }
    // Members that stand twice are reported by path, deep nesting where it is.
    let (status, error) = posted(stage, r#"{"name":"a","g":{"x":1,"x":2},"name":"b"}"#).await;
    assert_eq!((status, &error["name"]), (400, &Value::from("ValidationError")));
    holds!(error, {"data.errors.0.path": "g.x", "data.errors.1.path": "name", "data.errors.2": null});
    for depth in [200, 10_000] {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let (status, error) = posted(stage, &deep).await;
        assert_eq!((status, error["message"].clone()), invalid);
        let path = error["data"]["errors"][0]["path"].as_str().unwrap();
        assert!(path.starts_with("a.0.0"), "{path}");
    }
    assert_eq!(stage.content().await, before);
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
            answer.parts(),
            (
                413,
                r#"{"errors":[{"name":"APIError","data":{"limit":2000},"message":"The body is larger than 2000 bytes."}]}"#
            )
        );
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

#[test_with(Stage::each)]
async fn bodies_may_come_packed_and_count_unpacked(stage: &Stage) {
    let packed = async |path: &str, way: &str, body: Vec<u8>| {
        let length = body.len().to_string();
        let headers =
            [("content-type", "application/json"), ("content-encoding", way), ("content-length", length.as_str())];
        let request = request("POST", path, &headers, Body::from(body));
        stage.ask(request).await
    };
    let body = br#"{"name":"a","g":{"x":1,"x":2}}"#;
    for (way, bytes) in [
        ("gzip", gzip(body)),
        ("GZIP", gzip(body)),
        ("x-gzip", gzip(body)),
        ("zstd", zstd(body)),
        ("identity", body.to_vec()),
    ] {
        let answer = packed("/api/herds", way, bytes).await;
        let fault = &answer.json()["errors"][0]["data"]["errors"][0];
        assert_eq!((answer.status, &fault["path"]), (400, &"g.x".into()), "{way}");
    }
    // Ten times as many zeros as a body may have, in a few thousand bytes.
    let zeros = vec![b' '; 100 << 20];
    for (way, bytes) in [("gzip", gzip(&zeros)), ("zstd", zstd(&zeros))] {
        assert!(bytes.len() < 200_000);
        let answer = packed("/api/herds", way, bytes).await;
        assert_eq!(answer.status, 413, "{way}: {}", answer.text);
    }
    for (way, bytes) in [("gzip", b"not packed".to_vec()), ("zstd", body.to_vec())] {
        let answer = packed("/api/herds", way, bytes).await;
        assert_eq!(answer.status, 400, "{way}: {}", answer.text);
    }
    for way in ["br", "deflate", "gzip, zstd", "compress"] {
        for path in ["/api/herds", "/api/graphql", "/ade/v1/match"] {
            let answer = packed(path, way, body.to_vec()).await;
            assert_eq!(answer.status, 415, "{way} {path}");
            assert_eq!(answer.header("accept-encoding"), "gzip, zstd");
            let error = answer.json()["errors"][0].clone();
            let fine = if path.starts_with("/ade") { "packing-unknown".into() } else { Value::Null };
            assert_eq!(error["type"], fine);
        }
    }
}

#[tokio::test]
async fn no_answer_is_taken_for_another_type() {
    let stage = Stage::new().await;
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/api"),
        ("GET", "/api/animals"),
        ("HEAD", "/api/animals"),
        ("OPTIONS", "/api/animals"),
        ("PUT", "/api/animals"),
        ("GET", "/api/animals/1"),
        ("GET", "/api/media/file/none.png"),
        ("POST", "/api/animals"),
        ("POST", "/api/graphql"),
        ("GET", "/api/openapi.json"),
        ("GET", "/ade/v1"),
        ("GET", "/ade/v1/locations"),
        ("PUT", "/ade/v1/locations"),
        ("GET", "/exchange"),
        ("GET", "/healthz"),
        ("GET", "/healthz/live"),
        ("GET", "/metrics"),
        ("GET", "/nowhere"),
    ] {
        let answer = stage.send(method, path, &[]).await;
        let header = answer.header("x-content-type-options");
        assert_eq!(header, "nosniff", "{method} {path}: {}", answer.status);
    }
    let list = stage.get("/api/animals").await;
    let tag = list.header("etag").to_owned();
    let second = stage.send("GET", "/api/animals", &[("if-none-match", &tag)]).await;
    assert_eq!(second.status, 304);
    assert_eq!(second.header("x-content-type-options"), "nosniff");
}

/// Data between the parts of a form, or in parts that were not requested: not unpacked into memory.
#[test_with(World::each)]
async fn a_packed_form_is_as_small_unpacked_as_another(w: &World<'_>) {
    let kind = "multipart/form-data; boundary=B";
    let head = "--B\r\nContent-Disposition: form-data; name=";
    let zeros = vec![b' '; 100 << 20];
    for start in [
        String::new(),
        format!("{head}\"file"),
        format!("{head}\"other\"\r\n\r\n"),
        format!("{head}\"_payload\"\r\n\r\n"),
    ] {
        let bytes = gzip(&[start.as_bytes(), &zeros].concat());
        let headers = [("content-type", kind), ("content-encoding", "gzip")];
        let answer = w.send("alpha", "POST", "/api/media", &headers, bytes).await;
        assert_eq!(answer.status, 413, "{start}: {}", answer.text);
    }
}
