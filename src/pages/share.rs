//! `/share/<token>`: what a view link shows, for anybody who has it. Reads as a caller with the link, never with the
//! account of the visitor, so that everybody sees the same.

use crate::Pages;
use crate::book::{animal_page, columns};
use crate::components::reply::{page, see};
use crate::components::shell::Shell;
use crate::components::value::{cell_of, day};
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use maud::html;
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature, view_links};
use serde_json::{Value, json};

pub(crate) fn routes() -> Router<Pages> {
    Router::new()
        .route("/share/{token}", get(link))
        .route("/share/{token}/{id}", get(animal))
        .route("/animals/{id}", get(former))
}

/// `/animals/<id>?share=<token>`: addresses that the service before this one gave out.
async fn former(Visit(pages, visitor, id): Visit<i64>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let (_, c) = collections(&shell)?;
    match visitor.query().get("share") {
        Some(token) if is_token(token) => Ok(see(&format!("/share/{token}/{id}"))),
        Some(_) => Err(Stop::ended(&shell)),
        None => Ok(see(&format!("/book/{}/{id}", c.slug))),
    }
}

/// No token has other characters.
fn is_token(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Collections of the links and of what they show.
fn collections(shell: &Shell<'_>) -> Result<(&'static Collection, &'static Collection), Stop> {
    let registry = shell.pages.site.registry;
    let links = registry.with_feature(Feature::ViewLinks);
    let animals = links.and_then(|c| registry.get(c.field(view_links::ANIMALS)?.target()?));
    links.zip(animals).ok_or_else(|| Stop::missing(shell))
}

/// The page of the link: whose animals it shows, which data, until when.
async fn link(Visit(pages, visitor, token): Visit<String>) -> Page {
    let visitor = visitor.by_link(&token);
    let shell = Shell::new(&pages, &visitor);
    if !is_token(&token) {
        return Err(Stop::ended(&shell));
    }
    let (links, c) = collections(&shell)?;
    let path = format!("/api/{}/open", links.slug);
    let opened = shell.post(&path, &json!({"token": token})).await;
    if opened.status == StatusCode::NOT_FOUND {
        return Err(Stop::ended(&shell));
    }
    if !opened.is_good() {
        return Err(Stop::refused(&shell, &opened));
    }
    let list = |path: &str| at(&opened.body, path).as_array().map_or(&[][..], Vec::as_slice);
    let ids: Vec<String> = list("animals").iter().map(Value::to_string).collect();
    let fields = columns::of(c);
    let columns = columns::others(c, &fields);
    let select: String =
        (fields.iter()).map(|field| format!("&select[{}]=true", field.path.replace('.', "]["))).collect();
    let path = format!(
        "/api/{}?where[id][in]={}&limit={}&depth=1&joins=false{select}",
        c.slug,
        ids.join(","),
        ids.len().max(1)
    );
    let animals = shell.get(&path).await;
    let language = shell.language();
    let scopes: Vec<String> = (list("scopes").iter().filter_map(Value::as_str))
        .map(|scope| labels::option(language, links.slug, view_links::SCOPES, scope))
        .collect();
    let title = at(&opened.body, "owner.name").as_str().unwrap_or_default().to_owned();
    let body = html! {
        h1 { (title) }
        p {
            (shell.text("page-share")) " " (scopes.join(", ")) ". "
            (shell.text("page-share-until")) " "
            (day(language, at(&opened.body, "expiresAt").as_str().unwrap_or_default())) "."
        }
        section class="wide" tabindex="0" aria-label=(labels::collections(language, c.slug)) {
            table class="list" {
                thead { tr {
                    th scope="col" { (labels::collection(language, c.slug)) }
                    @for field in &columns { th scope="col" { (labels::field(language, c.slug, &field.path)) } }
                } }
                tbody { @for doc in animals.docs() { tr {
                    th scope="row" { a href=(format!("/share/{token}/{}", at(doc, "id"))) { (shell.title(c, doc)) } }
                    @for field in &columns {
                        td data-head=(labels::field(language, c.slug, &field.path)) {
                            (cell_of(&shell, c, field, doc))
                        }
                    }
                } } }
            }
        }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

async fn animal(Visit(pages, visitor, (token, id)): Visit<(String, i64)>) -> Page {
    let visitor = visitor.by_link(&token);
    let shell = Shell::new(&pages, &visitor);
    let (_, c) = collections(&shell)?;
    animal_page(&shell, c, id).await
}
