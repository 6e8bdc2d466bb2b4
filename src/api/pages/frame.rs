//! The frame of pages that stand alone: without scripts, with their look within.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use model::messages::Language;

/// What a page for print may do: look as it does, with pictures within it, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// A page: its language, its title, what stands in its head besides, and its content.
pub(super) fn framed(language: Language, title: &str, head: &Markup, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang=(language.word()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                (head)
            }
            body { main { (content) } }
        }
    };
    page.into_string()
}

pub(super) fn printable(page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "Accept, Accept-Language"),
    ];
    (StatusCode::OK, headers, page).into_response()
}
