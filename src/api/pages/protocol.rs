//! The protocol of a package: one page that is read on screen and on paper (docs/packages.md). All
//! values are text to the template, which escapes it.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::collections::{Protocol, ProtocolFinding, ProtocolLine, ProtocolStep};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use model::display::{path, set, with_days};
use model::messages::{Language, text};
use model::registry::Registry;
use std::collections::BTreeMap;

const STYLE: &str = include_str!("protocol.css");
/// What the page may do: look as it does, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// A page in a language, with the declarations whose names it tells.
#[derive(Clone, Copy)]
pub(crate) struct Page(pub(crate) Language, pub(crate) &'static Registry);

impl Page {
    /// The page.
    pub(crate) fn shown(self, service: &str, protocol: &Protocol) -> Response {
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::VARY, "Accept, Accept-Language"),
        ];
        (StatusCode::OK, headers, self.whole(service, protocol)).into_response()
    }

    pub(super) fn label(self, name: &str) -> String {
        text(self.0, &format!("protocol-{name}"), &BTreeMap::new())
    }

    /// A word of the model; one that has no text is shown as it is.
    pub(super) fn word(self, word: &str) -> String {
        let name = format!("protocol-word-{word}");
        let translation = text(self.0, &name, &BTreeMap::new());
        match translation == name {
            true => word.to_owned(),
            false => translation,
        }
    }

    /// What stands behind a label.
    pub(super) fn value(self, label: &str, stored: &str) -> String {
        match label {
            "kind" | "state" => self.word(stored),
            "dataset" => set(self.1, self.0, stored).unwrap_or_else(|| stored.to_owned()),
            _ => with_days(self.0, stored),
        }
    }

    /// The field of a finding.
    pub(super) fn field(self, found: &str) -> String {
        path(self.1, self.0, found).unwrap_or_else(|| found.to_owned())
    }

    fn whole(self, service: &str, protocol: &Protocol) -> String {
        let values = BTreeMap::from([("number".to_owned(), protocol.number.clone())]);
        let title = text(self.0, "protocol-title", &values);
        let page = html! {
            (DOCTYPE)
            html lang=(self.0.word()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) " · " (service) }
                    style { (PreEscaped(STYLE)) }
                }
                body { main {
                    h1 { (title) }
                    (self.pairs(&protocol.package))
                    section { h2 { (self.label("intake")) } (self.pairs(&protocol.intake)) }
                    section { h2 { (self.label("review")) } (self.pairs(&protocol.review)) }
                    section { h2 { (self.label("findings")) } (self.findings(&protocol.findings)) }
                    section { h2 { (self.label("steps")) } (self.steps(&protocol.steps)) }
                    section { h2 { (self.label("signature")) } (self.pairs(&protocol.signature)) }
                } }
            }
        };
        page.into_string()
    }

    /// What is known, one line each.
    fn pairs(self, lines: &[ProtocolLine]) -> Markup {
        let known: Vec<(String, String)> = (lines.iter())
            .filter_map(|(name, stored)| {
                Some((self.label(name), self.value(name, stored.as_deref()?)))
            })
            .collect();
        html! {
            @if known.is_empty() {
                p class="none" { "–" }
            } @else {
                table class="pairs" { tbody {
                    @for (name, value) in known {
                        tr { th scope="row" { (name) } td class=[is_long(&value).then_some("mono")] { (value) } }
                    }
                } }
            }
        }
    }

    fn findings(self, rows: &[ProtocolFinding]) -> Markup {
        let line = |row: &ProtocolFinding| {
            [
                row.animal.clone(),
                self.field(&row.field),
                self.word(&row.severity),
                row.text.clone(),
            ]
        };
        self.table(
            &["animal", "field", "severity", "finding"],
            rows.iter().map(line),
        )
    }

    fn steps(self, rows: &[ProtocolStep]) -> Markup {
        let line = |row: &ProtocolStep| {
            [
                with_days(self.0, &row.at),
                self.word(&row.status),
                row.actor.clone(),
                row.note.clone(),
            ]
        };
        self.table(
            &["time", "state", "person", "remark"],
            rows.iter().map(line),
        )
    }

    fn table(self, heads: &[&str; 4], rows: impl ExactSizeIterator<Item = [String; 4]>) -> Markup {
        html! {
            @if rows.len() == 0 {
                p class="none" { (self.label("none")) }
            } @else {
                table {
                    thead { tr { @for head in heads { th scope="col" { (self.label(head)) } } } }
                    tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
                }
            }
        }
    }
}

/// Hashes, keys and signatures.
fn is_long(value: &str) -> bool {
    value.len() >= 40 && !value.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::{Page, Registry};
    use domain::collections::{Protocol, ProtocolFinding, ProtocolStep};

    #[test]
    fn all_values_are_escaped() {
        let evil = "<script>alert(\"1\")</script>&";
        let text = || evil.to_owned();
        let protocol = Protocol {
            number: text(),
            package: vec![("farm", Some(text())), ("kind", None)],
            intake: vec![("rows", Some(text()))],
            review: vec![("remark", Some(text()))],
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
            signature: vec![("key", Some(text()))],
        };
        let registry = Box::leak(Box::new(Registry::build(Vec::new()).unwrap()));
        let page = Page(model::messages::Language::English, registry).whole(evil, &protocol);
        assert!(!page.contains("<script") && !page.contains("</script"));
        assert_eq!(page.matches("&lt;script&gt;").count(), 15);
        assert!(!page.contains("Kind"), "what is not known is left out");
    }
}
