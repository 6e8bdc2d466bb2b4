//! `/find?q=`: the search of the head line, by any number or name. Asks the list of each collection whose declaration
//! says that it is sought. What has exactly that number or name comes before what has it as a part; one find alone is
//! opened at once. Must not know which collections these are.

use crate::Pages;
use crate::book::columns;
use crate::book::query::{populate_names, searched, written};
use crate::calls::Answer;
use crate::components::reply::{page, see};
use crate::components::shell::{FIND, Shell};
use crate::components::value::cell_of;
use crate::stop::Page;
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::Collection;
use serde_json::Value;

/// The records of a collection that the search matched.
struct CollectionHits {
    c: &'static Collection,
    condition: Vec<(String, String)>,
    /// How many records fulfil it.
    total: u64,
    /// The first of them.
    docs: Vec<Value>,
}

/// Address of the page.
pub(crate) const PATH: &str = FIND;
/// Finds of each collection that the page shows.
const SHOWN: usize = 5;
/// Columns of each find.
const COLUMNS: usize = 3;

pub(crate) async fn find(State(pages): State<Pages>, visitor: Visitor) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let query = visitor.query();
    let text = query.get("q").map(str::trim).unwrap_or_default();
    let title = shell.text("page-find-any");
    if text.is_empty() {
        let body = html! { h1 { (title) } p class="none" { (shell.text("page-find-short")) } };
        return Ok(page(StatusCode::OK, shell.document(&title, &body)));
    }
    let sought = pages.site.registry.iter();
    let sought = sought.filter_map(|c| Some((c, c.ui.sought?)));
    let all = sought.map(async |(c, more)| {
        let ask = async |test: &str| {
            let condition = condition(c, more, text, test);
            let path = format!("/api/{}?{}", c.slug, rows(&shell, c, &condition));
            (condition, shell.get(&path).await)
        };
        let ((_, exact), (condition, part)) = futures_util::join!(ask("equals"), ask("contains"));
        CollectionHits { c, condition, total: part.number("totalDocs"), docs: first(&exact, &part) }
    });
    let hits = join_all(all).await.into_iter();
    let hits: Vec<CollectionHits> = hits.filter(|hits| !hits.docs.is_empty()).collect();
    if let [CollectionHits { c, total: 1, docs, .. }] = hits.as_slice()
        && let [one] = docs.as_slice()
    {
        return Ok(see(&format!("/book/{}/{}", c.slug, at(one, "id"))));
    }
    let body = html! {
        h1 { (title) ": " (text) }
        @if hits.is_empty() { p class="none" { (shell.text("page-find-none")) } }
        @for hits in &hits { (section(&shell, hits)) }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// The records of both answers, each once.
fn first(exact: &Answer, part: &Answer) -> Vec<Value> {
    let mut docs: Vec<Value> = exact.docs().to_vec();
    for doc in part.docs() {
        if !docs.iter().any(|own| at(own, "id") == at(doc, "id")) {
            docs.push(doc.clone());
        }
    }
    docs.truncate(SHOWN);
    docs
}

fn condition(c: &'static Collection, more: &[&str], text: &str, test: &str) -> Vec<(String, String)> {
    let paths = searched(c);
    let more = more.iter().filter(|path| !paths.contains(path));
    let all = paths.iter().chain(more).enumerate();
    all.map(|(place, path)| {
        let key = format!("where[or][{place}][{path}][{test}]");
        (key, text.to_owned())
    })
    .collect()
}

fn rows(shell: &Shell<'_>, c: &'static Collection, condition: &[(String, String)]) -> String {
    let mut all = condition.to_vec();
    let limit = SHOWN.to_string();
    let rest = [("limit", limit.as_str()), ("depth", "1"), ("joins", "false"), ("count", "bounded")];
    all.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let columns = columns::of(c);
    let names = populate_names(shell.pages.site.registry, columns.iter().copied());
    written(&all) + &names
}

fn section(shell: &Shell<'_>, hits: &CollectionHits) -> Markup {
    let c = hits.c;
    let language = shell.language();
    let columns = columns::others(c, &columns::of(c));
    let names = c.title().names;
    let other = columns.into_iter().filter(|field| !names.contains(&field.path.as_str()));
    let columns: Vec<_> = other.take(COLUMNS).collect();
    html! {
        section {
            h2 {
                a href=(format!("/book/{}?{}", c.slug, written(&hits.condition))) { (labels::collections(language, c.slug)) }
                " " span class="count" { (hits.total) }
            }
            ul class="events" { @for doc in &hits.docs { li {
                a href=(format!("/book/{}/{}", c.slug, at(doc, "id"))) { (shell.title(c, doc)) }
                @for field in &columns { @if !at(doc, &field.path).is_null() {
                    span class="fact" {
                        (labels::field(language, c.slug, &field.path)) ": " (cell_of(shell, c, field, doc))
                    }
                } }
            } } }
        }
    }
}
