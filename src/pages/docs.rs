//! `/api-docs`: every operation of the API, searched by the server, with the way to its whole description. The list comes
//! at once; the description is opened in parts, by tag.

use crate::Pages;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::messages::{Language, known, labels, stored};
use model::registry::Collection;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Operations of one answer.
const MOST: usize = 300;

pub(crate) async fn docs(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    let query = visitor.query();
    let (search, tag) = (query.get("q").map(str::trim), query.get("tag"));
    let answer = shell.get("/api-docs/operations.json").await;
    let all: &[Value] = answer.body.as_array().map_or(&[], Vec::as_slice);
    let title = "API";
    let body = html! {
        h1 { (title) }
        p { (shell.text("page-docs")) " " a href="/api-docs/openapi.json" { "OpenAPI (JSON)" } ", "
            a href="/api/graphql-playground" { "GraphQL" } ", "
            a href="/partners" { (shell.text("page-partners")) } "." }
        form class="search" role="search" method="get" action="/api-docs" {
            label for="q" { (shell.text("page-docs-search")) }
            input id="q" name="q" type="search" value=[search];
            button type="submit" { (shell.text("page-find")) }
        }
        @match (search, tag) {
            (Some(search), _) => (results(&shell, all.iter().filter(|one| fits(one, &summary(&shell, one), search)))),
            (None, Some(tag)) => {
                nav class="crumbs" aria-label=(shell.text("page-path")) { a href="/api-docs" { (title) } }
                h2 { (tag_name(&shell, tag)) }
                (results(&shell, all.iter().filter(|one| text(one, "tag") == tag)))
            },
            (None, None) => (tags(&shell, all)),
        }
    };
    page(StatusCode::OK, shell.document(title, &body))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The collection that a tag is about.
fn about(shell: &Shell<'_>, tag: &str) -> Option<&'static Collection> {
    shell.pages.site.registry.iter().find(|c| tag == format!("{} · {}", c.section, c.plural))
}

/// What operations on a data set do, before its name.
const DEEDS: [&str; 6] = ["Send one of ", "Read one of ", "Send many of ", "List ", "Read ", "Retract "];

/// What an operation does, in the language of the visitor. The collection or the data set stands beside it.
fn summary(shell: &Shell<'_>, operation: &Value) -> String {
    let (language, english) = (shell.language(), text(operation, "summary"));
    if language == Language::English {
        return english.to_owned();
    }
    let plain = match about(shell, text(operation, "tag")) {
        Some(c) => {
            let action = c.actions.iter().map(|action| action.name);
            let many = c.for_many.iter().map(|how| how.name).filter(|_| english.contains(" for many "));
            let mut done = action.filter(|name| english.ends_with(&format!(": {name}"))).chain(many);
            if let Some(name) = done.next() {
                return labels::action(language, c.slug, name);
            }
            let joined = |name: &str| english == format!("List {name} of one {}", c.singular);
            if let Some(join) = c.joins.iter().find(|join| joined(join.name)) {
                return labels::collections(language, join.collection);
            }
            let mut names = [(&c.singular, "record"), (&c.plural, "records")];
            names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
            let plain = names.iter().fold(english.to_owned(), |text, (name, word)| text.replace(*name, word));
            plain.replace(" an record", " a record")
        }
        None => english.to_owned(),
    };
    let deed = DEEDS.iter().find(|deed| english.starts_with(**deed));
    let of_resources = deed.map(|deed| format!("{deed}resources"));
    let mut said = [Some(plain), of_resources].into_iter().flatten().filter_map(|plain| {
        let said = stored(language, &plain, "");
        (said != plain).then_some(said)
    });
    said.next().unwrap_or_else(|| english.to_owned())
}

/// Whether an operation, with what it is said to do, has all words of a search.
fn fits(operation: &Value, said: &str, search: &str) -> bool {
    let all = ["tag", "method", "path", "id", "summary"].map(|name| text(operation, name));
    let all = format!("{} {said}", all.join(" ")).to_lowercase();
    let search = search.to_lowercase();
    search.split_whitespace().all(|word| all.contains(word))
}

fn section_name(shell: &Shell<'_>, section: &str) -> String {
    let name = format!("page-section-{}", section.to_ascii_lowercase());
    known(shell.language(), &name).unwrap_or_else(|| section.to_owned())
}

/// The name of what a tag is about: a collection, a part of the service, or a data set of the exchange, which is called
/// alike in every language.
fn subject_name(shell: &Shell<'_>, tag: &str) -> Markup {
    let subject = tag.split(" · ").last().unwrap_or_default();
    if let Some(c) = about(shell, tag) {
        return html! { (labels::collections(shell.language(), c.slug)) };
    }
    let name = subject.to_ascii_lowercase().replace(' ', "-");
    match known(shell.language(), &format!("page-docs-of-{name}")) {
        Some(name) => html! { (name) },
        None => html! { code { (subject) } },
    }
}

fn tag_name(shell: &Shell<'_>, tag: &str) -> Markup {
    match tag.split_once(" · ") {
        Some((section, _)) => {
            html! { (section_name(shell, section)) " · " (subject_name(shell, tag)) }
        }
        None => html! { (tag) },
    }
}

/// The tags by their sections, with how many operations each has.
fn tags(shell: &Shell<'_>, all: &[Value]) -> Markup {
    let mut sections: Vec<(&str, Vec<(&str, usize)>)> = Vec::new();
    for operation in all {
        let tag = text(operation, "tag");
        let section = tag.split(" · ").next().unwrap_or_default();
        let place = sections.iter().position(|(name, _)| *name == section);
        let place = place.unwrap_or_else(|| {
            sections.push((section, Vec::new()));
            sections.len().saturating_sub(1)
        });
        if let Some((_, tags)) = sections.get_mut(place) {
            match tags.iter_mut().find(|(name, _)| *name == tag) {
                Some((_, count)) => *count = count.saturating_add(1),
                None => tags.push((tag, 1)),
            }
        }
    }
    html! {
        div class="sections" { @for (section, tags) in &sections {
            section {
                h2 { (section_name(shell, section)) }
                ul { @for (tag, count) in tags {
                    li {
                        a href=(format!("/api-docs?tag={}", encoded(tag))) { (subject_name(shell, tag)) }
                        " " span class="count" { (count) }
                    }
                } }
            }
        } }
    }
}

fn results<'o>(shell: &Shell<'_>, all: impl Iterator<Item = &'o Value>) -> Markup {
    let all: Vec<&Value> = all.take(MOST).collect();
    let view = |operation: &Value| {
        let (tag, id) = (encoded(text(operation, "tag")), encoded(text(operation, "id")));
        format!("/api-docs/view?tag={tag}#/{tag}/{id}")
    };
    html! {
        @if all.is_empty() { p class="none" { (shell.text("page-none")) } }
        @else {
            section class="wide" tabindex="0" aria-label=(shell.text("page-docs-operations")) {
                table {
                    tbody { @for operation in all { tr {
                        td { code class="method" { (text(operation, "method").to_uppercase()) } }
                        td { code { (text(operation, "path")) } }
                        th scope="row" { a href=(view(operation)) { (summary(shell, operation)) } }
                        td { (tag_name(shell, text(operation, "tag"))) }
                    } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_words_of_a_search_must_occur() {
        let one = json!({"tag": "Herd · Animals", "method": "get", "path": "/api/animals", "id": "findAnimals", "summary": "List Animals"});
        for (search, fit) in
            [("", true), ("list animals", true), ("GET herd", true), ("список", true), ("list calvings", false)]
        {
            assert_eq!(fits(&one, "Список", search), fit, "{search}");
        }
    }
}
