//! Pages of the book: the same four for every collection, made of its declaration. Must not know any single collection.

mod ask;
mod card;
mod certificate;
pub(crate) mod columns;
mod events;
mod form;
mod form_rows;
mod form_sheet;
mod form_values;
mod index;
mod list;
mod many;
mod moves;
mod once;
mod pictures;
mod preview;
pub(crate) mod query;
mod record;
mod review;
mod rights;
mod saved;
mod sight;
mod timeline;

pub(crate) use record::{animal_page, refusal};

use crate::Pages;
use crate::look::shell::Shell;
use crate::stop::Stop;
use axum::Router;
use axum::routing::{get, post};
use model::registry::Collection;

/// The pages.
pub(crate) fn routes() -> Router<Pages> {
    Router::new()
        .route("/book", get(index::index))
        .route("/book/{slug}", get(list::list))
        .route("/book/{slug}/new", get(form::new).post(form::create))
        .route("/book/{slug}/many/{name}", get(many::form).post(many::make))
        .route("/book/{slug}/preview", post(preview::preview))
        .route("/book/{slug}/{id}", get(record::record).post(form::change))
        .route("/book/{slug}/{id}/edit", get(form::edit).post(form::update))
        .route(
            "/book/{slug}/{id}/delete",
            get(ask::delete).post(record::delete),
        )
        .route("/book/{slug}/{id}/move/{field}/{to}", get(ask::ask))
        .route(
            "/book/{slug}/{id}/certificates",
            get(certificate::certificates),
        )
        .route("/book/{slug}/{id}/sample", get(review::sample))
        .route("/book/{slug}/{id}/tell", post(review::tell))
        .route("/book/{slug}/{id}/act/{action}", post(record::act))
}

/// The collection that an address names.
fn collection(shell: &Shell<'_>, slug: &str) -> Result<&'static Collection, Stop> {
    let found = shell.pages.site.registry.get(slug);
    found.ok_or_else(|| Stop::missing(shell))
}
