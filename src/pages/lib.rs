//! Pages for people (docs/pages.md), made by the server, in Russian and English. A page is a client: it sends requests
//! to the faces of the API as any program does, as the visitor and with the visitor's rights, and writes the answers as HTML.
//! So a page shows nothing that the API does not, and refuses what the API refuses, in its words. Must know neither the
//! book nor any single collection.

mod account;
mod book;
mod calls;
mod components;
mod docs;
mod evaluation;
mod exchange;
mod find;
mod help;
mod home;
mod legal;
mod lost;
mod partners;
mod passkeys;
mod retry;
mod share;
mod stop;
mod visitor;
mod words;

use axum::Router;
use axum::http::Extensions;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use calls::Calls;
use model::clock::Clock;
use model::face::Face;
use model::messages::Language;
use model::record::zone::TimeZone;
use model::registry::Registry;
use serde_json::Value;
use std::sync::Arc;

pub use calls::ClosedAccount;
pub use lost::wants_page;
pub use words::preferred;

/// What pages state about the service, and what they are made from.
#[derive(Debug)]
pub struct Site {
    /// Name of the installation, for people.
    pub service: String,
    pub face: Face,
    /// Its address, without a slash at the end; empty where none is configured.
    pub url: String,
    /// Language of visitors who prefer none that there is.
    pub language: Language,
    pub clock: Clock,
    /// Of visitors whose organisation has none of its own.
    pub zone: TimeZone,
    pub registry: &'static Registry,
    /// What requests to the faces know of the one of the page: the address that it comes from.
    pub carried: fn(&Extensions) -> Extensions,
    /// Whether visitors can have passkeys here.
    pub passkeys: bool,
    /// The start page for machines.
    pub index: Value,
}

#[derive(Debug)]
struct Shared {
    site: Site,
    calls: Calls,
}

type Pages = Arc<Shared>;

/// The pages, and the page for addresses that nobody has. `api` has the faces, with their own layers: authentication,
/// limits, times.
pub fn router<S: Clone + Send + Sync + 'static>(api: Router, site: Site) -> (Router<S>, Router) {
    let pages = Arc::new(Shared { site, calls: Calls::new(api) });
    let lost = Router::new().fallback(lost::missing).with_state(Arc::clone(&pages));
    let all = Router::new()
        .route("/", get(home::start))
        .merge(components::assets::routes())
        .route("/legal/{name}", get(legal::legal))
        .merge(account::routes())
        .merge(passkeys::routes())
        .merge(book::routes().layer(from_fn_with_state(Arc::clone(&pages), retry::keep_form)))
        .merge(share::routes())
        .merge(partners::routes())
        .route("/api-docs", get(docs::docs))
        .route(components::shell::HELP, get(help::first_steps))
        .route(evaluation::PATH, get(evaluation::evaluation))
        .route("/exchange", get(exchange::exchange))
        .route(find::PATH, get(find::find))
        .route(home::work::PATH, get(home::work::list))
        .route(home::queues::PATH, post(home::queues::take))
        .route("/language", post(words::choose))
        .layer(from_fn(components::notice::end))
        .layer(from_fn_with_state(Arc::clone(&pages), lost::page_for_bad_path))
        .with_state(pages);
    (all, lost)
}
