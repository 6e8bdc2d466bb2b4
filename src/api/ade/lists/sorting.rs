//! The sorting command of one animal: the only resource of the standard with an address of
//! its own below a location, and the only one with a DELETE.

use super::super::error::{self, Fault, Refusal, Reply};
use super::super::json;
use super::super::target::{self, Call};
use crate::AppState;
use ade::catalog::{Catalog, Verb};
use axum::http::{HeaderMap, StatusCode};
use mapping::Mapping;
use model::registry::Principal;
use std::sync::Arc;

type ResourcePath = (String, String, String, String);

struct About<'h> {
    mapping: &'h Mapping,
    caller: Arc<Principal>,
    location: i64,
    animals: Vec<i64>,
}

/// The latest command for the animal.
pub(in crate::ade) async fn one(Call(app, place, _, headers): Call<ResourcePath>) -> Reply {
    let about = about(&app, &place, &headers).await?;
    let dataset = about.mapping.dataset();
    let store = &app.book.store;
    let document = (app.exchange).lists().newest_about(store, dataset, about.location, &about.animals).await?;
    match document {
        Some(body) => Ok(json(StatusCode::OK, body.into_bytes())),
        None => Err(none()),
    }
}

/// Retracts all commands for the animal.
pub(in crate::ade) async fn delete(Call(app, place, _, headers): Call<ResourcePath>) -> Reply {
    let about = about(&app, &place, &headers).await?;
    target::may_write(&about.caller)?;
    let dataset = about.mapping.dataset();
    let exchange = &app.exchange;
    let gone = exchange.intake().forget(&app.book, about.caller, dataset, about.location, about.animals);
    match gone.await? {
        0 => Err(none()),
        _ => Ok(json(StatusCode::OK, Vec::new())),
    }
}

async fn about<'h>(
    app: &'h AppState,
    (scheme, id, animal_scheme, animal): &ResourcePath,
    headers: &HeaderMap,
) -> Result<About<'h>, Refusal> {
    let mapping = commands(app).ok_or_else(|| target::unknown(app, "sorting"))?;
    let caller = target::signed_in(app, headers).await?;
    let location = target::location(app, &caller, scheme, id).await?;
    let store = &app.book.store;
    let animals = (app.exchange).lists().animals(store, mapping, animal_scheme, animal).await?;
    Ok(About { mapping, caller, location, animals })
}

/// The data set of what the catalogue serves one by one and lets be deleted.
fn commands(app: &AppState) -> Option<&Mapping> {
    let all = Catalog::get().collections().iter();
    let resource = &all.clone().find(|e| e.allows(Verb::Delete))?.resource;
    let mappings = app.exchange.rules().mappings().all();
    mappings.into_iter().find(|m| m.resource() == resource)
}

/// Neither does an animal of elsewhere.
fn none() -> Refusal {
    let detail = "This location has no such command.";
    Fault::new(error::RESOURCE, detail).into()
}
