//! Pages of the book: the same four for every collection, made of its declaration. Must not know any single collection.

mod ask;
pub(crate) mod columns;
mod conditions;
mod deeds;
mod form;
mod in_force;
mod index;
mod list;
mod many;
mod mating;
mod moves;
mod once;
mod passing;
pub(crate) mod query;
mod record;
mod review;
mod rights;
mod visibility;

pub(crate) use list::saved::all as saved_views;
pub(crate) use moves::in_time;
pub(crate) use record::certificate::newest_certificates;
pub(crate) use record::{animal_page, refusal};

use crate::Pages;
use crate::components::set_fields::PROPOSED;
use crate::components::shell::Shell;
use crate::stop::Stop;
use axum::Router;
use axum::routing::{get, post};
use model::registry::Collection;
use rights::Rights;
use serde_json::Value;

pub(crate) fn routes() -> Router<Pages> {
    Router::new()
        .route("/book", get(index::index))
        .route("/book/{slug}", get(list::list))
        .route("/book/{slug}/new", get(form::new).post(form::create))
        .route("/book/{slug}/deeds", get(deeds::deeds))
        .route("/book/{slug}/change", get(deeds::change::form).post(deeds::change::change))
        .route("/book/{slug}/approve", get(deeds::approve::ask).post(deeds::approve::approve))
        .route("/book/{slug}/remove", get(deeds::remove::ask).post(deeds::remove::remove))
        .route("/book/{slug}/mating", get(mating::form).post(mating::plan))
        .route("/book/{slug}/{id}/kinship", get(mating::kinship::kinship))
        .route("/book/{slug}/many/{name}", get(many::form).post(many::make))
        .route("/book/{slug}/correct", get(form::correct::form).post(form::correct::correct))
        .route("/book/{slug}/grid", get(form::grid::grid).post(form::grid::enter))
        .route("/book/{slug}/choices", get(form::choices::choices))
        .route("/book/{slug}/preview", post(form::preview::preview))
        .route("/book/{slug}/{id}", get(record::record).post(form::change))
        .route("/book/{slug}/{id}/edit", get(form::edit).post(form::update))
        .route("/book/{slug}/{id}/delete", get(ask::delete).post(record::delete))
        .route("/book/{slug}/{id}/move/{field}", get(ask::choose))
        .route("/book/{slug}/{id}/move/{field}/{to}", get(ask::ask))
        .route("/book/{slug}/{id}/certificates", get(record::certificate::certificates))
        .route("/book/{slug}/{id}/sample", get(review::sample))
        .route("/book/{slug}/{id}/tell", post(review::tell))
        .route("/book/{slug}/{id}/rows", post(review::mend))
        .route("/book/{slug}/{id}/comment", post(review::comment))
        .route("/book/{slug}/{id}/act/{action}", post(record::act))
}

/// The collection that an address names, for a visitor who is signed in.
fn own_collection(shell: &Shell<'_>, slug: &str) -> Result<&'static Collection, Stop> {
    let c = collection(shell, slug)?;
    match shell.visitor.user {
        Some(_) => Ok(c),
        None => Err(Stop::sign_in(shell)),
    }
}

/// A record with what related ones are called, as the visitor sees it.
async fn document(shell: &Shell<'_>, c: &Collection, id: i64) -> Result<Value, Stop> {
    let answer = shell.get(&data(shell, c, id)).await;
    match answer.is_good() {
        true => Ok(answer.body),
        false => Err(Stop::refused(shell, &answer)),
    }
}

/// The record, with what the visitor may do with it.
async fn opened(shell: &Shell<'_>, c: &'static Collection, id: i64) -> Result<(Value, Rights), Stop> {
    let (doc, rights) = futures_util::join!(document(shell, c, id), Rights::of(shell, c, Some(id)));
    let mut doc = doc?;
    let chosen = c.fields.iter().any(|field| field.named_set().is_some());
    if chosen && rights.may("update") {
        let path = format!("/api/{}/{id}/proposals", c.slug);
        let mut answer = shell.get(&path).await;
        let proposed = answer.body.get_mut("docs").map(Value::take);
        if let (Value::Object(members), Some(proposed)) = (&mut doc, proposed) {
            members.insert(PROPOSED.to_owned(), proposed);
        }
    }
    Ok((doc, rights))
}

/// The request that the page of a record is made of.
fn data(shell: &Shell<'_>, c: &Collection, id: i64) -> String {
    let names = query::populate_names(shell.pages.site.registry, c.fields.iter());
    format!("/api/{}/{id}?depth=1&joins=false{names}", c.slug)
}

fn collection(shell: &Shell<'_>, slug: &str) -> Result<&'static Collection, Stop> {
    let c = shell.pages.site.registry.get(slug);
    c.ok_or_else(|| Stop::missing(shell))
}
