//! The page of a link that ends emails: a question with a button, or the answer (docs/letters.md). Without scripts.

use super::frame::framed;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html;
use model::letter::Wish;
use model::messages::{Language, text};
use std::collections::BTreeMap;

/// What the page may do: send its form back, and nothing else.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Whether emails of this kind are to end.
    Asks(Wish),
    Done,
    /// That the link ends nothing.
    Unknown,
}

pub(crate) fn page(service: &str, language: Language, said: Said) -> Response {
    let mut values = BTreeMap::new();
    let (status, name) = match said {
        Said::Asks(wish) => {
            values.insert("flag".to_owned(), wish.word().to_owned());
            (StatusCode::OK, "unsubscribe-ask")
        }
        Said::Done => (StatusCode::OK, "unsubscribe-done"),
        Said::Unknown => (StatusCode::BAD_REQUEST, "unsubscribe-unknown"),
    };
    let sentence = text(language, name, &values);
    let button = text(language, "unsubscribe-button", &values);
    let content = html! {
        h1 { (service) }
        p { (sentence) }
        // Sent to the address of the page, which has the token.
        @if matches!(said, Said::Asks(_)) {
            form method="post" {
                input type="hidden" name="List-Unsubscribe" value="One-Click";
                button type="submit" { (button) }
            }
        }
    };
    let page = framed(language, service, &html! {}, &content);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, page).into_response()
}
