//! Compression of answers.

use super::{Stage, field, from};
use axum::http::HeaderMap;
use ops::FillRow;
use serde_json::{Value, json};
use std::io::Read;

const LIST: &str = "/api/herds?limit=100&depth=0";

fn row(id: i64) -> FillRow {
    let data = json!({"name": format!("Herd number {id}"), "organization": 1});
    FillRow { collection: "herds", id, data: data.as_object().unwrap().clone(), hidden: Vec::new() }
}

async fn stage() -> Stage {
    let s = Stage::with(&[]).await;
    let herds = (1_000..1_700).map(row).collect();
    s.f.book.fill(herds).await.unwrap();
    s
}

/// The body before compression.
fn unpacked(headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let read = match field(headers, "content-encoding") {
        "gzip" => flate2::read::GzDecoder::new(body).read_to_end(&mut plain),
        "br" => brotli::Decompressor::new(body, 4_096).read_to_end(&mut plain),
        "zstd" => zstd::stream::copy_decode(body, &mut plain).map(|()| 0),
        "" => {
            plain = body.to_vec();
            Ok(0)
        }
        other => panic!("{other}"),
    };
    read.unwrap();
    plain
}

fn varies(headers: &HeaderMap) -> bool {
    let mut fields = headers.get_all("vary").iter();
    fields.any(|f| {
        let field = f.to_str().unwrap().to_ascii_lowercase();
        field.contains("accept-encoding")
    })
}

#[tokio::test]
async fn each_way_gives_the_same_answer_under_a_tag_of_its_own() {
    let s = stage().await;
    for path in [LIST, "/ade/v1/", "/api-docs/openapi.json", "/ade/v1/openapi.json"] {
        let (status, headers, plain) = s.raw(path, &s.farm, &[]).await;
        assert_eq!(status, 200, "{path}");
        assert_eq!(field(&headers, "content-encoding"), "");
        assert!(varies(&headers), "{path}");
        let mut tags = vec![field(&headers, "etag").to_owned()];
        for way in ["gzip", "br", "zstd"] {
            // First computed, then taken from the cache and compressed, then taken from the cache
            // in its compressed form.
            for time in 0..3 {
                let wish = [("accept-encoding", way)];
                let (status, headers, body) = s.raw(path, &s.farm, &wish).await;
                assert_eq!(status, 200, "{path}");
                assert_eq!(field(&headers, "content-encoding"), way, "{path} {time}");
                assert_eq!(field(&headers, "content-length"), body.len().to_string());
                assert!(body.len() * 2 < plain.len(), "{path} {way}");
                assert!(unpacked(&headers, &body) == plain, "{path} {way} {time}");
                let tag = field(&headers, "etag").to_owned();
                if time == 0 {
                    tags.push(tag);
                } else {
                    assert_eq!(tags.last(), Some(&tag));
                }
            }
        }
        let different: std::collections::BTreeSet<_> = tags.iter().collect();
        assert_eq!(different.len(), 4, "{tags:?}");
        // A tag of any form is accepted, and the answer has the tag of the form that the client accepts.
        for tag in &tags {
            let known = [("if-none-match", tag.as_str()), ("accept-encoding", "br")];
            let (status, headers, body) = s.raw(path, &s.farm, &known).await;
            assert_eq!((status, body.len()), (304, 0), "{path} {tag}");
            assert_eq!(field(&headers, "etag"), tags[2]);
            assert!(varies(&headers) && !headers.contains_key("content-encoding"));
        }
    }
}

#[tokio::test]
async fn the_head_of_a_packed_answer_is_that_of_the_answer() {
    let s = stage().await;
    let token = format!("JWT {}", s.farm);
    let wish = [("accept-encoding", "gzip"), ("authorization", token.as_str())];
    for _ in 0..2 {
        let head = from(&s, "192.0.2.1", ("HEAD", LIST), &wish, "").await;
        let (_, whole, body) = s.raw(LIST, &s.farm, &wish[..1]).await;
        assert_eq!((head.0, &head.2), (200, &Value::Null));
        for name in ["etag", "content-encoding", "content-length", "content-type"] {
            assert_eq!(head.1.get(name), whole.get(name), "{name}");
        }
        assert_eq!(field(&whole, "content-length"), body.len().to_string());
    }
}

#[tokio::test]
async fn what_is_tiny_or_not_wanted_or_a_part_stays_as_it_is() {
    let s = stage().await;
    for (path, wish) in [
        ("/api/herds/1000?depth=0", "gzip, br, zstd"),
        (LIST, "identity"),
        (LIST, "gzip;q=0"),
        (LIST, "identity;q=1, br;q=0.2"),
        (LIST, "deflate"),
    ] {
        let wish = [("accept-encoding", wish)];
        let (status, headers, body) = s.raw(path, &s.farm, &wish).await;
        assert_eq!((status, field(&headers, "content-encoding")), (200, ""), "{wish:?}");
        assert!(serde_json::from_slice::<Value>(&body).is_ok());
    }
    let wish = [("accept-encoding", "br;q=0.3, gzip;q=0.9")];
    let (_, headers, _) = s.raw(LIST, &s.farm, &wish).await;
    assert_eq!(field(&headers, "content-encoding"), "gzip");
    // If no coding is acceptable, the answer is sent all the same, since the request was carried out.
    let none = [("accept-encoding", "identity;q=0, *;q=0")];
    let (status, headers, _) = s.raw(LIST, &s.farm, &none).await;
    assert_eq!((status, field(&headers, "content-encoding")), (200, ""));
}

#[tokio::test]
async fn a_stream_is_packed_as_it_comes_and_whole() {
    let s = stage().await;
    for (kind, way) in [("application/x-ndjson", "gzip"), ("text/csv", "br"), ("application/json", "zstd")] {
        let path = "/api/herds?limit=0&depth=0";
        let (_, _, plain) = s.raw(path, &s.farm, &[("accept", kind)]).await;
        let wish = [("accept", kind), ("accept-encoding", way)];
        let (status, headers, body) = s.raw(path, &s.farm, &wish).await;
        assert_eq!((status, field(&headers, "content-encoding")), (200, way));
        assert!(varies(&headers) && !headers.contains_key("content-length"));
        let whole = unpacked(&headers, &body);
        assert!(whole == plain, "{kind}: {} of {}", whole.len(), plain.len());
        assert!(plain.len() > 50_000 && body.len() * 3 < plain.len());
    }
}

#[tokio::test]
async fn an_answer_of_another_caller_is_not_given_though_its_bytes_are_kept() {
    let s = stage().await;
    let wish = [("accept-encoding", "zstd")];
    for _ in 0..3 {
        let (_, headers, body) = s.raw("/api/animals?depth=0", &s.farm, &wish).await;
        let mine: Value = serde_json::from_slice(&unpacked(&headers, &body)).unwrap();
        assert_eq!(mine["totalDocs"], 1);
        let (_, headers, body) = s.raw("/api/quotas?depth=0", &s.other, &wish).await;
        let other: Value = serde_json::from_slice(&unpacked(&headers, &body)).unwrap();
        assert_eq!(other["totalDocs"], 0);
    }
    ask!(s.f, s.farm, "POST /api/herds", {"name": "New", "organization": 1} => 201);
    let (_, headers, body) = s.raw(LIST, &s.farm, &wish).await;
    let list: Value = serde_json::from_slice(&unpacked(&headers, &body)).unwrap();
    assert_eq!(list["totalDocs"], 701);
}
