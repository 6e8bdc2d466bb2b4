//! `/certificate/{number}?k={code}`: anybody checks a certificate, without a sign-in. A page without
//! scripts for browsers, else JSON.

use super::words::{Words, in_language};
use crate::layers::language::preferred;
use crate::pages::frame::framed;
use crate::{AppState, Refusal};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::collections::certificates::{self, Certificate, NUMBER};
use maud::{Markup, PreEscaped, html};
use model::display::with_days;
use model::error::{Error, Result};
use model::messages::Language;
use model::query::qs::Tree;
use model::registry::{Feature, Principal};
use ops::{Ask, View};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The path of the check.
pub(crate) const PATH: &str = "/certificate/{number}";

const STYLE: &str = include_str!("certificate.css");
/// What the page may do: look as it does, and ask again with a code.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";
/// Certificates are found by those who have one, not by search engines.
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
/// The longest code that is looked at.
const CODE_MAX: usize = 64;

/// The answer where a code is missing or wrong: the same in both cases.
const ASKS: &str = "Send the code that stands on the certificate as k.";

#[derive(Debug)]
enum CheckResult {
    Unknown,
    /// The code is missing, or wrong.
    AsksCode {
        wrong: bool,
    },
    Facts(Value),
}

/// `GET /certificate/{number}?k={code}`
pub(crate) async fn check(
    State(app): State<Arc<AppState>>,
    number: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let number = number.map(|Path(number)| number).unwrap_or_default();
    let mut accept = headers.get_all(header::ACCEPT).iter();
    let html = accept.any(|field| field.to_str().is_ok_and(|text| text.contains("text/html")));
    let checked = checked(&app, &number, &code(query.as_deref())).await;
    let mut response = match (checked, html) {
        (Err(error), _) => Refusal::from(error).into_response(),
        (Ok(checked), true) => page(&app, &number, &checked, preferred(&headers)),
        (Ok(CheckResult::Unknown), false) => Refusal::from(Error::NotFound).into_response(),
        (Ok(CheckResult::AsksCode { .. }), false) => Refusal::Denied(ASKS).into_response(),
        (Ok(CheckResult::Facts(facts)), false) => Json(facts).into_response(),
    };
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "Accept, Accept-Language"),
        (header::REFERRER_POLICY, "no-referrer"),
        (ROBOTS, "noindex, nofollow, noarchive"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The code of a query, as forms send it.
fn code(query: Option<&str>) -> String {
    let mut pairs = query.unwrap_or_default().split('&');
    let code = pairs.find_map(|pair| pair.strip_prefix("k=")).unwrap_or_default();
    let spaced = code.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

async fn checked(app: &AppState, number: &str, code: &str) -> Result<CheckResult> {
    let Some(Certificate { code: own, answer: facts }) = certificate_of(app, number).await? else {
        return Ok(CheckResult::Unknown);
    };
    let has_code = own.is_some_and(|own| is_code(code, &own));
    Ok(if has_code { CheckResult::Facts(facts) } else { CheckResult::AsksCode { wrong: !code.is_empty() } })
}

/// Compared in a time that does not depend on how much of it is right.
fn is_code(code: &str, own: &str) -> bool {
    let code = match code.len() <= CODE_MAX {
        true => certificates::plain(code),
        false => String::new(),
    };
    let own = certificates::plain(own);
    !own.is_empty() && bool::from(code.as_bytes().ct_eq(own.as_bytes()))
}

/// The certificate of a number. The system reads it: the code decides what the answer shows.
async fn certificate_of(app: &AppState, number: &str) -> Result<Option<Certificate>> {
    let numbers = certificates::numbers(number);
    let c = app.book.registry.with_feature(Feature::Certificates);
    let (Some(c), false) = (c, numbers.is_empty()) else {
        return Ok(None);
    };
    let any: Vec<Value> = (numbers.iter()).map(|number| json!({NUMBER: {"equals": number}})).collect();
    let ask = Ask {
        filter: Some(Tree::from(json!({"or": any}))),
        view: View::read(&Tree::from(certificates::view()), 0),
        pagination: false,
        ..Ask::default()
    };
    let listing = app.book.list(&Arc::new(Principal::system()), c, ask).await?;
    let page: Value = serde_json::from_slice(&listing.collect().await?).map_err(Error::internal)?;
    let docs = page.get("docs").and_then(Value::as_array);
    let docs = docs.map(Vec::as_slice).unwrap_or_default();
    Ok(certificates::certificate(docs, &numbers))
}

fn page(app: &AppState, number: &str, checked: &CheckResult, language: Language) -> Response {
    let status = match checked {
        CheckResult::Unknown => StatusCode::NOT_FOUND,
        CheckResult::AsksCode { .. } => StatusCode::FORBIDDEN,
        CheckResult::Facts(_) => StatusCode::OK,
    };
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    let page = whole(&app.settings.face.name, number, checked, language);
    (status, headers, page).into_response()
}

fn whole(service: &str, number: &str, checked: &CheckResult, language: Language) -> String {
    let w = |name| language.phrase(name);
    let title = format!("{} · {service}", w("check"));
    let head = html! {
        meta name="robots" content="noindex, nofollow, noarchive";
        style { (PreEscaped(STYLE)) }
    };
    let content = html! {
        h1 { (w("check")) }
        @match checked {
            CheckResult::Unknown => p class="bad" { (w("no-certificate")) },
            CheckResult::AsksCode { wrong } => {
                @if *wrong { p class="bad" { (w("wrong-code")) } }
                (form(number, language))
            },
            CheckResult::Facts(facts) => (certificate(&in_language(facts, language), language)),
        }
        footer { (service) }
    };
    framed(language, &title, &head, &content)
}

fn form(number: &str, language: Language) -> Markup {
    let w = |name| language.phrase(name);
    html! {
        p { (w("certificate")) " " b { (number) } }
        p { (w("ask-code")) }
        // Without an action the form asks for the same address.
        form method="get" {
            label for="k" { (w("code")) }
            input id="k" name="k" required maxlength=(CODE_MAX) autocomplete="off" spellcheck="false"
                autocapitalize="characters";
            button { (w("submit")) }
        }
    }
}

fn certificate(facts: &Value, language: Language) -> Markup {
    let w = |name| language.phrase(name);
    let text = |place: &str| facts.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let value_of = |name: &str, value: &str| with_days(language, &language.valued(name, value));
    let pair = |name: &'static str| (w(name), value_of(name, text_of(facts, name)));
    let valid = facts.get("valid") == Some(&Value::Bool(true));
    let in_book = facts.get("inBook") == Some(&Value::Bool(true));
    let paper = facts.get("paper").and_then(Value::as_object);
    let differences = facts.get("differences").and_then(Value::as_array);
    html! {
        @if valid {
            p class="good" { (w("valid")) }
        } @else {
            p class="bad" { (w("revoked")) }
        }
        table { tbody {
            @for (name, value) in [pair("type"), pair("number"), pair("issuedAt")] {
                tr { th scope="row" { (name) } td { (value) } }
            }
            @if !valid {
                tr { th scope="row" { (w("revokedAt")) } td { (with_days(language, text("/revoked/at").get(..10).unwrap_or_default())) } }
                tr { th scope="row" { (w("reason")) } td { (text("/revoked/reason")) } }
            }
        } }
        @match paper {
            None => p { (w("not-kept")) },
            Some(paper) => {
                h2 { (w("paper")) }
                p { (w("compare")) }
                table { tbody {
                    @for (name, value) in paper {
                        tr { th scope="row" { (w(name)) } td { (value_of(name, value.as_str().unwrap_or_default())) } }
                    }
                } }
                h2 { (w("differences")) }
                @match (in_book, differences.filter(|all| !all.is_empty())) {
                    (false, _) => p { (w("not-in-book")) },
                    (true, None) => p { (w("no-differences")) },
                    (true, Some(all)) => (differing(all, language)),
                }
            }
        }
    }
}

fn text_of<'t>(facts: &'t Value, name: &str) -> &'t str {
    facts.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn differing(all: &[Value], language: Language) -> Markup {
    let w = |name| language.phrase(name);
    let value_of = |row: &Value, name: &str| {
        let value = row.get(name).and_then(Value::as_str);
        let value = value.map(|value| with_days(language, &language.valued(text_of(row, "field"), value)));
        value.unwrap_or_else(|| language.phrase("nothing"))
    };
    html! {
        table {
            thead { tr { th {} th scope="col" { (w("paper")) } th scope="col" { (w("book")) } } }
            tbody { @for row in all { tr {
                th scope="row" { (w(text_of(row, "field"))) }
                td { (value_of(row, "paper")) }
                td { (value_of(row, "book")) }
            } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_as_forms_send_them() {
        for (query, expected) in [
            ("k=ACDE2346", "ACDE2346"),
            ("a=1&k=ac+de%2D2346", "ac de-2346"),
            ("k=%D0%90", "А"),
            ("k=%ff", "\u{fffd}"),
            ("kk=1", ""),
            ("", ""),
        ] {
            assert_eq!(code(Some(query)), expected, "{query}");
        }
        assert_eq!(code(None), "");
    }

    #[test]
    fn codes_are_compared_whole() {
        assert!(is_code("acde 23-46", "ACDE2346"));
        for wrong in ["", "ACDE234", "ACDE2347", "ACDE23466", &"A".repeat(1000)] {
            assert!(!is_code(wrong, "ACDE2346"), "{wrong}");
        }
        assert!(!is_code("", ""), "a certificate without a code has none that is right");
    }

    #[test]
    fn all_values_are_escaped() {
        let evil = "<script>alert(\"1\")</script>&";
        let facts = json!({
            "number": evil, "type": evil, "issuedAt": evil, "valid": false,
            "revoked": {"at": "2026-03-01", "reason": evil}, "paper": {"name": evil}, "inBook": true,
            "differences": [{"field": "name", "paper": evil, "book": evil}],
        });
        for checked in [CheckResult::Unknown, CheckResult::AsksCode { wrong: true }, CheckResult::Facts(facts)] {
            for language in [Language::English, Language::Russian] {
                let page = whole(evil, evil, &checked, language);
                assert!(!page.contains("<script"), "{page}");
                assert!(page.contains("&lt;script&gt;"));
            }
        }
    }
}
