//! `/book/<slug>/<id>/sample`: rows of a package that are drawn at random, for comparison with paper.

use super::ReviewedPackage;
use crate::book::columns;
use crate::book::query::written;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, row_head};
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::text_of;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature};
use serde_json::Value;

/// Rows that are drawn by default.
const DRAWN: &str = "20";

/// Where the Association says how many rows are drawn.
pub(super) fn form(of: ReviewedPackage<'_>) -> Markup {
    match of.shell.visitor.is_association() {
        true => drawing(of.shell, &of.address(), DRAWN),
        false => html! {},
    }
}

fn drawing(shell: &Shell<'_>, address: &str, wanted: &str) -> Markup {
    html! {
        form class="search" method="get" action={ (address) "/sample" } {
            label for="sample" { (shell.text("page-sample-rows")) }
            input id="sample" name="n" type="number" min="1" max="200" value=(wanted) required;
            button class="second" type="submit" { (shell.text("page-sample-draw")) }
        }
    }
}

pub(crate) async fn sample(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = crate::book::collection(&shell, &slug)?;
    if !c.is(Feature::Packages) {
        return Err(Stop::missing(&shell));
    }
    let query = visitor.query();
    let wanted = query.get("n").unwrap_or(DRAWN);
    let mut parameters = vec![("n", wanted), ("depth", "1"), ("joins", "false")];
    parameters.extend(query.get("seed").map(|seed| ("seed", seed)));
    let parameters: Vec<(String, String)> =
        (parameters.into_iter()).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let data = format!("/api/{}/{id}/sample?{}", c.slug, written(&parameters));
    let answer = shell.get(&data).await;
    if !answer.is_good() {
        return Err(Stop::refused(&shell, &answer));
    }
    let language = shell.language();
    let title = shell.text("page-sample");
    let seed = at(&answer.body, "seed").as_str().unwrap_or_default();
    let address = format!("/book/{}/{id}", c.slug);
    let same = [("n", wanted), ("seed", seed)].map(|(name, text)| (name.to_owned(), text.to_owned()));
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) { a href=(address) { (labels::collection(language, c.slug)) } }
        h1 { (title) " " span class="count" { (answer.docs().len()) " / " (at(&answer.body, "rows")) } }
        p class="note" {
            (text_of(language, "page-sample-note", "seed", seed)) " "
            a href={ (address) "/sample?" (written(&same)) } { (shell.text("page-sample-same")) }
        }
        (drawing(&shell, &address, wanted))
        (tables(&shell, answer.docs()))
        p class="files" { a href=(data) { (shell.text("page-as-json")) } }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// The drawn rows, a table for each collection.
fn tables(shell: &Shell<'_>, drawn: &[Value]) -> Markup {
    let mut tables: Vec<(&'static Collection, Vec<&Value>)> = Vec::new();
    for one in drawn {
        let slug = at(one, "collection").as_str().unwrap_or_default();
        let Some(c) = shell.pages.site.registry.get(slug) else {
            continue;
        };
        match tables.iter_mut().find(|(own, _)| own.slug == c.slug) {
            Some((_, docs)) => docs.push(at(one, "doc")),
            None => tables.push((c, vec![at(one, "doc")])),
        }
    }
    let language = shell.language();
    html! {
        @for (c, docs) in tables {
            @let columns = columns::others(c, &columns::of(c));
            h2 { (labels::collections(language, c.slug)) " " span class="count" { (docs.len()) } }
            section class="wide" tabindex="0" aria-label=(labels::collections(language, c.slug)) {
                table class="list" {
                    thead { tr {
                        th scope="col" { (labels::collection(language, c.slug)) }
                        @for field in &columns { th scope="col" { (labels::field(language, c.slug, &field.path)) } }
                    } }
                    tbody { @for doc in docs { tr {
                        th scope="row" { a href=[shell.record(c, at(doc, "id"))] { (row_head(shell, c, doc)) } }
                        @for field in &columns {
                            td data-head=(labels::field(language, c.slug, &field.path)) {
                                (cell_of(shell, c, field, doc))
                            }
                        }
                    } } }
                }
            }
        }
    }
}
