//! Headers that our own code reads: for any values, the answer follows the rules of HTTP.

use crate::draw::Draw;
use crate::world::{Heard, World};
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use std::sync::LazyLock;

struct ServerWithFile {
    world: World,
    /// Address of an uploaded file.
    file: String,
    /// A tag of a list.
    tag: String,
}

static SERVER: LazyLock<ServerWithFile> = LazyLock::new(|| {
    let world = World::new();
    let text = b"--cow\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n0123456789\r\n--cow--\r\n";
    let request = world.request(3, "POST", "/api/media?depth=0");
    let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=cow");
    let heard = world.ask(request.body(text.as_slice().into()).unwrap());
    assert_eq!(heard.status, 201, "{}", heard.text());
    let url = heard.json()["doc"]["url"].as_str().unwrap().to_owned();
    let file = url.strip_prefix("http://book.example").unwrap_or(&url).to_owned();
    let tag = world.get(1, "/api/animals?limit=2").header(ETAG).to_owned();
    ServerWithFile { world, file, tag }
});

const NAMES: &[&str] = &[
    "accept",
    "accept-encoding",
    "prefer",
    "range",
    "if-range",
    "if-none-match",
    "if-match",
    "if-modified-since",
    "authorization",
    "cookie",
    "origin",
    "sec-fetch-site",
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-forwarded-host",
    "host",
    "traceparent",
    "tracestate",
    "x-request-id",
    "idempotency-key",
    "x-http-method-override",
    "content-type",
    "content-length",
    "access-control-request-method",
    "access-control-request-headers",
    "x-icar-ade-version",
    "icar-full-sync",
    "accept-language",
    "content-encoding",
];

const SEEDS: &[&str] = &[
    "application/json;q=0.5, text/csv, */*;q=0.1",
    "application/xml; charset=utf-8, text/xml;q=0",
    "gzip;q=1.0, br;q=0.5, zstd;q=0.1, identity;q=0",
    "respond-async, handling=strict; x=\"y, z\", deployed-answers",
    "bytes=0-3",
    "bytes=-4",
    "bytes=2-",
    "bytes=0-1,4-5",
    "\"abc\", W/\"def\", *",
    "Tue, 24 Nov 2026 01:00:00 GMT",
    "Bearer eyJhbGciOiJub25lIn0.e30.",
    "herdbook-token=x; a=b",
    "for=192.0.2.1;proto=https;host=a.example, for=\"[2001:db8::1]:80\"",
    "192.0.2.1, 198.51.100.2, unknown",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "https://others.example",
    "users API-Key x",
];

const WORDS: &[&str] = &[
    ",",
    ";",
    "=",
    " ",
    "\"",
    "*",
    "*/*",
    "q=",
    "q=0",
    "q=1.001",
    "q=NaN",
    "q=-1",
    "q=1e9",
    "bytes=",
    "-",
    "0",
    "9",
    "99999999999999999999",
    "W/",
    "gzip",
    "br",
    "zstd",
    "identity",
    "deflate",
    "json",
    "application/json",
    "application/x-ndjson",
    "text/csv",
    "application/xml",
    "handling=strict",
    "respond-async",
    "Bearer ",
    "JWT ",
    "Basic ",
    "GET",
    "DELETE",
    "\u{e9}",
    "\t",
    "%",
    "[",
    "]",
    ":",
    "::1",
    "1.2.3.4",
    "/",
    "\\",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let place = &*SERVER;
    let paths = [
        place.file.as_str(),
        place.file.as_str(),
        "/api/animals?limit=2",
        "/api/animals/1",
        "/api/users/me",
        "/ade/v1/locations/org.herdbook.orgid/2/animals?pageSize=2",
        "/ade/v1/datasets/everything/changes?limit=2",
        "/healthz",
        "/metrics",
        "/api/graphql?query=%7B__typename%7D",
        "/exchange",
    ];
    let (path, who) = (*draw.pick(&paths), draw.below(4));
    let method = *draw.pick(&["GET", "GET", "GET", "HEAD", "OPTIONS", "POST"]);
    let mut request = place.world.request(who, method, path);
    let (mut label, mut packed) = (String::new(), false);
    let seeds: Vec<&str> = SEEDS.iter().copied().chain([place.tag.as_str()]).collect();
    for _ in 0..1 + draw.below(3) {
        let name = *draw.pick(NAMES);
        let text = draw.text(&seeds, WORDS);
        // Longer heads than a server takes do not come so far.
        let text: String = text.chars().take(4_000).collect();
        let Ok(value) = HeaderValue::from_bytes(text.as_bytes()) else {
            continue;
        };
        packed |= name == "accept-encoding";
        label.push_str(&format!("{name}: {text:?} "));
        request = request.header(HeaderName::from_static(name), value);
    }
    let heard = place.world.ask(request.body(Body::empty()).unwrap());
    let label = || format!("{method} {path} {label}: {} {:?}", heard.status, heard.headers);
    if !packed {
        assert!(heard.headers.get(CONTENT_ENCODING).is_none(), "{}", label());
    }
    if method == "HEAD" || heard.status == 304 {
        assert!(heard.body.is_empty(), "{}", label());
    }
    if method == "GET" {
        part(&heard, label);
    }
}

/// A part of a file is the one that its header states.
fn part(heard: &Heard, label: impl Fn() -> String) {
    if heard.status != 206 {
        return;
    }
    let range = heard.header(CONTENT_RANGE).strip_prefix("bytes ");
    let read = range.and_then(|range| {
        let (range, total) = range.split_once('/')?;
        let (from, to) = range.split_once('-')?;
        Some((from.parse().ok()?, to.parse().ok()?, total.parse().ok()?))
    });
    let Some((from, to, total)) = read else { panic!("{}", label()) };
    let (from, to, total): (usize, usize, usize) = (from, to, total);
    assert!(from <= to && to < total && total == 10, "{}", label());
    assert_eq!(&heard.body[..], &b"0123456789"[from..=to], "{}", label());
}
