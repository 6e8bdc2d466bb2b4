//! The content of files, whole or a range of it, for callers who may read the row (docs/dialect.md, *Reading a file*).

use super::super::call::{Call, Reply};
use super::super::target::Target;
use crate::caller::Who;
use crate::{AppState, Refusal};
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use files::{Content, name};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use model::error::{Error, Result};
use ops::Readable;
use std::io::SeekFrom;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

/// Bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// `GET /api/<slug>/file/<name>`
pub(crate) async fn file(
    Call(app, target, who, headers): Call,
    Path((_, filename)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Reply {
    let c = target.collection;
    if c.upload.is_none() {
        return Err(target.no_route());
    }
    if filename.split(['/', '\\']).any(|step| step == "..") {
        return Err(target.refuse(Error::forbidden()));
    }
    let opened = opened(&app, &target, &who, (&filename, row(query.as_deref()))).await;
    let (about, content) = target.ok(opened)?;
    respond(about, content, &filename, &headers).await
}

/// The row that an address names; older addresses name none.
fn row(query: Option<&str>) -> Option<i64> {
    let pairs = query.unwrap_or_default().split('&');
    let mut ids = pairs.filter_map(|pair| pair.strip_prefix("id="));
    ids.next().map(|id| id.parse().unwrap_or_default())
}

/// A file that is replaced between its row and its content is looked for once more.
async fn opened(app: &AppState, target: &Target, who: &Who, file: (&str, Option<i64>)) -> Result<(Readable, Content)> {
    for _ in 0..2 {
        let about = (app.book).file(&who.principal, target.collection, file).await?;
        if let Some(content) = app.book.files()?.open(&about.key, about.size).await? {
            return Ok((about, content));
        }
    }
    Err(Error::NotFound)
}

async fn respond(about: Readable, content: Content, filename: &str, request_headers: &HeaderMap) -> Reply {
    let tag = match about.size {
        Some(size) => format!("\"{}-{size}\"", about.key),
        None => format!("\"{}\"", about.key),
    };
    let written = content.written.and_then(http_date);
    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::ACCEPT_RANGES, "bytes");
    set(header::ETAG, &tag);
    if let Some(written) = &written {
        set(header::LAST_MODIFIED, written);
    }
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::CONTENT_TYPE, &about.mime);
    set(header::CONTENT_DISPOSITION, &disposition(&about.mime, filename));
    if !is_shown(&about.mime) {
        set(header::CONTENT_SECURITY_POLICY, POLICY);
    }
    if unchanged(request_headers, &tag, written.as_deref()) {
        headers.remove(header::CONTENT_TYPE);
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let length = content.length;
    let text = |name| request_headers.get(&name).and_then(|v: &HeaderValue| v.to_str().ok());
    let range = text(header::RANGE).filter(|_| {
        let condition = text(header::IF_RANGE);
        condition.is_none_or(|wanted| wanted == tag || Some(wanted) == written.as_deref())
    });
    let (status, from, to) = match range.map(|range| wanted(range, length)) {
        None => (StatusCode::OK, 0, length),
        Some(Some((from, to))) => (StatusCode::PARTIAL_CONTENT, from, to),
        Some(None) => {
            let range = HeaderValue::from_str(&format!("bytes */{length}"));
            headers.remove(header::CONTENT_TYPE);
            headers.extend(range.ok().map(|range| (header::CONTENT_RANGE, range)));
            return Ok((StatusCode::RANGE_NOT_SATISFIABLE, headers).into_response());
        }
    };
    if status == StatusCode::PARTIAL_CONTENT {
        let range = format!("bytes {from}-{}/{length}", to.saturating_sub(1));
        let range = HeaderValue::from_str(&range);
        headers.extend(range.ok().map(|range| (header::CONTENT_RANGE, range)));
    }
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(to - from));
    let body = body(content.file, from, to - from).await?;
    Ok((status, headers, body).into_response())
}

/// The first range of a header as `from..to`; none when it cannot be given.
fn wanted(header: &str, length: u64) -> Option<(u64, u64)> {
    let (unit, ranges) = header.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let first = ranges.split(',').next()?.trim();
    let (from, last) = first.split_once('-')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // What is beyond all numbers is beyond the end.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (from, to) = match (from.trim(), last.trim()) {
        ("", last) => (length.saturating_sub(number(last)?), length),
        (from, "") => (number(from)?, length),
        (from, last) => {
            let (from, last) = (number(from)?, number(last)?);
            if last < from {
                return None;
            }
            (from, last.saturating_add(1).min(length))
        }
    };
    (from < to).then_some((from, to))
}

/// Whether the caller has it already. The tag decides where both are said.
fn unchanged(headers: &HeaderMap, tag: &str, written: Option<&str>) -> bool {
    let text = |name| headers.get(&name).and_then(|v: &HeaderValue| v.to_str().ok());
    if let Some(condition) = text(header::IF_NONE_MATCH) {
        let same = |condition: &str| condition.trim().trim_start_matches("W/") == tag;
        return condition.trim() == "*" || condition.split(',').any(same);
    }
    let since = |text: &str| rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    let condition = text(header::IF_MODIFIED_SINCE).and_then(since);
    condition.is_some_and(|condition| written.and_then(since).is_some_and(|written| written <= condition))
}

fn http_date(at: SystemTime) -> Option<String> {
    let seconds = at.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let at = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).ok()
}

/// What browsers show without running any of it.
const SHOWN: [&str; 9] = [
    "application/pdf",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "video/mp4",
    "video/webm",
];

/// Content is never run as a page, even if it is opened in a browser.
const POLICY: &str = "sandbox; default-src 'none'; script-src 'none'";

fn is_shown(mime: &str) -> bool {
    SHOWN.contains(&mime)
}

/// What may be shown stays in the page; all else, drawings among it, is saved.
pub(in crate::rest) fn disposition(mime: &str, filename: &str) -> String {
    let way = match is_shown(mime) {
        true => "inline",
        false => "attachment",
    };
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || " .-_()".contains(c) { c } else { '_' }
    };
    let simple: String = filename.chars().map(plain).collect();
    // The characters of RFC 8187, fewer than those of an address.
    let escaped = name::escaped(filename).replace('*', "%2A").replace('\'', "%27");
    let escaped = escaped.replace('(', "%28").replace(')', "%29");
    format!("{way}; filename=\"{simple}\"; filename*=UTF-8''{escaped}")
}

pub(in crate::rest) async fn body(mut file: File, from: u64, length: u64) -> Result<Body, Refusal> {
    if from > 0 {
        let position = file.seek(SeekFrom::Start(from)).await;
        position.map_err(|fault| Refusal::from(Error::internal(fault)))?;
    }
    let mut rest = file.take(length);
    let pieces = async_stream::try_stream! {
        loop {
            let mut piece = Vec::with_capacity(PIECE);
            let read = rest.read_buf(&mut piece).await?;
            if read == 0 {
                break;
            }
            yield Bytes::from(piece);
        }
    };
    let pieces: futures_util::stream::BoxStream<'static, std::io::Result<Bytes>> = Box::pin(pieces);
    Ok(Body::from_stream(pieces))
}

#[cfg(test)]
mod tests {
    use super::{disposition, unchanged, wanted};
    use axum::http::{HeaderMap, header};

    #[test]
    fn the_first_range_counts() {
        let cases = [
            ("bytes=0-4", Some((0, 5))),
            ("bytes=0-0", Some((0, 1))),
            ("bytes=5-", Some((5, 22))),
            ("bytes=-3", Some((19, 22))),
            ("bytes=-99", Some((0, 22))),
            ("bytes=10-99", Some((10, 22))),
            ("bytes=0-99999999999999999999999", Some((0, 22))),
            ("BYTES = 1 - 2", Some((1, 3))),
            ("bytes=0-1,4-5", Some((0, 2))),
            ("bytes=22-", None),
            ("bytes=500-", None),
            ("bytes=-0", None),
            ("bytes=-", None),
            ("bytes=", None),
            ("bytes=4-1", None),
            ("bytes=a-b", None),
            ("bytes=+1-2", None),
            ("lines=0-4", None),
            ("nonsense", None),
        ];
        for (header, range) in cases {
            assert_eq!(wanted(header, 22), range, "{header}");
        }
        assert_eq!(wanted("bytes=0-", 0), None);
    }

    #[test]
    fn names_do_not_break_out_of_the_header() {
        assert_eq!(
            disposition("text/csv", "a\"; x=\"Ё.csv"),
            "attachment; filename=\"a__ x___.csv\"; filename*=UTF-8''a%22%3B%20x%3D%22%D0%81.csv"
        );
        assert!(disposition("image/png", "a.png").starts_with("inline; filename=\"a.png\""));
        for mime in ["image/svg+xml", "text/html", "image/x-new", "application/xml"] {
            assert!(disposition(mime, "a").starts_with("attachment; "), "{mime}");
        }
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let date = "Sun, 01 Mar 2026 12:00:00 GMT";
        let is_unchanged = |name: header::HeaderName, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            unchanged(&headers, "\"k\"", Some(date))
        };
        assert!(is_unchanged(header::IF_NONE_MATCH, "\"a\", W/\"k\""));
        assert!(is_unchanged(header::IF_NONE_MATCH, "*"));
        assert!(!is_unchanged(header::IF_NONE_MATCH, "\"a\""));
        assert!(is_unchanged(header::IF_MODIFIED_SINCE, date));
        assert!(is_unchanged(header::IF_MODIFIED_SINCE, "Sun, 01 Mar 2026 12:00:01 GMT"));
        assert!(!is_unchanged(header::IF_MODIFIED_SINCE, "Sun, 01 Mar 2026 11:59:59 GMT"));
        assert!(!is_unchanged(header::IF_MODIFIED_SINCE, "yesterday"));
        assert!(!unchanged(&HeaderMap::new(), "\"k\"", Some(date)));
    }
}
