//! `Idempotency-Key`: a create that is sent again with its key is not done again, and
//! answered as before (docs/writing.md, *Once, however often it is sent*).

use super::super::target::Target;
use crate::Refusal;
use crate::caller::Who;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::error::Error;
use ops::{IdempotencyKey, StoredAnswer};
use sha2::{Digest, Sha256};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Distinguishes a repeated answer from a first one.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// Longest key, characters.
const KEY_MAX: usize = 255;

/// The name under which a request with a key is stored; anonymous callers have none, since their
/// keys could not be distinguished.
pub(in crate::rest) fn key(
    target: &Target,
    who: &Who,
    headers: &HeaderMap,
    content: &[u8],
) -> Result<Option<IdempotencyKey>, Refusal> {
    let mut keys = headers.get_all(KEY).iter();
    let (Some(user), Some(key)) = (who.principal.user, keys.next()) else {
        return Ok(None);
    };
    let key = key.to_str().map(str::trim).unwrap_or_default();
    let good = (1..=KEY_MAX).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    if !good || keys.next().is_some() {
        let message = "The Idempotency-Key must be one text of 1 to 255 visible ASCII characters.";
        return Err(Error::Malformed(message.into()).into());
    }
    let mut digest = Sha256::new();
    let kind = crate::body::is_lines(headers);
    for part in [target.collection.slug, target.query(), if kind { "lines" } else { "" }] {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    digest.update(content);
    let digest: String = (digest.finalize().iter()).map(|byte| format!("{byte:02x}")).collect();
    let key = key.to_owned();
    Ok(Some(IdempotencyKey { user, key, digest }))
}

/// An answer that was given before, given again.
pub(in crate::rest) fn replay(answer: StoredAnswer) -> Response {
    let status = u16::try_from(answer.status).ok();
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (REPLAYED, HeaderValue::from_static("true")),
    ];
    (status, headers, answer.body).into_response()
}
