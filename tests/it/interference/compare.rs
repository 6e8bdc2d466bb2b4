//! Whether two answers are the same, and a readable difference. Texts that are drawn at random (universally unique
//! ids, tokens, keys) count as equal, and the tag of a body that holds one; so do places in feeds, which count all
//! changes of the whole book.

use crate::rest::stage::Answer;
use axum::http::{HeaderName, HeaderValue};

/// Names whose texts are drawn, or number the commits of the book.
const DRAWN: [&str; 10] =
    ["token", "refreshedToken", "apiKey", "key", "secret", "publicCode", "since", "endCursor", "iat", "exp"];
/// Headers that differ from request to request.
const VOLATILE: [&str; 5] = ["date", "last-modified", "x-request-id", "server-timing", "x-response-time"];

/// The headers that are compared.
fn headers(answer: &Answer, tagged: bool) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    answer.headers.iter().filter(move |(name, _)| {
        let tag = name.as_str() == "etag" || name.as_str() == "content-length";
        !VOLATILE.contains(&name.as_str()) && (tagged || !tag)
    })
}

/// The parts of an answer that are compared: status and headers, body.
pub(super) fn compared_text(answer: &Answer, tagged: bool) -> String {
    let mut headers: Vec<String> = headers(answer, tagged)
        .map(|(name, value)| format!("{name}: {}", masked(&String::from_utf8_lossy(value.as_bytes()))))
        .collect();
    headers.sort();
    format!("{}\n{}\n\n{}", answer.status, headers.join("\n"), masked(&answer.text))
}

/// Whether they are the same to the byte, as most are. To see that takes less time than to look for what is drawn.
fn same(first: &Answer, second: &Answer) -> bool {
    first.status == second.status
        && first.text == second.text
        && first.bytes == second.bytes
        && headers(first, true).eq(headers(second, true))
}

/// None when they are the same, else both around the first byte that differs.
pub(super) fn difference(first: &Answer, second: &Answer) -> Option<[String; 2]> {
    if same(first, second) {
        return None;
    }
    // A body with drawn texts has a tag of its own.
    let drawn = first.text != second.text;
    let binary = first.bytes == second.bytes;
    let both = [first, second].map(|answer| compared_text(answer, !drawn));
    if both[0] == both[1] && (binary || drawn) {
        return None;
    }
    Some(shown(&both))
}

/// Both texts around the first byte that differs.
pub(super) fn shown([first, second]: &[String; 2]) -> [String; 2] {
    let same = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
    [first, second].map(|text| {
        let (mut from, mut to) = (same.saturating_sub(120), (same + 200).min(text.len()));
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        while !text.is_char_boundary(to) {
            to += 1;
        }
        let status = text.lines().next().unwrap_or_default();
        let part = text[from..to].replace('\n', " ");
        format!("{status} at byte {same}: …{part}…")
    })
}

/// The text without its random parts.
pub(super) fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut name = "";
    let mut rest = text;
    while !rest.is_empty() {
        let word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let value = after.starts_with('"') || after.starts_with('&') || !after.starts_with(':');
        let drawn = value && run.len() > 3 && DRAWN.contains(&name);
        match drawn || is_drawn(run) {
            true => out.push('*'),
            false => out.push_str(run),
        }
        if !run.is_empty() {
            name = run;
        }
        let next = after.find(word).unwrap_or(after.len());
        out.push_str(&after[..next]);
        // A name comes before its value: `"name":"value"`, `name=value`.
        if !["\":\"", "=", "\":"].contains(&&after[..next]) {
            name = "";
        }
        rest = &after[next..];
    }
    out
}

/// A universally unique id, the id of a row within a row, or that of the content of a file.
fn is_drawn(run: &str) -> bool {
    let groups: Vec<usize> = run.split('-').map(str::len).collect();
    (groups == [8, 4, 4, 4, 12] || groups == [24] || groups == [32])
        && run.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

#[test]
fn what_is_drawn_counts_as_equal() {
    let one = r#"{"id":5,"uuid":"0e4f1c2a-1111-4222-8333-aabbccddeeff","token":"abc.def","id":"6ce4bae5298d423e90f40b03","next":"x?since=99Az&limit=3"}"#;
    assert_eq!(masked(one), r#"{"id":5,"uuid":"*","token":"*","id":"*","next":"x?since=*&limit=3"}"#);
    assert_eq!(masked("{\"owner\":12,\"name\":\"token\"}"), "{\"owner\":12,\"name\":\"token\"}");
}

#[test]
fn what_differs_is_told_and_what_is_drawn_or_volatile_is_not() {
    let answer = |status, text: &str, headers: &[(&'static str, &'static str)]| Answer {
        status,
        headers: (headers.iter())
            .map(|(name, value)| {
                let value = HeaderValue::from_static(value);
                (HeaderName::from_static(name), value)
            })
            .collect(),
        text: text.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let first = answer(200, r#"{"id":5}"#, &[("etag", "\"a\""), ("date", "now")]);
    let other_time = answer(200, r#"{"id":5}"#, &[("etag", "\"a\""), ("date", "later")]);
    assert_eq!(difference(&first, &other_time), None);
    let token = |token: &str| answer(200, &format!(r#"{{"token":"{token}"}}"#), &[("etag", "\"a\"")]);
    assert_eq!(difference(&token("abc.def"), &token("ghi.jkl")), None);
    for other in [
        answer(201, r#"{"id":5}"#, &[("etag", "\"a\"")]),
        answer(200, r#"{"id":6}"#, &[("etag", "\"a\"")]),
        answer(200, r#"{"id":5}"#, &[("etag", "\"b\"")]),
        answer(200, r#"{"id":5}"#, &[("etag", "\"a\""), ("x-more", "1")]),
    ] {
        assert!(difference(&first, &other).is_some(), "{}", other.text);
    }
    let binary = |byte| Answer { bytes: vec![0xff, byte], ..answer(200, "\u{fffd}", &[]) };
    assert!(difference(&binary(0xfe), &binary(0xfd)).is_some());
}
