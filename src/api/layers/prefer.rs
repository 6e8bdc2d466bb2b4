//! The preferences of a client (RFC 7240): answers later, strict reading, the answers of the
//! service that this one replaces. Unknown preferences are ignored, as the standard demands.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prefer {
    /// `respond-async`: take the work now and answer later (RFC 7240, section 4.1).
    pub asynchronous: bool,
    /// `handling=strict`: refuse what is not understood (RFC 7240, section 4.4).
    pub strict: bool,
    /// `deployed-answers`: the bodies of the deployed service.
    pub deployed: bool,
}

impl Prefer {
    /// Reads all `Prefer` fields. The first of two contradicting ones wins (RFC 7240, section 2).
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut prefer = Self::default();
        let mut handling = None;
        let fields = headers.get_all(PREFER).iter();
        for one in fields.filter_map(|field| field.to_str().ok()).flat_map(|text| text.split(',')) {
            let token = one.split(';').next().unwrap_or_default();
            let (name, value) = token.split_once('=').unwrap_or((token, ""));
            let value = value.trim().trim_matches('"').to_ascii_lowercase();
            match name.trim().to_ascii_lowercase().as_str() {
                "respond-async" => prefer.asynchronous = true,
                "deployed-answers" => prefer.deployed = true,
                "handling" => {
                    handling.get_or_insert(value);
                }
                _ => {}
            }
        }
        prefer.strict = handling.as_deref() == Some("strict");
        prefer
    }

    /// Names the preference that was applied in the answer.
    pub(crate) fn applied(response: &mut Response, preference: &'static str) {
        let value = HeaderValue::from_static(preference);
        response.headers_mut().append(APPLIED, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[&'static str]) -> Prefer {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(PREFER, HeaderValue::from_static(field));
        }
        Prefer::read(&headers)
    }

    #[test]
    fn preferences_are_read_from_all_fields_in_any_case() {
        let all = read(&["Respond-Async, wait=10", "handling=\"STRICT\"; x=y, deployed-answers"]);
        assert!(all.asynchronous && all.strict && all.deployed);
        assert_eq!(read(&["return=minimal", "handling=odd"]), Prefer::default());
        assert!(!read(&["handling=lenient, handling=strict"]).strict);
    }
}
