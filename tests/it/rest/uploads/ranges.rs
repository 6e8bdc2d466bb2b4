//! Reading content in parts, and content that is known already.

use super::form::taken;
use crate::rest::stage::Answer;
use crate::rest::world::{NOT_FOUND, World};

const TEXT: &[u8] = b"abcdefghijklmnopqrstuv";
const URL: &str = "/api/media/file/letters.csv";

async fn read(w: &World<'_>, headers: &[(&str, &str)]) -> Answer {
    w.send("alpha", "GET", URL, headers, "").await
}

#[test_with(World::each)]
async fn content_is_read_in_parts_once_and_nowhere_else(w: &World<'_>) {
    taken(w, "alpha", "letters.csv", "text/csv", TEXT).await;
    let whole = read(w, &[]).await;
    assert_eq!((whole.status, whole.bytes.as_slice()), (200, TEXT));
    assert_eq!(whole.header("accept-ranges"), "bytes");
    let cases = [
        ("bytes=0-4", "abcde", "bytes 0-4/22"),
        ("bytes=-3", "tuv", "bytes 19-21/22"),
        ("bytes=20-", "uv", "bytes 20-21/22"),
        ("bytes=20-99", "uv", "bytes 20-21/22"),
        ("bytes=0-1,4-5", "ab", "bytes 0-1/22"),
    ];
    for (range, text, content_range) in cases {
        let part = read(w, &[("range", range)]).await;
        assert_eq!((part.status, part.text.as_str()), (206, text), "{range}");
        assert_eq!(part.header("content-range"), content_range);
        assert_eq!(part.header("content-length"), text.len().to_string());
        assert_eq!(part.header("content-type"), "text/csv");
    }
    for range in "bytes=500- bytes=22- bytes=-0 bytes=5-1 lines=0-4 x".split(' ') {
        let none = read(w, &[("range", range)]).await;
        assert_eq!((none.status, none.text.as_str()), (416, ""), "{range}");
        assert_eq!(none.header("content-range"), "bytes */22", "{range}");
    }

    let whole = read(w, &[]).await;
    let (tag, date) = (whole.header("etag"), whole.header("last-modified"));
    assert!(tag.starts_with('"') && date.ends_with("GMT"), "{tag} {date}");
    let known = read(w, &[("if-none-match", tag)]).await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    assert_eq!(known.header("etag"), tag);
    assert_eq!(read(w, &[("if-modified-since", date)]).await.status, 304);
    let other = [("if-none-match", "\"x\""), ("if-modified-since", date)];
    assert_eq!(read(w, &other).await.status, 200);
    let range = ("range", "bytes=0-1");
    assert_eq!(read(w, &[range, ("if-range", tag)]).await.status, 206);
    assert_eq!(read(w, &[range, ("if-range", "\"x\"")]).await.bytes, TEXT);
    let head = w.send("alpha", "HEAD", URL, &[], "").await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), "22");
    // A file that the caller may not read does not exist, even if the caller knows its tag.
    let other = w.send("beta", "GET", URL, &[("if-none-match", tag)], "").await;
    assert_eq!(other.parts(), NOT_FOUND);

    assert_read_by_name_alone(w).await;
}

/// No path leads to a file but its own name.
async fn assert_read_by_name_alone(w: &World<'_>) {
    for path in ".. %2e%2e ..%2Fbook.db a/../letters.csv %2e%2e%5Cbook.db".split(' ') {
        ask!(w, "alpha", "GET /api/media/file/{path}" => 403);
    }
    for path in "nope.csv a/letters.csv LETTERS.csv letters.csv%00 %FF".split(' ') {
        let answer = w.get("alpha", &format!("/api/media/file/{path}")).await;
        assert!((400..=404).contains(&answer.status), "{path}: {}", answer.text);
        assert_ne!(answer.bytes, TEXT, "{path}");
    }
    ask!(w, "alpha", "GET /api/media/file/nope.csv" => NOT_FOUND);
    let herds = w.get("alpha", "/api/herds/file/letters.csv").await;
    assert_eq!(herds.text, r#"{"message":"Route not found \"/api/herds/file/letters.csv\""}"#);
    ask!(w, "alpha", "POST {URL}", {} => 404);
}
