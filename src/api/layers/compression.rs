//! Compression of answers with `zstd`, `br` or `gzip`, negotiated by `Accept-Encoding` (RFC 9110, 12.5.3). A body in
//! memory is compressed as one piece, a cached one once per encoding; streams are compressed as they are written.
//!
//! No answer has a secret beside text that a stranger chose, so that its length reveals nothing (BREACH).

use crate::layers::accept::weighted;
use crate::layers::shared::InnerService;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use moka::sync::Cache;
use std::convert::Infallible;
use std::io::Write;
use tower::ServiceExt;
use tower_http::compression::Compression;

/// Smaller bodies are not compressed: they fit into a packet or two, bytes.
const LEAST: usize = 1 << 10;
/// Larger bodies are compressed on a blocking thread, bytes.
const BESIDE: usize = 64 << 10;
/// Divisor of the memory of the cache: so much more is for compressed bodies.
const PART: u64 = 4;

/// The encodings, preferred ones first.
const ALL: [ContentEncoding; 3] = [ContentEncoding::Zstd, ContentEncoding::Brotli, ContentEncoding::Gzip];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ContentEncoding {
    /// `zstd`
    Zstd,
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
}

impl ContentEncoding {
    /// The encoding that a client prefers; none: not compressed.
    pub(crate) fn chosen(headers: &HeaderMap) -> Option<Self> {
        let accepted = weighted(headers, header::ACCEPT_ENCODING);
        let of = |names: &[&str]| {
            let is_named = |accepted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(accepted));
            let entry = accepted.iter().find(|(name, _)| is_named(name));
            entry.map(|(_, weight)| *weight)
        };
        let any = of(&["*"]).unwrap_or(0);
        // `identity` counts only if it was named.
        let plain = of(&["identity"]).unwrap_or(0);
        let mut best: Option<(Self, u16)> = None;
        for encoding in ALL {
            let weight = of(encoding.names()).unwrap_or(any);
            let better = best.is_none_or(|(_, before)| weight > before);
            if weight > 0 && weight >= plain && better {
                best = Some((encoding, weight));
            }
        }
        best.map(|(encoding, _)| encoding)
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Zstd => &["zstd"],
            Self::Brotli => &["br"],
            Self::Gzip => &["gzip", "x-gzip"],
        }
    }

    /// The value of `Content-Encoding`.
    pub(crate) fn word(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        })
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Zstd => "-zst\"",
            Self::Brotli => "-br\"",
            Self::Gzip => "-gz\"",
        }
    }

    /// The tag of the compressed body, from that of the plain one.
    pub(crate) fn tag(self, plain: &HeaderValue) -> HeaderValue {
        let text = plain.to_str().ok().and_then(|text| text.strip_suffix('"'));
        let tag = text.map(|text| format!("{text}{}", self.suffix()));
        tag.and_then(|tag| HeaderValue::try_from(tag).ok()).unwrap_or_else(|| plain.clone())
    }

    fn compress(self, body: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut compressed = Vec::with_capacity(body.len() / 4);
        match self {
            Self::Zstd => zstd::stream::copy_encode(body, &mut compressed, 3)?,
            Self::Brotli => {
                let mut writer = brotli::CompressorWriter::new(&mut compressed, 4_096, 4, 22);
                writer.write_all(body)?;
                // The encoder writes the end when it is dropped.
            }
            Self::Gzip => {
                let level = flate2::Compression::new(5);
                let mut writer = flate2::write::GzEncoder::new(&mut compressed, level);
                writer.write_all(body)?;
                writer.finish()?;
            }
        }
        Ok(compressed)
    }
}

/// The tag of the plain body, from that of a compressed one.
pub(crate) fn plain(tag: &[u8]) -> Option<Vec<u8>> {
    ALL.iter().find_map(|encoding| {
        let mut plain = tag.strip_suffix(encoding.suffix().as_bytes())?.to_vec();
        plain.push(b'"');
        Some(plain)
    })
}

/// Whether a body of that type and size is compressed at all.
pub(crate) fn is_worthwhile(headers: &HeaderMap, bytes: usize) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let text = match kind.split_once('/') {
        Some(("text", _)) => true,
        Some(("application", what)) => {
            let ends = ["json", "xml", "javascript"];
            ends.iter().any(|end| what.ends_with(end))
        }
        _ => false,
    };
    text && bytes >= LEAST
        && !headers.contains_key(header::CONTENT_ENCODING)
        && !headers.contains_key(header::CONTENT_RANGE)
}

/// Compressed bodies of cached answers, by tag and encoding.
#[derive(Debug)]
pub(crate) struct CompressedBodies(Cache<(HeaderValue, ContentEncoding), Bytes>);

impl CompressedBodies {
    /// For a response cache of this number of bytes.
    pub(crate) fn new(room: u64) -> Self {
        let weight = |_: &(HeaderValue, ContentEncoding), compressed: &Bytes| {
            u32::try_from(compressed.len() + 256).unwrap_or(u32::MAX)
        };
        let bodies = Cache::builder().weigher(weight).max_capacity(room / PART);
        Self(bodies.build())
    }

    /// The body compressed, from memory if it was before. `reused`: store it. None when compressing failed.
    pub(crate) async fn of(
        &self,
        (tag, body): (&HeaderValue, &Bytes),
        encoding: ContentEncoding,
        reused: bool,
    ) -> Option<Bytes> {
        let key = (tag.clone(), encoding);
        if let Some(stored) = self.0.get(&key) {
            return Some(stored);
        }
        let plain = body.clone();
        let compressed = if body.len() > BESIDE {
            let compressed = tokio::task::spawn_blocking(move || encoding.compress(&plain));
            compressed.await.ok()?.ok()?
        } else {
            encoding.compress(&plain).ok()?
        };
        let compressed = Bytes::from(compressed);
        if reused {
            self.0.insert(key, compressed.clone());
        }
        Some(compressed)
    }
}

/// Layer around every request: compresses what inner layers did not.
pub(crate) async fn compressed(mut request: Request, next: impl InnerService) -> Response {
    let chosen = ContentEncoding::chosen(request.headers());
    if let Some(encoding) = chosen {
        request.extensions_mut().insert(encoding);
    }
    let mut response = next.run(request).await;
    // An answer with a tag was handled by the cache, or is a file, which is read in ranges.
    let tagged = response.headers().contains_key(header::ETAG);
    let size = response.body().size_hint().exact();
    let bytes = size.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    if tagged || !is_worthwhile(response.headers(), bytes) {
        return response;
    }
    match chosen {
        Some(encoding) => streamed(encoding, response).await,
        None => {
            vary_by_encoding(response.headers_mut());
            response
        }
    }
}

/// The answer, compressed as it is written.
async fn streamed(encoding: ContentEncoding, response: Response) -> Response {
    let mut response = Some(response);
    let answers = tower::service_fn(move |_: Request| {
        let response = response.take().unwrap_or_default();
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let mut request = Request::new(Body::empty());
    (request.headers_mut()).insert(header::ACCEPT_ENCODING, encoding.word());
    let always = |_, _, _: &HeaderMap, _: &axum::http::Extensions| true;
    let compressed = Compression::new(answers).compress_when(always);
    match compressed.oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// Adds `Vary: Accept-Encoding`.
pub(crate) fn vary_by_encoding(headers: &mut HeaderMap) {
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(field: &'static str) -> Option<ContentEncoding> {
        let field = HeaderValue::from_static(field);
        ContentEncoding::chosen(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, field)]))
    }

    #[test]
    fn the_way_is_what_the_client_likes_best() {
        let cases = [
            ("", None),
            ("identity", None),
            ("deflate", None),
            ("gzip", Some(ContentEncoding::Gzip)),
            ("x-gzip", Some(ContentEncoding::Gzip)),
            ("GZIP", Some(ContentEncoding::Gzip)),
            ("gzip, deflate, br, zstd", Some(ContentEncoding::Zstd)),
            ("gzip, deflate, br", Some(ContentEncoding::Brotli)),
            ("gzip;q=1.0, br;q=0.5, zstd;q=0.1", Some(ContentEncoding::Gzip)),
            ("gzip;q=0", None),
            ("*", Some(ContentEncoding::Zstd)),
            ("*, zstd;q=0", Some(ContentEncoding::Brotli)),
            ("*;q=0, gzip", Some(ContentEncoding::Gzip)),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some(ContentEncoding::Gzip)),
            ("gzip;q=2, br;q=x", None),
            ("identity;q=0", None),
        ];
        for (field, way) in cases {
            assert_eq!(chosen(field), way, "{field}");
        }
        assert_eq!(ContentEncoding::chosen(&HeaderMap::new()), None);
    }

    #[test]
    fn each_way_has_a_tag_of_its_own_which_leads_back() {
        let tag = HeaderValue::from_static("\"abc\"");
        for encoding in ALL {
            let compressed = encoding.tag(&tag);
            assert_ne!(compressed, tag);
            assert_eq!(plain(compressed.as_bytes()).as_deref(), Some(tag.as_bytes()));
        }
        assert_eq!(plain(b"\"abc\""), None);
    }

    #[test]
    fn what_is_small_or_no_text_stays_as_it_is() {
        let of = |kind: &'static str| HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
        for kind in [
            "application/json; charset=utf-8",
            "application/graphql-response+json",
            "application/x-ndjson",
            "application/xml",
            "text/csv",
            "text/html; charset=utf-8",
            "text/javascript",
        ] {
            assert!(is_worthwhile(&of(kind), LEAST), "{kind}");
            assert!(!is_worthwhile(&of(kind), LEAST - 1), "{kind}");
        }
        for kind in ["image/svg+xml", "image/png", "application/pdf", "application/zip"] {
            assert!(!is_worthwhile(&of(kind), usize::MAX), "{kind}");
        }
        let mut part = of("text/csv");
        part.insert(header::CONTENT_RANGE, HeaderValue::from_static("bytes 0-9/20"));
        assert!(!is_worthwhile(&part, usize::MAX));
    }

    #[tokio::test]
    async fn what_is_given_again_is_packed_once() {
        let bodies = CompressedBodies::new(1 << 20);
        let body = Bytes::from("abc ".repeat(1_000));
        let tag = HeaderValue::from_static("\"t\"");
        for encoding in ALL {
            let made = bodies.of((&tag, &body), encoding, false).await.unwrap();
            assert!(made.len() < body.len() / 4, "{encoding:?}");
            let stored = bodies.of((&tag, &body), encoding, true).await.unwrap();
            assert_eq!(stored, made, "one tag, one text");
            assert_ne!(stored.as_ptr(), made.as_ptr(), "stored by the first answer");
            let reused = bodies.of((&tag, &body), encoding, true).await.unwrap();
            assert_eq!(reused.as_ptr(), stored.as_ptr(), "{encoding:?} was packed again");
        }
    }
}
