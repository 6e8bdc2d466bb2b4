//! The headers for limits: `RateLimit-Policy` and `RateLimit`
//! (draft-ietf-httpapi-ratelimit-headers, the structured form).

use super::bucket::{Meter, Remaining};
use super::denied::seconds;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Adds what a request class allows and what is left of it. Several classes make a list.
pub(super) fn tell(headers: &mut HeaderMap, meter: &Meter, remaining: Remaining) {
    if let Some(policy) = &meter.policy {
        headers.append(POLICY, policy.clone());
    }
    let (name, full) = (&meter.name, seconds(remaining.full_in));
    let text = format!("\"{name}\";r={};t={full}", remaining.requests);
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.append(LIMIT, value);
    }
}
