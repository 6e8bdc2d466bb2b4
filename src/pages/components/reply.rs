//! Answers with pages, and their headers.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What a page may do: use the style sheet, the script and pictures of this service, and send forms to it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

/// A page. Whoever passes it on stores it for nobody else: it depends on the account, on the cookie of the language and
/// on the languages of the browser.
pub(crate) fn page(status: StatusCode, html: String) -> Response {
    let headers: [(HeaderName, &str); 6] = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        // Addresses of some pages have tokens.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "private, no-store"),
        (header::VARY, "Accept, Accept-Language, Authorization, Cookie"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    (status, headers, html).into_response()
}

/// Sends the visitor to another page, by a request that changes nothing (RFC 9110, 15.4.4).
pub(crate) fn see(address: &str) -> Response {
    let address = HeaderValue::try_from(address).unwrap_or(HeaderValue::from_static("/"));
    let headers = [(header::LOCATION, address), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// The field of a form, and the parameter, that says which page follows.
pub(crate) const NEXT: &str = "next";

/// An address of this service that was sent as a field; anything else is the start page. A path that begins with two
/// slashes, or with one that browsers read as such, names another host.
pub(crate) fn local(address: Option<&str>) -> &str {
    let good = |address: &&str| {
        let mut chars = address.chars();
        let own = chars.next() == Some('/') && !matches!(chars.next(), Some('/' | '\\'));
        own && !address.contains(['\\', '\r', '\n', '\t']) && address.is_ascii()
    };
    address.filter(good).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_other_hosts_are_not_followed() {
        for good in ["/", "/book/animals?where[sex][equals]=male", "/a//b"] {
            assert_eq!(local(Some(good)), good);
        }
        for bad in [
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "",
            "book",
            "/a\r\nSet-Cookie: x=y",
        ] {
            assert_eq!(local(Some(bad)), "/", "{bad:?}");
        }
    }
}
