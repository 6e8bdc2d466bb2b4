//! The protocol of a package: one page that is read on screen and on paper (docs/packages.md). All
//! values are text to the template, which escapes it.

use super::frame::{framed, printable};
use axum::response::Response;
use domain::collections::{CLOSED_PERSONS, Protocol, ProtocolLine};
use maud::{Markup, PreEscaped, html};
use model::display::{path, set, with_days};
use model::messages::{Language, text};
use model::registry::Registry;
use std::collections::BTreeMap;

const STYLE: &str = include_str!("protocol.css");

/// Labels of the columns of findings and of steps.
pub(super) const FINDINGS: [&str; 4] = ["animal", "field", "severity", "finding"];
pub(super) const STEPS: [&str; 4] = ["time", "state", "person", "remark"];

/// A page in a language, with the declarations whose names it tells.
#[derive(Clone, Copy)]
pub(crate) struct Page(pub(crate) Language, pub(crate) &'static Registry);

impl Page {
    pub(crate) fn response(self, service: &str, protocol: &Protocol) -> Response {
        printable(self.whole(service, protocol))
    }

    pub(super) fn label(self, name: &str) -> String {
        text(self.0, &format!("protocol-{name}"), &BTreeMap::new())
    }

    /// A word of the model; one that has no text is shown as it is.
    fn word(self, word: &str) -> String {
        let name = format!("protocol-word-{word}");
        let translation = text(self.0, &name, &BTreeMap::new());
        match translation == name {
            true => word.to_owned(),
            false => translation,
        }
    }

    fn value(self, label: &str, stored: &str) -> String {
        match label {
            "kind" | "state" | "checks" => self.word(stored),
            "dataset" => set(self.1, self.0, stored).unwrap_or_else(|| stored.to_owned()),
            _ => with_days(self.0, &self.person(stored)),
        }
    }

    /// A person, by the side where the name is closed.
    fn person(self, stored: &str) -> String {
        match CLOSED_PERSONS.contains(&stored) {
            true => text(self.0, stored, &BTreeMap::new()),
            false => stored.to_owned(),
        }
    }

    fn field(self, name: &str) -> String {
        path(self.1, self.0, name).unwrap_or_else(|| name.to_owned())
    }

    pub(super) fn title(self, protocol: &Protocol) -> String {
        let values = BTreeMap::from([("number".to_owned(), protocol.number.clone())]);
        text(self.0, "protocol-title", &values)
    }

    fn whole(self, service: &str, protocol: &Protocol) -> String {
        let title = self.title(protocol);
        let content = html! {
            h1 { (title) }
            (self.pairs(&protocol.package))
            section { h2 { (self.label("intake")) } (self.pairs(&protocol.intake)) }
            section { h2 { (self.label("review")) } (self.pairs(&protocol.review)) }
            section { h2 { (self.label("findings")) } (self.table(&FINDINGS, &self.findings(protocol))) }
            section { h2 { (self.label("steps")) } (self.table(&STEPS, &self.steps(protocol))) }
            section { h2 { (self.label("signature")) } (self.pairs(&protocol.signature)) }
        };
        let title = format!("{title} · {service}");
        framed(self.0, &title, &html! { style { (PreEscaped(STYLE)) } }, &content)
    }

    pub(super) fn filled(self, lines: &[ProtocolLine]) -> Vec<(String, String)> {
        let pairs =
            lines.iter().filter_map(|(name, stored)| Some((self.label(name), self.value(name, stored.as_deref()?))));
        pairs.collect()
    }

    fn pairs(self, lines: &[ProtocolLine]) -> Markup {
        let pairs = self.filled(lines);
        html! {
            @if pairs.is_empty() {
                p class="none" { "–" }
            } @else {
                table class="pairs" { tbody {
                    @for (name, value) in pairs {
                        tr { th scope="row" { (name) } td class=[is_long(&value).then_some("mono")] { (value) } }
                    }
                } }
            }
        }
    }

    /// The cells of the findings, under [`FINDINGS`].
    pub(super) fn findings(self, protocol: &Protocol) -> Vec<[String; 4]> {
        let rows = protocol.findings.iter().map(|row| {
            let (field, severity) = (self.field(&row.field), self.word(&row.severity));
            [row.animal.clone(), field, severity, row.text.clone()]
        });
        rows.collect()
    }

    /// The cells of the steps, under [`STEPS`].
    pub(super) fn steps(self, protocol: &Protocol) -> Vec<[String; 4]> {
        let rows = protocol.steps.iter().map(|row| {
            let (at, status) = (with_days(self.0, &row.at), self.word(&row.status));
            [at, status, self.person(&row.actor), row.note.clone()]
        });
        rows.collect()
    }

    fn table(self, heads: &[&str; 4], rows: &[[String; 4]]) -> Markup {
        html! {
            @if rows.is_empty() {
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
            findings: vec![ProtocolFinding { animal: text(), field: text(), severity: text(), text: text() }],
            steps: vec![ProtocolStep { at: text(), status: text(), actor: text(), note: text() }],
            signature: vec![("key", Some(text()))],
        };
        let registry = Box::leak(Box::new(Registry::build(Vec::new()).unwrap()));
        let page = Page(model::messages::Language::English, registry).whole(evil, &protocol);
        assert!(!page.contains("<script") && !page.contains("</script"));
        assert_eq!(page.matches("&lt;script&gt;").count(), 15);
        assert!(!page.contains("Kind"), "what is not known is left out");
    }
}
