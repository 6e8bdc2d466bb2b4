//! Bodies in parts: a file is accepted or refused with its reason, and a refused one leaves nothing in the folder.

use crate::draw::Draw;
use crate::world::World;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use std::sync::LazyLock;

static WORLD: LazyLock<World> = LazyLock::new(World::new);

const SEEDS: &[&[u8]] = &[
    b"--cow\r\nContent-Disposition: form-data; name=\"_payload\"\r\n\r\n{\"alt\":\"x\"}\r\n--cow\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--cow--\r\n",
    b"--cow\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a b\\\"c.png\"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\r\n--cow--\r\n",
    b"--cow\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.csv\"\r\n\r\na,b\r\n1,2\r\n--cow\r\ncontent-disposition: form-data; name=\"file\"; filename=\"y.pdf\"\r\n\r\n%PDF-1.4\r\n--cow--",
    b"--cow\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''%D0%97.svg\r\nContent-Type: image/svg+xml\r\n\r\n<svg onload=\"x\"/>\r\n--cow--\r\n",
];

const WORDS: &[&str] = &[
    "--cow",
    "--cow--",
    "\r\n",
    "\r\n\r\n",
    "\n",
    "--",
    "Content-Disposition: form-data; name=\"",
    "Content-Type: ",
    "image/png",
    "image/svg+xml",
    "text/html",
    "application/pdf",
    "name=\"file\"",
    "name=\"_payload\"",
    "; filename=\"",
    "; filename*=UTF-8''",
    "\"",
    "\\",
    "..",
    "/",
    "\u{0}",
    "{",
    "}",
    "{\"alt\":",
    "{\"alt\":1,\"alt\":2}",
    "{\"file\":1}",
    "%00",
    "é",
    "CON",
    ".exe",
    ".svg",
    "Content-Transfer-Encoding: base64",
    "GIF89a",
    "RIFF\u{0}\u{0}\u{0}\u{0}WEBP",
    "PK\u{3}\u{4}",
    "<html><script>",
    "%PDF-",
    ": ",
    ";",
    "a",
];

const KINDS: &[&str] = &[
    "multipart/form-data; boundary=cow",
    "multipart/form-data; boundary=cow",
    "multipart/form-data; boundary=cow",
    "multipart/form-data; boundary=\"cow\"",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "Multipart/Form-Data; charset=x; boundary=cow",
    "multipart/mixed; boundary=cow",
    "application/x-www-form-urlencoded",
];

pub(crate) fn check(draw: &mut Draw<'_>) {
    let who = draw.below(4);
    let (method, path) = *draw.pick(&[
        ("POST", "/api/media?depth=0"),
        ("POST", "/api/media?depth=0"),
        ("PATCH", "/api/media/1?depth=0"),
        ("POST", "/api/herds?depth=0"),
        ("PATCH", "/api/animals/1?depth=0"),
    ]);
    let mut kind = (*draw.pick(KINDS)).to_owned();
    if draw.once_in(8) {
        kind = draw.text(KINDS, WORDS);
    }
    let Ok(kind) = HeaderValue::from_bytes(kind.as_bytes()) else {
        return;
    };
    let body = draw.bytes(SEEDS, WORDS);
    let input = String::from_utf8_lossy(&body).into_owned();
    let request = WORLD.request(who, method, path).header(CONTENT_TYPE, kind);
    let heard = WORLD.ask(request.body(body.into()).unwrap());
    let remaining = WORLD.drafts();
    assert!(remaining.is_empty(), "{} leaves {remaining:?}: {input}", heard.status);
    if heard.status >= 300 {
        return;
    }
    // What was taken can be fetched, is never run, and goes again.
    let answer = heard.json();
    let doc = &answer["doc"];
    let Some(url) = doc["url"].as_str() else {
        return;
    };
    let path = url.strip_prefix("http://book.example").unwrap_or(url);
    let file = WORLD.get(who, path);
    assert!(matches!(file.status, 200 | 403 | 404), "{url}: {} {input}", file.status);
    if let Some(id) = doc["id"].as_i64() {
        let request = WORLD.request(who, "DELETE", &format!("/api/media/{id}"));
        WORLD.ask(request.body(axum::body::Body::empty()).unwrap());
    }
}
