//! The protocol of a package: one page that is read on screen and on paper (docs/packages.md). All
//! values are text to the template, which escapes it.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::collections::{Protocol, ProtocolFinding, ProtocolLine, ProtocolStep};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("protocol.css");
/// What the page may do: look as it does, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The page.
pub(crate) fn shown(service: &str, protocol: &Protocol) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (StatusCode::OK, headers, page(service, protocol)).into_response()
}

fn page(service: &str, protocol: &Protocol) -> String {
    let title = format!("Protocol of package {}", protocol.number);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · " (service) }
                style { (PreEscaped(STYLE)) }
            }
            body { main {
                h1 { (title) }
                (pairs(&protocol.package))
                section { h2 { "Intake" } (pairs(&protocol.intake)) }
                section { h2 { "Review" } (pairs(&protocol.review)) }
                section { h2 { "Findings" } (findings(&protocol.findings)) }
                section { h2 { "Steps" } (steps(&protocol.steps)) }
                section { h2 { "Signature" } (pairs(&protocol.signature)) }
            } }
        }
    };
    page.into_string()
}

/// What is known, one line each.
fn pairs(lines: &[ProtocolLine]) -> Markup {
    let known: Vec<(&str, &str)> = (lines.iter())
        .filter_map(|(name, value)| Some((*name, value.as_deref()?)))
        .collect();
    html! {
        @if known.is_empty() {
            p class="none" { "–" }
        } @else {
            table class="pairs" { tbody {
                @for (name, value) in known {
                    tr { th scope="row" { (name) } td class=[is_long(value).then_some("mono")] { (value) } }
                }
            } }
        }
    }
}

/// Hashes, keys and signatures.
fn is_long(value: &str) -> bool {
    value.len() >= 40 && !value.contains(char::is_whitespace)
}

fn findings(rows: &[ProtocolFinding]) -> Markup {
    table(
        &["Animal", "Field", "Severity", "Finding"],
        rows.iter()
            .map(|row| [&row.animal, &row.field, &row.severity, &row.text].map(String::as_str)),
    )
}

fn steps(rows: &[ProtocolStep]) -> Markup {
    table(
        &["Time", "State", "Person", "Remark"],
        rows.iter()
            .map(|row| [&row.at, &row.status, &row.actor, &row.note].map(String::as_str)),
    )
}

fn table<'r>(heads: &[&str; 4], rows: impl ExactSizeIterator<Item = [&'r str; 4]>) -> Markup {
    html! {
        @if rows.len() == 0 {
            p class="none" { "None." }
        } @else {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::page;
    use domain::collections::{Protocol, ProtocolFinding, ProtocolStep};

    #[test]
    fn all_values_are_escaped() {
        let evil = "<script>alert(\"1\")</script>&";
        let text = || evil.to_owned();
        let protocol = Protocol {
            number: text(),
            package: vec![("Farm", Some(text())), ("Kind", None)],
            intake: vec![("Rows", Some(text()))],
            review: vec![("Remark", Some(text()))],
            findings: vec![ProtocolFinding {
                animal: text(),
                field: text(),
                severity: text(),
                text: text(),
            }],
            steps: vec![ProtocolStep {
                at: text(),
                status: text(),
                actor: text(),
                note: text(),
            }],
            signature: vec![("Key", Some(text()))],
        };
        let page = page(evil, &protocol);
        assert!(!page.contains("<script") && !page.contains("</script"));
        assert_eq!(page.matches("&lt;script&gt;").count(), 15);
        assert!(!page.contains("Kind"), "what is not known is left out");
    }
}
