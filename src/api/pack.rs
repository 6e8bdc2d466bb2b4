//! Answers in fewer bytes: `zstd`, `br` or `gzip`, by what the client takes (RFC 9110,
//! 12.5.3). What is in memory as a whole is packed as a whole, and what is given again is
//! packed once; streams are packed as they come.
//!
//! No answer repeats secrets beside what a stranger chose, so its length tells nothing
//! (BREACH).

use super::kept;
use super::shared::Inner;
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

/// Bodies of fewer bytes fit into a packet or two as they are.
const LEAST: usize = 1 << 10;
/// Larger ones are packed beside the threads that answer, bytes.
const BESIDE: usize = 64 << 10;
/// Part of the memory for answers that packed ones may take besides.
const PART: u64 = 4;

/// Ways of packing, those that are preferred first.
const ALL: [Packing; 3] = [Packing::Zstd, Packing::Brotli, Packing::Gzip];

/// A way of packing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Packing {
    /// `zstd`
    Zstd,
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
}

impl Packing {
    /// What fits a client best; none: as it is.
    pub(super) fn chosen(asked: &HeaderMap) -> Option<Self> {
        let fields = asked.get_all(header::ACCEPT_ENCODING).iter();
        let texts = fields.filter_map(|field| field.to_str().ok());
        let wishes: Vec<(&str, u16)> = texts
            .flat_map(|text| text.split(','))
            .filter_map(wish)
            .collect();
        let of = |names: &[&str]| {
            let named = |known: &str| names.iter().any(|name| name.eq_ignore_ascii_case(known));
            let found = wishes.iter().find(|(name, _)| named(name));
            found.map(|(_, weight)| *weight)
        };
        let any = of(&["*"]).unwrap_or(0);
        // What was not named is as good as nothing at all.
        let plain = of(&["identity"]).unwrap_or(0);
        let mut best: Option<(Self, u16)> = None;
        for packing in ALL {
            let weight = of(packing.names()).unwrap_or(any);
            let better = best.is_none_or(|(_, before)| weight > before);
            if weight > 0 && weight >= plain && better {
                best = Some((packing, weight));
            }
        }
        best.map(|(packing, _)| packing)
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Zstd => &["zstd"],
            Self::Brotli => &["br"],
            Self::Gzip => &["gzip", "x-gzip"],
        }
    }

    /// What answers call it.
    pub(super) fn word(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        })
    }

    /// What tells its tags from those of other forms.
    fn suffix(self) -> &'static str {
        match self {
            Self::Zstd => "-zst\"",
            Self::Brotli => "-br\"",
            Self::Gzip => "-gz\"",
        }
    }

    /// The tag of what is packed, by that of the same as it is.
    pub(super) fn tag(self, plain: &HeaderValue) -> HeaderValue {
        let text = plain.to_str().ok().and_then(|text| text.strip_suffix('"'));
        let tag = text.map(|text| format!("{text}{}", self.suffix()));
        tag.and_then(|tag| HeaderValue::try_from(tag).ok())
            .unwrap_or_else(|| plain.clone())
    }

    fn pack(self, body: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut packed = Vec::with_capacity(body.len() / 4);
        match self {
            Self::Zstd => zstd::stream::copy_encode(body, &mut packed, 3)?,
            Self::Brotli => {
                let mut writer = brotli::CompressorWriter::new(&mut packed, 4_096, 4, 22);
                writer.write_all(body)?;
                // The end is written when it goes.
            }
            Self::Gzip => {
                let level = flate2::Compression::new(5);
                let mut writer = flate2::write::GzEncoder::new(&mut packed, level);
                writer.write_all(body)?;
                writer.finish()?;
            }
        }
        Ok(packed)
    }
}

/// Name and weight, in thousandths.
fn wish(text: &str) -> Option<(&str, u16)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let weight = match weight {
        None => 1_000,
        Some(text) => {
            let weight: f32 = text.parse().ok()?;
            if !(0.0..=1.0).contains(&weight) {
                return None;
            }
            // From 0 to 1000.
            (weight * 1_000.0).round() as u16
        }
    };
    Some((name, weight))
}

/// The tag of what is not packed, of any tag of the same.
pub(super) fn plain(tag: &[u8]) -> Option<Vec<u8>> {
    ALL.iter().find_map(|packing| {
        let mut plain = tag.strip_suffix(packing.suffix().as_bytes())?.to_vec();
        plain.push(b'"');
        Some(plain)
    })
}

/// Whether so many bytes of that kind are packed for those who take it.
pub(super) fn worth(headers: &HeaderMap, bytes: usize) -> bool {
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

/// Answers that were packed and are given again, by their tag and the way.
#[derive(Debug)]
pub(super) struct Packs(Cache<(HeaderValue, Packing), Bytes>);

impl Packs {
    /// Beside answers that take so many bytes.
    pub(super) fn new(room: u64) -> Self {
        let weight = |_: &(HeaderValue, Packing), packed: &Bytes| {
            u32::try_from(packed.len() + 256).unwrap_or(u32::MAX)
        };
        let packs = Cache::builder().weigher(weight).max_capacity(room / PART);
        Self(packs.build())
    }

    /// The body packed: from memory if it was before. `again`: it is given more than once.
    /// None when that failed.
    pub(super) async fn of(
        &self,
        (tag, body): (&HeaderValue, &Bytes),
        packing: Packing,
        again: bool,
    ) -> Option<Bytes> {
        let key = (tag.clone(), packing);
        if let Some(known) = self.0.get(&key) {
            return Some(known);
        }
        let plain = body.clone();
        let packed = if body.len() > BESIDE {
            let packed = tokio::task::spawn_blocking(move || packing.pack(&plain));
            packed.await.ok()?.ok()?
        } else {
            packing.pack(&plain).ok()?
        };
        let packed = Bytes::from(packed);
        if again {
            self.0.insert(key, packed.clone());
        }
        Some(packed)
    }
}

/// Wraps every request: packs what is worth it and was not packed further in.
pub(super) async fn packed(mut request: Request, next: impl Inner) -> Response {
    let chosen = Packing::chosen(request.headers());
    if let Some(packing) = chosen {
        request.extensions_mut().insert(packing);
    }
    let mut response = next.run(request).await;
    // What has a tag was looked at already, or is a file, of which parts are asked for.
    let tagged = response.headers().contains_key(header::ETAG);
    let size = response.body().size_hint().exact();
    let bytes = size.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    if tagged || !worth(response.headers(), bytes) {
        return response;
    }
    match chosen {
        Some(packing) => streamed(packing, response).await,
        None => {
            kept::varies_by_packing(response.headers_mut());
            response
        }
    }
}

/// The answer packed as it comes.
async fn streamed(packing: Packing, response: Response) -> Response {
    let mut response = Some(response);
    let answers = tower::service_fn(move |_: Request| {
        let response = response.take().unwrap_or_default();
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let mut asked = Request::new(Body::empty());
    (asked.headers_mut()).insert(header::ACCEPT_ENCODING, packing.word());
    let always = |_, _, _: &HeaderMap, _: &axum::http::Extensions| true;
    let packed = Compression::new(answers).compress_when(always);
    match packed.oneshot(asked).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(field: &'static str) -> Option<Packing> {
        let field = HeaderValue::from_static(field);
        Packing::chosen(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, field)]))
    }

    #[test]
    fn the_way_is_what_the_client_likes_best() {
        let cases = [
            ("", None),
            ("identity", None),
            ("deflate", None),
            ("gzip", Some(Packing::Gzip)),
            ("x-gzip", Some(Packing::Gzip)),
            ("GZIP", Some(Packing::Gzip)),
            ("gzip, deflate, br, zstd", Some(Packing::Zstd)),
            ("gzip, deflate, br", Some(Packing::Brotli)),
            ("gzip;q=1.0, br;q=0.5, zstd;q=0.1", Some(Packing::Gzip)),
            ("gzip;q=0", None),
            ("*", Some(Packing::Zstd)),
            ("*, zstd;q=0", Some(Packing::Brotli)),
            ("*;q=0, gzip", Some(Packing::Gzip)),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some(Packing::Gzip)),
            ("gzip;q=2, br;q=x", None),
            ("identity;q=0", None),
        ];
        for (field, way) in cases {
            assert_eq!(chosen(field), way, "{field}");
        }
        assert_eq!(Packing::chosen(&HeaderMap::new()), None);
    }

    #[test]
    fn each_way_has_a_tag_of_its_own_which_leads_back() {
        let tag = HeaderValue::from_static("\"abc\"");
        for packing in ALL {
            let packed = packing.tag(&tag);
            assert_ne!(packed, tag);
            assert_eq!(plain(packed.as_bytes()).as_deref(), Some(tag.as_bytes()));
        }
        assert_eq!(plain(b"\"abc\""), None);
    }

    #[test]
    fn what_is_small_or_no_text_stays_as_it_is() {
        let of = |kind: &'static str| {
            HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))])
        };
        for kind in [
            "application/json; charset=utf-8",
            "application/graphql-response+json",
            "application/x-ndjson",
            "application/xml",
            "text/csv",
            "text/html; charset=utf-8",
            "text/javascript",
        ] {
            assert!(worth(&of(kind), LEAST), "{kind}");
            assert!(!worth(&of(kind), LEAST - 1), "{kind}");
        }
        for kind in [
            "image/svg+xml",
            "image/png",
            "application/pdf",
            "application/zip",
        ] {
            assert!(!worth(&of(kind), usize::MAX), "{kind}");
        }
        let mut part = of("text/csv");
        part.insert(
            header::CONTENT_RANGE,
            HeaderValue::from_static("bytes 0-9/20"),
        );
        assert!(!worth(&part, usize::MAX));
    }

    #[tokio::test]
    async fn what_is_given_again_is_packed_once() {
        let packs = Packs::new(1 << 20);
        let body = Bytes::from("abc ".repeat(1_000));
        let tag = HeaderValue::from_static("\"t\"");
        for packing in ALL {
            let made = packs.of((&tag, &body), packing, false).await.unwrap();
            assert!(made.len() < body.len() / 4, "{packing:?}");
            let kept = packs.of((&tag, &body), packing, true).await.unwrap();
            assert_eq!(kept, made, "one tag, one text");
            assert_ne!(kept.as_ptr(), made.as_ptr(), "kept the first time");
            let again = packs.of((&tag, &body), packing, true).await.unwrap();
            assert_eq!(
                again.as_ptr(),
                kept.as_ptr(),
                "{packing:?} was packed again"
            );
        }
    }
}
