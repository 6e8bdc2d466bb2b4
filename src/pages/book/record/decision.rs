//! What an approval of an open request would do now (docs/requests.md, *What is held back*): which animals it lets through,
//! which it holds back, and for which findings; and what else was found. Must not know which collection it is.

use super::super::query::written;
use super::certificate;
use crate::components::shell::Shell;
use crate::components::value::related;
use crate::words::text_of;
use maud::{Markup, html};
use model::display::at;
use model::messages::{self, labels};
use model::registry::review::{checked_row, finding};
use model::registry::{Collection, Feature, corrections};
use serde_json::Value;

/// The answer about a request, and the request.
struct Decision<'d> {
    shell: &'d Shell<'d>,
    c: &'static Collection,
    request: &'d Value,
    answer: &'d Value,
}

/// Nothing for records that are no request, or a decided one.
pub(super) async fn markup(shell: &Shell<'_>, c: &'static Collection, request: &Value) -> Markup {
    let open = corrections::OPEN.iter().any(|state| at(request, corrections::STATE) == *state);
    if !c.is(Feature::Requests) || !open {
        return html! {};
    }
    let inside = inside(shell, c, request).await;
    html! { section id="decision" { h2 { (shell.text("page-decision")) } (inside) } }
}

/// The same without its heading, of an open request.
pub(in crate::book) async fn inside(shell: &Shell<'_>, c: &'static Collection, request: &Value) -> Markup {
    let answer = shell.get(&format!("/api/{}/{}/decision", c.slug, at(request, "id"))).await;
    let of = Decision { shell, c, request, answer: &answer.body };
    let purpose = at(request, corrections::KIND).as_str().unwrap_or_default();
    let about = of.list_of(request, corrections::ABOUT);
    let needs = match purpose == corrections::CERTIFICATE {
        true => certificate::needs(shell, c.field(corrections::ABOUT), about).await,
        false => html! {},
    };
    html! {
        @if let Some(effect) = messages::known(shell.language(), &format!("page-decision-{purpose}")) { p { (effect) } }
        @if !answer.is_good() {
            p class="fault" role="alert" { (answer.message()) }
        } @else if !about.is_empty() {
            (of.markup())
        }
        (needs)
    }
}

impl<'d> Decision<'d> {
    fn list_of(&self, value: &'d Value, path: &str) -> &'d [Value] {
        at(value, path).as_array().map_or(&[], Vec::as_slice)
    }

    fn list(&self, path: &str) -> &'d [Value] {
        self.list_of(self.answer, path)
    }

    fn markup(&self) -> Markup {
        let language = self.shell.language();
        let [approved, held] = corrections::COUNTS;
        let lacking = self.list("lacking");
        let silent: Vec<&Value> =
            self.list("findings").iter().filter(|finding| at(finding, "holds") == false).collect();
        let notes = self.list("notes");
        html! {
            dl class="values" {
                @for (path, count) in [(approved, "approvedCount"), (held, "heldCount")] {
                    div { dt { (labels::field(language, self.c.slug, path)) } dd { (at(self.answer, count).as_u64().unwrap_or(0)) } }
                }
            }
            @for animal in self.list("held") { (self.held_animal(animal)) }
            @if !lacking.is_empty() {
                p class="fault" {
                    (self.shell.text("page-decision-lacking")) ": "
                    @for (place, id) in lacking.iter().enumerate() { @if place > 0 { ", " } (self.animal(id)) }
                    "."
                }
            }
            @if !silent.is_empty() {
                h3 { (self.shell.text("page-decision-silent")) }
                ul { @for finding in silent { (self.line(finding)) } }
            }
            @if !notes.is_empty() {
                details class="fold" {
                    @let all = at(self.answer, "noteCount").as_u64().unwrap_or_default();
                    summary { (self.shell.text("page-decision-notes")) " " span class="count" { (all) } }
                    ul { @for finding in notes { (self.line(finding)) } }
                    @let rest = usize::try_from(all).is_ok_and(|all| all > notes.len());
                    @if let Some(list) = self.note_list().filter(|_| rest) {
                        p { a href=(list) { (text_of(language, "card-all", "count", &all.to_string())) } }
                    }
                }
            }
        }
    }

    /// The list of all notes.
    fn note_list(&self) -> Option<String> {
        let findings = self.shell.pages.site.registry.with_feature(Feature::Findings)?;
        let animals = self.list_of(self.request, corrections::ABOUT).iter();
        let ids: Vec<String> = animals.map(|animal| animal.get("id").unwrap_or(animal).to_string()).collect();
        let [_, note] = checked_row::FOUND;
        let open = findings.options(finding::STATE).first()?;
        let query = [(finding::ANIMAL, "in", ids.join(",")), (finding::SEVERITY, "equals", note.to_owned())];
        let query = query.into_iter().chain([(finding::STATE, "equals", open.clone())]);
        let query = query.map(|(path, test, value)| (format!("where[{path}][{test}]"), value));
        Some(format!("/book/{}?{}", findings.slug, written(&query.collect::<Vec<_>>())))
    }

    /// An animal that is held back, with the findings of each reason; those that no finding has are named alone.
    fn held_animal(&self, held: &Value) -> Markup {
        let (animal, codes) = (at(held, "animal"), at(held, "codes").as_array());
        let findings = |code: &Value| {
            let own = |finding: &&Value| at(finding, "animal") == animal && at(finding, "code") == code;
            let of_farm = |finding: &&Value| at(finding, "holds") == true;
            self.list("findings").iter().filter(own).filter(of_farm).collect::<Vec<_>>()
        };
        html! {
            p { strong { (self.shell.text("page-decision-held")) ": " (self.animal(animal)) } }
            ul {
                @for code in codes.into_iter().flatten() {
                    li {
                        (self.reason(code))
                        @for finding in findings(code) { ". " (self.sentence(finding)) }
                    }
                }
            }
        }
    }

    fn reason(&self, code: &Value) -> String {
        let path = format!("{}.{}", corrections::HELD_ROWS, corrections::REASON);
        labels::option(self.shell.language(), self.c.slug, &path, code.as_str().unwrap_or_default())
    }

    /// An animal of the request by its name, as the visitor reads it.
    fn animal(&self, id: &Value) -> Markup {
        let slug = self.c.field(corrections::ABOUT).and_then(|field| field.target()).unwrap_or_default();
        let all = self.list_of(self.request, corrections::ABOUT);
        let named = all.iter().find(|animal| animal.get("id") == Some(id));
        related(self.shell, slug, named.unwrap_or(id))
    }

    fn line(&self, finding: &Value) -> Markup {
        html! { li { (self.animal(at(finding, "animal"))) ": " (self.sentence(finding)) } }
    }

    /// A finding in words, with the way to its page.
    fn sentence(&self, finding: &Value) -> Markup {
        let path = format!("message.{}", self.shell.language().word());
        let text = at(finding, &path).as_str().unwrap_or_default();
        let findings = self.shell.pages.site.registry.with_feature(Feature::Findings);
        let address = findings.and_then(|findings| self.shell.record(findings, at(finding, "id")));
        html! { a href=[address] { (text) } }
    }
}
